// SQL for the table `refunds`. Triggers maintain events and jobs; `app.apply_refund_report` maintains the ledger.

import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { RowAs } from '../../platform/db/row.ts';
import type { Claim } from '../idempotency/queries.ts';
import type { InvoiceRow } from '../invoices/queries.ts';
import type { PendingReason, RefundReport } from '../providers/refund-port.ts';
import { accountOf, type WithAccount } from '../providers/routing.ts';
import type { RefundInput } from './schema.ts';
import type { RefundState } from './states.ts';

/** A row of `refunds`. */
export type RefundRow = RowAs<
  'refunds',
  never,
  { status: RefundState; origin: 'api' | 'provider'; pending_reason: PendingReason | null }
>;

/** A refund with the control fields of its invoice, as `app.refund_snapshot` returns it. */
export type RefundSnapshot = RefundRow & {
  cost_center: string | null;
  our_number: string | null;
  contractor_reference: string | null;
};

export type RefundSnapshotRow = { snapshot: RefundSnapshot };

/** Why a refund was not reserved, or that this attempt reserved it. No row: an earlier attempt of the key did. */
export interface Reservation {
  problem:
    | 'not_found'
    | 'not_refundable'
    | 'window_expired'
    | 'amount'
    | 'not_ready'
    | 'not_configured'
    | null;
  detail: string | null;
  is_first: boolean;
}

/** Checks and reserves the amount with the invoice locked. */
export const reserveRefund = (
  sql: Sql,
  { key, attemptId }: Claim,
  invoiceId: string,
  { amount, reason }: RefundInput,
): Statement<Reservation> => sql`
  select problem, detail, is_first
  from app.reserve_refund(${key}, ${attemptId}, ${invoiceId}, ${amount ?? null}, ${reason ?? null})`;

/** A refund, the invoice that it refunds, and the account that charged it. */
export interface FoundRefund extends RefundSnapshotRow, WithAccount {
  invoice: InvoiceRow;
  /** The database's clock when the row was read. */
  now: Date;
}

const foundRefund = (sql: Sql): Fragment => sql`
  app.refund_snapshot(r) as snapshot, to_jsonb(i) as invoice, now() as now, ${accountOf(sql, sql`i`)}`;

/** The refund that the request of an idempotency key is creating. */
export const selectRefundOfKey = (sql: Sql, { tenantId, key }: Claim): Statement<FoundRefund> => sql`
  select ${foundRefund(sql)}
  from public.idempotency_keys k
  join public.refunds r on r.tenant_id = k.tenant_id and r.id = k.resource_id
  join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
  where k.tenant_id = ${tenantId} and k.key = ${key}`;

/** A refund that has not ended. For jobs. */
export const selectUnfinishedRefund = (sql: Sql, tenantId: string, id: string): Statement<FoundRefund> => sql`
  select ${foundRefund(sql)}
  from public.refunds r
  join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
  where r.tenant_id = ${tenantId} and r.id = ${id} and r.status in ('creating', 'pending')`;

export const selectRefund = (sql: Sql, tenantId: string, id: string): Statement<RefundSnapshotRow> => sql`
  select app.refund_snapshot(r) as snapshot
  from public.refunds r
  where tenant_id = ${tenantId} and id = ${id} and status <> 'creating'`;

/** Applies the provider's response to a refund. */
export const applyRefundReport = (sql: Sql, id: string, report: RefundReport): Fragment =>
  sql`select app.apply_refund_report(${id}, ${JSON.stringify(report)}::jsonb)`;

/** Deletes a refund that the provider certainly does not have. */
export const discardRefund = (sql: Sql, id: string): Fragment => sql`select app.discard_refund(${id})`;

/** Schedules an immediate lookup of a refund whose outcome is unknown. */
export const scheduleRefundLookup = (sql: Sql, id: string): Fragment =>
  sql`select app.schedule_refund_lookup(${id})`;

/** Fails a pending refund. `ended`: false if money has moved; then only the provider can reverse it. */
export const endRefund = (sql: Sql, id: string, reason: string): Statement<{ ended: boolean }> =>
  sql`select app.end_refund(${id}, ${reason}) as ended`;

/** Source of the list of an invoice's refunds. Omits refunds that no provider has accepted yet. */
export const refundListSource = (sql: Sql, invoiceId: string): Fragment => sql`
  select snapshot from (
    select r.*, app.refund_snapshot(r) as snapshot from public.refunds r where r.invoice_id = ${invoiceId} and r.status <> 'creating'
  ) as refunds`;

/** Whether a dispute of the invoice is not decided yet. */
export const selectHasOpenDispute = (
  sql: Sql,
  tenantId: string,
  invoiceId: string,
): Statement<{ found: boolean }> => sql`
  select exists (
    select from public.disputes where tenant_id = ${tenantId} and invoice_id = ${invoiceId} and status = 'open') as found`;
