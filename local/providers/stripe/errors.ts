/** Errors in the format of Stripe: `{"error": {type, code, message, param}}`. */
import { VendorError } from '../../fakes/vendor-error.ts';

export interface ErrorDetails {
  type?: 'api_error' | 'idempotency_error' | 'invalid_request_error';
  code?: string;
  param?: string;
}

export class StripeError extends VendorError {
  /** Whether the error is stored for an idempotency key. Errors that occur before an endpoint runs are not. */
  readonly kept: boolean;

  constructor(
    status: number,
    message: string,
    { type = 'invalid_request_error', ...details }: ErrorDetails = {},
    { headers = {}, kept = false }: { headers?: Record<string, string>; kept?: boolean } = {},
  ) {
    super(status, { error: { message, ...details, type } }, headers);
    this.kept = kept;
  }
}

/** The endpoint's own error for a request that is well-formed but not possible. */
export const refused = (message: string, details: ErrorDetails = {}): StripeError =>
  new StripeError(400, message, details, { kept: true });

/** 404 for an id in the path, 400 for an id in a parameter. */
export const missing = (what: string, id: string, param: string): StripeError =>
  new StripeError(param === 'id' ? 404 : 400, `No such ${what}: '${id}'`, {
    code: 'resource_missing',
    param,
  });

export const unauthorized = (message: string, code?: string): StripeError =>
  new StripeError(401, message, code === undefined ? {} : { code });

export const rateLimited = (): StripeError =>
  new StripeError(
    429,
    'Request rate limit exceeded.',
    { code: 'rate_limit' },
    { headers: { 'Retry-After': '1' } },
  );

export const serverError = (status: number): StripeError =>
  new StripeError(status, 'An unknown error occurred', { type: 'api_error' });
