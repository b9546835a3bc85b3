// Builds the parameters of a Checkout session from the order only, so that a retry sends the same request and its Idempotency-Key
// returns the same session.
import type { Stripe } from 'stripe';
import type { ChargeOrder, PaymentMethod } from '../charge-port.ts';
import { InvalidOrder, ProviderRejected } from '../errors.ts';
import { secondsOf } from './client.ts';
import { toStripe } from './money.ts';

/** Metadata key of our reference on the session, its customer and its PaymentIntent, whose charges inherit it. */
export const REFERENCE = 'placar_reference';

/** Metadata key of the order's expiry on the session. It may differ from the session's own expiry. */
export const EXPIRY = 'placar_expires_at';

type Parameters = Stripe.Checkout.SessionCreateParams;
type Options = NonNullable<Parameters['payment_method_options']>;

interface Method {
  type: 'card' | 'us_bank_account' | 'sepa_debit' | 'customer_balance';
  /** The only supported currency by region. Absent if the method supports any. */
  currency?: Partial<Record<string, string>>;
  options?(order: ChargeOrder): Options;
}

const methods: Partial<Record<PaymentMethod, Method>> = {
  card: { type: 'card' },
  ach_debit: { type: 'us_bank_account', currency: { us: 'USD' } },
  sepa_debit: { type: 'sepa_debit', currency: { eu: 'EUR' } },
  bank_transfer: {
    type: 'customer_balance',
    currency: { us: 'USD', eu: 'EUR' },
    options: (order) => ({
      customer_balance: { funding_type: 'bank_transfer', bank_transfer: bankTransferOf(order) },
    }),
  },
};

/** Countries with Stripe accounts for euro transfers. Payers elsewhere use the account in Ireland. */
const IBAN_COUNTRIES = new Set(['DE', 'FR', 'IE', 'NL']);

function bankTransferOf({ region, customer }: ChargeOrder) {
  if (region === 'us') return { type: 'us_bank_transfer' };
  const country = IBAN_COUNTRIES.has(customer.country) ? customer.country : 'IE';
  return { type: 'eu_bank_transfer', eu_bank_transfer: { country } };
}

/** Stripe's payment method of an order. Throws if Stripe does not support the method, region or currency. */
export function methodOf({ method, region, currency }: ChargeOrder): Method {
  const found = methods[method];
  if (!found) throw new ProviderRejected(`Stripe does not support ${method}.`);
  const required = found.currency?.[region];
  if (found.currency && !required)
    throw new ProviderRejected(`Stripe does not support ${method} in this region.`);
  if (required && required !== currency)
    throw new InvalidOrder([{ field: 'currency', message: `must be ${required} for ${method}` }]);
  return found;
}

/** Maximum length of a product name. */
const MAX_NAME_LENGTH = 250;

/** `customer`: Stripe's customer id, if the method requires one. */
export function checkoutParameters(
  order: ChargeOrder,
  { customer, successUrl, endsAt }: { customer: string | undefined; successUrl: string; endsAt: Date },
): Parameters {
  const { reference, amountMinor, currency, description } = order;
  const { type, options } = methodOf(order);
  return {
    mode: 'payment',
    // Of the methods enabled on the account, offers only this one.
    allowed_payment_method_types: [type],
    ...(options && { payment_method_options: options(order) }),
    // Localized prices would charge a different amount.
    adaptive_pricing: { enabled: false },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toStripe(amountMinor, currency),
          product_data: { name: Array.from(description).slice(0, MAX_NAME_LENGTH).join('') },
        },
      },
    ],
    ...(customer ? { customer } : { customer_email: order.customer.email }),
    client_reference_id: reference,
    metadata: { [REFERENCE]: reference, [EXPIRY]: order.expiresAt.toISOString() },
    payment_intent_data: { description, metadata: { [REFERENCE]: reference } },
    success_url: successUrl,
    expires_at: secondsOf(endsAt),
  };
}

const MINUTE_MS = 60_000;
/** Stripe's minimum is 30 minutes from the request. The other 30 minutes leave time for retries after an unknown outcome. */
const SHORTEST_MS = 60 * MINUTE_MS;
/** Stripe's maximum is 24 hours. The difference allows for clock skew. */
const LONGEST_MS = (24 * 60 - 30) * MINUTE_MS;

/**
 * Expiry of the session: that of the order, within Stripe's limits counted from the creation of the order. An Idempotency-Key is valid
 * for 24 hours. A later retry requests a session whose expiry has passed, which Stripe rejects, so an order never gets two sessions.
 */
export function sessionEndOf({ createdAt, expiresAt }: Pick<ChargeOrder, 'createdAt' | 'expiresAt'>): Date {
  const start = createdAt.getTime();
  return new Date(Math.min(Math.max(expiresAt.getTime(), start + SHORTEST_MS), start + LONGEST_MS));
}

/** Stripe's minimum for a page that is created now, plus two minutes for a retry. */
const SHORTEST_RENEWED_MS = 32 * MINUTE_MS;

/** Expiry of a later session: the remaining lifetime of the order, within Stripe's limits. */
export function renewedEndOf({ expiresAt }: Pick<ChargeOrder, 'expiresAt'>, madeAt: Date): Date {
  const start = madeAt.getTime();
  return new Date(Math.min(Math.max(expiresAt.getTime(), start + SHORTEST_RENEWED_MS), start + LONGEST_MS));
}
