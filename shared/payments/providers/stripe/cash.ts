// What bank transfers bring: Stripe keeps it in the cash balance of the customer, which is no part of our own balance. A customer is of one
// order alone, so all that comes and goes there is of that order.
import type { Stripe } from 'stripe';
import type { Page, StatementLine } from '../provider.ts';
import { type CallStripe, idOf, secondsOf, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, paymentOf } from './payment.ts';
import { readSession, referenceOf } from './sessions.ts';

const PAGE = 100;
/** Each may lead to a customer and a session that must be read. */
const EVENTS_PAGE = 25;

/** What moves between the customer's cash balance and our own balance, so that it neither comes nor goes. */
export const BETWEEN_BALANCES = new Set(['transferred_to_balance', 'adjusted_for_overdraft']);
/** What moves to a payment and back: as long as the payment is not complete, it has reached no other balance. */
export const BETWEEN_PAYMENTS = new Set(['applied_to_payment', 'unapplied_from_payment']);

/** All that moved the cash balance of a customer. */
export async function cashMovements(
  ask: CallStripe,
  signal: AbortSignal,
  customer: string,
): Promise<Stripe.CustomerCashBalanceTransaction[]> {
  return await ask(signal, async (stripe) => {
    const movements: Stripe.CustomerCashBalanceTransaction[] = [];
    for await (const one of stripe.customers.listCashBalanceTransactions(customer, { limit: PAGE }))
      movements.push(one);
    return movements;
  });
}

/**
 * Lines for the cash balances that moved since then, as if they were on the statement: the ledger has what came of an order, wherever
 * Stripe keeps it. There is no list of them, so events lead to the customers.
 */
export async function listCashLines(
  ask: CallStripe,
  signal: AbortSignal,
  since: Date,
  after: string | undefined,
): Promise<Page<StatementLine>> {
  const { data, has_more: more } = await ask(signal, (stripe) =>
    stripe.events.list({
      created: { gte: secondsOf(since) },
      type: 'customer_cash_balance_transaction.created',
      limit: EVENTS_PAGE,
      ...(after && { starting_after: after }),
    }),
  );
  const items: StatementLine[] = [];
  for (const customer of new Set(data.flatMap((event) => customerOf(event) ?? [])))
    items.push(...(await linesOf(ask, signal, customer)));
  return { items, next: more ? data.at(-1)?.id : undefined };
}

function customerOf(event: Stripe.Event): string | undefined {
  return event.type === 'customer_cash_balance_transaction.created'
    ? idOf(event.data.object.customer)
    : undefined;
}

async function linesOf(ask: CallStripe, signal: AbortSignal, customer: string): Promise<StatementLine[]> {
  const session = await readSession(ask, signal, customer);
  if (!session || !referenceOf(session)) return [];
  const paid = isPaid(paymentOf(session));
  const movements = await cashMovements(ask, signal, customer);
  return movements
    .filter(({ type }) => paid || !BETWEEN_PAYMENTS.has(type))
    .map((movement) => ({
      id: movement.id,
      at: timeOf(movement.created),
      currency: movement.currency.toUpperCase(),
      amountMinor: fromStripe(movement.net_amount, movement.currency),
      order: { kind: 'charge', providerReference: session.id },
      reason: 'overpaid',
      description: `Cash balance of the customer: ${movement.type}`,
    }));
}
