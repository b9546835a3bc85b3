// SQL for the table `invoices`. Triggers write the ledger, events, tax documents and expiry jobs (database/payments/effects.sql).

import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import { type Region, regionOf } from '../formats/regions.ts';
import { type Claim, whereNotStarted } from '../idempotency/queries.ts';
import type { ProviderAccount } from '../providers/accounts.ts';
import type { AcceptedCharge, Artifact, Customer, PaymentMethod } from '../providers/charge-port.ts';
import { accountOf, chooseProvider, type RoutingProblem, type WithAccount } from '../providers/routing.ts';
import type { DocumentTaxes } from '../providers/tax-document-port.ts';
import { type TaxOrder, taxOrder } from '../tax-documents/order.ts';
import type { TaxDocumentRow } from '../tax-documents/queries.ts';
import { type DueInput, givenDueMembers, isCompany } from './due-terms.ts';
import type { InvoiceDraft, InvoiceInput, InvoiceResponse } from './schema.ts';
import type { InvoiceState } from './states.ts';

/** A row of `invoices`. */
export type InvoiceRow = RowAs<
  'invoices',
  never,
  {
    status: InvoiceState;
    customer: Customer;
    payment_method_type: PaymentMethod;
    payment_method: DueInput & { return_url?: string };
    artifact: Artifact | null;
    tax_document_request: { auto_issue: boolean; service_code: string; taxes?: DocumentTaxes } | null;
    metadata: Record<string, string> | null;
    expires_at: string;
    checkout_sessions: { n: number; reference?: string | null; claimed_until?: string }[] | null;
  }
>;

/** An invoice with summaries of its latest tax document, its latest dispute and its refunds, as `app.invoice_snapshot` returns it. */
export type InvoiceSnapshot = InvoiceRow & {
  tax_document: { id: string; type: string; status: string } | null;
  /** Absent in snapshots from before refunds and disputes were stored. */
  amount_refunded?: number;
  amount_refund_pending?: number;
  dispute?: InvoiceResponse['dispute'];
};

type InvoiceSnapshotRow = { snapshot: InvoiceSnapshot };

/** When an invoice expires. */
export type InvoiceExpiry = { at: Date } | { inSeconds: number };

/** The provider's problem with an invoice, and the faults that depend on its account and the tenant's rules. */
export interface InvoiceCheck extends RoutingProblem {
  due_faults: ErrorDetail[] | null;
  /** Of the request's tax document, if a provider would issue it. */
  tax_order: TaxOrder | null;
}

/** Checks an invoice that is not created because its request has errors. */
export const checkInvoice = (
  sql: Sql,
  tenantId: string,
  draft: InvoiceDraft,
): Statement<InvoiceCheck> | [] => {
  const region = regionOf(draft.customer?.country ?? '');
  const currency = region === 'br' ? 'BRL' : draft.currency;
  if (!region || !currency) return [];
  return sql`
    with ${checkedInvoice(sql, tenantId, { ...draft, region, currency })}
    select problem, detail, due_faults, tax_order from choice`;
};

/** The statements of a `with` clause. The last one, `choice`, has the provider of an invoice and its problems. */
function checkedInvoice(
  sql: Sql,
  tenantId: string,
  { customer, payment_method: method = {}, tax_document: tax, region, currency, amount }: InvoiceToCheck,
): Fragment {
  const order = {
    tenantId,
    accountId: sql`d.account_id`,
    serviceCode: tax?.service_code ?? '',
    requested: sql`${JSON.stringify(tax?.taxes ?? null)}::jsonb`,
  };
  const charge = { kind: 'charge', region, currency, method: method.type, amountMinor: amount } as const;
  const document = { kind: 'tax_document', region, currency } as const;
  const due = givenDueMembers(method);
  return sql`
    charged as materialized (
      select * from ${chooseProvider(sql, charge)}
    ), documented as materialized (
      select * from ${chooseProvider(sql, document)} where ${tax !== undefined}
    ), choice as materialized (
      select c.provider, c.account_id, coalesce(c.problem, i.problem) as problem, coalesce(c.detail, i.detail) as detail,
             app.due_term_faults(${region}, ${currency}, ${method.type ?? null}, ${due ? JSON.stringify(due) : null}::jsonb, ${isCompany(customer?.tax_id)}) as due_faults,
             case when d.provider is not null then ${taxOrder(sql, order)} end as tax_order
      from charged c
      left join documented d on true
      -- A document that is requested later needs no provider yet.
      left join documented i on ${tax?.auto_issue === true}
    )`;
}

