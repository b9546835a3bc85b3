// What it means to a caller that the database refused an operation of a batch.
import { ApiError } from '../../platform/errors.ts';
import { asDomainError, duplicateLead } from '../domain-errors.ts';
import { duplicateExternalId } from '../external-ids.ts';
import type { Operation } from './batch.ts';
import type { StoredError } from './queries.ts';

/** Reasons that are raised where the body that was needed is none. */
const BODIES: Readonly<Record<string, 'create' | 'change'>> = {
  upsert_not_new: 'create',
  upsert_no_change: 'change',
  operation_refused: 'change',
};

/** The error for the caller; undefined for one that nobody expects. Not for `preconditionFailed`, whose error shows a record. */
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
