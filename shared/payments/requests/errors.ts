// Errors shared by the payments resources. Separate from the field schemas, whose library is slow to load.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';

const names = {
  invoice: 'invoice with this id',
  refund: 'refund with this id for this invoice',
  payout: 'payout with this id',
  tax_document: 'tax document with this id for this invoice',
  entry: 'ledger entry with this id',
};

/** The same error for resources that do not exist and resources of other tenants. */
export function notFound(what: keyof typeof names): ApiError {
  return new ApiError('not_found', `There is no ${names[what]}.`, { reason: 'not_found' });
}

export function unknownCostCenter(code: string | undefined): ApiError {
  const message = `The cost center ${code ?? ''} is not registered.`;
  return new ApiError('unknown_cost_center', message, {
    details: [{ field: 'cost_center', message: 'is not registered' }],
  });
}

/** The municipality's cancellation window of an issued tax document has closed. */
export function cancellationWindowExpired(): ApiError {
  const message = "The municipality's cancellation window for this tax document has closed.";
  return new ApiError('cancellation_window_expired', message);
}

/** The error for a payer while the provider is unavailable. */
export const payerMustRetry = (message: string, cause: unknown): ApiError =>
  new ApiError('unavailable', `${message} Retry in a few seconds.`, {
    effect: 'none',
    retryAfterSeconds: 5,
    reason: 'provider_silent',
    cause,
  });

/** Maximum number of fields listed in the message. `errors` lists more. */
const MAX_NAMED_FIELDS = 20;

/** The 422 error for a body with these field errors. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const named = details.slice(0, MAX_NAMED_FIELDS).map(({ field }) => field);
  const fields = [...named, ...(details.length > named.length ? ['and others'] : [])].join(', ');
  const message = `Fix these fields and send the request with a fresh Idempotency-Key: ${fields}.`;
  return new ApiError('validation', message, { details });
}
