/** An account with what its operations need: clock, ids, statement, events and errors in Asaas' words. */
import { createHash } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import { calendarOf } from '../days.ts';
import type { Account, StatementEntry } from './state.ts';

export const saoPaulo = calendarOf('America/Sao_Paulo');
export const toReais = (cents: number): number => cents / 100;
export const reaisOrNull = (cents: number | null): number | null => (cents === null ? null : cents / 100);

export interface Entry {
  type: string;
  /** In cents. Negative for outgoing money. */
  value: number;
  description: string;
  paymentId?: string | undefined;
  transferId?: string;
}

export interface Desk {
  kit: FakeKit<Account>;
  account: Account;
  now(): number;
  /** The current day in São Paulo. */
  today(): string;
  /** The current time in São Paulo as `YYYY-MM-DD HH:mm:ss`. */
  nowText(): string;
  /** In cents. */
  balance(): number;
  /** Adds an entry to the statement unless its value is zero. */
  enter(entry: Entry): void;
  /** Sends an event to subscribed webhooks. */
  emit(event: string, subject: string, rendered: object): void;
  /** Schedules a job about one of the account's things. */
  later(job: string, dueAtMs: number, id: string, more?: string): void;
}

export function deskOf(kit: FakeKit<Account>, account: Account): Desk {
  const now = () => kit.clock.now();
  const balance = () => account.statement.at(-1)?.balance ?? 0;
  return {
    kit,
    account,
    now,
    today: () => saoPaulo.dayAt(now()),
    nowText: () => saoPaulo.dateTimeAt(now()),
    balance,
    enter({ value, ...entry }) {
      if (value === 0) return;
      const added: StatementEntry = {
        id: numberedId('fin', kit.nextNumber()),
        date: saoPaulo.dayAt(now()),
        value,
        balance: balance() + value,
        ...entry,
        paymentId: entry.paymentId ?? null,
        transferId: entry.transferId ?? null,
      };
      account.statement.push(added);
    },
    emit(event, subject, rendered) {
      const endpoints = account.webhooks
        .filter(({ enabled, events }) => enabled && events.includes(event))
        .map(({ id }) => id);
      // In captured events the part before the ampersand depends only on the event name: only the whole id is unique.
      const id = `evt_${createHash('md5').update(event).digest('hex')}&${kit.nextNumber()}`;
      const dateCreated = saoPaulo.dateTimeAt(now());
      const envelope = { id, event, dateCreated, account: { id: account.id, ownerId: null } };
      const body = JSON.stringify({ ...envelope, [subject]: rendered });
      kit.webhooks.publish({ id, name: event, account: account.id, body }, endpoints);
    },
    later: (job, dueAtMs, id, more = '') =>
      void kit.clock.schedule(job, dueAtMs, { account: account.id, id, more }),
  };
}

/** An id such as `cus_000000000123`. */
export const numberedId = (prefix: string, number: number): string =>
  `${prefix}_${String(number).padStart(12, '0')}`;

export interface ErrorItem {
  code: string;
  description: string;
}

export const asaasError = (
  status: number,
  errors: ErrorItem[],
  headers: Record<string, string> = {},
): VendorError => new VendorError(status, { errors }, headers);

export const badRequest = (code: string, description: string): VendorError =>
  asaasError(400, [{ code, description }]);

/** An action that is not allowed in the current state. */
export const invalidAction = (description: string): VendorError => badRequest('invalid_action', description);

/** 404 without a body, for an unknown id. */
export const notFound = (): VendorError => new VendorError(404, undefined);

export function find<T extends { id: string }>(items: readonly T[], id: string | undefined): T {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw notFound();
  return found;
}
