-- Traces: a job continues the trace of the request or job that created it.

set local lock_timeout = '3s';

alter table public.jobs add column traceparent text;
alter table public.jobs
  alter column traceparent set default nullif(current_setting('app.traceparent', true), '');

comment on column public.jobs.traceparent is
  'W3C traceparent of the request or job that created this job, which continues its trace; null if none.';

create or replace view admin.jobs with (security_invoker = true) as
  select id, tenant_id, name, key,
         case when finished_at is not null then 'finished'
              when failed_at is not null then 'failed'
              when locked_until > now() then 'running'
              else 'waiting' end as status,
         attempts, failures, due_at, last_error, finished_at, failed_at, created_at,
         traceparent, substr(traceparent, 4, 32)::uuid as trace_id
  from public.jobs;

comment on column admin.jobs.traceparent is 'W3C traceparent that the job continues; null if none.';
comment on column admin.jobs.trace_id is 'Trace of the job; null if none.';
