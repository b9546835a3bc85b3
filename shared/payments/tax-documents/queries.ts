// SQL of the table `tax_documents`.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';

export interface TaxDocumentRow {
  id: string;
  tenant_id: string;
  invoice_id: string;
  type: string;
  status: 'pending' | 'issued' | 'failed' | 'canceled';
  service_code: string;
  metadata: Record<string, string> | null;
  provider: string;
  document_number: string | null;
  access_key: string | null;
  failure_reason: string | null;
  issued_at: string | null;
  public_token: string;
  created: string;
}

/** At most one document of an invoice is pending or issued. */
export const LIVE_INDEX = 'tax_documents_live_idx';

export const windowExpired = () =>
  new ApiError(
    'cancellation_window_expired',
    'The time in which the municipality lets this tax document be canceled is over.',
  );

/** An invoice as issuing looks at it, and its live tax document. */
export function selectForIssue(sql: Sql, tenantId: string, invoiceId: string): Statement {
  return sql`
    select i.status, i.provider, i.customer ->> 'tax_id' as tax_id, d.id as live_id
    from public.invoices i
    left join public.tax_documents d
      on d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.status in ('pending', 'issued')
    where i.tenant_id = ${tenantId} and i.id = ${invoiceId} and i.status <> 'creating'`;
}

export interface NewTaxDocument {
  invoiceId: string;
  serviceCode: string;
  metadata: Record<string, string> | undefined;
  provider: string;
}

/** Breaks `LIVE_INDEX` when one came to live in the meantime. */
export function insertTaxDocument(sql: Sql, tenantId: string, document: NewTaxDocument): Statement {
  const { invoiceId, serviceCode, metadata, provider } = document;
  return sql`
    insert into public.tax_documents (tenant_id, invoice_id, type, service_code, metadata, provider)
    values (${tenantId}, ${invoiceId}, 'nfse', ${serviceCode}, ${metadata ? JSON.stringify(metadata) : null}::jsonb, ${provider})`;
}

/** The one document of an invoice that is pending or issued. */
export function liveTaxDocument(sql: Sql, tenantId: string, invoiceId: string): Statement {
  return sql`
    select to_jsonb(d) as snapshot
    from public.tax_documents d
    where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.status in ('pending', 'issued')`;
}

export function taxDocumentSnapshot(sql: Sql, tenantId: string, invoiceId: string, id: string): Statement {
  return sql`
    select to_jsonb(d) as snapshot,
           coalesce(app.cancellation_window_open(d.tenant_id, d.issued_at), true) as window_open
    from public.tax_documents d
    where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.id = ${id}`;
}

export function cancelTaxDocument(
  sql: Sql,
  tenantId: string,
  id: string,
  reason: string | undefined,
): Statement {
  return sql`
    update public.tax_documents set status = 'canceled', cancel_reason = ${reason ?? null}
    where tenant_id = ${tenantId} and id = ${id} and status = 'issued'`;
}

/** What issuing needs of a document that is pending, or was canceled meanwhile, its invoice and tenant. */
export function selectForIssuance(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    select to_jsonb(d) as document, to_jsonb(i) as invoice, t.name as tenant_name, t.time_zone
    from public.tax_documents d
    join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
    join public.tenants t  on t.id = d.tenant_id
    where d.tenant_id = ${tenantId} and d.id = ${id} and d.status in ('pending', 'canceled')`;
}

/** The next NFS-e number of the tenant, kept with the document so that a retry uses the same. */
export function numberTaxDocument(sql: Sql, tenantId: string, id: string): Statement {
  return sql`
    update public.tax_documents
    set document_number = coalesce(document_number, app.next_document_number(tenant_id, 'NFSE')::text)
    where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
    returning document_number`;
}

export function issueTaxDocument(
  sql: Sql,
  tenantId: string,
  id: string,
  accessKey: string,
  issuedAt: Date,
): Statement {
  return sql`
    update public.tax_documents
    set status = 'issued', access_key = ${accessKey}, issued_at = ${issuedAt.toISOString()}
    where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
    returning id`;
}

export function failTaxDocument(sql: Sql, tenantId: string, id: string, reason: string): Statement {
  return sql`
    update public.tax_documents set status = 'failed', failure_reason = ${reason}, document_number = null
    where tenant_id = ${tenantId} and id = ${id} and status = 'pending'`;
}
