// Reads of tax documents. Loaded lazily to keep the function's cold start short.
import type { Context } from '../../platform/access/context.ts';
import { notFound } from '../requests/errors.ts';
import { selectTaxDocument, type TaxDocumentIds, type TaxDocumentRow } from './queries.ts';

export { serializeTaxDocument } from './serialize.ts';

/** Throws `not_found`. */
export async function getTaxDocument(
  { read, tenantId }: Context,
  ids: TaxDocumentIds,
): Promise<TaxDocumentRow> {
  const [row] = await read((sql) => selectTaxDocument(sql, tenantId, ids));
  if (!row) throw notFound('tax_document');
  return row.snapshot;
}
