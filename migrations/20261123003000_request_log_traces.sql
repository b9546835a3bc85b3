-- Traces: the id of the distributed trace (W3C Trace Context) that a request belongs to.

set local lock_timeout = '3s';

alter table public.request_log add column trace_id uuid;

comment on column public.request_log.trace_id is
  'Trace of the request, as sent by its caller or begun by the function; null if none. Callers choose it, so it proves nothing.';

create or replace view admin.request_log with (security_invoker = true) as
  select at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, fields, query, ip,
         duration_ms, requests, trace_id
  from public.request_log;

comment on column admin.request_log.trace_id is 'Trace of the request; null if none.';
