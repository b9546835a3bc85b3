-- Webhooks: deliveries of events and their attempts.

-- Deliveries ----------------------------------------------------------------------------------------------------------

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.webhook_deliveries (
  id             text           primary key default app.typeid('whd'),
  tenant_id      uuid           not null references public.tenants (id) on delete cascade,
  endpoint_id    uuid           not null,
  event_id       text           not null,
  status         text           not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts       integer        not null default 0,
  cycle_attempts integer        not null default 0,
  next_at        timestamptz(3) default clock_timestamp(),
  last_status    integer,
  last_error     text,
  record_id      text,
  sequence       bigint,
  fold_key       text,
  fold_until     timestamptz(3),
  folded         integer        not null default 1 check (folded >= 1),
  changed        text[],
  created_at     timestamptz(3) not null default clock_timestamp(),
  updated_at     timestamptz(3) not null default clock_timestamp(),
  traceparent    text           default nullif(current_setting('app.traceparent', true), ''),
  unique (tenant_id, id),
  unique (tenant_id, event_id, endpoint_id),
  foreign key (tenant_id, endpoint_id) references public.webhook_endpoints (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id)    references public.events (tenant_id, id),
  check ((status = 'pending') = (next_at is not null)),
  check ((record_id is null) = (sequence is null)),
  check ((fold_key is null) = (fold_until is null)),
  check (fold_key is null or status = 'pending')
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.webhook_deliveries is
  'One event for one endpoint, or the last of several folded events, across all attempts and replays.';
comment on column public.webhook_deliveries.status is 'pending until it is delivered or the last scheduled attempt fails.';
comment on column public.webhook_deliveries.attempts is 'Attempts so far, including replays.';
comment on column public.webhook_deliveries.cycle_attempts is
  'Attempts of the current retry schedule; a replay starts a new one.';
comment on column public.webhook_deliveries.next_at is 'When the next attempt of a pending delivery is due.';
comment on column public.webhook_deliveries.last_status is 'HTTP status of the last attempt; null if there was no response.';

comment on column public.webhook_deliveries.record_id is
  'For endpoints with ordering: the record that the event is about; otherwise null.';
comment on column public.webhook_deliveries.sequence is 'For endpoints with ordering: the sequence of the event.';
comment on column public.webhook_deliveries.fold_key is
  'Record and type of the events folded into this delivery until fold_until; null if it is not folding events.';
comment on column public.webhook_deliveries.fold_until is
  'End of the folding window; afterwards the delivery is sent and accepts no more events.';
comment on column public.webhook_deliveries.folded is 'Number of events folded into this delivery.';
comment on column public.webhook_deliveries.changed is
  'Members changed by any of the folded events, sorted by name; null if the endpoint does not fold events.';
comment on column public.webhook_deliveries.traceparent is
  'W3C traceparent of the request or job that caused the event; sent to the receiver with another parent id. Null without one.';

-- Serves the webhook's delivery log (newest first), resuming and deleting. The unique constraints serve lookups and
-- deduplication.
create index webhook_deliveries_created_idx on public.webhook_deliveries (tenant_id, endpoint_id, created_at, id);

-- Finds earlier deliveries of a record. The condition uses only columns that attempts never change, so attempts do not
-- update the index.
create index webhook_deliveries_order_idx on public.webhook_deliveries (tenant_id, endpoint_id, record_id, sequence)
  where record_id is not null;

-- Finds deliveries into which events can still be folded.
create index webhook_deliveries_fold_idx on public.webhook_deliveries (tenant_id, endpoint_id, fold_key) where fold_key is not null;

alter table public.webhook_deliveries enable row level security;
grant select on public.webhook_deliveries to api, worker;

create policy "A tenant sees its own deliveries" on public.webhook_deliveries
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the deliveries of every tenant" on public.webhook_deliveries
  for select to worker using (true);

create trigger webhook_deliveries_set_updated_at
  before update on public.webhook_deliveries
  for each row execute function private.set_updated_at();

create function private.schedule_deliveries(variadic deliveries public.webhook_deliveries[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.jobs (tenant_id, name, key, lane, payload, due_at)
  select d.tenant_id, 'deliver-webhook', d.id, 'webhook-' || d.endpoint_id, jsonb_build_object('delivery_id', d.id), coalesce(d.fold_until, now())
  from unnest(deliveries) as d;
end
$$;

comment on function private.schedule_deliveries(public.webhook_deliveries[]) is
  'Schedules jobs for deliveries, due now or at the end of their folding window, each in the lane of its endpoint.';

create function private.webhook_wants(w public.webhook_endpoints, tenant_id uuid, event_id text) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  naming  constant text := coalesce(w.variant, 'a');
  event   public.events;
  subject text;
  wanted  jsonb;
begin
  select e.* into strict event from public.events e where e.tenant_id = webhook_wants.tenant_id and e.id = event_id;
  subject := split_part(event.type, '.', 1);
  wanted := w.changed_rules -> naming -> subject;
  if cardinality(event.changed) > 0
    and not coalesce(wanted ?| (event.changed || ('type:' || event.type)), true) then
    return false;
  end if;
  event.data := app.event_data(event);
  return not exists (
    select from jsonb_array_elements(w.filter_rules -> naming -> subject) as f (condition)
    where not private.condition_holds(f.condition, event.data));
end
$$;

comment on function private.webhook_wants(public.webhook_endpoints, uuid, text) is
  'Whether an event matches a webhook''s filters and its list of changed members.';

create function private.create_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  deliveries public.webhook_deliveries[];
  to_fold    jsonb;
begin
  -- Most events have no subscribers; this check is much cheaper than the query below.
  if not exists (
    select from written e
    join public.webhook_endpoints w on w.tenant_id = e.tenant_id and w.interface = e.interface and w.active
    where not e.silent
  ) then
    return null;
  end if;
  with subscribed as (
    select e.tenant_id, w.id as endpoint_id, e.id as event_id,
           case when w.ordered then e.data ->> 'id' end as record_id,
           case when w.ordered and e.data ->> 'id' is not null then e.sequence end as sequence,
           case when e.data ->> 'id' is not null then w.fold_seconds end as fold_seconds
    from written e
    join public.webhook_endpoints w
      on w.tenant_id = e.tenant_id and w.interface = e.interface
      and w.active and (e.type = any (w.events) or (w.events is null and e.type <> all (app.opt_in_event_types() || 'webhook.test'::text)))
    where not e.silent
      and ((w.filter_rules is null and w.changed_rules is null) or private.webhook_wants(w, e.tenant_id, e.id))
    -- The lock skips endpoints that are being deleted concurrently; without it, the request that caused the event would
    -- fail.
    for key share of w
  ), created as (
    insert into public.webhook_deliveries as d (tenant_id, endpoint_id, event_id, record_id, sequence)
    select tenant_id, endpoint_id, event_id, record_id, sequence from subscribed where fold_seconds is null
    returning d
  )
  select (select array_agg(d) from created), (select jsonb_agg(to_jsonb(s)) from subscribed s where s.fold_seconds is not null)
  into deliveries, to_fold;
  if to_fold is not null then
    deliveries := deliveries || private.fold_deliveries(to_fold);
  end if;
  if deliveries is not null then
    perform private.schedule_deliveries(variadic deliveries);
  end if;
  return null;
end
$$;

comment on function private.create_deliveries() is
  'Trigger: creates a delivery and its job for each active endpoint subscribed to the event, or folds the event into a delivery.';

create trigger events_create_deliveries
  after insert on public.events
  referencing new table as written
  for each statement execute function private.create_deliveries();

-- Attempts ------------------------------------------------------------------------------------------------------------

create table public.webhook_attempts (
  id               bigint         generated always as identity primary key,
  tenant_id        uuid           not null references public.tenants (id) on delete cascade,
  delivery_id      text           not null,
  at               timestamptz(3) not null default clock_timestamp(),
  response_status  integer,
  response_ms      integer        not null,
  response_excerpt text,
  error            text,
  foreign key (tenant_id, delivery_id) references public.webhook_deliveries (tenant_id, id) on delete cascade
);

comment on table  public.webhook_attempts is
  'One row per delivery attempt with its outcome; append-only, deleted only with its endpoint.';
comment on column public.webhook_attempts.at is 'When the outcome was recorded.';
comment on column public.webhook_attempts.response_status is 'HTTP status; null if there was no response.';
comment on column public.webhook_attempts.response_excerpt is 'The first 2 KiB of the response body.';
comment on column public.webhook_attempts.error is 'Why the attempt failed; null if it succeeded.';

create index webhook_attempts_delivery_idx on public.webhook_attempts (tenant_id, delivery_id, id);

alter table public.webhook_attempts enable row level security;
grant select on public.webhook_attempts to api;

create policy "A tenant sees the attempts of its own deliveries" on public.webhook_attempts
  for select to api using (tenant_id = (select app.tenant_id()));

-- Deleting an endpoint cascades to its attempts inside a trigger; direct statements are blocked.
create trigger webhook_attempts_append_only
  before update or delete on public.webhook_attempts
  for each row when (pg_trigger_depth() = 0)
  execute function private.refuse_change();
create trigger webhook_attempts_no_truncate
  before truncate on public.webhook_attempts
  execute function private.refuse_change();
