/** The Stripe emulator in tests: one account, and requests with its key. */
import type { AccountOrder, CreatedAccount } from '../../../local/providers/stripe/control.ts';
import { type Stripe, type StripeOptions, startStripe } from '../../../local/providers/stripe/index.ts';
import type { Submission } from '../../../local/providers/stripe/submit.ts';
import type { Json } from './vendor-receiver.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

export interface StripeClient {
  stripe: Stripe;
  account: CreatedAccount;
  call(method: string, path: string, params?: object, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, params?: object): Promise<Json>;
  post(path: string, params?: object): Promise<Json>;
  /** Sends a request, expects a 400 and returns its error. */
  refused(method: string, path: string, params?: object): Promise<Json>;
  /** The request for a session over $ 100 by card. */
  order(change?: object): object;
  session(change?: object): Promise<Json>;
  customer(): Promise<string>;
  /** A session after the payer submitted it, with its intent and charge. */
  paid(change?: object, submission?: Submission): Promise<Json>;
  /** The session with its intent, the charge and the balance transaction. */
  look(session: string): Promise<Json>;
}

/** Nested parameters, encoded as Stripe's own libraries do. */
export function formOf(params: object, prefix = ''): [string, string][] {
  return Object.entries(params).flatMap(([name, value]): [string, string][] => {
    const key = prefix === '' ? name : `${prefix}[${name}]`;
    if (value === undefined) return [];
    return typeof value === 'object' && value !== null ? formOf(value, key) : [[key, String(value ?? '')]];
  });
}

/** Noon of the next Monday, so that business days follow. */
export const MONDAY = nextMonday().toISOString();

function nextMonday(): Date {
  const noon = new Date();
  noon.setUTCHours(12, 0, 0, 0);
  noon.setUTCDate(noon.getUTCDate() + ((8 - noon.getUTCDay()) % 7 || 7));
  return noon;
}

/** Its clock is set to noon on a Monday, and only the test advances it. */
export async function startStripeForTest(
  options: StripeOptions = {},
  order: AccountOrder = {},
): Promise<StripeClient> {
  const stripe = await startStripe(options);
  await stripe.control.setFrozen(true);
  await stripe.control.advance({ to: MONDAY });
  return stripeClient(stripe, order);
}

const DEEP = ['payment_intent.latest_charge.balance_transaction'];

export const EURO_TRANSFER = {
  customer_balance: {
    funding_type: 'bank_transfer',
    bank_transfer: { type: 'eu_bank_transfer', eu_bank_transfer: { country: 'DE' } },
  },
};

/** Creates an account in a running emulator. */
export async function stripeClient(stripe: Stripe, order: AccountOrder = {}): Promise<StripeClient> {
  const account = await stripe.control.createAccount(order);
  const call: StripeClient['call'] = async (method, path, params = {}, headers = {}) => {
    const form = new URLSearchParams(formOf(params)).toString();
    const query = method === 'POST' || form === '' ? '' : `?${form}`;
    const response = await fetch(`${stripe.url}/v1${path}${query}`, {
      method,
      headers: { authorization: `Bearer ${account.apiKey}`, ...headers },
      ...(method === 'POST' ? { body: new URLSearchParams(form) } : {}),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const ok = async (method: string, path: string, params?: object) => {
    const { status, body } = await call(method, path, params);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const orderOf = (change: { currency?: string; amount?: number } = {}) => {
    const { currency = 'usd', amount = 10_000, ...more } = change;
    return {
      mode: 'payment',
      success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}',
      line_items: [
        { quantity: 1, price_data: { currency, unit_amount: amount, product_data: { name: 'Thing' } } },
      ],
      allowed_payment_method_types: ['card'],
      ...more,
    };
  };
  const look = (session: string) => ok('GET', `/checkout/sessions/${session}`, { expand: DEEP });
  const client: StripeClient = {
    stripe,
    account,
    call,
    get: (path, params) => ok('GET', path, params),
    post: (path, params) => ok('POST', path, params),
    async refused(method, path, params) {
      const { status, body } = await call(method, path, params);
      if (status !== 400) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
      return body.error;
    },
    order: orderOf,
    session: (change) => ok('POST', '/checkout/sessions', orderOf(change)),
    customer: async () => (await ok('POST', '/customers', { name: 'Ana', email: 'ana@demo.example' })).id,
    async paid(change, submission) {
      const { id } = await client.session(change);
      await stripe.control.pay(account.id, id, submission);
      return look(id);
    },
    look,
  };
  return client;
}
