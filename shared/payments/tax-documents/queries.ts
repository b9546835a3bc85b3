// SQL of the table `tax_documents`; events and the issuance follow from its rows by trigger.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns } from '../../platform/db/row.ts';
import type { InvoiceCustomer } from '../providers/customer.ts';
import type { IssuedTaxDocument, TaxDocumentReport } from '../providers/provider.ts';
import {
  accountOf,
  chooseProvider,
  type OrderNames,
  type RoutingProblem,
  type WithAccount,
} from '../providers/routing.ts';
import type { TaxDocumentRow } from './serialize.ts';

export type TaxDocumentSnapshotRow = { snapshot: TaxDocumentRow };

/** A document by its place in the paths of the interface. */
export interface TaxDocumentIds {
  invoiceId: string;
  id: string;
}

/** At most one document of an invoice is pending or issued. */
export const LIVE_INDEX = 'tax_documents_live_idx';

/** An invoice as asking for a document looks at it, and who would issue it. */
export interface InvoiceToDocument extends RoutingProblem {
  status: string;
  provider: string;
  account_id: string | null;
  tax_id: string | null;
  /** Its document that is pending or issued. */
  live_id: string | null;
}

export function selectInvoiceToDocument(
  sql: Sql,
  tenantId: string,
  invoiceId: string,
): Statement<InvoiceToDocument> {
  return sql`
    select i.status, i.customer ->> 'tax_id' as tax_id, d.id as live_id, r.provider, r.account_id, r.problem, r.detail
    from public.invoices i
    cross join lateral ${chooseProvider(sql, { kind: 'tax_document', region: sql`i.region`, currency: sql`i.currency` })} as r
    left join public.tax_documents d
      on d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.status in ('pending', 'issued')
    where i.tenant_id = ${tenantId} and i.id = ${invoiceId} and i.status <> 'creating'`;
}

export interface NewTaxDocument {
  invoiceId: string;
  serviceCode: string;
  metadata: Record<string, string> | undefined;
  provider: string;
  accountId: string | null;
}

/** Breaks `LIVE_INDEX` when one came to live in the meantime. */
export function insertTaxDocument(sql: Sql, tenantId: string, document: NewTaxDocument): Fragment {
  const { invoiceId, serviceCode, metadata, provider, accountId } = document;
  return sql`
    insert into public.tax_documents (tenant_id, invoice_id, type, service_code, metadata, provider, provider_account_id)
    values (${tenantId}, ${invoiceId}, 'nfse', ${serviceCode}, ${metadata ? JSON.stringify(metadata) : null}::jsonb, ${provider},
            ${accountId})`;
}

/** The one document of an invoice that is pending or issued. */
export function selectLiveTaxDocument(
  sql: Sql,
  tenantId: string,
  invoiceId: string,
): Statement<TaxDocumentSnapshotRow> {
  return sql`
    select to_jsonb(d) as snapshot
    from public.tax_documents d
    where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.status in ('pending', 'issued')`;
}

export function selectTaxDocument(
  sql: Sql,
  tenantId: string,
  { invoiceId, id }: TaxDocumentIds,
): Statement<TaxDocumentSnapshotRow> {
  return sql`
    select to_jsonb(d) as snapshot
    from public.tax_documents d
    where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.id = ${id}`;
}

/** A document, with whether the municipality still takes it back. */
export interface CancelableTaxDocument extends TaxDocumentSnapshotRow, WithAccount {
  window_open: boolean;
  /** As its provider needs it. */
  to_issue: Omit<TaxDocumentToIssue, 'account'>;
}

export function selectTaxDocumentToCancel(
  sql: Sql,
  tenantId: string,
  { invoiceId, id }: TaxDocumentIds,
): Statement<CancelableTaxDocument> {
  return sql`
    select to_jsonb(d) as snapshot, ${accountOf(sql, sql`d`)},
           coalesce(app.cancellation_window_open(d.tenant_id, d.issued_at), true) as window_open,
           jsonb_build_object('document', to_jsonb(d), 'invoice', to_jsonb(i), 'tenant_name', t.name, 'time_zone', t.time_zone,
                              'issue_on', ${dayOf(sql)}) as to_issue
    from public.tax_documents d
    join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
    join public.tenants t  on t.id = d.tenant_id
    where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.id = ${id}`;
}

export function markTaxDocumentCanceled(
  sql: Sql,
  tenantId: string,
  id: string,
  reason: string | undefined,
): Fragment {
  return sql`
    update public.tax_documents set status = 'canceled', cancel_reason = ${reason ?? null}, cancel_requested_at = null
    where tenant_id = ${tenantId} and id = ${id} and status = 'issued'`;
}

