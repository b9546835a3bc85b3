// SQL of the table `jobs`.
import type { Fragment, Sql, Statement } from '../db/database.ts';
import type { JobResult } from './job.ts';
import type { PublishableJob } from './publish.ts';

export interface NewJob {
  tenantId: string | null;
  name: string;
  /** Names the thing to be done: a second row with this name and key is not made. */
  key: string;
}

/** Writes a job that is due at once, in the transaction of the change that caused it. Gives its id unless it exists already. */
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
}

/** Takes a due row for so many seconds. Gives nothing when it is done, not due yet, or in other hands. */
export function claimJob(sql: Sql, id: string, name: string, leaseSeconds: number): Statement<ClaimedRow> {
  return sql`
    update public.jobs
    set locked_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    where id = ${id} and name = ${name} and finished_at is null and failed_at is null
      and due_at <= now() and coalesce(locked_until <= now(), true)
    returning id, tenant_id, name, payload, attempts, failures`;
}

/** Jobs of the lane that this one is in that are due and in nobody's hands, whether or not it is itself, the longest due first. */
const dueInLaneOf = (sql: Sql, id: string, name: string) => sql`
  lane = (select lane from public.jobs where id = ${id} and name = ${name}) and name = ${name}
  and finished_at is null and failed_at is null and due_at <= now() and coalesce(locked_until <= now(), true)
  order by due_at`;

/** A query that takes as many of these jobs, and gives them. */
export function claimInLane(
  sql: Sql,
  id: string,
  { name, leaseSeconds }: { name: string; leaseSeconds: number },
  atMost: number,
): Fragment {
  return sql`
    with due as materialized (
      select id from public.jobs where ${dueInLaneOf(sql, id, name)} limit ${atMost} for update skip locked
    )
    update public.jobs j
    set locked_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    from due
    where j.id = due.id
    returning j.id, j.payload, j.attempts, j.failures`;
}

/** The first of these jobs. */
export const selectNextInLane = (sql: Sql, id: string, name: string): Statement<PublishableJob> => sql`
  select id, name, lane from public.jobs where ${dueInLaneOf(sql, id, name)} limit 1`;

/** Records what became of claimed jobs: a query gives `id`, `claim`, and when it runs `again_at`, null when it is done. */
export const settleJobs = (sql: Sql, outcomes: Fragment): Fragment =>
  sql`select app.settle_job(o.id, o.claim, o.again_at) from (${outcomes}) as o`;

/** Records success, and with `forget` empties the payload, unless somebody else has claimed the row since. */
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

/** The database's clock, by which everything is due. */
export const selectNow = (sql: Sql): Statement<{ now: Date }> => sql`select now() as now`;

/** Seconds until a row is due, by the database's clock. Whole ones, as QStash takes them, and never too few. */
const waitSeconds = (sql: Sql) =>
  sql`greatest(0, ceil(extract(epoch from due_at - clock_timestamp())))::integer`;

/**
 * Has a job run again when its work planned it, in a second at the soonest: one that asks for a time that is over would
 * else be claimed again and again. Gives the wait.
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
      : sql`clock_timestamp() + make_interval(secs => ${again.againInSeconds})`;
  return sql`
    update public.jobs
    set locked_until = null, last_error = null, failures = 0,
        due_at = greatest(${dueAt}, clock_timestamp() + interval '1 second')
    where id = ${id} and attempts = ${attempts} and finished_at is null
    returning ${waitSeconds(sql)} as wait_seconds`;
}

/** The jobs that the transaction caused so far, to be published after its commit. */
export function selectNewJobs(sql: Sql): Statement<PublishableJob> {
  return sql`select id, name, lane, ${waitSeconds(sql)} as wait_seconds from app.new_jobs()`;
}

/** The same, with a statement that writes something beside it. */
export function selectNewJobsWith(sql: Sql, written: Fragment): Statement<PublishableJob> {
  return sql`with written as (${written}) ${selectNewJobs(sql)}`;
}

/** What becomes of a job after a failed try. */
export interface Failure {
  message: string;
  /** When it is due again; null gives it up. */
  retryInSeconds: number | null;
  /** Whether the try counts towards giving the job up. */
  counts: boolean;
}

/** Records a failed try. */
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

/**
 * Rows that are overdue, marked as published: those nobody was told of lately, oldest first. Besides, those that the transaction
 * scheduled for later, so that they come at their time and not with the sweep after it.
 */
export function takeOverdueJobs(sql: Sql, limit: number): Statement<PublishableJob> {
  return sql`
    with overdue as (
      update public.jobs set published_at = now()
      where id in (
        select id from public.jobs
        where finished_at is null and failed_at is null and due_at <= now()
          and coalesce(locked_until <= now(), true)
          and coalesce(published_at < greatest(due_at, now() - interval '5 minutes'), true)
        order by due_at
        limit ${limit}
        for update skip locked
      )
      returning id, name, lane
    )
    select id, name, lane, 0 as wait_seconds from overdue
    union all
    select id, name, lane, wait_seconds from (${selectNewJobs(sql)} where due_at > now()) as ahead`;
}

/** Empties mails that were given up: what their links open is over by then. */
export function forgetOldMails(sql: Sql, olderThanDays: number): Statement {
  return sql`
    update public.jobs set payload = '{}'
    where name = 'send-mail' and failed_at < now() - make_interval(days => ${olderThanDays}) and payload <> '{}'`;
}

/** Adds up ledgers that have grown, some at a time; gives how many. */
export const updateLedgerTotals = (sql: Sql): Statement<{ summed: number }> =>
  sql`select app.sum_up_ledgers() as summed`;

/** Kinds of rows that grow old, those that others point at after the others. */
export const EXPIRING_ROWS = [
  'webhook_deliveries',
  'automation_runs',
  'merged_leads',
  'event_positions',
  'events',
  'jobs',
  'idempotency_keys',
  'request_answers',
  'provider_account_events',
] as const;

/** Drops rows of a kind that are past its retention, so many at most. */
export const deleteExpiredRows = (
  sql: Sql,
  what: (typeof EXPIRING_ROWS)[number],
  atMost: number,
): Statement<{ dropped: number }> => sql`select app.drop_expired(${what}, ${atMost}) as dropped`;
