import type { Context } from '../../platform/context.ts';
import { withDomainErrors } from '../domain-errors.ts';
import { deleteLead as deleteRow } from './queries.ts';

/** Removes it with its history; its deals stay, without a lead. Throws `not_found`. */
export async function deleteLead({ write, tenantId }: Context, leadId: string): Promise<void> {
  await withDomainErrors(write((sql) => deleteRow(sql, tenantId, leadId)));
}
