// Movements of the balance. Their amounts are net, as the balance has them.
import type { Stripe } from 'stripe';
import type { AdjustmentReason } from '../names.ts';
import type { Page, StatementLine } from '../provider.ts';
import { listCashLines } from './cash.ts';
import { REFERENCE } from './checkout-parameters.ts';
import { type CallStripe, expanded, idOf, secondsOf, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { readSession, referenceOf } from './sessions.ts';

const PAGE = 100;

/** Pages of our own balance are followed by those of customers' cash: `cash:evt_...` says after what. */
const FIRST_OF_CASH = 'cash:';

export async function listStatement(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  if (!page?.startsWith(FIRST_OF_CASH)) return await listBalance(ask, signal, since, page);
  const after = page.slice(FIRST_OF_CASH.length) || undefined;
  const { items, next } = await listCashLines(ask, signal, since, after);
  return { items, next: next && `${FIRST_OF_CASH}${next}` };
}

async function listBalance(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  page: string | undefined,
): Promise<Page<StatementLine>> {
  const { data, has_more: more } = await ask(signal, (stripe) =>
    stripe.balanceTransactions.list({
      created: { gte: secondsOf(since) },
      limit: PAGE,
      expand: ['data.source'],
      ...(page && { starting_after: page }),
    }),
  );
  // Reserves and the like are balances of their own; what goes there has an entry here, too.
  const ours = data.filter(({ balance_type: type }) => !type || type === 'payments');
  const leads = new Map(ours.map((entry) => [entry.id, leadOf(entry)]));
  const sessions = await sessionsOf(ask, signal, new Set([...leads.values()].flatMap((lead) => lead ?? [])));
  return {
    items: ours.map((entry) => lineOf(entry, sessions.get(leads.get(entry.id) ?? ''))),
    next: (more && data.at(-1)?.id) || FIRST_OF_CASH,
  };
}

function lineOf(entry: Stripe.BalanceTransaction, session: string | undefined): StatementLine {
  return {
    id: entry.id,
    at: timeOf(entry.created),
    currency: entry.currency.toUpperCase(),
    amountMinor: fromStripe(entry.net, entry.currency),
    order: session === undefined ? undefined : { kind: 'charge', providerReference: session },
    reason: reasonOf(entry),
    description: entry.description ?? entry.type,
  };
}

/** How many sessions are asked for at once: Stripe takes 25 requests a second of test keys. */
const AT_ONCE = 5;

/** The session of ours that each PaymentIntent or customer belongs to. */
async function sessionsOf(
  ask: CallStripe,
  signal: AbortSignal,
  leads: Set<string>,
): Promise<Map<string, string>> {
  const sessions = new Map<string, string>();
  const left = [...leads];
  const work = async () => {
    for (let lead = left.pop(); lead; lead = left.pop()) {
      const session = await readSession(ask, signal, lead);
      if (session && referenceOf(session)) sessions.set(lead, session.id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sessions;
}

/** The PaymentIntent or customer that an entry is about, which may be of an order of ours. */
function leadOf({ source }: Stripe.BalanceTransaction): string | undefined {
  const about = expanded(source);
  switch (about?.object) {
    case 'charge':
      return about.metadata[REFERENCE] ? idOf(about.payment_intent) : undefined;
    case 'refund':
    case 'dispute':
      return idOf(about.payment_intent);
    case 'customer_cash_balance_transaction':
      return idOf(about.customer);
    default:
      return undefined;
  }
}

/** By Stripe's categories, which tell refunds and disputes apart where types don't. */
const reasonsByCategory: Record<string, AdjustmentReason> = {
  refund: 'refund',
  refund_failure: 'refund',
  partial_capture_reversal: 'refund',
  charge_failure: 'refund',
  dispute: 'chargeback',
  dispute_reversal: 'chargeback_won',
  fee: 'provider_fee',
  tax: 'provider_fee',
  // The holder's own money on the way to his bank, and what came back of it.
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

/** Where it is of no order of ours: what came from elsewhere was received outside, and what else went is taken for a fee. */
function reasonOf({ type, reporting_category: category, net }: Stripe.BalanceTransaction): AdjustmentReason {
  const known = reasonsByCategory[category] ?? reasonsByType[type];
  return known ?? (net < 0 ? 'provider_fee' : 'received_outside');
}
