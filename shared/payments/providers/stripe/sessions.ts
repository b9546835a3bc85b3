// Finds the Checkout session of an order, with its expanded payment objects.
import type { Stripe } from 'stripe';
import type { ChargeOrder } from '../charge-port.ts';
import { REFERENCE } from './checkout-parameters.ts';
import { type CallStripe, expanded, PAGE_SIZE, secondsOf } from './client.ts';
import { ResourceNotFound } from './errors.ts';

/** Allowed difference between our clock and Stripe's. */
const MAX_CLOCK_SKEW_MS = 5 * 60_000;
const DAY_MS = 24 * 3600_000;

/** Members to expand in a session. Lists prefix them with `data.`, which reaches Stripe's limit of four levels. */
export const WITH_PAYMENT = [
  'payment_intent.latest_charge.balance_transaction',
  'payment_intent.latest_charge.failure_balance_transaction',
];

/** A session and its expanded payment objects. */
export interface Payment {
  session: Stripe.Checkout.Session;
  intent: Stripe.PaymentIntent | undefined;
  charge: Stripe.Charge | undefined;
  /** The balance transaction of the charge. It appears some time after the charge. */
  movement: Stripe.BalanceTransaction | undefined;
}

export function paymentOf(session: Stripe.Checkout.Session): Payment {
  const intent = expanded(session.payment_intent);
  const charge = expanded(intent?.latest_charge);
  return { session, intent, charge, movement: expanded(charge?.balance_transaction) };
}

/** Whether the payment has succeeded. For debits and transfers, this happens after the session is complete. */
export function isPaid({ session, intent }: Payment): boolean {
  return session.payment_status === 'paid' || intent?.status === 'succeeded';
}

/** Our reference. Undefined for objects created by other integrations. */
export function referenceOf({ metadata }: { metadata: Stripe.Metadata | null }): string | undefined {
  return metadata?.[REFERENCE];
}

/** The session of an order with its payment objects. */
export async function findPayment(
  ask: CallStripe,
  order: Pick<ChargeOrder, 'reference' | 'providerReference' | 'createdAt'>,
): Promise<Payment | undefined> {
  const id = order.providerReference ?? (await findSessionId(ask, order));
  const session = id && (await readSession(ask, id));
  return session && referenceOf(session) === order.reference ? paymentOf(session) : undefined;
}

/** All payments of an order, the first page's first. Empty if the order has none. */
export async function findPayments(
  ask: CallStripe,
  order: Pick<ChargeOrder, 'reference' | 'providerReference' | 'createdAt' | 'laterReferences'>,
): Promise<Payment[]> {
  const payments = [await findPayment(ask, order)];
  for (const providerReference of order.laterReferences ?? [])
    payments.push(await findPayment(ask, { ...order, providerReference }));
  return payments.filter((payment) => payment !== undefined);
}

/** List filters by id prefix: refunds and disputes contain a PaymentIntent, cash balance movements a customer. */
const filters: Record<string, (id: string) => Stripe.Checkout.SessionListParams> = {
  pi: (id) => ({ payment_intent: id }),
  cus: (id) => ({ customer: id }),
};

/** Reads a session by its own id, its PaymentIntent's or its customer's, which has no other session. */
export async function readSession(ask: CallStripe, id: string): Promise<Stripe.Checkout.Session | undefined> {
  const filter = filters[id.slice(0, id.indexOf('_'))];
  try {
    return await ask(async (stripe) => {
      if (!filter) return await stripe.checkout.sessions.retrieve(id, { expand: WITH_PAYMENT });
      const expand = WITH_PAYMENT.map((member) => `data.${member}`);
      return (await stripe.checkout.sessions.list({ ...filter(id), limit: 1, expand })).data[0];
    });
  } catch (error) {
    if (error instanceof ResourceNotFound) return undefined;
    throw error;
  }
}

/**
 * Stripe cannot list sessions by reference, and its search lags by a minute or more. So this scans the 24 hours after the creation of
 * the order, after which its first session cannot be created (`sessionEndOf`).
 */
async function findSessionId(
  ask: CallStripe,
  { reference, createdAt }: Pick<ChargeOrder, 'reference' | 'createdAt'>,
): Promise<string | undefined> {
  const from = createdAt.getTime() - MAX_CLOCK_SKEW_MS;
  return await ask(async (stripe) => {
    const sessions = stripe.checkout.sessions.list({
      created: {
        gte: secondsOf(new Date(from)),
        lte: secondsOf(new Date(from + DAY_MS + 2 * MAX_CLOCK_SKEW_MS)),
      },
      limit: PAGE_SIZE,
    });
    for await (const session of sessions) if (referenceOf(session) === reference) return session.id;
    return undefined;
  });
}
