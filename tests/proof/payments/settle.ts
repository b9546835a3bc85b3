// The end of a history: delayed work becomes due, until everything has finished.
import type postgres from 'postgres';
import { sweepNow } from '../../support/sweep.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Makes a tenant's delayed work due: retries, lookups, leases of requests. */
export async function bringForward(sql: postgres.Sql, tenantId: string): Promise<void> {
  await sql`
    update idempotency_keys set locked_until = now() - interval '1 second'
    where tenant_id = ${tenantId} and response_status is null`;
  await sql`
    update payouts set missed_at = missed_at - interval '1 minute' where tenant_id = ${tenantId} and missed_at is not null`;
  await sql`
    update refunds set missed_at = missed_at - interval '1 minute' where tenant_id = ${tenantId} and missed_at is not null`;
  await sql`update disputes set released_at = released_at - interval '10 seconds' where tenant_id = ${tenantId} and status = 'open'`;
  for (const table of ['invoices', 'payouts'])
    await sql`
      update ${sql(table)} set created = created - interval '3 minutes' where tenant_id = ${tenantId} and status = 'creating'`;
  await sql`
    update jobs set due_at = now(), published_at = null
    where tenant_id = ${tenantId} and finished_at is null and failed_at is null and locked_until is null and due_at > now()
      and (name in ('recover-order', 'apply-provider-event', 'expire-invoice', 'follow-refund', 'close-dispute') or failures > 0)`;
  await sweepNow();
}

/** Compares an account with its provider, and repeats failed comparisons. */
export async function reconcile(
  sql: postgres.Sql,
  { id: tenantId, accountId }: { id: string; accountId: string },
): Promise<void> {
  const lastTime = async () => {
    const [account] = await sql`select reconciled_at from provider_accounts where id = ${accountId}`;
    return account?.reconciled_at?.getTime();
  };
  const before = await lastTime();
  await sql`select admin.reconcile_provider(${accountId})`;
  await waitFor(async () => {
    const failed = await sql`
      update jobs set due_at = now(), published_at = null
      where tenant_id = ${tenantId} and name = 'reconcile-provider' and failures > 0 and locked_until is null and due_at > now()
      returning id`;
    if (failed.length > 0) await sweepNow();
    return (await lastTime()) !== before;
  });
}

export interface Told {
  tenantId: string;
  /** Ours, and theirs. */
  accountId: string;
  theirId: string;
  control: { deliveries(filter: { account: string; state: 'waiting' }): Promise<unknown[]> };
}

/** Waits until all of the provider's events for an account have arrived and been applied. Has no timeout while there is progress. */
export async function waitForNotifications(
  sql: postgres.Sql,
  { tenantId, accountId, theirId, control }: Told,
): Promise<void> {
  const left = async () => {
    const waiting = await control.deliveries({ account: theirId, state: 'waiting' });
    const [kept] = await sql`
      select count(*)::integer as count from provider_account_events
      where account_id = ${accountId} and applied_at is null and about is not null`;
    return waiting.length + kept?.count;
  };
  for (let before = await left(); before > 0; ) {
    const present = await waitFor(async () => {
      await bringForward(sql, tenantId);
      const count = await left();
      return count < before && { count };
    });
    before = present.count;
  }
}
