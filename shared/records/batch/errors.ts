// Maps database errors of batch operations to API errors.
import { ApiError } from '../../platform/errors.ts';
import { asDomainError, duplicateLead } from '../domain-errors.ts';
import { duplicateExternalId } from '../external-ids.ts';
import type { Operation } from './batch.ts';
import type { StoredError } from './queries.ts';

/** Reasons that the database raises when it needs a body that failed validation, and that body. */
const BODIES: Readonly<Record<string, 'create' | 'change'>> = {
  upsert_not_new: 'create',
  upsert_no_change: 'change',
  operation_refused: 'change',
};

/** The API error; undefined for unexpected errors. Does not handle `preconditionFailed`, whose error contains a record. */
export function operationError(
  operation: Operation,
  { code, message, detail, constraint, existing_id: existingId }: StoredError,
): ApiError | undefined {
  const needed = BODIES[message];
  const fault = needed && needed in operation ? operation[needed as keyof Operation] : undefined;
  if ((fault as unknown) instanceof ApiError) return fault as unknown as ApiError;
  if (constraint === 'leads_tenant_id_email_key') return duplicateLead(existingId);
  if (constraint === 'external_ids_pkey') return duplicateExternalId(existingId);
  const known = asDomainError(
    Object.assign(new Error(message), { code, detail, ...(constraint && { constraint }) }),
  );
  return known instanceof ApiError ? known : undefined;
}
