// What the library throws, in our words.

import { Stripe } from 'stripe';
import { parseRetryAfter } from '../../../platform/waits.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRefused,
  ProviderOutcomeUnknown,
  ProviderRejected,
} from '../provider.ts';

/** Stripe has nothing by this id. */
export class ResourceNotFound extends ProviderRejected {}

/** The Idempotency-Key was used for something that read differently: what was done then is not known. */
export class DifferentOrder extends ProviderOutcomeUnknown {}

/** Parameters of ours that come from a member of the caller's request. */
const fieldsByParameter: Record<string, string> = {
  customer_email: 'customer.email',
  email: 'customer.email',
  name: 'customer.name',
  success_url: 'payment_method.return_url',
  'payment_intent_data[description]': 'description',
  'line_items[0][price_data][unit_amount]': 'amount',
  'line_items[0][price_data][currency]': 'currency',
};

const AMOUNT_CODES = new Set(['amount_too_small', 'amount_too_large']);

/** What is no error of the library is given back as it is. */
export function mapStripeError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode: status, code, param } = error;
  const words = withoutSecrets(error.message);
  if (status === 401) return new ProviderKeyRefused('Stripe does not take the key.', { cause: error });
  if (status === 429)
    return new ProviderBusy(
      'Stripe: too many requests',
      parseRetryAfter(error.headers?.['retry-after'], Date.now()),
    );
  if (error instanceof Stripe.errors.StripeIdempotencyError)
    return new DifferentOrder(`Stripe: ${words}`, { cause: error });
  // 409: a request with the same Idempotency-Key is under way.
  const unknown = status === undefined || status < 400 || status >= 500 || [408, 409, 425].includes(status);
  if (unknown) return new ProviderOutcomeUnknown(`Stripe: ${words}`, { cause: error });
  if (code && AMOUNT_CODES.has(code))
    return new InvalidOrder([{ field: 'amount', message: `is not taken by Stripe: ${words}` }]);
  const field = param && fieldsByParameter[param];
  if (field) return new InvalidOrder([{ field, message: `is not taken by Stripe: ${words}` }]);
  if (code === 'resource_missing') return new ResourceNotFound(words, { cause: error });
  return new ProviderRejected(words, { cause: error });
}

/** Stripe masks keys in what it says; what it does not mask is masked here. */
function withoutSecrets(words: string): string {
  return words.replaceAll(/\b(sk|rk|pk)_(live|test)_\S+|\bwhsec_\S+/g, '[key]');
}
