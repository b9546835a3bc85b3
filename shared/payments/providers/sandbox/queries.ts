// SQL for `private.sandbox_orders`, the state of the simulated provider.
import type { Fragment, Sql, Statement } from '../../../platform/db/database.ts';
import type { OrderKind } from '../order-report.ts';

/** A row as JSON. */
export interface OrderRow {
  provider_id: string;
  status: string;
  amount: number;
  fee: number;
  /** `YYYY-MM-DD`. */
  available_on: string | null;
  reason: string | null;
  /** Number of an issued tax document. */
  number: number | null;
  changed_at: string;
  /** The amount paid; null means the charge's amount. */
  paid_amount: number | null;
  /** The payer's day; null means the day of the change. */
  paid_on: string | null;
}

export interface NewOrder {
  kind: OrderKind;
  reference: string;
  amountMinor: number;
  method: string;
  status: string;
  feeMinor: number;
  reason?: string | undefined;
}

/** Accepts an order, deduplicated by reference. `is_new`: whether it was not accepted before. */
export function acceptOrder(sql: Sql, order: NewOrder): Statement<{ row: OrderRow; is_new: boolean }> {
  const { kind, reference, amountMinor, method, status, feeMinor, reason } = order;
  return sql`
    select sandbox_order as row, is_new
    from app.sandbox_accept(${kind}, ${reference}, ${amountMinor}, ${method}, ${status}, ${feeMinor}, ${reason ?? null})`;
}

/** Assigns the tenant's next number to an issued tax document, once. */
export const numberTaxDocument = (sql: Sql, reference: string): Fragment =>
  sql`select app.sandbox_number(${reference})`;

export const findOrder = (
  sql: Sql,
  kind: OrderKind,
  reference: string,
): Statement<{ row: OrderRow | null }> => sql`select app.sandbox_find(${kind}, ${reference}) as row`;

/** A change of an order. */
export interface Change {
  /** The states in which the change is possible. */
  from: readonly string[];
  to: string;
  /** When the change happened. Default: now. If the order has changed since then, only a payment is accepted. */
  at?: Date;
  feeMinor?: number | undefined;
  availableOn?: string | undefined;
  reason?: string | undefined;
  /** The amount that the payer of a charge with a due date pays. */
  payment?: SandboxPayment | undefined;
  /** Seconds until a fallback job looks up the order. Absent if no fallback is needed. */
  lookupAfterSeconds?: number;
}

/** The job of an order belongs to the order's tenant, and moves with it. */
const tenantOf = (sql: Sql, reference: string): Fragment =>
  sql`(select tenant_id from public.invoices where id = ${reference} union all select tenant_id from public.payouts where id = ${reference})`;

/** Returns the order if it changed, with its fallback job. */
export function changeOrder(
  sql: Sql,
  kind: OrderKind,
  reference: string,
  { from, to, at, feeMinor, availableOn, reason, lookupAfterSeconds }: Change,
): Statement<{ row: OrderRow; lookup_job_id: string | null }> {
  return sql`
    with changed as (
      select app.sandbox_change(
        ${kind}, ${reference}, ${from}, ${to}, ${at?.toISOString() ?? null}, ${feeMinor ?? null}, ${availableOn ?? null}::date,
        ${reason ?? null}) as row
    ), looks as (
      insert into public.jobs (tenant_id, name, key, payload, due_at)
      select ${tenantOf(sql, reference)}, 'settle-in-sandbox', ${`${reference}:${to}:look`}, ${JSON.stringify({ kind, reference })}::jsonb,
             now() + make_interval(secs => ${lookupAfterSeconds ?? null})
      from changed where ${lookupAfterSeconds ?? null}::integer is not null
      on conflict (name, key) do nothing
      returning id
    )
    select row, (select id from looks) as lookup_job_id from changed`;
}

/** The amount that a payer pays, and the day (`YYYY-MM-DD`). */
export interface SandboxPayment {
  amountMinor: number;
  on: string;
}

/** Records a payment of an open charge. Has no effect on other charges. */
export const recordPayment = (sql: Sql, reference: string, { amountMinor, on }: SandboxPayment): Fragment =>
  sql`select app.sandbox_note_payment(${reference}, ${amountMinor}, ${on}::date)`;

/** A refund as JSON. */
export interface RefundRow {
  reference: string;
  provider_id: string;
  status: 'pending' | 'succeeded' | 'failed';
  amount: number;
  /** Null if the refund waits for the payer of a boleto. */
  ends_at: string | null;
}

export interface NewRefund {
  reference: string;
  /** Our reference of the charge. */
  charge: string;
  amountMinor: number;
  endsAs: 'succeeded' | 'failed';
  /** Null: when the payer of a boleto asks for it. */
  endsInSeconds: number | null;
  /** How often the end is notified. */
  times: number;
}

/** Accepts a refund, deduplicated by reference. `is_new`: whether it was not accepted before. */
export const acceptRefund = (
  sql: Sql,
  { reference, charge, amountMinor, endsAs, endsInSeconds, times }: NewRefund,
): Statement<{ row: RefundRow; is_new: boolean }> => sql`
  select sandbox_refund as row, is_new
  from app.sandbox_refund(${reference}, ${charge}, ${amountMinor}, ${endsAs}, ${endsInSeconds}, ${times})`;

/** The refunds of a charge, oldest first. */
export const findRefunds = (sql: Sql, charge: string): Statement<{ row: RefundRow }> =>
  sql`select r as row from app.sandbox_refunds(${charge}) as r`;

/** Ends a refund that waits for the payer. */
export const settleRefund = (sql: Sql, reference: string): Statement<{ found: boolean }> =>
  sql`select app.settle_sandbox_refund(${reference}) as found`;

/** Whether a refund with this sandbox id waits for the payer. */
export const findWaitingRefund = (sql: Sql, providerId: string): Statement<{ found: boolean }> =>
  sql`select app.sandbox_has_refund(${providerId}) as found`;

/** Whether a card charge with this sandbox id exists. */
export const findCheckout = (sql: Sql, providerId: string): Statement<{ found: boolean }> =>
  sql`select app.sandbox_has_checkout(${providerId}) as found`;

/** A scheduled change of an order. */
export interface ScheduledChange {
  to: string;
  afterSeconds: number;
}

export function scheduleSettling(
  sql: Sql,
  { kind, reference }: Pick<NewOrder, 'kind' | 'reference'>,
  { to, afterSeconds }: ScheduledChange,
): Fragment {
  const payload = JSON.stringify({ kind, reference, to });
  return sql`
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (${tenantOf(sql, reference)}, 'settle-in-sandbox', ${`${reference}:${to}`}, ${payload}::jsonb, now() + make_interval(secs => ${afterSeconds}))
    on conflict (name, key) do nothing`;
}
