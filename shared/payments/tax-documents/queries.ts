// SQL for the table `tax_documents`. Triggers emit events and schedule the issuance.

import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Columns, RowAs } from '../../platform/db/row.ts';
import type { Customer } from '../providers/charge-port.ts';
import {
  accountOf,
  chooseProvider,
  type OrderIds,
  type RoutingProblem,
  type WithAccount,
} from '../providers/routing.ts';
import type {
  DocumentTaxes,
  IssuedTaxDocument,
  IssuedTaxes,
  TaxDocumentReport,
} from '../providers/tax-document-port.ts';
import type { CustomerAddress } from '../requests/address.ts';
import { type TaxOrder, taxOrder } from './order.ts';
import type { TaxDocumentInput, TaxDocumentRequest } from './schema.ts';
import type { TaxDocumentStatus } from './states.ts';

/** A row of `tax_documents`. */
export type TaxDocumentRow = RowAs<
  'tax_documents',
  never,
  {
    status: TaxDocumentStatus;
    metadata: Record<string, string> | null;
    requested_taxes: DocumentTaxes | null;
    customer_address: CustomerAddress | null;
    taxes: IssuedTaxes | null;
  }
>;

type TaxDocumentSnapshotRow = { snapshot: TaxDocumentRow };

/** The ids in the path of a tax document. */
export interface TaxDocumentIds {
  invoiceId: string;
  id: string;
}

/** Unique index: an invoice has at most one pending or issued document. */
export const LIVE_INDEX = 'tax_documents_live_idx';

/** An invoice for which a document is requested, and the provider that would issue it. */
export interface InvoiceForTaxDocument extends RoutingProblem {
  status: string;
  provider: string;
  account_id: string | null;
  tax_id: string | null;
  /** The pending or issued document of the invoice. */
  live_id: string | null;
  address: CustomerAddress | null;
  /** Null if no provider is available. */
  tax_order: TaxOrder | null;
}

export function selectInvoiceForTaxDocument(
  sql: Sql,
  tenantId: string,
  invoiceId: string,
  { serviceCode, taxes }: TaxDocumentRequest['draft'],
): Statement<InvoiceForTaxDocument> {
  const order = {
    tenantId: sql`i.tenant_id`,
    accountId: sql`r.account_id`,
    serviceCode: serviceCode ?? '',
    requested: requestedTaxes(sql, taxes),
  };
  return sql`
    select i.status, i.customer ->> 'tax_id' as tax_id, i.customer -> 'address' as address, d.id as live_id,
           r.provider, r.account_id, r.problem, r.detail, case when r.problem is null then ${taxOrder(sql, order)} end as tax_order
    from public.invoices i
    cross join lateral ${chooseProvider(sql, { kind: 'tax_document', region: sql`i.region`, currency: sql`i.currency` })} as r
    left join public.tax_documents d
      on d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.status in ('pending', 'issued')
    where i.tenant_id = ${tenantId} and i.id = ${invoiceId} and i.status <> 'creating'`;
}

/** The taxes of a document of invoice `i`: those of its own request, otherwise those of the invoice's request. */
const requestedTaxes = (sql: Sql, taxes: DocumentTaxes | undefined): Fragment =>
  taxes ? sql`${JSON.stringify(taxes)}::jsonb` : sql`i.tax_document_request -> 'taxes'`;

export interface NewTaxDocument extends TaxDocumentInput {
  invoiceId: string;
  provider: string;
  accountId: string | null;
}

/** Violates `LIVE_INDEX` if the invoice got a pending or issued document in the meantime. */
export function insertTaxDocument(sql: Sql, tenantId: string, document: NewTaxDocument): Fragment {
  const { invoiceId, serviceCode, taxes, customerAddress, metadata, provider, accountId } = document;
  return sql`
    insert into public.tax_documents
      (tenant_id, invoice_id, type, service_code, requested_taxes, customer_address, metadata, provider, provider_account_id)
    select i.tenant_id, i.id, 'nfse', ${serviceCode}, ${requestedTaxes(sql, taxes)},
           ${customerAddress ? JSON.stringify(customerAddress) : null}::jsonb, ${metadata ? JSON.stringify(metadata) : null}::jsonb,
           ${provider}, ${accountId}
    from public.invoices i where i.tenant_id = ${tenantId} and i.id = ${invoiceId}`;
}

/** The pending or issued document of an invoice. */
export const selectLiveTaxDocument = (
  sql: Sql,
  tenantId: string,
  invoiceId: string,
): Statement<TaxDocumentSnapshotRow> => sql`
  select to_jsonb(d) - 'customer_address' as snapshot
  from public.tax_documents d
  where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.status in ('pending', 'issued')`;

export const selectTaxDocument = (
  sql: Sql,
  tenantId: string,
  { invoiceId, id }: TaxDocumentIds,
): Statement<TaxDocumentSnapshotRow> => sql`
  select to_jsonb(d) - 'customer_address' as snapshot
  from public.tax_documents d
  where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.id = ${id}`;

/** A document and whether its cancellation window is open. */
interface CancelableTaxDocument extends TaxDocumentSnapshotRow, WithAccount {
  window_open: boolean;
  /** The input of the provider order. */
  to_issue: Omit<TaxDocumentToIssue, 'account'>;
}

export const selectTaxDocumentToCancel = (
  sql: Sql,
  tenantId: string,
  { invoiceId, id }: TaxDocumentIds,
): Statement<CancelableTaxDocument> => sql`
  select to_jsonb(d) as snapshot, ${accountOf(sql, sql`d`)},
         coalesce(app.cancellation_window_open(d.tenant_id, d.issued_at), true) as window_open,
         jsonb_build_object('document', to_jsonb(d), 'invoice', to_jsonb(i), 'tenant_name', t.name, 'time_zone', t.time_zone,
                            'issue_on', ${dayOf(sql)}) as to_issue
  from public.tax_documents d
  join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
  join public.tenants t  on t.id = d.tenant_id
  where d.tenant_id = ${tenantId} and d.invoice_id = ${invoiceId} and d.id = ${id}`;

