// SQL of the table `jobs`.
import type { Fragment, Sql, Statement } from '../db/database.ts';
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
  lane: string | null;
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
    returning id, tenant_id, name, lane, payload, attempts, failures`;
}

/** Records success, unless somebody else has claimed the row since. */
export function finishJob(sql: Sql, id: string, attempts: number): Statement<{ id: string }> {
  return sql`
    update public.jobs set finished_at = now(), locked_until = null, last_error = null
    where id = ${id} and attempts = ${attempts} and finished_at is null
    returning id`;
}

/** Has a job run again at a time that its work planned. */
export function postponeJob(sql: Sql, id: string, attempts: number, againAt: Date): Statement {
  return sql`
    update public.jobs set locked_until = null, last_error = null, failures = 0, due_at = ${againAt.toISOString()}
    where id = ${id} and attempts = ${attempts} and finished_at is null`;
}

/** The jobs that the transaction caused so far, to be published after its commit. */
export function selectNewJobs(sql: Sql): Statement<PublishableJob> {
  return sql`select id, name, lane, due_at from app.new_jobs()`;
}

/** The same, with a statement that writes something beside it. */
export function selectNewJobsBeside(sql: Sql, written: Fragment): Statement<PublishableJob> {
  return sql`with written as (${written}) ${selectNewJobs(sql)}`;
}

/** Records a failed try: due again after `retryInSeconds`, or given up when that is null. */
export function failJob(
  sql: Sql,
  id: string,
  attempts: number,
  error: string,
  retryInSeconds: number | null,
): Statement {
  return sql`
    update public.jobs
    set locked_until = null, last_error = ${error}, failures = failures + 1,
        due_at    = coalesce(now() + make_interval(secs => ${retryInSeconds}), due_at),
        failed_at = case when ${retryInSeconds}::double precision is null then now() end
    where id = ${id} and attempts = ${attempts} and finished_at is null`;
}

/** Rows that are overdue, marked as published: those nobody was told of lately, oldest first. */
export function takeOverdueJobs(sql: Sql, limit: number): Statement<PublishableJob> {
  return sql`
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
    returning id, name, lane`;
}

/** Kinds of rows that grow old, those that others point at after the others. */
export const AGEING = [
  'webhook_deliveries',
  'automation_runs',
  'events',
  'jobs',
  'idempotency_keys',
  'provider_events',
] as const;

/** Drops rows of a kind that are past its retention, so many at most. */
export const dropExpired = (
  sql: Sql,
  what: (typeof AGEING)[number],
  atMost: number,
): Statement<{ dropped: number }> => sql`select app.drop_expired(${what}, ${atMost}) as dropped`;
