// Orders of an account that are also in the provider's statement, created with SQL: years of ledger history.
import type postgres from 'postgres';

interface OrderHistory {
  tenantId: string;
  accountId: string;
  /** A ledger entry of an order, by its number. Uses this transaction, if given. */
  enter(order: number | string, amountMinor: number, tx?: postgres.ISql): Promise<unknown>;
  /** The line of it in the statement. */
  state(order: number | string, amountMinor: number): Promise<unknown>;
}

/** Creates this many paid charges of 1.00, each once in the ledger and once in the statement. */
export async function orderHistory(sql: postgres.Sql, orders: number): Promise<OrderHistory> {
  const [tenant] =
    await sql`select admin.create_tenant('Compared', ${`compared-${crypto.randomUUID()}`}) as id`;
  const tenantId: string = tenant?.id;
  const [account] = await sql`
    insert into provider_accounts (tenant_id, provider, status) values (${tenantId}, 'asaas', 'active') returning id`;
  const accountId: string = account?.id;
  const enterAll = (
    from: postgres.PendingQuery<postgres.Row[]>,
    amountMinor: number,
    db: postgres.ISql = sql,
  ) => db`
    insert into balance_transactions
      (tenant_id, type, amount, currency, net, available_on, invoice_id, provider, provider_account_id, reason)
    select ${tenantId}, 'adjustment', ${amountMinor}, 'BRL', ${amountMinor}, current_date, ${`${tenantId}:`} || n, 'asaas', ${accountId}, 'refund'
    from (${from}) as numbers (n)`;
  const stateAll = (from: postgres.PendingQuery<postgres.Row[]>, amountMinor: number) => sql`
    select app.enter_statement_lines(${accountId}, jsonb_agg(jsonb_build_object(
      'id', gen_random_uuid(), 'at', now(), 'currency', 'BRL', 'amountMinor', ${amountMinor}::integer, 'description', 'line',
      'order', jsonb_build_object('kind', 'charge', 'providerReference', 'theirs-' || n))))
    from (${from}) as numbers (n)`;
  const all = () => sql`select n::text from generate_series(1, ${orders}) as n`;
  const single = (order: number | string) => sql`select ${String(order)}::text`;

  await sql`
    insert into invoices (tenant_id, id, status, customer, amount, currency, region, description, payment_method_type,
                          payment_method, provider, provider_account_id, provider_reference)
    select ${tenantId}, ${`${tenantId}:`} || n, 'canceled', '{}', 100, 'BRL', 'br', 'An order', 'pix', '{}', 'asaas', ${accountId}, 'theirs-' || n
    from generate_series(1, ${orders}) as n`;
  await enterAll(all(), 100);
  await stateAll(all(), 100);
  return {
    tenantId,
    accountId,
    enter: (order, amountMinor, tx) => enterAll(single(order), amountMinor, tx),
    state: (order, amountMinor) => stateAll(single(order), amountMinor),
  };
}
