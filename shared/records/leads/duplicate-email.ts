import type { Context } from '../../platform/context.ts';
import { brokenConstraint } from '../../platform/db/sql-errors.ts';
import { ApiError } from '../../platform/errors.ts';
import { asDomainError } from '../domain-errors.ts';
import { selectLeadIdByEmail } from './queries.ts';

/** Waits for work that may meet another lead with this e-mail. Throws `conflict` with that one's id. */
export async function orDuplicateLead<T>(context: Context, email: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (brokenConstraint(error) !== 'leads_tenant_id_email_key') throw asDomainError(error);
    const [existing] = await context.read((sql) => selectLeadIdByEmail(sql, context.tenantId, email));
    throw duplicateLead(existing?.id);
  }
}

export const duplicateLead = (existingId: string | null | undefined): ApiError =>
  new ApiError('conflict', 'There is a lead with this e-mail already.', {
    details: [{ field: 'email', message: 'belongs to another lead' }],
    reason: 'duplicate_email',
    ...(existingId && { extra: { existing_id: existingId } }),
  });
