// A tenant of the test's own whose account at a provider is one of the stack's emulators, connected as an admin connects it.
import type postgres from 'postgres';
import { inject } from 'vitest';
import { connectDatabase, type Tenant } from '../database.ts';
import { waitFor } from '../wait-for.ts';
import { createPayTenant } from './payment-flows.ts';

export interface ConnectedTenant extends Tenant {
  /** Our id of the account, `pacc_...`. */
  accountId: string;
  /** Where the provider tells us of it. */
  callbackUrl: string;
}

/** What an admin does, whose jobs begin at once: its acts are announced, other than those of a test that plays the worker. */
export const connectAdmin = (): postgres.Sql => connectDatabase(undefined, { announces: true });

/**
 * Connects an account and waits until the stack has tried its key.
 *
 * @param admin of `connectAdmin`
 * @param connect calls `admin.connect_<provider>` for the tenant, and gives the account's id
 */
export async function connectTenant(
  admin: postgres.Sql,
  provider: 'asaas' | 'wise' | 'stripe',
  connect: (tenant: Tenant) => Promise<string>,
): Promise<ConnectedTenant> {
  const tenant = await createPayTenant(admin);
  await admin`update tenants set owner_email = ${`owner-${tenant.id}@example.com`} where id = ${tenant.id}`;
  const accountId = await connect(tenant);
  await untilAccount(admin, accountId, 'active');
  const callbackUrl = `${inject('env').FUNCTIONS_URL}/callbacks/providers/${provider}/${accountId}`;
  return { ...tenant, accountId, callbackUrl };
}

/** Waits until an account has this status, and gives it as admins see it. */
export const untilAccount = (sql: postgres.Sql, id: string, status: string): Promise<postgres.Row> =>
  waitFor(async () => {
    const [account] = await sql`select * from admin.provider_accounts where id = ${id}`;
    return account?.status === status && account;
  });

/** Compares an account with its provider, as an admin orders it, and waits until that has been done. */
export async function reconcile(admin: postgres.Sql, { accountId }: ConnectedTenant): Promise<void> {
  const [before] = await admin`select reconciled_at from provider_accounts where id = ${accountId}`;
  await admin`select admin.reconcile_provider(${accountId})`;
  await waitFor(async () => {
    const [now] = await admin`select reconciled_at from provider_accounts where id = ${accountId}`;
    return now?.reconciled_at !== null && now?.reconciled_at?.getTime() !== before?.reconciled_at?.getTime();
  });
}

/** What comparisons could not explain, and still cannot. */
export const openDifferences = (sql: postgres.Sql, { accountId }: ConnectedTenant) =>
  sql`select kind, subject, ours, theirs from admin.provider_differences
      where account_id = ${accountId} and resolved_at is null order by kind, subject`;
