// Stripe invoices, and the actions of payers and banks.
import type postgres from 'postgres';
import type { Session } from '../../../local/providers/stripe/state.ts';
import type { Submission } from '../../../local/providers/stripe/submit.ts';
import type { ConnectedStripe } from './connected-wise-stripe.ts';
import { bodyOf } from './payment-flows.ts';
import { pay } from './payments.ts';

const CUSTOMERS: Record<string, object> = {
  USD: { country: 'US', name: 'Joe Doe', email: 'joe@example.com' },
  EUR: { country: 'DE', name: 'Jo Dee', email: 'jo@example.com' },
  BRL: { country: 'BR', name: 'Maria Silva', email: 'maria@example.com', tax_id: '52998224725' },
};

export const stripeInvoice = (type: string, currency = 'USD', more: Record<string, unknown> = {}) => ({
  customer: CUSTOMERS[currency],
  amount: 10_000,
  currency,
  description: 'Plan',
  payment_method: { type, return_url: 'https://shop.example/thanks' },
  ...more,
});

interface MadeInvoice {
  id: string;
  /** Path of it. */
  path: string;
  session: string;
}

/** An open invoice and its session at Stripe. */
export async function createStripeInvoice(
  sql: postgres.Sql,
  { apiKey }: ConnectedStripe,
  ...order: Parameters<typeof stripeInvoice>
): Promise<MadeInvoice> {
  const { id } = bodyOf(await pay(apiKey, '/invoices', stripeInvoice(...order)), 201);
  const [row] = await sql`select provider, provider_reference from invoices where id = ${id}`;
  if (row?.provider !== 'stripe') throw new Error(`${row?.provider} took it`);
  return { id, path: `/invoices/${id}`, session: row.provider_reference };
}

/** The intent, the charge and other objects of a session so far. */
export async function paymentAt({ control, account }: ConnectedStripe, session: string) {
  const held = await control.account(account.id);
  const there = held.sessions.find(({ id }) => id === session);
  const intent = held.intents.find(({ id }) => id === there?.payment_intent);
  const charge = held.charges.find(({ id }) => id === intent?.latest_charge);
  const movement = held.transactions.find(({ id }) => id === charge?.balance_transaction);
  return { there, intent, charge, movement };
}

/** The payer submits the checkout page. */
export const submit = (
  { control, account }: ConnectedStripe,
  { session }: MadeInvoice,
  submission: Submission = {},
): Promise<Session> => control.pay(account.id, session, submission);

/** Id of the charge or intent of a session. Fails if there is none. */
export async function chargeIdOf(stripe: ConnectedStripe, { session }: MadeInvoice): Promise<string> {
  const { charge } = await paymentAt(stripe, session);
  if (!charge) throw new Error('it has no charge');
  return charge.id;
}

export async function intentIdOf(stripe: ConnectedStripe, { session }: MadeInvoice): Promise<string> {
  const { intent } = await paymentAt(stripe, session);
  if (!intent) throw new Error('it has no intent');
  return intent.id;
}
