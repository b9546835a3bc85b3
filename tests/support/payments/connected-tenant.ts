// A new tenant with an account at a fake of the stack, connected as an admin does it.
import type postgres from 'postgres';
import { inject } from 'vitest';
import { connectDatabase, type Tenant } from '../database.ts';
import { waitFor } from '../wait-for.ts';
import { createPayTenant } from './payment-flows.ts';

export interface ConnectedTenant extends Tenant {
  /** Our id of the account, `pacc_...`. */
  accountId: string;
  /** The webhook URL for the provider. */
  callbackUrl: string;
}

/** A connection for admin functions. Their jobs are published and start at once, except in tests that run the jobs themselves. */
export const connectAdmin = (): postgres.Sql => connectDatabase(undefined, { announces: true });

/**
 * Connects an account and waits until the stack has checked its key.
 *
 * @param admin from `connectAdmin`
 * @param connect calls `admin.connect_<provider>` for the tenant and returns the id of the account
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

/** Waits until an account has this status. Returns it as admins see it. */
export const untilAccount = (sql: postgres.Sql, id: string, status: string): Promise<postgres.Row> =>
  waitFor(async () => {
    const [account] = await sql`select * from admin.provider_accounts where id = ${id}`;
    return account?.status === status && account;
  });

/** Compares an account with its provider on request of an admin, and waits for the result. */
export async function reconcile(admin: postgres.Sql, { accountId }: ConnectedTenant): Promise<void> {
  const [before] = await admin`select reconciled_at from provider_accounts where id = ${accountId}`;
  await admin`select admin.reconcile_provider(${accountId})`;
  await waitFor(async () => {
    const [now] = await admin`select reconciled_at from provider_accounts where id = ${accountId}`;
    return now?.reconciled_at !== null && now?.reconciled_at?.getTime() !== before?.reconciled_at?.getTime();
  });
}

/** Differences that comparisons could not explain, and that still exist. */
export const openDifferences = (sql: postgres.Sql, { accountId }: ConnectedTenant) =>
  sql`select kind, subject, ours, theirs from admin.provider_differences
      where account_id = ${accountId} and resolved_at is null order by kind, subject`;
