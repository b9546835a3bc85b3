// What the planner assumes about tenants.
import type postgres from 'postgres';

/**
 * Makes the planner assume, in this transaction, that a tenant has a tenth of the table's rows, as in production. The tenants of tests are
 * thousands with few rows each, for which it prefers other indexes.
 */
export async function assumeLargeTenants(tx: postgres.TransactionSql, table: string): Promise<void> {
  await tx`alter table ${tx(table)} alter column tenant_id set (n_distinct = 10)`;
  await tx`analyze ${tx(table)}`;
}
