-- Traces: a delivery continues the trace of its event, also when it is replayed.

set local lock_timeout = '3s';

alter table public.webhook_deliveries add column traceparent text;
alter table public.webhook_deliveries
  alter column traceparent set default nullif(current_setting('app.traceparent', true), '');

comment on column public.webhook_deliveries.traceparent is
  'W3C traceparent of the request or job that caused the event; sent to the receiver with another parent id. Null without one.';
