// Lists the movements of the balance with net amounts.
import type { Stripe } from 'stripe';
import type { Page, StatementLine } from '../accounts.ts';
import { type AdjustmentReason, COVERED_REASONS } from '../order-report.ts';
import { listCashLines } from './cash.ts';
import { REFERENCE } from './checkout-parameters.ts';
import { type CallStripe, expanded, idOf, PAGE_SIZE, secondsOf, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { readSession, referenceOf } from './sessions.ts';

/** Cursor prefix of the pages with customers' cash movements (`cash:evt_...`), which follow those of the account balance. */
const FIRST_OF_CASH = 'cash:';

export async function listStatement(
  ask: CallStripe,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  if (!page?.startsWith(FIRST_OF_CASH)) return await listBalance(ask, since, page);
  const after = page.slice(FIRST_OF_CASH.length) || undefined;
  const { items, next } = await listCashLines(ask, since, after);
  return { items, next: next && `${FIRST_OF_CASH}${next}` };
}

async function listBalance(
  ask: CallStripe,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  const { data, has_more: more } = await ask((stripe) =>
    stripe.balanceTransactions.list({
      created: { gte: secondsOf(since) },
      limit: PAGE_SIZE,
      expand: ['data.source'],
      ...(page && { starting_after: page }),
    }),
  );
  // Reserves are separate balances. Transfers to them also have an entry in the payments balance.
  const ours = data.filter(({ balance_type: type }) => !type || type === 'payments');
  const lookupIds = new Map(ours.map((entry) => [entry.id, lookupIdOf(entry)]));
  const sessions = await sessionsOf(
    ask,
    new Set([...lookupIds.values()].flatMap((lookupId) => lookupId ?? [])),
  );
  return {
    items: ours.map((entry) => lineOf(entry, sessions.get(lookupIds.get(entry.id) ?? ''))),
    next: (more && data.at(-1)?.id) || FIRST_OF_CASH,
  };
}

function lineOf(entry: Stripe.BalanceTransaction, order: StatementLine['order']): StatementLine {
  return {
    id: entry.id,
    at: timeOf(entry.created),
    currency: entry.currency.toUpperCase(),
    amountMinor: fromStripe(entry.net, entry.currency),
    order,
    reason: reasonOf(entry),
    orderReason: orderReasonOf(entry),
    description: entry.description ?? entry.type,
  };
}

/** Concurrent session requests. Stripe allows 25 requests per second for test keys. */
const CONCURRENCY = 5;

/** Our order of each PaymentIntent or customer. */
async function sessionsOf(
  ask: CallStripe,
  lookupIds: Set<string>,
): Promise<Map<string, NonNullable<StatementLine['order']>>> {
  const sessions = new Map<string, NonNullable<StatementLine['order']>>();
  const remaining = [...lookupIds];
  const work = async () => {
    for (let lookupId = remaining.pop(); lookupId; lookupId = remaining.pop()) {
      const session = await readSession(ask, lookupId);
      const reference = session && referenceOf(session);
      if (reference) sessions.set(lookupId, { kind: 'charge', providerReference: session.id, reference });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return sessions;
}

/** The PaymentIntent or customer of an entry, which may belong to one of our orders. */
function lookupIdOf({ source }: Stripe.BalanceTransaction): string | undefined {
  const object = expanded(source);
  switch (object?.object) {
    case 'charge':
      return object.metadata[REFERENCE] ? idOf(object.payment_intent) : undefined;
    case 'refund':
    case 'dispute':
      return idOf(object.payment_intent);
    case 'customer_cash_balance_transaction':
      return idOf(object.customer);
    default:
      return undefined;
  }
}

/** Reasons by reporting category, which distinguishes refunds from disputes where the type does not. */
const reasonsByCategory: Record<string, AdjustmentReason> = {
  refund: 'refund',
  refund_failure: 'refund',
  partial_capture_reversal: 'refund',
  charge_failure: 'refund',
  dispute: 'chargeback',
  dispute_reversal: 'chargeback_won',
  fee: 'provider_fee',
  tax: 'provider_fee',
  // Payouts to the account holder's bank, and their reversals.
  payout: 'balance_released',
  payout_reversal: 'returned',
  payout_minimum_balance_hold: 'balance_blocked',
  payout_minimum_balance_release: 'balance_released',
  risk_reserved_funds: 'balance_blocked',
};

const reasonsByType: Record<string, AdjustmentReason> = {
  payout: 'balance_released',
  payout_cancel: 'returned',
  payout_failure: 'returned',
  stripe_fee: 'provider_fee',
  stripe_fx_fee: 'provider_fee',
  tax_fee: 'provider_fee',
  reserve_hold: 'balance_blocked',
  reserved_funds: 'balance_blocked',
  payment_network_reserve_hold: 'balance_blocked',
  reserve_release: 'balance_released',
  payment_network_reserve_release: 'balance_released',
};

/** Charges themselves have none of these categories. */
function orderReasonOf({ reporting_category: category }: Stripe.BalanceTransaction) {
  const known = reasonsByCategory[category];
  if (known === undefined || COVERED_REASONS.has(known)) return undefined;
  return known === 'provider_fee' ? 'fee_correction' : known;
}

/** The reason for entries that belong to no order. Unknown credits are `received_outside`, unknown debits `provider_fee`. */
function reasonOf({ type, reporting_category: category, net }: Stripe.BalanceTransaction): AdjustmentReason {
  const known = reasonsByCategory[category] ?? reasonsByType[type];
  return known ?? (net < 0 ? 'provider_fee' : 'received_outside');
}
