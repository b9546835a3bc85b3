// Reads customers' cash balances, where Stripe keeps money from bank transfers outside the account balance. Each order has its own
// customer, so all movements of a cash balance belong to one order.
import type { Stripe } from 'stripe';
import type { Page, StatementLine } from '../accounts.ts';
import { type CallStripe, collect, idOf, PAGE_SIZE, secondsOf, timeOf } from './client.ts';
import { fromStripe } from './money.ts';
import { isPaid, paymentOf, readSession, referenceOf } from './sessions.ts';

/** Small, because each event may require reading a customer and a session. */
const EVENTS_PAGE = 25;

/** Transfers between the cash balance and the account balance, which do not change the sum of both. */
export const BALANCE_TRANSFER_TYPES = new Set(['transferred_to_balance', 'adjusted_for_overdraft']);
/** Transfers to and from a payment. Until the payment is complete, the money has not reached another balance. */
export const PAYMENT_TRANSFER_TYPES = new Set(['applied_to_payment', 'unapplied_from_payment']);

/** All movements of a customer's cash balance. */
export const cashMovements = (
  ask: CallStripe,
  customer: string,
): Promise<Stripe.CustomerCashBalanceTransaction[]> =>
  ask((stripe) => collect(stripe.customers.listCashBalanceTransactions(customer, { limit: PAGE_SIZE })));

/**
 * Statement lines of cash balances that changed since then, because the ledger contains all money of an order, wherever Stripe keeps
 * it. Stripe cannot list these movements, so the customers are found through events.
 */
export async function listCashLines(
  ask: CallStripe,
  since: Date,
  after: string | undefined,
): Promise<Page<StatementLine>> {
  const { data, has_more: more } = await ask((stripe) =>
    stripe.events.list({
      created: { gte: secondsOf(since) },
      type: 'customer_cash_balance_transaction.created',
      limit: EVENTS_PAGE,
      ...(after && { starting_after: after }),
    }),
  );
  const items: StatementLine[] = [];
  for (const customer of new Set(data.flatMap((event) => customerOf(event) ?? [])))
    items.push(...(await linesOf(ask, customer)));
  return { items, next: more ? data.at(-1)?.id : undefined };
}

function customerOf(event: Stripe.Event): string | undefined {
  return event.type === 'customer_cash_balance_transaction.created'
    ? idOf(event.data.object.customer)
    : undefined;
}

async function linesOf(ask: CallStripe, customer: string): Promise<StatementLine[]> {
  const session = await readSession(ask, customer);
  const reference = session && referenceOf(session);
  if (!reference) return [];
  const paid = isPaid(paymentOf(session));
  const movements = await cashMovements(ask, customer);
  return movements
    .filter(({ type }) => paid || !PAYMENT_TRANSFER_TYPES.has(type))
    .map((movement) => ({
      id: movement.id,
      at: timeOf(movement.created),
      currency: movement.currency.toUpperCase(),
      amountMinor: fromStripe(movement.net_amount, movement.currency),
      order: { kind: 'charge', providerReference: session.id, reference },
      reason: 'overpaid',
      description: `Customer cash balance: ${movement.type}`,
    }));
}
