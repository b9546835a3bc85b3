// Queries for background jobs.
import { pageOf, type View } from '../view.ts';

export interface JobRow {
  id: string;
  name: string;
  key: string;
  status: string;
  attempts: number;
  failures: number;
  due_at: Date;
  last_error: string | null;
  finished_at: Date | null;
  failed_at: Date | null;
  created_at: Date;
}

interface JobFilter {
  id?: string;
  status?: string;
  name?: string;
}

/** Failed jobs first, then pending ones, then finished ones, newest first. */
export const readJobs = (view: View, { id, status = '', name = '' }: JobFilter) => view.sql<JobRow[]>`
  select id::text, name, key, status, attempts, failures, due_at, last_error, finished_at, failed_at, created_at
  from admin.jobs
  where (tenant_id = ${view.tenant.id} or tenant_id is null)
    ${id === undefined ? view.sql`` : view.sql`and id::text = ${id}`}
    ${status === '' ? view.sql`` : view.sql`and status = ${status}`}
    ${name === '' ? view.sql`` : view.sql`and name = ${name}`}
  order by case status when 'failed' then 0 when 'running' then 1 when 'waiting' then 2 else 3 end,
           finished_at desc nulls last, failed_at desc nulls last, due_at
  ${pageOf(view)}`;

export async function readJobCounts({ sql, tenant }: View): Promise<Map<string, number>> {
  const rows = await sql<{ status: string; count: number }[]>`
    select status, count(*)::integer as count from admin.jobs
    where tenant_id = ${tenant.id} or tenant_id is null group by status`;
  return new Map(rows.map(({ status, count }) => [status, count]));
}

export async function readJobNames({ sql, tenant }: View): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name from public.jobs where tenant_id = ${tenant.id} or tenant_id is null order by name`;
  return rows.map(({ name }) => name);
}
