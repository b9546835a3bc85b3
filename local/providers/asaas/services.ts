/** Shared services of the emulator: clock, ids, statement and events. */
import { createHash } from 'node:crypto';
import type { ProviderKit } from '../provider-server.ts';
import { DIGITS, LOWERCASE, randomText, UPPERCASE } from '../random.ts';
import { saoPaulo } from './calendar.ts';
import { notFound } from './errors.ts';
import type { Account, StatementEntry } from './state.ts';

export interface Entry {
  type: string;
  /** In cents. Negative for outgoing money. */
  value: number;
  description: string;
  paymentId?: string;
  transferId?: string;
  invoiceId?: string;
  paymentDunningId?: string;
}

export type EventSubject = 'payment' | 'transfer' | 'invoice' | 'balance' | 'balanceData';

export interface AsaasServices {
  kit: ProviderKit<Account>;
  now(): number;
  /** The current day in São Paulo. */
  today(): string;
  /** The current time in São Paulo as `YYYY-MM-DD HH:mm:ss`. */
  nowText(): string;
  accountOf(id: string): Account;
  /** Adds an entry to the statement unless its value is zero. */
  enter(account: Account, entry: Entry): void;
  /** In cents. */
  balanceOf(account: Account): number;
  /** Sends an event to subscribed webhooks, or to all webhooks if the event has no subscription. */
  emit(
    account: Account,
    event: string,
    subject: EventSubject,
    rendered: object,
    to?: 'subscribers' | 'all',
  ): void;
}

export function createAsaasServices(kit: ProviderKit<Account>): AsaasServices {
  const now = () => kit.scheduler.now();
  const balanceOf = (account: Account): number => account.statement.at(-1)?.balance ?? 0;

  return {
    kit,
    now,
    today: () => saoPaulo.dayAt(now()),
    nowText: () => saoPaulo.dateTimeAt(now()),
    accountOf(id) {
      const account = kit.state.accounts[id];
      if (account === undefined) throw notFound();
      return account;
    },
    balanceOf,
    enter(account, { type, value, description, ...relations }) {
      if (value === 0) return;
      const number = kit.nextNumber();
      const entry: StatementEntry = {
        id: `fin_${String(number).padStart(12, '0')}`,
        number,
        type,
        date: saoPaulo.dayAt(now()),
        value,
        balance: balanceOf(account) + value,
        description,
        paymentId: null,
        transferId: null,
        invoiceId: null,
        paymentDunningId: null,
        ...relations,
      };
      account.statement.push(entry);
    },
    emit(account, event, subject, rendered, to = 'subscribers') {
      const endpoints = account.webhooks
        .filter(({ enabled, events }) => enabled && (to === 'all' || events.includes(event)))
        .map(({ id }) => id);
      // In captured events the part before the ampersand depends only on the event name: only the whole id is unique.
      const kind = createHash('md5').update(event).digest('hex');
      const id = `evt_${kind}&${kit.nextNumber()}`;
      const body = JSON.stringify({
        id,
        event,
        dateCreated: saoPaulo.dateTimeAt(now()),
        account: { id: account.id, ownerId: null },
        [subject]: rendered,
      });
      kit.webhooks.publish({ id, name: event, account: account.id, body }, endpoints);
    },
  };
}

/** An id such as `cus_000000000123`. */
export const numberedId = (prefix: string, number: number): string =>
  `${prefix}_${String(number).padStart(12, '0')}`;

/** A payment's id, and the suffix of its public URLs: lowercase in the old format, a digit and mixed case in the new one. */
export function paymentIds(format: 'old' | 'new'): { id: string; shortId: string } {
  if (format === 'old') {
    const shortId = randomText(LOWERCASE + DIGITS, 16);
    return { id: `pay_${shortId}`, shortId };
  }
  const shortId = randomText(LOWERCASE + UPPERCASE + DIGITS, 14);
  return { id: `pay_${randomText(DIGITS.slice(1), 1)}_${shortId}`, shortId };
}

/** `E`, the bank's ISPB, the minute in UTC, and eleven characters. */
export function endToEndId(timeMs: number): string {
  const minute = new Date(timeMs).toISOString().replace(/\D/g, '').slice(0, 12);
  return `E19540550${minute}${randomText(LOWERCASE + UPPERCASE + DIGITS, 11)}`;
}
