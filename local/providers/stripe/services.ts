/** Shared services of the emulator: clock, ids, balance transactions and events. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProviderKit } from '../old/provider-server.ts';
import { DIGITS, LOWERCASE, randomText, UPPERCASE } from '../random.ts';
import { missing } from './errors.ts';
import { render } from './render.ts';
import type { Account, Transaction } from './state.ts';

/** The request that caused an event; null if there is none. */
export interface Cause {
  id: string | null;
  idempotency_key: string | null;
}

export interface Entry {
  type: string;
  reportingCategory: string;
  amount: number;
  fee?: number;
  feeDescription?: string;
  currency: string;
  source: string | null;
  description: string | null;
  /** Unix seconds. Default: now. */
  availableOn?: number;
}

export interface StripeServices {
  kit: ProviderKit<Account>;
  causes: AsyncLocalStorage<Cause>;
  nowMs(): number;
  /** Unix seconds. */
  now(): number;
  accountOf(id: string): Account;
  enter(account: Account, entry: Entry): Transaction;
  /** Stores an event and sends it to subscribed endpoints. */
  emit(account: Account, type: string, object: object, previous?: Record<string, unknown>): void;
  schedule(name: string, dueAtMs: number, account: Account, data?: Record<string, string>): string;
}

const ALPHABET = LOWERCASE + UPPERCASE + DIGITS;
/** Ids are opaque to clients. */
export const newId = (prefix: string, length = 24): string => `${prefix}_${randomText(ALPHABET, length)}`;

export function createStripeServices(kit: ProviderKit<Account>): StripeServices {
  const causes = new AsyncLocalStorage<Cause>();
  const nowMs = () => kit.scheduler.now();
  const now = () => Math.floor(nowMs() / 1000);

  /** Schedules one event for all money that becomes available at the same time. */
  function scheduleNews(account: Account, atMs: number): void {
    const name = 'balance:available';
    const known = kit.scheduler
      .jobs()
      .some((job) => job.name === name && job.dueAtMs === atMs && job.data.account === account.id);
    if (!known) kit.scheduler.schedule(name, atMs, { account: account.id });
  }

  return {
    kit,
    causes,
    nowMs,
    now,
    accountOf(id) {
      const account = kit.state.accounts[id];
      if (account === undefined) throw missing('account', id, 'account');
      return account;
    },
    enter(account, { type, reportingCategory, source, description, ...more }) {
      const rate = account.options.exchangeRates[more.currency];
      const currency = rate === undefined ? more.currency : account.defaultCurrency;
      const [amount, fee] = [more.amount, more.fee ?? 0].map((one) => Math.round(one * (rate ?? 1))) as [
        number,
        number,
      ];
      const transaction: Transaction = {
        id: newId('txn'),
        object: 'balance_transaction',
        amount,
        available_on: more.availableOn ?? now(),
        balance_type: 'payments',
        created: now(),
        currency,
        description,
        exchange_rate: rate ?? null,
        fee,
        fee_details:
          fee === 0
            ? []
            : [
                {
                  amount: fee,
                  application: null,
                  currency,
                  description: more.feeDescription ?? 'Stripe processing fees',
                  type: 'stripe_fee',
                },
              ],
        net: amount - fee,
        reporting_category: reportingCategory,
        source,
        type,
      };
      account.transactions.push(transaction);
      if (transaction.available_on > now()) scheduleNews(account, transaction.available_on * 1000);
      return transaction;
    },
    emit(account, type, object, previous) {
      const endpoints = account.endpoints.filter(
        ({ status, enabled_events: events }) =>
          status === 'enabled' && (events.includes('*') || events.includes(type)),
      );
      const event = {
        id: newId('evt'),
        object: 'event' as const,
        api_version: account.apiVersion,
        created: now(),
        data: {
          object: structuredClone(render(account, now(), object)),
          ...(previous === undefined ? {} : { previous_attributes: previous }),
        },
        livemode: account.livemode,
        pending_webhooks: endpoints.length,
        request: causes.getStore() ?? { id: null, idempotency_key: null },
        type,
      };
      account.events.push(event);
      // Each endpoint receives events in its own API version.
      for (const version of new Set(
        endpoints.map((endpoint) => endpoint.api_version ?? account.apiVersion),
      )) {
        const ids = endpoints
          .filter((endpoint) => (endpoint.api_version ?? account.apiVersion) === version)
          .map(({ id }) => id);
        const body = JSON.stringify({ ...event, api_version: version }, null, 2);
        kit.webhooks.publish({ id: event.id, name: type, account: account.id, body }, ids);
      }
    },
    schedule: (name, dueAtMs, account, data = {}) =>
      kit.scheduler.schedule(name, dueAtMs, { account: account.id, ...data }),
  };
}