export const markTaxDocumentCanceled = (
  sql: Sql,
  tenantId: string,
  id: string,
  reason: string | undefined,
): Fragment => sql`
  update public.tax_documents set status = 'canceled', cancel_reason = ${reason ?? null}, cancel_requested_at = null
  where tenant_id = ${tenantId} and id = ${id} and status = 'issued'`;

/** Records that a cancellation was requested, or that the municipality rejected it with the message `refused`. */
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

/** The columns of an invoice needed to issue its document. */
type InvoiceOfTaxDocument = Columns<
  'invoices',
  'id' | 'amount' | 'description' | 'provider_reference' | 'provider_account_id'
> & { customer: Customer };

/** A document with the data of its invoice and tenant needed to issue it. */
export interface TaxDocumentToIssue extends WithAccount {
  document: TaxDocumentRow;
  invoice: InvoiceOfTaxDocument;
  tenant_name: string;
  time_zone: string;
  /** Today in the tenant's time zone, `YYYY-MM-DD`. */
  issue_on: string;
  /** Absent if the document is only canceled. */
  tax_order?: TaxOrder;
}

/** Today in the time zone of the tenant `t`. */
const dayOf = (sql: Sql): Fragment => sql`to_char(now() at time zone t.time_zone, 'YYYY-MM-DD')`;

/** A document whose state at the municipality can differ from ours: any that has not failed. */
export function selectTaxDocumentToIssue(
  sql: Sql,
  tenantId: string,
  id: string,
): Statement<TaxDocumentToIssue & { now: Date }> {
  const order = {
    tenantId: sql`d.tenant_id`,
    accountId: sql`d.provider_account_id`,
    serviceCode: sql`d.service_code`,
    requested: sql`d.requested_taxes`,
  };
  return sql`
    select to_jsonb(d) as document, to_jsonb(i) as invoice, t.name as tenant_name, t.time_zone, ${dayOf(sql)} as issue_on,
           ${taxOrder(sql, order)} as tax_order, now() as now, ${accountOf(sql, sql`d`)}
    from public.tax_documents d
    join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
    join public.tenants t  on t.id = d.tenant_id
    where d.tenant_id = ${tenantId} and d.id = ${id}
      and d.status <> 'failed'`;
}

export const markFailed = (sql: Sql, tenantId: string, id: string, reason: string): Fragment => sql`
  update public.tax_documents set status = 'failed', failure_reason = ${reason}, document_number = null
  where tenant_id = ${tenantId} and id = ${id} and status = 'pending'`;

/** Stores the provider's id of a document. */
export const recordTaxDocument = (
  sql: Sql,
  tenantId: string,
  id: string,
  providerReference: string,
): Fragment => sql`
  update public.tax_documents set provider_reference = ${providerReference}
  where tenant_id = ${tenantId} and id = ${id} and provider_reference is distinct from ${providerReference}`;

/** Marks a document as issued after its files are stored. Returns no row if the document is no longer pending. */
export const recordIssued = (
  sql: Sql,
  tenantId: string,
  id: string,
  { number, accessKey, taxes }: IssuedTaxDocument,
): Statement<{ id: string }> => sql`
  update public.tax_documents
  set status = 'issued', document_number = ${number}, access_key = ${accessKey}, taxes = ${JSON.stringify(taxes)}::jsonb, issued_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = 'pending'
  returning id`;

/** Records the municipality's decision on a cancellation. */
export const recordDecision = (
  sql: Sql,
  tenantId: string,
  id: string,
  { status, cancelPending, cancelRejectionMessage }: TaxDocumentReport,
): Fragment => sql`
  update public.tax_documents
  set status = case when ${status === 'canceled'} and status in ('pending', 'issued') then 'canceled' else status end,
      cancel_error = case when status = 'issued' then coalesce(${cancelRejectionMessage ?? null}, cancel_error) else cancel_error end,
      cancel_requested_at = case when ${cancelPending} then coalesce(cancel_requested_at, now()) end
  where tenant_id = ${tenantId} and id = ${id} and (status = 'issued' or ${status === 'canceled'})`;

/** Schedules a lookup of the invoice's issued documents for when the attempt that cancels them must be over. */
export const checkCanceledDocuments = (sql: Sql, invoiceId: string): Fragment =>
  sql`select app.check_canceled_documents(${invoiceId})`;

/** Schedules an immediate lookup of an account's document, unless it has the status that the provider listed. Returns a row if so. */
export const scheduleTaxDocumentLookup = (
  sql: Sql,
  accountId: string,
  { reference, providerReference }: OrderIds,
  listedStatus?: TaxDocumentReport['status'],
): Statement<{ id: string }> => sql`
  insert into public.jobs as j (tenant_id, name, key, payload)
  select d.tenant_id, 'issue-tax-document', d.id, jsonb_build_object('tax_document_id', d.id)
  from public.tax_documents d
  where d.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
    and d.provider_account_id = ${accountId} and d.status in ('pending', 'issued') and d.status is distinct from ${listedStatus ?? null}
    and (d.id = ${reference ?? null} or d.provider_reference = ${providerReference ?? null})
  on conflict (name, key) do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null
  returning j.id`;

/** The tenant and document whose public files use this token. */
export function selectIssuedByToken(sql: Sql, token: string): Statement<{ tenant_id: string; id: string }> {
  return sql`select tenant_id, id from public.tax_documents where public_token = ${token} and issued_at is not null`;
}
