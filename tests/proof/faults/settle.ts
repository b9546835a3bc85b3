// Waits until all work is done: no more faults, every request answered, and the sweep repeated until no job is due.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@upstash/qstash';
import type postgres from 'postgres';
import { SWEEP_PATH } from '../../../shared/platform/jobs/sweep-schedule.ts';
import type { RunState } from './run-state.ts';
import type { TestBed } from './test-bed.ts';

const LOOK_EVERY_MS = 500;
const SWEEP_EVERY_MS = 2000;
/** By then, all work that was in flight when the faults ended is finished. */
const LEASES_END_AFTER_MS = 12_000;
const HURRIED_LIMIT_MS = 240_000;
const PATIENT_LIMIT_MS = 12 * 60_000;

/** Resources with another state at the provider: a lookup finds a cancellation that was not retried. */
const differing = (sql: postgres.ISql) => sql`
  select r.id from private.sandbox_orders o
  join (select id, status from invoices union all select id, status from payouts) r on r.id = o.reference
  where r.status not in (o.status, 'creating') and not (r.status = 'failed' and o.status = 'canceled')`;

/** Regular lookups of orders, ten minutes after an order opened, and regular reads of a CRM. They are always due and change nothing. */
const routine = (sql: postgres.ISql) => sql`
  name in ('expire-invoice', 'follow-payout') and failures = 0 and last_error is null
  and due_at > created_at + interval '2 minutes' and due_at > now() - interval '10 seconds'
  or name = 'sync-crm' and last_error is null
  and not exists (select from private.crm_pending p where p.account_id = key)
  and not exists (select from crm_runs r where r.account_id = key and r.finished_at is null)`;

/** Pending work by kind; empty if there is none. */
export async function unrest(sql: postgres.Sql, except: readonly string[] = []): Promise<string[]> {
  const [row] = await sql`
    select
      (select jsonb_agg(distinct name) from jobs
       where finished_at is null and failed_at is null and name <> all (${except}) and not (${routine(sql)})
         and (due_at <= now() + interval '2 minutes' or locked_until > now() or last_error is not null)) as jobs,
      (select count(*)::integer from webhook_deliveries where status = 'pending') as deliveries,
      (select count(*)::integer from private.pending_recounts) as recounts,
      (select count(*)::integer from (${differing(sql)}) as d) as differing,
      (select count(*)::integer from invoices i where status = 'creating' and exists (
         select from private.sandbox_orders o where o.reference = i.id)) as invoices,
      (select count(*)::integer from payouts p where status = 'creating' and exists (
         select from private.sandbox_orders o where o.reference = p.id)) as payouts`;
  return Object.entries(row ?? {})
    .filter(([, value]) => value !== 0 && value !== null)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
}

/** Simulates that minutes have passed: delayed work becomes due. Active leases stay. */
async function hurry(sql: postgres.Sql, endLeases: boolean): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`update webhook_deliveries set next_at = now() where status = 'pending' and next_at > now()`;
    await tx`
      update jobs
      set due_at = least(due_at, now()),
          -- A message that was lost is sent again after fifteen seconds instead of five minutes.
          published_at = case when published_at > now() - interval '15 seconds' then published_at end
      where finished_at is null and failed_at is null and coalesce(locked_until <= now(), true)
        and (due_at <= now() or failures > 0 or due_at < now() + interval '2 minutes')`;
    await tx`
      update jobs set due_at = now()
      where name in ('expire-invoice', 'follow-payout') and finished_at is null and due_at > now()
        and key in (${differing(tx)})`;
    for (const table of ['invoices', 'payouts']) {
      await tx`
        update ${tx(table)} set created = created - interval '2 minutes'
        where status = 'creating' and created > now() - interval '1 minute'`;
    }
    if (!endLeases) return;
    await tx`update jobs set locked_until = null where locked_until > now() and finished_at is null`;
    await tx`update idempotency_keys set locked_until = now() where locked_until > now() and response_status is null`;
    await tx`delete from private.webhook_requests`;
  });
}

/** Returns the work that did not finish. `patient`: does not skip time. `exceptJobs`: names of jobs to ignore. */
export async function settle(
  testBed: Pick<TestBed, 'sql' | 'stack' | 'qstashUrl' | 'qstashToken'>,
  state: RunState,
  { patient = false, exceptJobs = [] as readonly string[] } = {},
): Promise<string[]> {
  const { sql, stack } = testBed;
  state.pause();
  const client = new Client({ baseUrl: testBed.qstashUrl, token: testBed.qstashToken, devMode: false });
  const sweep = () => client.publishJSON({ url: `${stack.env.FUNCTIONS_URL}${SWEEP_PATH}`, body: {} });
  const startedAt = Date.now();
  const limit = patient ? PATIENT_LIMIT_MS : HURRIED_LIMIT_MS;
  let sweptAt = 0;
  let leasesEndAt = startedAt + LEASES_END_AFTER_MS;
  let left: string[] = [];
  let atRest = 0;
  while (Date.now() - startedAt < limit) {
    try {
      left = [
        ...(state.active() > 0 ? [`${state.active()} requests`] : []),
        ...(await unrest(sql, exceptJobs)),
      ];
      atRest = left.length === 0 ? atRest + 1 : 0;
      // Twice, because the effects of a client's last request may appear a moment later.
      if (atRest === 2) return [];
      if (!patient && Date.now() - sweptAt > SWEEP_EVERY_MS) {
        const endLeases = Date.now() > leasesEndAt;
        if (endLeases) leasesEndAt = Date.now() + LEASES_END_AFTER_MS;
        await hurry(sql, endLeases);
        await sweep();
        sweptAt = Date.now();
      }
    } catch (error) {
      left = [`not looked: ${String(error)}`];
    }
    await pause(LOOK_EVERY_MS);
  }
  return left;
}
