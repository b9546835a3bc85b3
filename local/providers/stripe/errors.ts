/** Errors in the format of Stripe: `{"error": {type, code, message, param, request_log_url, doc_url}}`. */
import { EmulatedProviderError } from '../emulated-provider-error.ts';

export type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export interface ErrorDetails {
  type?: ErrorType;
  code?: string;
  param?: string;
}

export interface ErrorBody {
  error: ErrorDetails & { message: string; doc_url?: string; request_log_url?: string };
}

export class StripeError extends EmulatedProviderError {
  /** Whether the error is stored for an idempotency key. Errors that occur before an endpoint runs are not. */
  readonly kept: boolean;

  constructor(
    status: number,
    message: string,
    details: ErrorDetails = {},
    { headers = {}, kept = false }: { headers?: Record<string, string>; kept?: boolean } = {},
  ) {
    super(status, errorBody(message, details), headers);
    this.kept = kept;
  }
}

function errorBody(
  message: string,
  { type = 'invalid_request_error', code, param }: ErrorDetails,
): ErrorBody {
  const docUrl =
    code === undefined ? {} : { code, doc_url: `https://stripe.com/docs/error-codes/${dashed(code)}` };
  return { error: { ...docUrl, message, ...(param === undefined ? {} : { param }), type } };
}

const dashed = (code: string): string => code.replaceAll('_', '-');

/** The endpoint's own error for a request that is well-formed but not possible. */
export const refused = (message: string, details: ErrorDetails = {}): StripeError =>
  new StripeError(400, message, details, { kept: true });

/** 404 for an id in the path, 400 for an id in a parameter. */
export function missing(what: string, id: string, param: string, status: 400 | 404 = 404): StripeError {
  return new StripeError(
    status,
    `No such ${what}: '${id}'`,
    { code: 'resource_missing', param },
    { kept: true },
  );
}

export const unrecognizedUrl = (method: string, path: string): StripeError =>
  new StripeError(
    404,
    `Unrecognized request URL (${method}: ${path}). If you are trying to list objects, remove the trailing slash. ` +
      'If you are trying to retrieve an object, make sure you passed a valid (non-empty) identifier in your code. ' +
      'Please see https://stripe.com/docs or we can help at https://support.stripe.com/.',
  );

export const rateLimited = (reason: string): StripeError =>
  new StripeError(
    429,
    'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
    { code: 'rate_limit' },
    { headers: { 'Stripe-Rate-Limited-Reason': reason, 'Retry-After': '1', 'Stripe-Should-Retry': 'true' } },
  );

export const serverError = (status: number): Response =>
  Response.json(errorBody('An unknown error occurred', { type: 'api_error' }), {
    status,
    headers: { 'Stripe-Should-Retry': 'true' },
  });
