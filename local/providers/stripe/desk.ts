/** An account with what its operations need: clock, ids, balance transactions and events. */
import type { FakeKit } from '../../fakes/fake.ts';
import { DIGITS, LOWERCASE, randomText, UPPERCASE } from '../../fakes/random.ts';
import { missing } from './errors.ts';
import type { Account, StripeEvent, Transaction } from './state.ts';

export interface Entry {
  type: string;
  reportingCategory: string;
  amount: number;
  fee?: number;
  currency: string;
  source?: string | null;
  description?: string | null;
  /** Unix seconds. Default: now. */
  availableOn?: number;
}

export interface Desk {
  kit: FakeKit<Account>;
  account: Account;
  /** Unix seconds. */
  now(): number;
  /** Adds a balance transaction. */
  enter(entry: Entry): Transaction;
  /** Stores an event and sends it to subscribed endpoints. */
  emit(type: string, object: object): void;
  /** Schedules a job about one of the account's things. */
  later(job: string, delayMs: number, id: string, more?: string): void;
}

/** Ids are opaque to clients. */
export const newId = (prefix: string, length = 24): string =>
  `${prefix}_${randomText(LOWERCASE + UPPERCASE + DIGITS, length)}`;

export function deskOf(kit: FakeKit<Account>, account: Account): Desk {
  const now = () => Math.floor(kit.clock.now() / 1000);
  return {
    kit,
    account,
    now,
    enter({ reportingCategory, source = null, description = null, fee = 0, availableOn, ...entry }) {
      const rate = account.options.exchangeRates[entry.currency];
      const settled = (amount: number) => Math.round(amount * (rate ?? 1));
      const transaction: Transaction = {
        id: newId('txn'),
        object: 'balance_transaction',
        created: now(),
        ...entry,
        amount: settled(entry.amount),
        available_on: availableOn ?? now(),
        balance_type: 'payments',
        currency: rate === undefined ? entry.currency : account.defaultCurrency,
        description,
        exchange_rate: rate ?? null,
        fee: settled(fee),
        net: settled(entry.amount) - settled(fee),
        reporting_category: reportingCategory,
        source,
      };
      account.transactions.push(transaction);
      return transaction;
    },
    emit(type, object) {
      const endpoints = account.endpoints.filter(
        ({ status, enabled_events: events }) => status === 'enabled' && events.includes(type),
      );
      const shown = structuredClone(render(account, object));
      const id = newId('evt');
      const event: StripeEvent = { id, object: 'event', created: now(), data: { object: shown }, type };
      account.events.push(event);
      kit.webhooks.publish(
        { id, name: type, account: account.id, body: JSON.stringify(event) },
        endpoints.map((endpoint) => endpoint.id),
      );
    },
    later: (job, delayMs, id, more = '') =>
      void kit.clock.schedule(job, kit.clock.now() + delayMs, { account: account.id, id, more }),
  };
}

/** A dispute shows its transactions, other objects their ids. */
export function render(account: Account, object: object): object {
  if (!('balance_transactions' in object)) return object;
  const ids = new Set(Array.isArray(object.balance_transactions) ? object.balance_transactions : []);
  return { ...object, balance_transactions: account.transactions.filter(({ id }) => ids.has(id)) };
}

/** Throws 404, or 400 for an id in a parameter. */
export function find<T extends { id: string }>(
  items: readonly T[],
  id: string | null | undefined,
  what: string,
  param = 'id',
): T {
  const found = items.find((item) => item.id === id);
  if (found === undefined) throw missing(what, String(id), param);
  return found;
}

/** Any object of an account. */
export const findAny = (account: Account, id: string): object | undefined =>
  [
    ...[account.charges, account.sessions, account.customers, account.disputes, account.intents],
    ...[account.refunds, account.transactions],
  ]
    .flat()
    .find((object) => object.id === id);