/** The city was asked to take it back and has not decided, or refused with these words. */
export const markCancelRequested = (
  sql: Sql,
  tenantId: string,
  id: string,
  { reason, refused }: { reason: string | undefined; refused: string | undefined },
): Fragment => sql`
  update public.tax_documents
  set cancel_reason = ${reason ?? null}, cancel_error = ${refused ?? null},
      cancel_requested_at = case when ${refused ?? null}::text is null then coalesce(cancel_requested_at, now()) end
  where tenant_id = ${tenantId} and id = ${id} and status = 'issued'`;

/** What issuing needs of an invoice. */
export type DocumentedInvoice = Columns<
  'invoices',
  'id' | 'amount' | 'description' | 'provider_reference' | 'provider_account_id'
> & { customer: InvoiceCustomer };

/** What issuing needs of a document, its invoice and tenant. */
export interface TaxDocumentToIssue extends WithAccount {
  document: TaxDocumentRow;
  invoice: DocumentedInvoice;
  tenant_name: string;
  time_zone: string;
  /** The day that it is there, `YYYY-MM-DD`. */
  issue_on: string;
}

/** The day that it is where the tenant `t` is. */
const dayOf = (sql: Sql): Fragment => sql`to_char(now() at time zone t.time_zone, 'YYYY-MM-DD')`;

/** A document that is pending, was canceled, or is to be taken back. */
export function selectTaxDocumentToIssue(
  sql: Sql,
  tenantId: string,
  id: string,
): Statement<TaxDocumentToIssue> {
  return sql`
    select to_jsonb(d) as document, to_jsonb(i) as invoice, t.name as tenant_name, t.time_zone, ${dayOf(sql)} as issue_on,
           ${accountOf(sql, sql`d`)}
    from public.tax_documents d
    join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
    join public.tenants t  on t.id = d.tenant_id
    where d.tenant_id = ${tenantId} and d.id = ${id}
      and (d.status in ('pending', 'canceled') or d.cancel_requested_at is not null)`;
}

export function markFailed(sql: Sql, tenantId: string, id: string, reason: string): Fragment {
  return sql`
    update public.tax_documents set status = 'failed', failure_reason = ${reason}, document_number = null
    where tenant_id = ${tenantId} and id = ${id} and status = 'pending'`;
}

/** Keeps the provider's id of a document. */
export const recordTaxDocument = (
  sql: Sql,
  tenantId: string,
  id: string,
  providerReference: string,
): Fragment => sql`
  update public.tax_documents set provider_reference = ${providerReference}
  where tenant_id = ${tenantId} and id = ${id} and provider_reference is distinct from ${providerReference}`;

/** The city issued it, and its files are kept. Gives a row unless it changed meanwhile. */
export const recordIssued = (
  sql: Sql,
  tenantId: string,
  id: string,
  { number, accessKey }: IssuedTaxDocument,
): Statement<{ id: string }> => sql`
  update public.tax_documents
  set status = 'issued', document_number = ${number}, access_key = ${accessKey}, issued_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
  returning id`;

/** What the city decided of taking it back. */
export const recordDecision = (
  sql: Sql,
  tenantId: string,
  id: string,
  { status, cancelPending, cancelRefused }: TaxDocumentReport,
): Fragment => sql`
  update public.tax_documents
  set status = case when ${status === 'canceled'} and status in ('pending', 'issued') then 'canceled' else status end,
      cancel_error = case when status = 'issued' then coalesce(${cancelRefused ?? null}, cancel_error) else cancel_error end,
      cancel_requested_at = case when ${cancelPending} then coalesce(cancel_requested_at, now()) end
  where tenant_id = ${tenantId} and id = ${id} and (status = 'issued' or ${status === 'canceled'})`;

/** Has a document of an account looked at now. Gives a row where there is one. */
export const lookAtTaxDocumentNow = (
  sql: Sql,
  accountId: string,
  { reference, providerReference }: OrderNames,
): Statement<{ id: string }> => sql`
  insert into public.jobs as j (tenant_id, name, key, payload)
  select d.tenant_id, 'issue-tax-document', d.id, jsonb_build_object('tax_document_id', d.id)
  from public.tax_documents d
  where d.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
    and d.provider_account_id = ${accountId} and d.status in ('pending', 'issued')
    and (d.id = ${reference ?? null} or d.provider_reference = ${providerReference ?? null})
  on conflict (name, key) do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null
  returning j.id`;

/** Whose document has its files under this token. */
export function selectIssuedByToken(sql: Sql, token: string): Statement<{ tenant_id: string; id: string }> {
  return sql`select tenant_id, id from public.tax_documents where public_token = ${token} and issued_at is not null`;
}
