import type { Context } from '../../platform/context.ts';
import { notFound } from '../domain-errors.ts';
import { selectInvoice } from './queries.ts';
import type { InvoiceSnapshot } from './serialize.ts';

/** Throws `not_found`. */
export async function getInvoice({ read, tenantId }: Context, id: string): Promise<InvoiceSnapshot> {
  const [row] = await read((sql) => selectInvoice(sql, tenantId, id));
  if (!row) throw notFound('invoice');
  return row.snapshot;
}
