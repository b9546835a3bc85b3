// The 422 of a body; apart from the rules of fields, whose library takes longer to load than all that only reads needs.
import { ApiError, type ErrorDetail } from '../../platform/errors.ts';

/** How many fields the sentence of a 422 names; `errors` has more of them. */
const MAX_NAMED_FIELDS = 20;

/** The 422 of a body with these faults. */
export function invalidFields(details: ErrorDetail[]): ApiError {
  const named = details.slice(0, MAX_NAMED_FIELDS).map(({ field }) => field);
  const fields = [...named, ...(details.length > named.length ? ['and others'] : [])].join(', ');
  const message = `Fix these fields and send the request with a fresh Idempotency-Key: ${fields}.`;
  return new ApiError('validation', message, { details });
}
