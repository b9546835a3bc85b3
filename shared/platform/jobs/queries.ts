// SQL for the table `jobs`, and for daily maintenance.
import type { Fragment, Sql, Statement } from '../db/database.ts';
import type { JobResult } from './job.ts';
import { LIMITED_PER_TENANT, waitSeconds } from './new-jobs.ts';
import type { JobMessage } from './publish.ts';

interface NewJob {
  tenantId: string | null;
  name: string;
  /** Unique per name: a second row with the same name and key is not inserted. */
  key: string;
}

/** Inserts a job that is due now, in the transaction of the change that causes it. Returns its id unless it already exists. */
export function insertJob(sql: Sql, { tenantId, name, key }: NewJob): Statement<{ id: string }> {
  return sql`
    insert into public.jobs (tenant_id, name, key) values (${tenantId}, ${name}, ${key})
    on conflict (name, key) do nothing
    returning id`;
}

export interface ClaimedRow {
  id: string;
  tenant_id: string | null;
  name: string;
  payload: unknown;
  attempts: number;
  failures: number;
  traceparent: string | null;
}

/** Claims a due row for `leaseSeconds`. Returns no row if the job is done, not due yet, or claimed by another worker. */
export function claimJob(sql: Sql, id: string, name: string, leaseSeconds: number): Statement<ClaimedRow> {
  return sql`
    update public.jobs
    set locked_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1, announcements = 0
    where id = ${id} and name = ${name} and finished_at is null and failed_at is null
      and due_at <= now() and coalesce(locked_until <= now(), true)
    returning id, tenant_id, name, payload, attempts, failures, traceparent`;
}

/** A lane, by its name or by the id of one of its jobs. */
export type LaneReference = { lane: string } | { id: string };

/** Due and unclaimed jobs of a lane. The longest overdue come first. */
const dueInLane = (sql: Sql, of: LaneReference, name: string) => sql`
  lane = ${'lane' in of ? sql`${of.lane}` : sql`(select lane from public.jobs where id = ${of.id} and name = ${name})`} and name = ${name}
  and finished_at is null and failed_at is null and due_at <= now() and coalesce(locked_until <= now(), true)
  order by due_at`;

/** A query that claims and returns at most `atMost` due jobs of a lane. */
export function claimInLane(
  sql: Sql,
  lane: LaneReference,
  { name, leaseSeconds }: { name: string; leaseSeconds: number },
  atMost: number,
): Fragment {
  return sql`
    with due as materialized (
      select id from public.jobs where ${dueInLane(sql, lane, name)} limit ${atMost} for update skip locked
    )
    update public.jobs j
    set locked_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1, announcements = 0
    from due
    where j.id = due.id
    returning j.id, j.tenant_id, j.payload, j.attempts, j.failures, j.traceparent`;
}

/** Selects the longest overdue job of a lane. */
export const selectNextInLane = (sql: Sql, lane: LaneReference, name: string): Statement<JobMessage> => sql`
  select id, name, lane, traceparent from public.jobs where ${dueInLane(sql, lane, name)} limit 1`;

/** Records the outcomes of claimed jobs. The query returns `id`, `claim` and `again_at`, the time of the next run; null if done. */
export const settleJobs = (sql: Sql, outcomes: Fragment): Fragment =>
  sql`select app.settle_job(o.id, o.claim, o.again_at) from (${outcomes}) as o`;

/** Marks the job as done, and with `forget` empties its payload, unless another worker has claimed it in the meantime. */
export function finishJob(
  sql: Sql,
  id: string,
  attempts: number,
  forget: boolean,
): Statement<{ id: string }> {
  return sql`
    update public.jobs
    set finished_at = now(), locked_until = null, last_error = null,
        payload = case when ${forget} then '{}' else payload end
    where id = ${id} and attempts = ${attempts} and finished_at is null
    returning id`;
}

/**
 * Schedules the next run of a job and returns the seconds until then. The minimum is a second, so that a job that requests a past time
 * does not run in a tight loop.
 */
export function postponeJob(
  sql: Sql,
  id: string,
  attempts: number,
  again: Exclude<JobResult, 'done'>,
): Statement<{ wait_seconds: number }> {
  const dueAt =
    'againAt' in again
      ? sql`${again.againAt.toISOString()}::timestamptz`
      : sql`clock_timestamp() + make_interval(secs => ${again.retryInSeconds})`;
  return sql`
    update public.jobs
    set locked_until = null, last_error = null, failures = 0,
        due_at = greatest(${dueAt}, clock_timestamp() + interval '1 second')
    where id = ${id} and attempts = ${attempts} and finished_at is null
    returning ${waitSeconds(sql)} as wait_seconds`;
}

