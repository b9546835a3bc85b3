/** What payers, banks and the account's owner do. */
import { type FakeKit, partsOf } from '../../fakes/fake.ts';
import { receiveTransfer, returnCash } from './bank-transfers.ts';
import { type Desk, find, findAny, newId, render } from './desk.ts';
import { concludeDebit, type DebitEnd, enterCharge } from './payments.ts';
import {
  closeDispute,
  concludeRefund,
  createRefund,
  type DisputeOrder,
  openDispute,
  type RefundOrder,
} from './returns.ts';
import { type Account, type AccountOptions, type ApiKey, DEFAULT_OPTIONS } from './state.ts';
import { type Submission, submit } from './submit.ts';

export type OptionsOrder = Partial<AccountOptions>;

export interface AccountOrder {
  country?: string;
  /** Default: EUR outside the United States. */
  currency?: string;
  options?: OptionsOrder;
}

interface EntryOrder {
  type?: string;
  reportingCategory?: string;
  amount: number;
  currency?: string;
}

/** Amounts are in minor units. All controls take the account's id first. */
export function createControls(kit: FakeKit<Account>, desk: (id: string) => Desk) {
  const of =
    <T extends { id: string }, A extends unknown[], R>(
      items: (account: Account) => T[],
      run: (desk: Desk, item: T, ...args: A) => R,
    ) =>
    (id: string, item: string, ...args: A): R =>
      run(desk(id), find(items(desk(id).account), item, 'object'), ...args);
  return {
    createAccount({ country = 'US', currency, options }: AccountOrder = {}) {
      const key = newId('sk_test', 99);
      const lists = { customers: [], sessions: [], intents: [], charges: [], transactions: [], refunds: [] };
      const account: Account = {
        id: newId('acct', 16),
        keys: [{ key, state: 'good', permissions: {} }],
        country,
        defaultCurrency: currency ?? (country === 'US' ? 'usd' : 'eur'),
        options: { ...DEFAULT_OPTIONS, ...options },
        ...lists,
        intentData: {},
        ...{ disputes: [], endpoints: [], secrets: {}, events: [], cashTransactions: [], idempotency: {} },
      };
      kit.state.accounts[account.id] = account;
      return { id: account.id, apiKey: key };
    },
    /** The state of an account, or only these members of it. */
    account: (id: string, ...parts: (keyof Account)[]) => partsOf(desk(id).account, parts),
    options: (id: string, change: OptionsOrder) => void Object.assign(desk(id).account.options, change),
    /** Adds or changes a key. */
    key(id: string, key: string, change: Partial<ApiKey> = {}) {
      const { account } = desk(id);
      const made: ApiKey = { key, state: 'good', permissions: {}, ...change };
      account.keys = [...account.keys.filter((known) => known.key !== key), made];
    },
    /** Submits the page of a session as the payer. */
    pay: (id: string, session: string, submission: Submission = {}) => {
      const known = find(desk(id).account.sessions, session, 'checkout.session');
      submit(desk(id), known, submission);
      return known;
    },
    /** The bank concludes a debit that is processing. */
    concludeDebit: of(
      ({ intents }) => intents,
      (at, intent, end: DebitEnd) => concludeDebit(at, intent, end),
    ),
    /** A bank transfer arrives. Default: the open amount. */
    transfer: of(
      ({ intents }) => intents,
      (at, intent, amount?: number) => receiveTransfer(at, intent, amount),
    ),
    returnCash: of(
      ({ intents }) => intents,
      (at, intent, amount?: number) => returnCash(at, intent, amount),
    ),
    /** Creates the balance transaction of a charge immediately. */
    enterCharge: of(({ charges }) => charges, enterAndTell),
    /** Refunds in the dashboard. */
    refund: of(
      ({ charges }) => charges,
      (at, charge, order: RefundOrder = {}) => createRefund(at, charge, order),
    ),
    concludeRefund: of(({ refunds }) => refunds, concludeRefund),
    dispute: of(
      ({ charges }) => charges,
      (at, charge, order: DisputeOrder = {}) => openDispute(at, charge, order),
    ),
    closeDispute: of(({ disputes }) => disputes, closeDispute),
    /** Adds a transaction without an event. */
    transaction(
      id: string,
      { type = 'stripe_fee', reportingCategory = 'fee', amount, currency }: EntryOrder,
    ) {
      const { enter, account } = desk(id);
      enter({ type, reportingCategory, amount, currency: currency ?? account.defaultCurrency });
    },
    /** Sends an event of any type about an object to all endpoints. */
    event(id: string, { type, id: of, change }: { type: string; id: string; change?: object }) {
      const { account } = desk(id);
      const object = { ...render(account, findAny(account, of) ?? {}), ...change };
      const event = { id: newId('evt'), object: 'event', type, data: { object } };
      const endpoints = account.endpoints.map((endpoint) => endpoint.id);
      const body = JSON.stringify(event);
      kit.webhooks.publish({ id: event.id, name: type, account: id, body }, endpoints);
    },
  };
}

export function enterAndTell(desk: Desk, charge: Account['charges'][number]): void {
  enterCharge(desk, charge);
  desk.emit('charge.updated', charge);
}