type InvoiceToCheck = InvoiceDraft & { region: Region; currency: string };

/**
 * Inserts the invoice of a claim that has none yet. Inserts nothing if no provider is available, due terms are not allowed or the cost
 * center is unknown.
 */
export function insertInvoice(
  sql: Sql,
  claim: Claim,
  input: InvoiceInput,
  expiry: InvoiceExpiry,
): Statement<InvoiceCheck> {
  const { customer, payment_method: method, tax_document: tax } = input;
  const taxRequest = tax && {
    auto_issue: tax.auto_issue ?? false,
    service_code: tax.service_code,
    taxes: tax.taxes,
  };
  const costCenter = input.cost_center ?? null;
  const expiresAt =
    'at' in expiry
      ? sql`${expiry.at.toISOString()}::timestamptz`
      : sql`date_trunc('milliseconds', now()) + make_interval(secs => ${expiry.inSeconds})`;
  return sql`
    with ${checkedInvoice(sql, claim.tenantId, input)}, made as (
      insert into public.invoices
        (tenant_id, customer, amount, currency, region, description, payment_method_type, payment_method,
         tax_document_request, cost_center, contractor_reference, metadata, provider, provider_account_id, expires_at)
      select k.tenant_id, ${JSON.stringify(customer)}::jsonb, ${input.amount}, ${input.currency}, ${input.region},
             ${input.description}, ${method.type}, ${JSON.stringify(method)}::jsonb,
             ${taxRequest ? JSON.stringify(taxRequest) : null}::jsonb, c.code, ${input.contractor_reference ?? null},
             ${input.metadata ? JSON.stringify(input.metadata) : null}::jsonb, choice.provider, choice.account_id,
             ${expiresAt}
      from public.idempotency_keys k
      join choice on choice.problem is null and choice.due_faults is null
      left join public.cost_centers c
        on c.tenant_id = k.tenant_id and case when ${costCenter}::text is null then c.is_default else c.code = ${costCenter} end
      where ${whereNotStarted(sql, claim)} and (${costCenter}::text is null or c.code is not null)
      returning id
    ), noted as (
      select app.set_key_resource(${claim.key}, id) from made
    )
    -- Counting the rows of noted makes Postgres execute it.
    select problem, detail, due_faults, tax_order, (select count(*) from noted) as made from choice`;
}

/** The invoice that the request of an idempotency key is creating, with its provider account. */
export const selectInvoiceOfKey = (
  sql: Sql,
  { tenantId, key }: Claim,
): Statement<InvoiceSnapshotRow & WithAccount> => sql`
  select app.invoice_snapshot(i) as snapshot, ${accountOf(sql, sql`i`)}
  from public.idempotency_keys k
  join public.invoices i on i.tenant_id = k.tenant_id and i.id = k.resource_id
  where k.tenant_id = ${tenantId} and k.key = ${key}`;

/** An invoice, and the name of the tenant that receives the money. */
export type InvoiceByToken = { row: InvoiceRow; tenant_name: string } & WithAccount;

/** The invoice whose public files use this token. */
export const selectInvoiceByToken = (sql: Sql, token: string): Statement<InvoiceByToken> => sql`
  select to_jsonb(i) as row, t.name as tenant_name, ${accountOf(sql, sql`i`)}
  from public.invoices i join public.tenants t on t.id = i.tenant_id
  where i.public_token = ${token} and i.status <> 'creating'`;

/**
 * Opens an invoice that the provider accepted and assigns its number. A separate statement locks the row first: an update that
 * waits for a lock evaluates its expressions twice, which would consume two numbers and leave a gap.
 */
export const openInvoice = (sql: Sql, tenantId: string, id: string, charge: AcceptedCharge): Fragment[] => [
  sql`select from public.invoices where tenant_id = ${tenantId} and id = ${id} for update`,
  sql`
    update public.invoices
    set status = 'open', our_number = app.our_number(tenant_id, 'INV'), artifact = ${JSON.stringify(charge.artifact)}::jsonb,
        provider_reference = ${charge.providerReference}, state_at = ${charge.state.at.toISOString()}
    where tenant_id = ${tenantId} and id = ${id} and status = 'creating'`,
];

