-- Traces: the trace of the request or job that caused an event. Functions set app.traceparent for each transaction that may write.

set local lock_timeout = '3s';

alter table public.events add column trace_id uuid;
alter table public.events
  alter column trace_id set default nullif(substr(current_setting('app.traceparent', true), 4, 32), '')::uuid;

comment on column public.events.trace_id is 'Trace of the request or job that caused the event; null if none.';

create or replace view admin.events with (security_invoker = true) as
  select e.tenant_id, e.id, e.interface, e.type, e.changed, app.event_data(e) as data, e.origin, e.depth, e.created_at, e.trace_id
  from public.events e;

comment on column admin.events.trace_id is 'Trace of the request or job that caused the event; null if none.';