/** How to record a failed attempt. */
export interface Failure {
  message: string;
  /** Seconds until the retry; null if the job has failed permanently. */
  retryInSeconds: number | null;
  /** Whether the attempt counts toward the maximum number of failures. */
  counts: boolean;
}

/** Records a failed attempt. */
export function failJob(
  sql: Sql,
  id: string,
  attempts: number,
  { message, retryInSeconds, counts }: Failure,
): Statement {
  return sql`
    update public.jobs
    set locked_until = null, last_error = ${message}, failures = failures + ${counts ? 1 : 0},
        due_at    = coalesce(now() + make_interval(secs => ${retryInSeconds}), due_at),
        failed_at = case when ${retryInSeconds}::double precision is null then now() end
    where id = ${id} and attempts = ${attempts} and finished_at is null`;
}

/** A message counts as lost after 60 s. Each repetition doubles this time, up to 300 s. */
const isOverdue = (sql: Sql) => sql`
  finished_at is null and failed_at is null and due_at <= now() and coalesce(locked_until <= now(), true)
  and coalesce(
    published_at < greatest(due_at, now() - make_interval(secs => least(300, 60 * 2 ^ (least(greatest(announcements, 1), 4) - 1)))),
    true)`;

/**
 * Marks overdue rows that were not published recently as published, and returns them, the longest overdue first. While several tenants
 * have overdue jobs, each gets at most `perTenant`.
 */
export function claimOverdueJobs(
  sql: Sql,
  { limit, perTenant }: { limit: number; perTenant: number },
): Statement<JobMessage> {
  return sql`
    with ranked as materialized (
      select id, due_at, row_number() over (partition by tenant_id order by due_at) as place
      from public.jobs where ${isOverdue(sql)}
    ), claimed as (
      select id from public.jobs
      where id = any (array(select id from ranked order by place > ${perTenant}, due_at limit ${limit})) and ${isOverdue(sql)}
      for update skip locked
    )
    update public.jobs set published_at = now(), announcements = announcements + 1
    where id = any (array(select id from claimed))
    returning id, name, lane, traceparent, case when name = any (${LIMITED_PER_TENANT}::text[]) then tenant_id end as "tenantId"`;
}

/** Marks jobs whose messages QStash did not accept as unpublished, so that the next sweep publishes them. */
export const unpublishJobs = (sql: Sql, ids: readonly string[]): Fragment => sql`
  update public.jobs set published_at = null, announcements = greatest(announcements - 1, 0)
  where id = any (${`{${ids.join(',')}}`}::uuid[]) and locked_until is null and finished_at is null`;

/** Deletes the content of emails that failed permanently. Their links have expired by then. */
export function deleteFailedEmailContent(sql: Sql, olderThanDays: number): Statement {
  return sql`
    update public.jobs set payload = '{}'
    where name = 'send-mail' and failed_at < now() - make_interval(days => ${olderThanDays}) and payload <> '{}'`;
}

/** Updates the totals of some ledgers with new entries, and returns how many were updated. */
export const updateLedgerTotals = (sql: Sql): Statement<{ summed: number }> =>
  sql`select app.sum_up_ledgers() as summed`;

export interface CheckedPlayer {
  tenant_id: string;
  player_id: string;
}

/** Compares the point totals of the players after `last` with their ledger. Returns the last of them; no row at the end. */
export const checkPoints = (
  sql: Sql,
  last: CheckedPlayer | undefined,
  atMost: number,
): Statement<CheckedPlayer> => sql`
  select tenant_id, player_id
  from app.check_points(${last?.tenant_id ?? null}, ${last?.player_id ?? null}, ${atMost})`;

/** Kinds of rows with a retention period. Referenced rows come after the rows that reference them. */
export const EXPIRING_ROWS = [
  'webhook_deliveries',
  'automation_runs',
  'merged_leads',
  'event_positions',
  'events',
  'jobs',
  'failed_jobs',
  'idempotency_keys',
  'request_answers',
  'provider_account_events',
  'crm_events',
  'crm_preview_rows',
  'crm_runs',
] as const;

/** Deletes at most `atMost` rows of a kind whose retention period is over. */
export const deleteExpiredRows = (
  sql: Sql,
  what: (typeof EXPIRING_ROWS)[number],
  atMost: number,
): Statement<{ dropped: number }> => sql`select app.drop_expired(${what}, ${atMost}) as dropped`;