/** Inserts the pending tax document of an invoice created with `auto_issue`. */
export const insertWaitingTaxDocument = (sql: Sql, id: string): Fragment =>
  sql`select app.add_waiting_tax_document(${id})`;

export const selectInvoice = (sql: Sql, tenantId: string, id: string): Statement<InvoiceSnapshotRow> => sql`
  select app.invoice_snapshot(i) as snapshot
  from public.invoices i
  where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;

/** An invoice, its pending or issued tax document, and whether that document can still be canceled. */
export interface CancelableInvoice extends InvoiceSnapshotRow, WithAccount {
  tax_document_id: string | null;
  tax_document_status: 'pending' | 'issued' | null;
  window_open: boolean;
  /** The pending or issued tax document. */
  document: TaxDocumentRow | null;
  tenant_name: string;
  time_zone: string;
  /** Today in the tenant's time zone, `YYYY-MM-DD`. */
  issue_on: string;
  document_account: ProviderAccount | null;
}

export const selectInvoiceToCancel = (
  sql: Sql,
  tenantId: string,
  id: string,
): Statement<CancelableInvoice> => sql`
  select app.invoice_snapshot(i) as snapshot, d.id as tax_document_id, d.status as tax_document_status,
         coalesce(app.cancellation_window_open(i.tenant_id, d.issued_at), true) as window_open, to_jsonb(d) as document,
         t.name as tenant_name, t.time_zone, to_char(now() at time zone t.time_zone, 'YYYY-MM-DD') as issue_on, ${accountOf(sql, sql`i`)},
         app.provider_account(d.provider_account_id) as document_account
  from public.invoices i
  join public.tenants t on t.id = i.tenant_id
  left join public.tax_documents d
    on d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.status in ('pending', 'issued')
  where i.tenant_id = ${tenantId} and i.id = ${id} and i.status <> 'creating'`;

export const markCanceled = (
  sql: Sql,
  tenantId: string,
  id: string,
  reason: string | undefined,
): Fragment => sql`
  update public.invoices set status = 'canceled', cancel_reason = ${reason ?? null}, state_at = now()
  where tenant_id = ${tenantId} and id = ${id} and status = 'open'
  returning id`;

/** Fails an open invoice that has expired. */
export const failExpiredInvoice = (sql: Sql, tenantId: string, id: string): Fragment => sql`
  update public.invoices set status = 'failed', state_at = expires_at, failure_reason = 'The invoice expired before it was paid.'
  where tenant_id = ${tenantId} and id = ${id} and status = 'open' and expires_at <= now()
  returning id`;

/** Throws `documentIssued` if the invoice has an issued tax document other than `except`. */
export const expectNoIssuedDocument = (sql: Sql, id: string, except: string | null): Fragment =>
  sql`select app.expect_no_issued_document(${id}, ${except})`;

/** Claims the n-th payment page of an open invoice. */
export const claimCheckoutSession = (
  sql: Sql,
  id: string,
  n: number,
  leaseSeconds: number,
): Statement<{
  claim:
    | { state: 'over' | 'waiting' }
    | { state: 'made'; url: string }
    | { state: 'claimed'; madeAt: string };
}> => sql`select app.claim_checkout_session(${id}, ${n}, ${leaseSeconds}) as claim`;

/** Stores a new payment page; undefined if the provider rejected the request. Returns whether the invoice is still open. */
export const storeCheckoutSession = (
  sql: Sql,
  id: string,
  n: number,
  made: { reference: string; url: string } | undefined,
): Statement<{ is_open: boolean }> =>
  sql`select app.store_checkout_session(${id}, ${n}, ${made?.reference ?? null}, ${made?.url ?? null}) as is_open`;

/** Source of invoice lists. Omits invoices that no provider has accepted yet. */
export const invoiceListSource = (sql: Sql): Fragment => sql`
  select snapshot from (
    select i.*, app.invoice_snapshot(i) as snapshot from public.invoices i where status <> 'creating'
  ) as invoices`;
