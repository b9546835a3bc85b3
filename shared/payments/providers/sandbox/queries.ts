// SQL of the sandbox's memory, `private.sandbox_orders`, which stands for another company's database.
import type { Fragment, Sql, Statement } from '../../../platform/db/database.ts';
import type { OrderKind } from '../provider.ts';

/** A row as JSON has it. */
export interface OrderRow {
  provider_id: string;
  status: string;
  amount: number;
  fee: number;
  /** `YYYY-MM-DD`. */
  available_on: string | null;
  reason: string | null;
  /** Of an issued tax document. */
  number: number | null;
  changed_at: string;
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

/** Accepts an order; one with the same reference is the same order. `is_new`: nobody has had an answer to it yet. */
export function acceptOrder(sql: Sql, order: NewOrder): Statement<{ row: OrderRow; is_new: boolean }> {
  const { kind, reference, amountMinor, method, status, feeMinor, reason } = order;
  return sql`
    select sandbox_order as row, is_new
    from app.sandbox_accept(${kind}, ${reference}, ${amountMinor}, ${method}, ${status}, ${feeMinor}, ${reason ?? null})`;
}

/** Gives an issued tax document the next number of the transaction's tenant, once. */
export const numberTaxDocument = (sql: Sql, reference: string): Fragment =>
  sql`select app.sandbox_number(${reference})`;

export const findOrder = (
  sql: Sql,
  kind: OrderKind,
  reference: string,
): Statement<{ row: OrderRow | null }> => sql`select app.sandbox_find(${kind}, ${reference}) as row`;

/** What becomes of an order. */
export interface Change {
  /** The states in which it can happen. */
  from: readonly string[];
  to: string;
  /** When it happened, if not now. Of an order that has changed since, only a payment is still accepted. */
  at?: Date;
  feeMinor?: number | undefined;
  availableOn?: string | undefined;
  reason?: string | undefined;
  /** Seconds until a job looks at the order, for the case that nobody did before; absent where somebody is sure to. */
  lookAfterSeconds?: number;
}

/** Gives the order when it changed, with the job that looks at it. */
export function changeOrder(
  sql: Sql,
  kind: OrderKind,
  reference: string,
  { from, to, at, feeMinor, availableOn, reason, lookAfterSeconds }: Change,
): Statement<{ row: OrderRow; look_id: string | null }> {
  return sql`
    with changed as (
      select app.sandbox_change(
        ${kind}, ${reference}, ${from}, ${to}, ${at?.toISOString() ?? null}, ${feeMinor ?? null}, ${availableOn ?? null}::date,
        ${reason ?? null}) as row
    ), looks as (
      insert into public.jobs (tenant_id, name, key, payload, due_at)
      select null, 'settle-in-sandbox', ${`${reference}:${to}:look`}, ${JSON.stringify({ kind, reference })}::jsonb,
             now() + make_interval(secs => ${lookAfterSeconds ?? null})
      from changed where ${lookAfterSeconds ?? null}::integer is not null
      on conflict (name, key) do nothing
      returning id
    )
    select row, (select id from looks) as look_id from changed`;
}

/** Whether there is a card charge by this id of the sandbox's own. */
export const findCheckout = (sql: Sql, providerId: string): Statement<{ found: boolean }> =>
  sql`select app.sandbox_has_checkout(${providerId}) as found`;

/** What an order will become by itself. */
export interface Settling {
  to: string;
  afterSeconds: number;
}

export function scheduleSettling(
  sql: Sql,
  { kind, reference }: Pick<NewOrder, 'kind' | 'reference'>,
  { to, afterSeconds }: Settling,
): Fragment {
  const payload = JSON.stringify({ kind, reference, to });
  return sql`
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (null, 'settle-in-sandbox', ${`${reference}:${to}`}, ${payload}::jsonb, now() + make_interval(secs => ${afterSeconds}))
    on conflict (name, key) do nothing`;
}
