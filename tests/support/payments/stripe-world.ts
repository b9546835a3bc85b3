// The Stripe adapter with the fake of Stripe, over HTTP, with its own account.
import type { AccountOrder, Stripe } from '../../../local/providers/stripe/index.ts';
import type { Submission } from '../../../local/providers/stripe/submit.ts';
import type { ProviderAccount } from '../../../shared/payments/providers/accounts.ts';
import type { AcceptedCharge, ChargeOrder } from '../../../shared/payments/providers/charge-port.ts';
import type { OrderReport } from '../../../shared/payments/providers/order-report.ts';
import { type ConnectedProvider, chargesOf } from '../../../shared/payments/providers/provider.ts';
import { createStripeProvider } from '../../../shared/payments/providers/stripe/provider.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import type { Json } from './vendor-receiver.ts';

export const noHurry = new AbortController().signal;

export interface StripeWorld {
  account: { id: string; apiKey: string };
  provider: ConnectedProvider;
  /** The adapter of the same account, with another key or secret. */
  as(change: Partial<ProviderAccount>): ConnectedProvider;
  /** Over $ 100 by card, starting now. */
  order(change?: Partial<ChargeOrder>): ChargeOrder;
  /** Creates it and returns the order with the data known then. */
  create(change?: Partial<ChargeOrder>): Promise<{ order: ChargeOrder; charge: AcceptedCharge }>;
  /** Creates it and submits the page as the payer. */
  submitted(change?: Partial<ChargeOrder>, submission?: Submission): Promise<Submitted>;
  read(order: ChargeOrder): Promise<OrderReport>;
  /** The object at Stripe. */
  session(order: ChargeOrder): Promise<Json>;
}

interface Submitted {
  order: ChargeOrder;
  intent: string;
  /** Of what is under way or done. */
  charge: string;
}

let orders = 0;

export async function createWorld(stripe: Stripe, order: AccountOrder = {}): Promise<StripeWorld> {
  const account = await stripe.control.createAccount(order);
  const known: ProviderAccount = {
    id: 'pacc_1',
    tenantId: 'tenant_1',
    provider: 'stripe',
    key: account.apiKey,
    webhookSecret: null,
    settings: {},
  };
  const addresses = { STRIPE_URL: stripe.url };
  const as: StripeWorld['as'] = (change) =>
    createStripeProvider({ ...known, ...change }, { addresses, log: silentLogger });
  const provider = as({});

  const world: StripeWorld = {
    account,
    provider,
    as,
    order: (change) => {
      orders += 1;
      const now = Date.now();
      return {
        reference: `inv_${orders}`,
        providerReference: undefined,
        createdAt: new Date(now),
        amountMinor: 10_000,
        currency: 'USD',
        region: 'us',
        method: 'card',
        description: 'A thing',
        customer: { country: 'US', name: 'Ana', email: 'ana@demo.example' },
        expiresAt: new Date(now + 3 * 24 * 3600_000),
        returnUrl: 'https://shop.example/done',
        ...change,
      };
    },
    async create(change) {
      const order = world.order(change);
      const charge = await chargesOf(provider).create(order, noHurry);
      return { order: { ...order, providerReference: charge.providerReference }, charge };
    },
    async submitted(change, submission) {
      const { order } = await world.create(change);
      await stripe.control.pay(account.id, order.providerReference ?? '', submission);
      const { payment_intent: intent } = await world.session(order);
      const { intents } = await stripe.control.account(account.id);
      const { latest_charge: charge } = intents.find(({ id }) => id === intent) ?? {};
      return { order, intent, charge: charge ?? '' };
    },
    async read(order) {
      const report = await chargesOf(provider).read(order, noHurry);
      if (!report) throw new Error(`Stripe has no charge ${order.reference}.`);
      return report;
    },
    async session({ reference }) {
      const { sessions } = await stripe.control.account(account.id);
      return sessions.find(({ client_reference_id: id }) => id === reference);
    },
  };
  return world;
}

export const euro = {
  region: 'eu',
  currency: 'EUR',
  customer: { country: 'DE', name: 'Jo', email: 'jo@demo.example' },
} satisfies Partial<ChargeOrder>;

/** The totals of a report, each as `reason currency: amount`. */
export function totalsOf({ adjustments = [], refunds = [] }: OrderReport): Record<string, number> {
  const sums: Record<string, number> = {};
  const moved = refunds.flatMap((refund) => [refund.moved ?? [], refund.returned ?? []].flat());
  for (const { reason, currency, amountMinor } of [
    ...adjustments,
    ...moved.map((change) => ({ reason: 'refund', ...change })),
  ])
    sums[`${reason} ${currency}`] = (sums[`${reason} ${currency}`] ?? 0) + amountMinor;
  return sums;
}
