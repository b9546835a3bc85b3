// What a Checkout session is asked for: of an order nothing but the order itself, so that asked again it reads the same and its
// Idempotency-Key makes it the same session.
import type { Stripe } from 'stripe';
import { type ChargeOrder, InvalidOrder, type PaymentMethod, ProviderRejected } from '../provider.ts';
import { secondsOf } from './client.ts';
import { toStripe } from './money.ts';

/** The member of `metadata` with our reference: of the session, its PaymentIntent (whose charges inherit it) and its customer. */
export const REFERENCE = 'placar_reference';

/** The member of a session's `metadata` with the time when the order ends, which may be sooner or later than the session. */
export const EXPIRY = 'placar_expires_at';

type Parameters = Stripe.Checkout.SessionCreateParams;
type Options = NonNullable<Parameters['payment_method_options']>;

interface Method {
  type: 'card' | 'us_bank_account' | 'sepa_debit' | 'customer_balance';
  /** The only currency that it takes, where there is one for each of our regions. */
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

/** Where Stripe has accounts for transfers in euro; payers of other countries send them there all the same. */
const IBAN_COUNTRIES = new Set(['DE', 'FR', 'IE', 'NL']);

function bankTransferOf({ region, customer }: ChargeOrder) {
  if (region === 'us') return { type: 'us_bank_transfer' };
  const country = IBAN_COUNTRIES.has(customer.country) ? customer.country : 'IE';
  return { type: 'eu_bank_transfer', eu_bank_transfer: { country } };
}

/** Stripe's name of the method. Throws where Stripe has none for it, or not in this currency. */
export function methodOf({ method, region, currency }: ChargeOrder): Method {
  const found = methods[method];
  if (!found) throw new ProviderRejected(`Stripe does not take ${method}.`);
  const only = found.currency?.[region];
  if (found.currency && !only) throw new ProviderRejected(`Stripe does not take ${method} in this region.`);
  if (only && only !== currency)
    throw new InvalidOrder([{ field: 'currency', message: `must be ${only} for ${method}` }]);
  return found;
}

/** Longest name of what is bought. */
const MAX_NAME_LENGTH = 250;

/** `customer`: whom Stripe knows the payer as, where the method needs it. */
export function checkoutParameters(
  order: ChargeOrder,
  { customer, successUrl }: { customer: string | undefined; successUrl: string },
): Parameters {
  const { reference, amountMinor, currency, description } = order;
  const { type, options } = methodOf(order);
  return {
    mode: 'payment',
    // What is left of the methods that the account has on.
    allowed_payment_method_types: [type],
    ...(options && { payment_method_options: options(order) }),
    // Prices in the payer's own currency would charge another amount than was asked for.
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
    expires_at: secondsOf(sessionEndOf(order)),
  };
}

const MINUTE_MS = 60_000;
/** Stripe takes from 30 minutes on, counted from when it is asked: the rest is for asking again after an unknown outcome. */
const SHORTEST_MS = 60 * MINUTE_MS;
/** Stripe takes 24 hours at most: the rest is for clocks that differ. */
const LONGEST_MS = (24 * 60 - 30) * MINUTE_MS;

/**
 * When the session ends: with the order as far as Stripe takes that, counted from when the order began and not from now. An
 * Idempotency-Key holds for 24 hours; whoever asks later than that asks for a session that has ended, which Stripe refuses, and so
 * no order ever gets a second one.
 */
export function sessionEndOf({ createdAt, expiresAt }: Pick<ChargeOrder, 'createdAt' | 'expiresAt'>): Date {
  const start = createdAt.getTime();
  return new Date(Math.min(Math.max(expiresAt.getTime(), start + SHORTEST_MS), start + LONGEST_MS));
}
