// Maps errors of the Stripe library to our provider errors.

import { Stripe } from 'stripe';
import { parseRetryAfter } from '../../../platform/waits.ts';
import {
  InvalidOrder,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
  ProviderRejected,
  ProviderUnreachable,
} from '../errors.ts';

/** The resource does not exist at Stripe. */
export class ResourceNotFound extends ProviderRejected {}

/** Stripe does not accept a parameter. Nothing was done. */
export class ParameterRejected extends ProviderRejected {
  readonly parameter: string;
  constructor(parameter: string, message: string, options: ErrorOptions) {
    super(message, options);
    this.parameter = parameter;
  }
}

/** The Idempotency-Key was used with different parameters, so the outcome of the earlier request is unknown. */
export class DifferentOrder extends ProviderOutcomeUnknown {}

/** Fields of the caller's request by the Stripe parameter that they fill. */
const fieldsByParameter: Record<string, string> = {
  customer_email: 'customer.email',
  email: 'customer.email',
  name: 'customer.name',
  success_url: 'payment_method.return_url',
  'payment_intent_data[description]': 'description',
  'line_items[0][price_data][unit_amount]': 'amount',
  amount: 'amount',
  'line_items[0][price_data][currency]': 'currency',
};

const AMOUNT_CODES = new Set(['amount_too_small', 'amount_too_large']);

/** Returns other errors unchanged. */
export function mapStripeError(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { statusCode: status, code, param } = error;
  const message = withoutSecrets(error.message);
  if (status === 401) return new ProviderKeyRejected('Stripe rejects the API key.', { cause: error });
  if (status === 429)
    return new ProviderBusy(
      'Stripe is rate limiting us.',
      parseRetryAfter(error.headers?.['retry-after'], Date.now()),
    );
  if (error instanceof Stripe.errors.StripeIdempotencyError)
    return new DifferentOrder(`Stripe: ${message}`, { cause: error });
  // 409: a request with the same Idempotency-Key is in progress.
  if (status === undefined || status >= 500)
    return new ProviderUnreachable(`Stripe: ${message}`, { cause: error });
  const unknown = status < 400 || [408, 409, 425].includes(status);
  if (unknown) return new ProviderOutcomeUnknown(`Stripe: ${message}`, { cause: error });
  if (code && AMOUNT_CODES.has(code))
    return new InvalidOrder([{ field: 'amount', message: `was rejected by Stripe: ${message}` }]);
  const field = param && fieldsByParameter[param];
  if (field) return new InvalidOrder([{ field, message: `was rejected by Stripe: ${message}` }]);
  if (code === 'resource_missing') return new ResourceNotFound(message, { cause: error });
  if (param) return new ParameterRejected(param, message, { cause: error });
  return new ProviderRejected(message, { cause: error });
}

/** Masks keys in Stripe's messages that Stripe itself does not mask. */
function withoutSecrets(message: string): string {
  return message.replaceAll(/\b(sk|rk|pk)_(live|test)_\S+|\bwhsec_\S+/g, '[key]');
}
