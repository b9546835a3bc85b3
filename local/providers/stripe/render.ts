/** Renders objects with their current state, and expands ids. */
import { StripeError } from './errors.ts';
import type { Account, Dispute, Transaction } from './state.ts';

type Shown = Record<string, unknown>;

/** Adds members that depend on the current time or on other objects. */
export function render(account: Account, now: number, object: object): Shown {
  // API objects have only string keys.
  const shown = { ...(object as Shown) };
  if (shown.object === 'balance_transaction') {
    const { available_on: availableOn } = object as Transaction;
    shown.status = availableOn <= now ? 'available' : 'pending';
  }
  if (shown.object === 'dispute') {
    const { balance_transactions: ids } = object as Dispute;
    shown.balance_transactions = ids.map((id) => render(account, now, find(account, id) ?? {}));
  }
  return shown;
}

/** Finds any object of an account by its id. */
export function find(account: Account, id: string): object | undefined {
  const [prefix] = id.split('_');
  const lists: Record<string, readonly { id: string }[]> = {
    ch: account.charges,
    cs: account.sessions,
    cus: account.customers,
    dp: account.disputes,
    pi: account.intents,
    pm: account.methods,
    po: account.payouts,
    py: account.charges,
    pyr: account.refunds,
    re: account.refunds,
    txn: account.transactions,
  };
  return lists[prefix ?? '']?.find((object) => object.id === id);
}

/** Members that contain an id, by object type. */
const EXPANDABLE: Record<string, readonly string[]> = {
  balance_transaction: ['source'],
  charge: ['balance_transaction', 'customer', 'failure_balance_transaction', 'payment_intent'],
  'checkout.session': ['customer', 'payment_intent'],
  dispute: ['charge', 'payment_intent'],
  payment_intent: ['customer', 'latest_charge', 'payment_method'],
  payout: ['balance_transaction', 'destination', 'failure_balance_transaction'],
  refund: [
    'balance_transaction',
    'charge',
    'failure_balance_transaction',
    'payment_intent',
    'payment_method',
  ],
};

const list = (url: string, data: unknown[]): Shown => ({ object: 'list', data, has_more: false, url });

/** Lists that are included only on request. */
function included(account: Account, now: number, object: Shown, member: string): Shown | undefined {
  const id = String(object.id);
  if (object.object === 'charge' && member === 'refunds') {
    const refunds = account.refunds.filter(({ charge }) => charge === id).reverse();
    return list(
      `/v1/charges/${id}/refunds`,
      refunds.map((refund) => render(account, now, refund)),
    );
  }
  if (object.object === 'checkout.session' && member === 'line_items') {
    return list(`/v1/checkout/sessions/${id}/line_items`, account.sessionInternals[id]?.lineItems ?? []);
  }
  return undefined;
}

const MAX_LEVELS = 4;

/** Replaces ids by objects, in place. */
export function expand(account: Account, now: number, object: Shown, paths: readonly string[]): void {
  for (const path of paths) {
    const parts = path.split('.');
    if (parts.length > MAX_LEVELS) {
      throw new StripeError(400, `You cannot expand more than ${MAX_LEVELS} levels of a property`, {
        param: 'expand',
      });
    }
    expandPath(account, now, object, parts, path);
  }
}

function expandPath(
  account: Account,
  now: number,
  object: Shown,
  parts: readonly string[],
  path: string,
): void {
  const [member = '', ...rest] = parts;
  if (object.object === 'list') {
    if (member !== 'data' || rest.length === 0) throw cannotExpand(path);
    // Created by the list endpoints of this folder.
    for (const item of object.data as Shown[]) expandPath(account, now, item, rest, path);
    return;
  }
  const inside = included(account, now, object, member);
  if (inside !== undefined) object[member] ??= inside;
  else if (!EXPANDABLE[String(object.object)]?.includes(member) && !(member in object && rest.length > 0)) {
    throw cannotExpand(path);
  }
  const value = object[member];
  if (typeof value === 'string') {
    const found = find(account, value);
    if (found !== undefined) object[member] = render(account, now, found);
  }
  if (rest.length === 0) return;
  const next = object[member];
  const items = Array.isArray(next) ? next : [next];
  for (const item of items) {
    if (typeof item === 'object' && item !== null) expandPath(account, now, item, rest, path);
  }
}

const cannotExpand = (path: string): StripeError =>
  new StripeError(400, `This property cannot be expanded (${path}).`, { param: 'expand' });
