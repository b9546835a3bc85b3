/** An account with what its operations need: clock, ids, statements, money and errors in the formats of Wise. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FakeKit } from '../../fakes/fake.ts';
import { VendorError } from '../../fakes/vendor-error.ts';
import type { Account, Balance, Entry, Profile } from './state.ts';

export interface Desk {
  kit: FakeKit<Account>;
  account: Account;
  /** The profile that pays. */
  business: Profile;
  now(): number;
  newId(kind: keyof typeof FIRST_IDS): number;
  /** The business' balance; opens it unless there is one. */
  balance(currency: string): Balance;
  /** Adds an entry to the statement of a balance. */
  enter(currency: string, entry: Omit<Entry, 'atMs' | 'running'>): void;
  /** Sends an event to the subscriptions of its type. */
  emit(triggerOn: string, data: object): void;
}

/** First id of each kind, so that ids of different kinds never match. Transfer ids need more than 31 bits. */
const FIRST_IDS = {
  profile: 30_000_000,
  balance: 64_000_000,
  recipient: 700_000_000,
  transfer: 2_200_000_000,
};

/** The balance in minor units. */
export const amountOf = ({ entries }: Balance): number => entries.at(-1)?.running ?? 0;

export function deskOf(kit: FakeKit<Account>, account: Account): Desk {
  const now = () => kit.clock.now();
  const [, business] = account.profiles;
  const newId: Desk['newId'] = (kind) => FIRST_IDS[kind] + kit.nextNumber();
  const balance = (currency: string): Balance => {
    const known = business.balances.find((one) => one.currency === currency);
    const opened = known ?? { id: newId('balance'), currency, entries: [] };
    if (known === undefined) business.balances.push(opened);
    return opened;
  };
  return {
    kit,
    account,
    business,
    now,
    newId,
    balance,
    enter(currency, entry) {
      const held = balance(currency);
      held.entries.push({ ...entry, atMs: now(), running: amountOf(held) + entry.amount });
    },
    emit(triggerOn, data) {
      for (const subscription of account.subscriptions) {
        if (subscription.triggerOn !== triggerOn) continue;
        const body = eventBody(subscription, { ...data, occurred_at: timeText(now()) }, now());
        const event = { id: randomUUID(), name: triggerOn, account: account.id, body };
        kit.webhooks.publish(event, [subscription.id]);
      }
    },
  };
}

export const timeText = (timeMs: number): string => new Date(timeMs).toISOString();

export const eventBody = (
  { id, triggerOn, version }: { id: string; triggerOn: string; version: string },
  data: object,
  sentAtMs: number,
): string =>
  JSON.stringify({
    data,
    subscription_id: id,
    event_type: triggerOn,
    schema_version: version,
    sent_at: timeText(sentAtMs),
  });

const unitOf = (currency: string): number => (currency === 'JPY' ? 1 : 100);
export const toMajor = (currency: string, minor: number): number => minor / unitOf(currency);
export const toMinor = (currency: string, major: number): number => Math.round(major * unitOf(currency));
export const renderAmount = (currency: string, minor: number) => ({
  value: toMajor(currency, minor),
  currency,
});

/** Units of each currency for one US dollar. Other currencies are not supported. */
const RATES: Record<string, number> = {
  ...{ USD: 1, EUR: 0.9213, GBP: 0.7851, CAD: 1.3712, AUD: 1.5243 },
  ...{ MXN: 18.421, INR: 84.137, JPY: 151.27, THB: 34.215 },
};

/** Target currency units for one source currency unit; undefined for an unknown currency. */
export function rateOf(source: string, target: string): number | undefined {
  const [from, to] = [RATES[source], RATES[target]];
  if (from === undefined || to === undefined) return undefined;
  return source === target ? 1 : Number((to / from).toPrecision(6));
}

export interface ErrorItem {
  code: string;
  message: string;
  path?: string;
}

export const traceId = (): string => randomBytes(16).toString('hex');

/** `{timestamp, errors: [{code, message, path, arguments}]}`: validation errors. */
export const invalid = (status: number, errors: ErrorItem[]): VendorError =>
  new VendorError(status, {
    timestamp: timeText(Date.now()),
    errors: errors.map((item) => ({ ...item, arguments: [] })),
  });

export const refusal = (status: number, code: string, message: string, path?: string): VendorError =>
  invalid(status, [{ code, message, ...(path !== undefined && { path }) }]);

/** `{timestamp, status, error, message, path}`: errors that occur before the resource is reached. */
export const systemError = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): VendorError =>
  new VendorError(
    status,
    { timestamp: timeText(Date.now()), status, error: 'Error', message, path: null },
    { 'x-trace-id': traceId(), ...headers },
  );

export const unauthorized = (headers: Record<string, string> = {}): VendorError =>
  systemError(403, 'Unauthorized', headers);

export function find<T extends { id: string | number }>(items: readonly T[], id: unknown, what: string): T {
  const found = items.find((item) => String(item.id) === String(id));
  if (found === undefined) throw refusal(404, `${what}.not-found`, `${what} ${id} was not found`);
  return found;
}
