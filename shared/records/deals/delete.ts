import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { deleteDeal as deleteRow } from './queries.ts';

/** Removes it with its activities. Throws `not_found`. */
export async function deleteDeal({ write, tenantId }: Context, dealId: string): Promise<void> {
  await withDomainErrors(write((sql) => deleteRow(sql, tenantId, dealId)));
}
