// The sandbox provider in tests: its stored orders, and notifications that tests send.
import type postgres from 'postgres';
import { inject } from 'vitest';
import { createApiKey, type Tenant } from '../database.ts';
import type { Reply } from '../gamification/sync.ts';

export interface HandNotification {
  resource: 'invoice' | 'payout';
  reference: string;
  status: string;
  at?: Date;
  fee?: number;
  available_on?: string;
}

/** Reports the result of an order. Default token: that of the stack. */
export async function notify(
  notification: HandNotification | string,
  token = inject('env').SANDBOX_NOTIFICATION_TOKEN ?? '',
): Promise<Reply> {
  const full =
    typeof notification === 'string' ? notification : JSON.stringify({ at: new Date(), ...notification });
  const url = `${inject('env').FUNCTIONS_URL}/callbacks/providers/sandbox`;
  const headers = { 'Content-Type': 'application/json', 'X-Sandbox-Token': token };
  const response = await fetch(url, { method: 'POST', headers, body: full });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Sandbox orders of this tenant, finished or not. */
export const ordersOf = (sql: postgres.Sql, { id }: Tenant) => sql`
  select o.kind, o.reference, o.status, o.amount::integer, o.fee::integer, o.answered
  from private.sandbox_orders o
  where o.reference in (select id from invoices where tenant_id = ${id} union all select id from payouts where tenant_id = ${id})
  order by o.reference`;

/** The ledger of a tenant, oldest first. */
export const ledgerOf = (sql: postgres.Sql, { id }: Tenant) => sql`
  select type, amount::integer, fee::integer, net::integer, coalesce(invoice_id, payout_id) as source
  from balance_transactions where tenant_id = ${id} order by id`;

/** The events of a tenant, oldest first: type and subject. */
export const eventsOf = async (sql: postgres.Sql, { id }: Tenant): Promise<string[]> =>
  (
    await sql`select type, data ->> 'id' as about from events where tenant_id = ${id} order by created_at, id`
  ).map(({ type, about }) => `${type} ${about}`);

/** Another API key of the tenant, with these scopes. */
export const anotherKey = (sql: postgres.Sql, { id }: Tenant, scopes: string[]) =>
  createApiKey(sql, id, { scopes });
