// SQL of the sandbox's memory, `private.sandbox_orders`, which stands for another company's database.
import type { Fragment, Sql, Statement } from '../../../platform/db/database.ts';

export type OrderKind = 'charge' | 'payout' | 'tax_document';

export interface OrderRow {
  provider_id: string;
  status: string;
  /** `bigint`, as the driver gives it. */
  amount: string;
  fee: string;
  changed_at: Date;
}

export interface AcceptedRow extends OrderRow {
  /** Whether nobody has had an answer to this order yet. */
  is_new: boolean;
}

export interface NewOrder {
  kind: OrderKind;
  reference: string;
  amountMinor: number;
  method: string;
  status: string;
  feeMinor: number;
}

/** Takes an order; one with the same reference is the same order. */
export function acceptOrder(sql: Sql, order: NewOrder): Statement<AcceptedRow> {
  const { kind, reference, amountMinor, method, status, feeMinor } = order;
  return sql`
    select provider_id, status, amount, fee, changed_at, is_new
    from app.sandbox_accept(${kind}, ${reference}, ${amountMinor}, ${method}, ${status}, ${feeMinor})`;
}

export const findOrder = (sql: Sql, kind: OrderKind, reference: string): Statement<OrderRow> => sql`
  select provider_id, status, amount, fee, changed_at from app.sandbox_find(${kind}, ${reference})`;

/** Gives the order when it was in one of the states. */
export const changeOrder = (
  sql: Sql,
  kind: OrderKind,
  reference: string,
  from: readonly string[],
  to: string,
): Statement<OrderRow> => sql`
  select provider_id, status, amount, fee, changed_at
  from app.sandbox_change(${kind}, ${reference}, ${from}, ${to})`;

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
