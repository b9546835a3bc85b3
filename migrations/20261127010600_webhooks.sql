set local check_function_bodies = off;

-- Webhook events, written by the triggers of the domain in which something changed.
--
--   events        what happened
--   event_values  large free-form members such as custom fields, stored once per distinct value and shared by events
--
-- A change inserts its event, and the event inserts its deliveries (webhooks), in the same transaction.
--
-- Triggers defined in other files: events earn points (gamification/point-rules.sql), create deliveries (webhooks/deliveries.sql), are
-- noted for connected CRMs (connectors/queue.sql) and run automations (automations/runs.sql).

-- An event stores a snapshot of the record, because deliveries and replays must show it even after the record changed
-- or was deleted. An event takes about 900 bytes with indexes, even for a record with 16 KiB of custom fields, unless
-- those changed (see move_event_values). Deliveries, jobs and automation runs store only the event's id.

-- Events --------------------------------------------------------------------------------------------------------------

create function private.event_types(interface text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case interface
    when 'payments' then array[
      'invoice.paid', 'invoice.canceled', 'invoice.failed', 'invoice.refunded', 'invoice.disputed', 'invoice.dispute_closed',
      'invoice.refund.created', 'invoice.refund.succeeded', 'invoice.refund.failed',
      'tax_document.issued', 'tax_document.failed', 'tax_document.canceled',
      'payout.paid', 'payout.failed', 'payout.canceled'
    ]
    when 'records' then array[
      'deal.created', 'deal.updated', 'deal.stage_changed', 'deal.won', 'deal.lost', 'deal.deleted',
      'lead.created', 'lead.updated', 'lead.status_changed', 'lead.converted', 'lead.merged', 'lead.deleted',
      'user.created', 'user.activated', 'user.updated', 'user.deactivated',
      'badge.earned', 'challenge.completed', 'ranking.changed'
    ]
  end
$$;

comment on function private.event_types(text) is
  'Event types that an interface emits and endpoints can subscribe to; webhook.test goes only to the endpoint that requested it.';

create function app.opt_in_event_types() returns text[]
language sql immutable parallel safe
return '{invoice.refunded,invoice.disputed,invoice.dispute_closed,invoice.refund.created,invoice.refund.succeeded,invoice.refund.failed}'::text[];

comment on function app.opt_in_event_types() is
  'Event types sent only to endpoints that list them explicitly; endpoints subscribed to all events do not receive them.';

grant execute on function app.opt_in_event_types() to api, worker;

create table public.event_values (
  tenant_id  uuid           not null references public.tenants (id) on delete cascade,
  id         uuid           not null,
  members    jsonb          not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.event_values is
  'Large members of event data, such as custom fields, stored once per distinct value and deleted with the last event that uses them.';
comment on column public.event_values.id is
  'Derived from the record''s id and the members, so the same value of a record always has the same id.';
comment on column public.event_values.members is 'Members by name, merged into the data of the events that reference this row.';

alter table public.event_values enable row level security;
grant select on public.event_values to api, worker;

-- Rows are deleted by trigger with the last event that uses them; direct statements can neither change nor delete them.
create trigger event_values_append_only
  before update or delete on public.event_values
  for each row when (pg_trigger_depth() = 0)
  execute function private.refuse_change();
create trigger event_values_no_truncate
  before truncate on public.event_values
  execute function private.refuse_change();

create policy "A tenant sees the values of its own events" on public.event_values
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the values of every tenant's events" on public.event_values
  for select to worker using (true);

create sequence private.event_sequence;

comment on sequence private.event_sequence is
  'Numbers events of all tenants in the order in which they are written, with gaps (events.sequence).';

create function app.is_silent() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.silent', true) = 'on', false);

comment on function app.is_silent() is
  'Whether this is a silent import, whose changes appear only in the event feed: no deliveries, points, automations or emails.';

grant execute on function app.is_silent() to api, worker;

create table public.events (
  tenant_id  uuid           not null references public.tenants (id) on delete cascade,
  id         text           not null default app.typeid('evt'),
  -- Assigns the transaction id before the sequence number: app.number_events infers from transaction ids which numbers
  -- are still pending.
  sequence   bigint         not null default case when pg_current_xact_id() is not null then nextval('private.event_sequence') end,
  interface  text           not null check (interface in ('payments', 'records')),
  type       text           not null check (type ~ '^[a-z_]+(\.[a-z_]+){1,2}$'),
  changed    text[]         not null default '{}',
  data       jsonb          not null,
  values_id  uuid,
  origin     text           default nullif(current_setting('app.origin', true), ''),
  depth      smallint       not null default coalesce(nullif(current_setting('app.depth', true), '')::smallint, 0),
  silent     boolean        not null default app.is_silent(),
  created_at timestamptz(3) not null default clock_timestamp(),
  trace_id   uuid           default nullif(substr(current_setting('app.traceparent', true), 4, 32), '')::uuid,
  primary key (tenant_id, id),
  unique (tenant_id, sequence),
  foreign key (tenant_id, values_id) references public.event_values (tenant_id, id)
);

comment on table  public.events is
  'Append-only record of changes to a tenant''s data; the database refuses to change or delete rows.';
comment on column public.events.sequence is
  'Order in which events were written, which can differ from commit order; event_positions has the order of the feed.';
comment on column public.events.silent is
  'Whether the event appears only in the event feed, without deliveries or other effects.';
comment on column public.events.interface is
  'The interface that the event belongs to, which determines the endpoints that receive it.';
comment on column public.events.type is 'Event type, for example deal.won; private.event_types lists all types.';
comment on column public.events.changed is
  'Changed members in stored form, sorted by name, without updated_at; empty if the record was created or deleted.';
comment on column public.events.data is
  'The resource after the change in stored form, without the members in event_values; app.event_data returns all members.';
comment on column public.events.values_id is 'Row in event_values with large members of the data; null if there are none.';
comment on column public.events.origin is 'Value of the X-Origin header of the request that caused the event; null if absent.';
comment on column public.events.depth is
  'Number of chained automations that led to the event; 0 if a person or program caused it directly.';
comment on column public.events.trace_id is 'Trace of the request or job that caused the event; null if none.';

create index events_values_idx on public.events (tenant_id, values_id) where values_id is not null;

alter table public.events enable row level security;
grant select on public.events to api, worker;

create policy "A tenant sees its own events" on public.events
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the events of every tenant" on public.events
  for select to worker using (true);

create trigger events_append_only
  before update or delete on public.events
  for each row execute function private.refuse_change();
create trigger events_no_truncate
  before truncate on public.events
  execute function private.refuse_change();

create function app.event_data(e public.events) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return case when e.values_id is null then e.data else e.data || (
    select v.members from public.event_values v where v.tenant_id = e.tenant_id and v.id = e.values_id
  ) end;
end
$$;

comment on function app.event_data(public.events) is
  'Complete data of an event: the resource after the change, in stored form.';

grant execute on function app.event_data(public.events) to api, worker;

create function private.move_event_values() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  free_members constant text[] := '{custom_fields, products, tags, metadata}';
  names        text[];
  large        jsonb;
begin
  select array_agg(key), jsonb_object_agg(key, new.data -> key) into names, large
  from unnest(free_members) as key where pg_column_size(new.data -> key) > 1024;
  if large is null then
    return new;
  end if;
  new.data      := new.data - names;
  new.values_id := encode(substr(sha256(convert_to((new.data ->> 'id') || large::text, 'UTF8')), 1, 16), 'hex')::uuid;
  -- Locks an existing row without changing it, so that deleting its last event cannot delete it before the new event
  -- references it.
  insert into public.event_values as v (tenant_id, id, members) values (new.tenant_id, new.values_id, large)
  on conflict (tenant_id, id) do update set members = v.members where false;
  return new;
end
$$;

comment on function private.move_event_values() is
  'Trigger: stores large free-form members once and shares them among the events of a record.';

create trigger events_move_values
  before insert or update of data on public.events
  for each row when (pg_column_size(new.data) > 1024 and new.data ->> 'id' is not null)
  execute function private.move_event_values();

create function private.drop_event_values() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The lock waits for transactions that insert events with the value, so that the delete sees those events.
  perform from public.event_values v
  where (v.tenant_id, v.id) in (select g.tenant_id, g.values_id from gone g where g.values_id is not null)
  order by v.tenant_id, v.id for update;
  if found then
    delete from public.event_values v
    where (v.tenant_id, v.id) in (select g.tenant_id, g.values_id from gone g where g.values_id is not null)
      and not exists (select from public.events e where e.tenant_id = v.tenant_id and e.values_id = v.id);
  end if;
  return null;
end
$$;

comment on function private.drop_event_values() is
  'Trigger: deletes a value with the last event that uses it, for example during retention or erasure.';

create trigger events_drop_values_of_changed after update on public.events
  referencing old table as gone
  for each statement execute function private.drop_event_values();
create trigger events_drop_values_of_deleted after delete on public.events
  referencing old table as gone
  for each statement execute function private.drop_event_values();

-- Webhooks: endpoints that subscribe to events, and their deliveries.
--
--   webhook_endpoints   where events are sent
--   webhook_secrets     signing secrets; the role api cannot read them or the keys in webhooks/credentials.sql
--   webhook_deliveries  one event for one endpoint
--   webhook_attempts    one row per delivery attempt
--
-- Inserting an event (webhooks/events.sql) inserts its deliveries, each with a due job, in the same transaction. Rules for
-- URLs and limits are in webhooks/urls.sql and limits.sql, the handling of attempts in webhooks/attempts.sql, and endpoint management in
-- webhooks/management.sql.

create table public.webhook_endpoints (
  id                   uuid           primary key default gen_random_uuid(),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  interface            text           not null check (interface in ('payments', 'records')),
  client_id            text,
  url                  text           not null,
  events               text[]         check (cardinality(events) > 0),
  filters              jsonb          check (jsonb_typeof(filters) = 'array'),
  filter_rules         jsonb          check (jsonb_typeof(filter_rules) = 'object'),
  changed              text[]         check (cardinality(changed) > 0),
  changed_rules        jsonb          check (jsonb_typeof(changed_rules) = 'object'),
  header_names         text[]         not null default '{}',
  ordered              boolean        not null default false,
  fold_seconds         integer        check (fold_seconds between 1 and 300),
  description          text,
  variant              text           check (variant in ('a', 'b', 'c')),
  public_key           text           check (public_key ~ '^whpk_[A-Za-z0-9+/]{43}=$'),
  active               boolean        not null default true,
  paused_at            timestamptz,
  suspended_until      timestamptz,
  suspensions          integer        not null default 0 check (suspensions >= 0),
  consecutive_failures integer        not null default 0 check (consecutive_failures >= 0),
  first_failure_at     timestamptz,
  deactivated_at       timestamptz,
  deactivation_reason  text,
  created_at           timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at           timestamptz    not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, client_id) references public.oauth_clients (tenant_id, client_id) on delete set null (client_id),
  constraint webhook_endpoints_url_plain
    check (char_length(url) <= 2048
           and url ~* '^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?([/?#][^[:space:]]*)?$')
);

comment on table  public.webhook_endpoints is 'Webhook endpoints: where a tenant''s events are sent.';
comment on column public.webhook_endpoints.interface is 'The interface whose events the endpoint receives.';
comment on column public.webhook_endpoints.client_id is
  'Records: the client that created, or last moved or activated, the endpoint; revoking it deactivates the endpoint; null for admins'' webhooks.';
comment on column public.webhook_endpoints.url is
  'HTTPS URL without credentials, whose resolved address is checked on each attempt.';
comment on column public.webhook_endpoints.events is
  'Event types sent to the endpoint; null means all except the opt-in types (app.opt_in_event_types).';
comment on column public.webhook_endpoints.filters is
  'Filters as the caller sent them: [{"field", "op", "value"}]; an event must match all of them; null means no filters.';
comment on column public.webhook_endpoints.filter_rules is
  'The filters translated to stored names, by naming variant and event subject; evaluated by the trigger on events.';
comment on column public.webhook_endpoints.changed is
  'Member names as the caller sent them; events are sent if one of them changed, or on creation and deletion; null means any.';
comment on column public.webhook_endpoints.changed_rules is
  'The changed members translated to stored names, structured like filter_rules; type:invoice.paid matches events of that type.';
comment on column public.webhook_endpoints.header_names is
  'Names of custom headers; their values are in private.webhook_headers.';
comment on column public.webhook_endpoints.ordered is
  'Whether events of one record are sent in order, each after the previous one was delivered or failed permanently.';
comment on column public.webhook_endpoints.fold_seconds is
  'Seconds from the first event during which events of one record and type are folded into one delivery; null disables folding.';
comment on column public.webhook_endpoints.variant is 'Records: naming variant of the payload.';
comment on column public.webhook_endpoints.public_key is
  'Ed25519 public key that verifies deliveries (the private key is in private.webhook_keys); null until first used if created in Studio.';
comment on column public.webhook_endpoints.active is
  'Whether the endpoint receives events; those that occur while it is inactive are never sent to it.';
comment on column public.webhook_endpoints.paused_at is
  'When a client or an admin paused the endpoint; its deliveries are kept for 30 days; null if not paused.';
comment on column public.webhook_endpoints.suspended_until is
  'When the suspension after repeated failures ends and one delivery is tried; null if not suspended.';
comment on column public.webhook_endpoints.suspensions is
  'Suspensions since the last success; each one lasts longer than the one before.';
comment on column public.webhook_endpoints.consecutive_failures is
  'Failed attempts across all deliveries since the last success.';
comment on column public.webhook_endpoints.first_failure_at is 'When the first of the consecutive failures happened.';
comment on column public.webhook_endpoints.deactivation_reason is
  'Why the service or an admin deactivated the endpoint; null if its client did.';

create index webhook_endpoints_created_idx on public.webhook_endpoints (tenant_id, created_at, id);
create index webhook_endpoints_client_idx on public.webhook_endpoints (tenant_id, client_id);

alter table public.webhook_endpoints enable row level security;
grant select, insert, delete,
      update (client_id, url, events, filters, filter_rules, changed, changed_rules, ordered, fold_seconds, description, header_names, active, suspended_until, suspensions, consecutive_failures, first_failure_at,
              deactivated_at, deactivation_reason)
  on public.webhook_endpoints to api;
grant select on public.webhook_endpoints to worker;

create policy "A tenant sees its own endpoints" on public.webhook_endpoints
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the endpoints of every tenant" on public.webhook_endpoints
  for select to worker using (true);
create policy "A tenant adds its own endpoints of records" on public.webhook_endpoints
  for insert to api with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant changes its own endpoints of records" on public.webhook_endpoints
  for update to api using (tenant_id = (select app.tenant_id()) and interface = 'records')
  with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant removes its own endpoints of records" on public.webhook_endpoints
  for delete to api using (tenant_id = (select app.tenant_id()) and interface = 'records');

create policy "A tenant adds its own endpoints of payments" on public.webhook_endpoints
  for insert to payments with check (tenant_id = (select app.tenant_id()) and interface = 'payments');
create policy "A tenant changes its own endpoints of payments" on public.webhook_endpoints
  for update to payments using (tenant_id = (select app.tenant_id()) and interface = 'payments')
  with check (tenant_id = (select app.tenant_id()) and interface = 'payments');
create policy "A tenant removes its own endpoints of payments" on public.webhook_endpoints
  for delete to payments using (tenant_id = (select app.tenant_id()) and interface = 'payments');

create trigger webhook_endpoints_set_updated_at
  before update on public.webhook_endpoints
  for each row execute function private.set_updated_at('consecutive_failures', 'first_failure_at');

create table private.webhook_secrets (
  id          bigint      generated always as identity primary key,
  endpoint_id uuid        not null references public.webhook_endpoints (id) on delete cascade,
  secret      text        not null check (secret <> ''),
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz
);

comment on table  private.webhook_secrets is
  'Secrets that sign deliveries, stored unhashed because signing needs them; a rotated secret expires after 24 hours.';
comment on column private.webhook_secrets.expires_at is 'When a rotated secret stops signing; null for the current one.';

create unique index webhook_secrets_present_idx on private.webhook_secrets (endpoint_id) where expires_at is null;
create index webhook_secrets_endpoint_idx on private.webhook_secrets (endpoint_id);

alter table private.webhook_secrets enable row level security;

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

-- Webhooks: allowed destinations. The interfaces check URLs themselves for better errors and before resolving names
-- (shared/webhooks/delivery/destinations.ts). These triggers enforce the same rules for every writer, as far as possible without
-- resolving names; a test compares both implementations.

create function private.webhook_host(url text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  host     constant text := rtrim(lower(substring(url from '^[A-Za-z]+://(\[[^]/?#]*\]|[^:/?#]*)')), '.');
  bracketed constant text := substring(host from '^\[(.*:.*)\]$');
begin
  -- Normalizes the spelling of IPv6 addresses.
  if pg_input_is_valid(bracketed, 'inet') then
    return host(bracketed::inet);
  end if;
  return host;
end
$$;

comment on function private.webhook_host(text) is
  'Normalized host of a URL, without port and IPv6 brackets; limits per host use it.';

create function private.webhook_address(url text) returns text
language sql stable
set search_path = ''
as $$
  select lower(part[1]) || '://' || private.webhook_host(url)
      || coalesce(nullif(part[2], case lower(part[1]) when 'https' then ':443' else ':80' end), '')
      || coalesce(nullif(part[3], ''), '/')
  from regexp_match(url, '^(https?)://(?:\[[^]]*\]|[^:/?#]*)(:[0-9]+)?([^#]*)', 'i') as part
$$;

comment on function private.webhook_address(text) is 'Normalized URL of a webhook, to detect duplicates.';

create function private.reserved_networks() returns cidr[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array[
    -- IPv4: this network, private, shared, link-local, protocols, documentation, relays, benchmarks, multicast,
    -- reserved.
    '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
    '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15',
    '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
    -- Cloud-internal: Azure's host and IBM Cloud services.
    '168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14',
    -- IPv6: everything except 2000::/3, and within it protocols, documentation, 6to4, AS112.
    '::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'
  ]::cidr[]
$$;

comment on function private.reserved_networks() is
  'Reserved networks that webhooks cannot use, except loopback, which depends on the environment.';

create function private.reserved_names() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array['internal', 'local', 'metadata', 'instance-data', 'metadata.goog', 'metadata.packet.net', 'metadata.tencentyun.com']
$$;

comment on function private.reserved_names() is
  'Names of cloud metadata services and private networks; webhooks cannot use these or their subdomains.';

create function private.refused_destination(url text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  production constant boolean := app.environment() = 'production';
  host       constant text    := private.webhook_host(url);
  port       constant text    := substring(url from '^[A-Za-z]+://(?:\[[^]]*\]|[^:/?#]*):([0-9]+)');
  octet      constant text    := '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
  loopback   boolean;
begin
  if url ~* '^https?://[^/?#]*@' then
    return 'must not contain credentials';
  elsif url !~* (case when production then '^https://' else '^https?://' end) then
    return format('"%s" must begin with https://', url);
  elsif port::numeric > 65535 then
    return format('%s is not a valid port', port);
  elsif exists (select from unnest(private.reserved_names()) as name where host = name or right(host, length(name) + 1) = '.' || name) then
    return format('"%s" is the name of a private network or a cloud metadata service', host);
  end if;

  loopback := host = 'localhost' or host like '%.localhost';
  if host ~ '^\[' then
    return format('"%s" is not a valid IP address', host);
  elsif host like '%:%' or host ~ format('^(%s\.){3}%s$', octet, octet) then
    loopback := host::inet <<= '127.0.0.0/8' or host::inet = '::1';
    if not loopback and host::inet <<= any (private.reserved_networks()) then
      return format('"%s" is a private or otherwise reserved address', host);
    end if;
  elsif host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
    return format('"%s" must be written as four decimal numbers with dots', host);
  end if;
  if loopback and production then
    return format('"%s" is a loopback address', host);
  end if;
  return null;
end
$$;

comment on function private.refused_destination(text) is
  'Why a URL is not allowed as a destination, checked without resolving names; null if allowed (http and loopback only outside production).';

-- Webhooks: limits, duplicates, and whose webhook it is.

-- Limits and duplicates -----------------------------------------------------------------------------------------------

create function private.max_contains_filters() returns integer language sql immutable parallel safe return 50;

comment on function private.max_contains_filters() is 'Filters with contains that the webhooks of a tenant may have in total.';

create function private.check_webhook() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  moved   constant boolean := tg_op = 'INSERT' or private.webhook_host(new.url) <> private.webhook_host(old.url);
  refused constant text    := private.refused_destination(new.url);
  plan    public.plans;
begin
  if refused is not null then
    raise exception 'url: %', refused using errcode = 'check_violation', constraint = 'webhook_endpoints_url_allowed';
  end if;

  -- Serializes counting per tenant, so that the counts include webhooks that concurrent transactions created.
  perform pg_advisory_xact_lock(hashtextextended('webhooks:' || new.tenant_id, 0));
  if exists (
    select from public.webhook_endpoints w
    where w.tenant_id = new.tenant_id and w.id <> new.id and w.interface = new.interface
      and private.webhook_address(w.url) = private.webhook_address(new.url)
      and ((w.events <@ new.events and w.events @> new.events) or (w.events is null and new.events is null))
      and (w.filters, w.changed) is not distinct from (new.filters, new.changed)
  ) then
    raise exception 'url: another webhook of the tenant has the same URL, events and filters'
      using errcode = 'unique_violation', constraint = 'webhook_endpoints_same';
  end if;

  select p.* into strict plan from public.tenants t join public.plans p on p.name = t.plan where t.id = new.tenant_id;
  if tg_op = 'INSERT' and plan.max_webhooks < (
    select count(*) from public.webhook_endpoints w where w.tenant_id = new.tenant_id
  ) then
    raise exception 'tenant_id: the plan % allows at most % webhooks', plan.name, plan.max_webhooks
      using errcode = 'check_violation', constraint = 'webhook_endpoints_plan_limit';
  elsif moved and plan.max_webhooks_per_host < (
    select count(*) from public.webhook_endpoints w
    where w.tenant_id = new.tenant_id and private.webhook_host(w.url) = private.webhook_host(new.url)
  ) then
    raise exception 'url: the plan % allows at most % webhooks per host', plan.name, plan.max_webhooks_per_host
      using errcode = 'check_violation', constraint = 'webhook_endpoints_host_limit';
  -- Each of the tenant's events evaluates all of these filters, in the request that caused it.
  elsif (tg_op = 'INSERT' or new.filters is distinct from old.filters) and private.max_contains_filters() < (
    select count(*) from public.webhook_endpoints w, jsonb_array_elements(w.filters) as f (filter)
    where w.tenant_id = new.tenant_id and f.filter ->> 'op' = 'contains'
  ) then
    raise exception 'filters: a tenant may have at most % filters with contains', private.max_contains_filters()
      using errcode = 'check_violation', constraint = 'webhook_endpoints_contains_limit';
  end if;
  return null;
end
$$;

comment on function private.check_webhook() is
  'Trigger: enforces allowed destinations, unique URL, events and filters, and the plan''s webhook limits.';

-- After triggers, so that violations of row-level security are reported first.
create trigger webhook_endpoints_check_new after insert on public.webhook_endpoints
  for each row execute function private.check_webhook();
create trigger webhook_endpoints_check_change after update of url, events, filters, changed, interface, tenant_id on public.webhook_endpoints
  for each row when ((old.url, old.events, old.filters, old.changed, old.interface, old.tenant_id)
                     is distinct from (new.url, new.events, new.filters, new.changed, new.interface, new.tenant_id))
  execute function private.check_webhook();

-- Ownership -----------------------------------------------------------------------------------------------------------

create function private.scope_of_event(type text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case split_part(type, '.', 1) when 'lead' then 'read:leads' when 'deal' then 'read:deals' when 'webhook' then null else 'read:users' end
$$;

comment on function private.scope_of_event(text) is 'The scope that reads the data of an event of records; null if there is no data.';

create function private.check_webhook_client() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  client public.oauth_clients;
begin
  -- Locks the client, so that it cannot be revoked or lose scopes while one of its webhooks is created or activated.
  select c.* into client from public.oauth_clients c
  where c.tenant_id = new.tenant_id and c.client_id = new.client_id
  for share;
  if client.revoked_at is not null then
    raise exception 'client_id: OAuth client % of this webhook was revoked', new.client_id
      using errcode = 'check_violation', constraint = 'webhook_endpoints_client_revoked',
            hint = 'Activate the webhook with another client, or create a new webhook.';
  elsif exists (
    select from unnest(new.events) as event where not private.scope_of_event(event) = any (private.with_implied_scopes(client.scopes))
  ) then
    -- A token may contain scopes that its client has lost.
    raise exception 'client_id: OAuth client % of this webhook may not read its events', new.client_id
      using errcode = 'check_violation', constraint = 'webhook_endpoints_client_scopes',
            hint = 'Activate the webhook with another client, or give this one the scopes.';
  end if;
  return null;
end
$$;

comment on function private.check_webhook_client() is 'Trigger: a webhook is active only if its client is not revoked and may read its events.';

create trigger webhook_endpoints_check_new_client after insert on public.webhook_endpoints
  for each row when (new.active and new.client_id is not null)
  execute function private.check_webhook_client();
create trigger webhook_endpoints_check_client after update of active, client_id on public.webhook_endpoints
  for each row when (new.active and new.client_id is not null
                     and (old.active, old.client_id) is distinct from (new.active, new.client_id))
  execute function private.check_webhook_client();

-- When a client is revoked or deleted (access/oauth-clients.sql) ------------------------------------------------------------------------

create function private.stop_webhooks_of_client() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.webhook_endpoints w
  set active = false, deactivated_at = now(), deactivation_reason = 'its client was revoked'
  where w.tenant_id = old.tenant_id and w.client_id = old.client_id and w.active;
  return old;
end
$$;

comment on function private.stop_webhooks_of_client() is
  'Trigger: revoking or deleting a client deactivates its webhooks; their pending retries fail.';

create trigger oauth_clients_stop_webhooks after update of revoked_at on public.oauth_clients
  for each row when (old.revoked_at is null and new.revoked_at is not null)
  execute function private.stop_webhooks_of_client();
create trigger oauth_clients_stop_webhooks_of_gone before delete on public.oauth_clients
  for each row execute function private.stop_webhooks_of_client();

create function private.stop_unreadable_webhooks() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  lost constant text[] := array(
    select unnest(private.with_implied_scopes(old.scopes)) except select unnest(private.with_implied_scopes(new.scopes)));
begin
  update public.webhook_endpoints w
  set active = false, deactivated_at = now(), deactivation_reason = 'its client lost the scope of its events'
  where w.tenant_id = new.tenant_id and w.client_id = new.client_id and w.active
    and exists (select from unnest(w.events) as event where private.scope_of_event(event) = any (lost));
  return null;
end
$$;

comment on function private.stop_unreadable_webhooks() is
  'Trigger: a client that loses a read scope no longer has active webhooks with events of that scope.';

create trigger oauth_clients_stop_unreadable_webhooks after update of scopes on public.oauth_clients
  for each row when (old.scopes is distinct from new.scopes)
  execute function private.stop_unreadable_webhooks();

-- Event types that a client may read ----------------------------------------------------------------------------------

create function app.check_readable(events text[], readable text[]) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  unreadable text;
begin
  select string_agg(event, ' ' order by event) into unreadable from unnest(events) as event where not event = any (readable);
  if unreadable is not null then
    raise exception 'events_not_readable' using errcode = 'PL403', detail = unreadable;
  end if;
  return true;
end
$$;

comment on function app.check_readable(text[], text[]) is
  'Fails with PL403 if a webhook has event types that the caller may not read, listed in the detail; returns true otherwise.';

grant execute on function app.check_readable(text[], text[]) to api;

create function app.subscribes(events text[], type text) returns boolean
language sql immutable parallel safe
return (events is null and type <> all (app.opt_in_event_types())) or type = any (events) or type = 'webhook.test';

comment on function app.subscribes(text[], text) is
  'Whether a webhook with these event types receives this type; webhook.test is always included.';

grant execute on function app.subscribes(text[], text) to worker;

-- Webhooks: pausing and resuming deliveries.

create function private.have_deliveries_sent(webhook public.webhook_endpoints, only_folding boolean default false) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- Jobs of paused deliveries have finished; those of suspended ones are due at the end of the suspension.
  update public.jobs j set due_at = greatest(d.next_at, now()), finished_at = null
  from public.webhook_deliveries d
  where d.tenant_id = webhook.tenant_id and d.endpoint_id = webhook.id and d.status = 'pending' and (d.fold_key is not null or not only_folding)
    and j.name = 'deliver-webhook' and j.key = d.id and j.failed_at is null
    and (j.finished_at is not null or j.due_at > greatest(d.next_at, now()));
  -- Finished jobs are deleted before their deliveries, so recreate missing ones.
  perform private.schedule_deliveries(variadic array(
    select d from public.webhook_deliveries d
    where d.tenant_id = webhook.tenant_id and d.endpoint_id = webhook.id and d.status = 'pending' and (d.fold_key is not null or not only_folding)
      and not exists (select from public.jobs j where j.name = 'deliver-webhook' and j.key = d.id)));
end
$$;

comment on function private.have_deliveries_sent(public.webhook_endpoints, boolean) is
  'Reschedules the jobs of a webhook''s pending deliveries; with only_folding, only of deliveries that are folding events.';

create function private.release_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.have_deliveries_sent(new);
  return null;
end
$$;

comment on function private.release_deliveries() is
  'Trigger: reschedules a webhook''s pending deliveries once it is neither paused nor suspended.';

create trigger webhook_endpoints_release after update of paused_at, suspended_until on public.webhook_endpoints
  for each row when (new.active and new.paused_at is null and new.suspended_until is null
                     and (old.paused_at is not null or old.suspended_until is not null))
  execute function private.release_deliveries();

create function private.end_webhook_pause() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  new.paused_at       := null;
  new.suspended_until := null;
  new.suspensions     := 0;
  return new;
end
$$;

comment on function private.end_webhook_pause() is 'Trigger: deactivating a webhook ends its pause and suspension.';

create trigger webhook_endpoints_end_pause before update of active on public.webhook_endpoints
  for each row when (old.active and not new.active)
  execute function private.end_webhook_pause();

create function private.fail_held_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Skips deliveries into which an open transaction may be folding an event; their jobs fail them later.
  update public.webhook_deliveries d set status = 'failed', next_at = null, last_error = 'the webhook is deactivated'
  where d.tenant_id = new.tenant_id and d.endpoint_id = new.id and d.status = 'pending' and d.fold_key is null;
  perform private.have_deliveries_sent(new, only_folding => true);
  return null;
end
$$;

comment on function private.fail_held_deliveries() is
  'Trigger: fails pending deliveries when a paused webhook is deactivated, because no job would pick them up.';

create trigger webhook_endpoints_fail_held after update of active on public.webhook_endpoints
  for each row when (old.active and not new.active and old.paused_at is not null)
  execute function private.fail_held_deliveries();

-- Webhooks: how many requests a host receives at once.

-- Concurrency is limited per host name and per resolved IP address, so that many names for one address cannot bypass
-- the limit. The name is resolved outside any transaction; the addresses of the last resolution are stored, so that the
-- first statement of a delivery can usually reserve all slots.

create table private.webhook_requests (
  delivery_id text        not null,
  host        text        not null,
  ends_at     timestamptz not null,
  primary key (delivery_id, host)
);

comment on table  private.webhook_requests is
  'Deliveries in flight by host, to limit concurrent requests to each destination across all tenants.';
comment on column private.webhook_requests.host is 'The host name in the URL, or an IP address that it resolves to.';
comment on column private.webhook_requests.ends_at is
  'When the lease expires; afterwards the worker is considered dead and the row no longer counts.';

create index webhook_requests_host_idx on private.webhook_requests (host);

alter table private.webhook_requests enable row level security;

create table private.webhook_routes (
  endpoint_id uuid   primary key references public.webhook_endpoints (id) on delete cascade,
  addresses   text[] not null
);

comment on table private.webhook_routes is
  'Addresses that an endpoint''s host last resolved to, to reserve slots in advance; deleted when no slot is free, '
  'as DNS may have changed.';

alter table private.webhook_routes enable row level security;

create function private.take_request_slots(delivery_ids text[], hosts text[], lease_seconds integer) returns integer
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  max_per_host constant integer := 25;
  host_to_lock text;
  free         integer;
begin
  -- Locking in sorted order prevents deadlocks between deliveries.
  for host_to_lock in select distinct unnest(hosts) order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended('webhook-host:' || host_to_lock, 0));
  end loop;
  delete from private.webhook_requests r
  where r.delivery_id = any (delivery_ids) or (r.host = any (hosts) and r.ends_at <= clock_timestamp());
  select max_per_host - coalesce(max(taken.number), 0) into free
  from (select count(*) as number from private.webhook_requests r where r.host = any (hosts) group by r.host) as taken;
  insert into private.webhook_requests (delivery_id, host, ends_at)
  select id, host, clock_timestamp() + make_interval(secs => lease_seconds)
  from unnest(delivery_ids[1:free]) as id, (select distinct unnest(hosts)) as each (host);
  return free;
end
$$;

comment on function private.take_request_slots(text[], text[], integer) is
  'Reserves one of 25 slots per host for each delivery, replacing earlier reservations; returns the free slots, which go to the first deliveries.';

create function app.begin_webhook_requests(delivery_ids text[], lease_seconds integer)
returns table (delivery_id text, busy_until timestamptz, addresses text[], held boolean)
language plpgsql security definer rows 5
set search_path = ''
as $$
#variable_conflict use_column
declare
  endpoint  uuid;
  name      text;
  known     text[];
  suspended boolean;
  wanted    text[] := delivery_ids;
  free      integer;
  again_at  timestamptz;
begin
  select w.id, private.webhook_host(w.url), r.addresses, w.suspended_until is not null into endpoint, name, known, suspended
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  left join private.webhook_routes r on r.endpoint_id = w.id
  where d.id = delivery_ids[1];
  if not found then
    return;
  end if;
  if suspended then
    -- After a suspension, one worker tries one delivery. Skip a locked webhook, because the transaction that changes it
    -- waits for jobs that are locked here.
    perform from public.webhook_endpoints w
    where w.id = endpoint and w.suspended_until <= now() for no key update skip locked;
    wanted := case when found then delivery_ids[1:1] else '{}' end;
    update public.webhook_endpoints w set suspended_until = now() + make_interval(secs => lease_seconds)
    where found and w.id = endpoint;
  end if;
  free := private.take_request_slots(wanted, name || known, lease_seconds);
  if free < cardinality(wanted) then
    delete from private.webhook_routes r where r.endpoint_id = endpoint;
    -- Random delay, so that waiting deliveries do not all retry at once.
    again_at := clock_timestamp() + (1 + 3 * random()) * interval '1 second';
    -- If no slot is free for the one delivery tried after a suspension, it is tried again at that time.
    update public.webhook_endpoints w set suspended_until = again_at
    where suspended and cardinality(wanted) > 0 and w.id = endpoint;
  end if;
  return query
    select each.id, case when each.n > free then again_at end, known, suspended and not each.id = any (wanted)
    from unnest(delivery_ids) with ordinality as each (id, n);
end
$$;

comment on function app.begin_webhook_requests(text[], integer) is
  'Reserves slots (25 per host) for deliveries of one endpoint; deliveries without a slot get a retry time (worker only).';

grant execute on function app.begin_webhook_requests(text[], integer) to worker;

create function app.move_webhook_request(delivery_id text, addresses text[], lease_seconds integer) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
declare
  -- Normalizes the spelling of addresses.
  found_at constant text[] := array(select host(one::inet) from unnest(addresses) as one);
  endpoint public.webhook_endpoints;
begin
  select w.* into endpoint
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = move_webhook_request.delivery_id;
  if not found then
    return null;
  elsif private.take_request_slots(array[delivery_id], private.webhook_host(endpoint.url) || found_at, lease_seconds) < 1 then
    return clock_timestamp() + (1 + 3 * random()) * interval '1 second';
  end if;
  insert into private.webhook_routes as r (endpoint_id, addresses) values (endpoint.id, found_at)
  on conflict (endpoint_id) do update set addresses = excluded.addresses where r.addresses <> excluded.addresses;
  return null;
end
$$;

comment on function app.move_webhook_request(text, text[], integer) is
  'Reserves slots for the addresses that a host resolved to and stores them; returns the retry time if none is free (worker only).';

grant execute on function app.move_webhook_request(text, text[], integer) to worker;

create function app.end_webhook_requests(delivery_ids text[]) returns void
language sql security definer
set search_path = ''
as $$
  delete from private.webhook_requests r where r.delivery_id = any (delivery_ids)
$$;

comment on function app.end_webhook_requests(text[]) is
  'Releases slots that deliveries reserved but did not use (worker only).';

grant execute on function app.end_webhook_requests(text[]) to worker;

-- Webhooks: private keys and header values for deliveries. Like the secrets (webhooks), only the worker can read them.
--
--   webhook_keys     private keys of endpoints
--   webhook_headers  values of custom headers

create table private.webhook_keys (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  private_key text        not null,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_keys is
  'Ed25519 keys that sign deliveries, one per endpoint, so that a delivery to one endpoint cannot be reused for another.';
comment on column private.webhook_keys.private_key is
  'Private key as PKCS#8 in base64; the public key is in webhook_endpoints.public_key.';

alter table private.webhook_keys enable row level security;

create table private.webhook_headers (
  endpoint_id uuid        primary key references public.webhook_endpoints (id) on delete cascade,
  headers     jsonb       not null check (jsonb_typeof(headers) = 'object'),
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.webhook_headers is
  'Custom headers of an endpoint''s deliveries, protected like secrets because they may authenticate at the receiver.';
comment on column private.webhook_headers.headers is 'Header values by name; webhook_endpoints.header_names lists the names.';

alter table private.webhook_headers enable row level security;

create function app.webhook_credentials(endpoint_id uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'secrets', to_jsonb(array(
      select s.secret from private.webhook_secrets s
      where s.endpoint_id = webhook_credentials.endpoint_id and coalesce(s.expires_at > now(), true)
      order by s.id desc
    )),
    'signing_key', (select k.private_key from private.webhook_keys k where k.endpoint_id = webhook_credentials.endpoint_id),
    'headers', (select h.headers from private.webhook_headers h where h.endpoint_id = webhook_credentials.endpoint_id)
  )
$$;

comment on function app.webhook_credentials(uuid) is
  'An endpoint''s current secrets (newest first), private key and headers (worker only).';

grant execute on function app.webhook_credentials(uuid) to worker;

create function app.set_webhook_key(webhook_id uuid, private_key text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.webhook_keys (endpoint_id, private_key)
  select w.id, set_webhook_key.private_key from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  on conflict (endpoint_id) do nothing;
end
$$;

comment on function app.set_webhook_key(uuid, text) is
  'Stores the private key of a tenant''s webhook if it has none; the public key is in the webhook''s row.';

grant execute on function app.set_webhook_key(uuid, text) to api;

create function app.keep_webhook_key(delivery_id text, private_key text, public_key text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  endpoint uuid;
  kept     text;
begin
  select w.id into endpoint
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = keep_webhook_key.delivery_id
  for no key update of w;
  if not found then
    return keep_webhook_key.private_key;
  end if;
  insert into private.webhook_keys as k (endpoint_id, private_key) values (endpoint, keep_webhook_key.private_key)
  on conflict (endpoint_id) do nothing;
  if found then
    update public.webhook_endpoints w set public_key = keep_webhook_key.public_key where w.id = endpoint;
  end if;
  select k.private_key into strict kept from private.webhook_keys k where k.endpoint_id = endpoint;
  return kept;
end
$$;

comment on function app.keep_webhook_key(text, text, text) is
  'Stores this key pair for a delivery''s endpoint if it has none and returns the endpoint''s private key (worker only).';

grant execute on function app.keep_webhook_key(text, text, text) to worker;

-- Replaced values of headers are recorded as replaced, without the values, by the trigger of the row that gets their names.
create function app.set_webhook_headers(webhook_id uuid, headers jsonb) returns text[]
language plpgsql security definer
set search_path = ''
as $$
declare
  known jsonb;
begin
  delete from private.webhook_headers h
  using public.webhook_endpoints w
  where h.endpoint_id = webhook_id and w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  returning h.headers into known;
  insert into private.webhook_headers (endpoint_id, headers)
  select w.id, set_webhook_headers.headers from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface() and set_webhook_headers.headers <> '{}';
  perform set_config('app.set_headers', webhook_id::text, true);
  if exists (select from jsonb_each(known) as k where set_webhook_headers.headers -> k.key <> k.value) then
    perform set_config('app.replaced_headers', webhook_id::text, true);
  end if;
  return array(select jsonb_object_keys(set_webhook_headers.headers) as name order by name);
end
$$;

comment on function app.set_webhook_headers(uuid, jsonb) is
  'Replaces the values of the custom headers of a tenant''s webhook and returns their names, for its row; an empty object removes them.';

grant execute on function app.set_webhook_headers(uuid, jsonb) to api;

create function private.drop_webhook_headers() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The statement that changes the URL may set headers for it.
  if current_setting('app.set_headers', true) = new.id::text then
    perform set_config('app.set_headers', '', true);
    return new;
  end if;
  delete from private.webhook_headers h where h.endpoint_id = new.id;
  new.header_names := '{}';
  return new;
end
$$;

comment on function private.drop_webhook_headers() is
  'Trigger: deletes header values when the URL changes, so that they cannot be redirected to another receiver.';

create trigger webhook_endpoints_drop_headers before update of url on public.webhook_endpoints
  for each row when (old.url <> new.url and cardinality(old.header_names) > 0)
  execute function private.drop_webhook_headers();

-- Webhooks: recording attempts. An attempt succeeds, schedules a retry, or fails the delivery permanently. A failing
-- endpoint is suspended for increasing periods. An endpoint that keeps failing or returns 410 is deactivated. The
-- tenant's owner is notified by email.

create table private.webhook_mails (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  endpoint_id uuid        not null,
  about       text        not null check (about in ('suspended', 'deactivated')),
  sent_at     timestamptz not null,
  primary key (tenant_id, endpoint_id, about)
);

comment on table private.webhook_mails is
  'Last email to a tenant''s owner about a webhook; kept after the webhook is deleted, so that recreating it does not bypass the limit.';

alter table private.webhook_mails enable row level security;

create function private.claim_webhook_mail(endpoint public.webhook_endpoints, about text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  max_per_day constant integer := 10;
begin
  -- Serializes counting of emails per tenant.
  perform pg_advisory_xact_lock(hashtextextended('webhook-mails:' || endpoint.tenant_id, 0));
  delete from private.webhook_mails m
  where m.tenant_id = endpoint.tenant_id and m.sent_at <= clock_timestamp() - interval '1 day';
  if (
    select count(*) from private.webhook_mails m
    where m.tenant_id = endpoint.tenant_id and m.about = claim_webhook_mail.about
  ) >= max_per_day then
    return false;
  end if;
  insert into private.webhook_mails (tenant_id, endpoint_id, about, sent_at)
  values (endpoint.tenant_id, endpoint.id, claim_webhook_mail.about, clock_timestamp())
  on conflict do nothing;
  return found;
end
$$;

comment on function private.claim_webhook_mail(public.webhook_endpoints, text) is
  'Counts an email about a webhook and returns whether it may be sent; in 24 hours, each kind is limited to one per webhook and ten per tenant.';

create function private.mail_about_webhook(endpoint public.webhook_endpoints, about text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if private.claim_webhook_mail(endpoint, about) then
    perform private.mail_owner(
      endpoint.tenant_id, format('webhook-%s:%s:%s', about, endpoint.id, extract(epoch from clock_timestamp())),
      'webhook_' || about,
      jsonb_build_object('url', endpoint.url, 'reason', reason, 'webhook', endpoint.id,
                         'failures', private.failures_to_deactivate()));
  end if;
end
$$;

comment on function private.mail_about_webhook(public.webhook_endpoints, text, text) is
  'Schedules an email about a webhook (suspended or deactivated) to the tenant''s owner, unless the daily limit is reached.';

create function private.deactivate_webhook(endpoint_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint public.webhook_endpoints;
begin
  update public.webhook_endpoints w
  set active = false, deactivated_at = now(), deactivation_reason = reason
  where w.id = deactivate_webhook.endpoint_id and w.active
  returning w.* into endpoint;
  if found then
    perform private.mail_about_webhook(endpoint, 'deactivated', reason);
  end if;
end
$$;

comment on function private.deactivate_webhook(uuid, text) is
  'Deactivates a failing endpoint and schedules an email to the tenant''s owner, unless the daily limit is reached.';

-- Thresholds of consecutive failed attempts.
create function private.failures_to_suspend() returns integer language sql immutable parallel safe return 5;
create function private.failures_to_deactivate() returns integer language sql immutable parallel safe return 10;

comment on function private.failures_to_suspend() is 'Consecutive failed attempts after which a webhook is suspended.';
comment on function private.failures_to_deactivate() is 'Consecutive failed attempts after which a webhook is deactivated.';

create function private.suspend_webhook(endpoint public.webhook_endpoints, retry_seconds integer[], reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Suspensions use the same delays as the retries of one delivery.
  pause constant integer := private.add_jitter(
    coalesce(retry_seconds[least(endpoint.suspensions + 1, cardinality(retry_seconds))], 60), endpoint.id::text, endpoint.suspensions);
begin
  update public.webhook_endpoints w
  set suspended_until = now() + make_interval(secs => pause), suspensions = w.suspensions + 1
  where w.id = endpoint.id;
  if endpoint.suspensions = 0 then
    perform private.mail_about_webhook(endpoint, 'suspended', reason);
  end if;
end
$$;

comment on function private.suspend_webhook(public.webhook_endpoints, integer[], text) is
  'Suspends a failing endpoint, longer each time, and schedules an email to the tenant''s owner the first time.';

create function private.count_webhook_failures(endpoint_id uuid, attempts jsonb, retry_seconds integer[], min_span_seconds integer) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  attempt   record;
  endpoint  public.webhook_endpoints;
  recovered boolean := false;
  failures  integer := 0;
  fault     text;
  gone      boolean := false;
begin
  for attempt in select a.* from jsonb_to_recordset(attempts) as a (response_status integer, error text) loop
    recovered := recovered or attempt.error is null;
    failures  := case when attempt.error is not null then failures + 1 else 0 end;
    fault     := coalesce(attempt.error, fault);
    gone      := gone or attempt.response_status is not distinct from 410;
  end loop;
  update public.webhook_endpoints w
  set consecutive_failures = case when recovered then 0 else w.consecutive_failures end + failures,
      first_failure_at     = case when failures > 0 then coalesce(case when not recovered then w.first_failure_at end, now()) end,
      suspended_until      = case when not recovered then w.suspended_until end,
      suspensions          = case when recovered then 0 else w.suspensions end
  where w.id = count_webhook_failures.endpoint_id and w.active and (failures > 0 or w.consecutive_failures > 0);

  select * into strict endpoint from public.webhook_endpoints w where w.id = count_webhook_failures.endpoint_id;
  if endpoint.active and gone then
    perform private.deactivate_webhook(endpoint.id, 'the receiver responded with 410 Gone');
    return false;
  elsif endpoint.active and failures > 0 and endpoint.consecutive_failures >= private.failures_to_deactivate()
    and now() - endpoint.first_failure_at >= make_interval(secs => min_span_seconds) then
    perform private.deactivate_webhook(
      endpoint.id, format('%s consecutive attempts failed; last error: %s', endpoint.consecutive_failures, fault));
    return false;
  elsif endpoint.active and failures > 0 and endpoint.consecutive_failures >= private.failures_to_suspend() then
    perform private.suspend_webhook(
      endpoint, retry_seconds, format('%s consecutive attempts failed; last error: %s', endpoint.consecutive_failures, fault));
  end if;
  return endpoint.active;
end
$$;

comment on function private.count_webhook_failures(uuid, jsonb, integer[], integer) is
  'Counts consecutive failures, suspends or deactivates a failing endpoint, and returns whether it is still active.';

create function app.record_webhook_attempts(attempts jsonb, retry_seconds integer[], min_span_seconds integer) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  attempt  record;
  delivery public.webhook_deliveries;
  active   boolean;
  wait     integer;
begin
  -- Locks the endpoints first and as strongly as counting failures does, because replays, changes and deletions of an
  -- endpoint lock it before its deliveries.
  perform from public.webhook_endpoints w
  where w.id in (select d.endpoint_id from jsonb_array_elements(attempts) as each join public.webhook_deliveries d on d.id = each ->> 'delivery_id')
  order by w.id for no key update;
  -- Locking in sorted order prevents deadlocks between workers.
  for attempt in select each ->> 'delivery_id' as id from jsonb_array_elements(attempts) as each order by 1 loop
    delete from private.webhook_requests r where r.delivery_id = attempt.id;
    select * into delivery from public.webhook_deliveries d where d.id = attempt.id for no key update;
  end loop;
  -- The endpoint was deleted together with its deliveries.
  if delivery.id is null then
    return;
  end if;
  active := private.count_webhook_failures(delivery.endpoint_id, attempts, retry_seconds, min_span_seconds);

  for attempt in
    select a.* from jsonb_to_recordset(attempts) as a (
      delivery_id text, response_status integer, response_ms integer, response_excerpt text, error text, retry_after_seconds integer)
  loop
    select * into strict delivery from public.webhook_deliveries d where d.id = attempt.delivery_id;
    -- Null after the last retry.
    wait := private.add_jitter(retry_seconds[delivery.cycle_attempts + 1], delivery.id, delivery.cycle_attempts);
    -- A worker whose lease expired may report a failure after another worker's success, which then still counts.
    if attempt.error is null then
      delivery.status := 'delivered';
    elsif delivery.status = 'pending' and (wait is null or not active) then
      delivery.status := 'failed';
    end if;
    insert into public.webhook_attempts (tenant_id, delivery_id, response_status, response_ms, response_excerpt, error)
    values (delivery.tenant_id, delivery.id, attempt.response_status, attempt.response_ms, attempt.response_excerpt, attempt.error);
    update public.webhook_deliveries d
    set status         = delivery.status,
        attempts       = d.attempts + 1,
        cycle_attempts = d.cycle_attempts + 1,
        next_at        = case when delivery.status = 'pending'
                              then now() + make_interval(secs => greatest(wait, attempt.retry_after_seconds)) end,
        last_status    = attempt.response_status,
        last_error     = attempt.error
    where d.id = delivery.id;
  end loop;
end
$$;

comment on function app.record_webhook_attempts(jsonb, integer[], integer) is
  'Records attempts for one endpoint in order and updates its deliveries, retries (honoring Retry-After) and state (worker only).';

grant execute on function app.record_webhook_attempts(jsonb, integer[], integer) to worker;

create function app.fail_webhook_delivery(delivery_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$
  update public.webhook_deliveries d
  set status = 'failed', next_at = null, fold_key = null, fold_until = null, last_error = reason
  where d.id = fail_webhook_delivery.delivery_id and d.status = 'pending'
$$;

comment on function app.fail_webhook_delivery(text, text) is 'Fails a pending delivery without an attempt (worker only).';

grant execute on function app.fail_webhook_delivery(text, text) to worker;

create function app.held_until(delivery_id text) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook public.webhook_endpoints;
begin
  -- Lock the webhook against concurrent resuming: either resuming waits and then finds the job finished, or this
  -- function waits and then sees the resumed webhook.
  select w.* into webhook
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = held_until.delivery_id
  for share of w;
  return case when webhook.active and webhook.paused_at is not null then null else greatest(webhook.suspended_until, now()) end;
end
$$;

comment on function app.held_until(text) is
  'When to rerun the job of a delivery whose webhook is suspended; null if it is paused, because resuming reschedules the job (worker only).';

grant execute on function app.held_until(text) to worker;

-- Ordering by record --------------------------------------------------------------------------------------------------

create function app.turn_of_delivery(delivery public.webhook_deliveries) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
declare
  max_microseconds constant bigint := 1000000;
  predecessor public.webhook_deliveries;
begin
  select d.* into predecessor from public.webhook_deliveries d
  where d.tenant_id = delivery.tenant_id and d.endpoint_id = delivery.endpoint_id and d.record_id = delivery.record_id
    and d.sequence < delivery.sequence and d.status = 'pending'
  order by d.sequence limit 1;
  if not found then
    return now();
  end if;
  -- Keeps the predecessor locked until the outcome is recorded; a concurrent replay of it reschedules its successors
  -- itself.
  perform from public.webhook_deliveries d where d.id = predecessor.id and d.next_at = predecessor.next_at for share skip locked;
  if not found then
    return now();
  elsif exists (
    select from public.jobs j where j.name = 'deliver-webhook' and j.key = predecessor.id and j.finished_at is null and j.failed_at is null
  ) then
    -- Run after the predecessor, in order with the other deliveries that wait for it.
    return greatest(predecessor.next_at, now()) + least(delivery.sequence - predecessor.sequence, max_microseconds) * interval '1 microsecond';
  end if;
  -- The predecessor's job failed permanently and runs again only after an admin intervenes.
  return now() + interval '1 minute';
end
$$;

comment on function app.turn_of_delivery(public.webhook_deliveries) is
  'When to check again whether all earlier deliveries of the same record were delivered or failed permanently (worker only).';

grant execute on function app.turn_of_delivery(public.webhook_deliveries) to worker;

create function private.advance_successors(delivery public.webhook_deliveries) returns void
language sql
set search_path = ''
as $$
  update public.jobs j set due_at = now()
  from public.webhook_deliveries d
  where d.tenant_id = delivery.tenant_id and d.endpoint_id = delivery.endpoint_id and d.record_id = delivery.record_id
    and d.sequence > delivery.sequence and d.status = 'pending'
    and j.name = 'deliver-webhook' and j.key = d.id and j.due_at > now()
    and j.finished_at is null and j.failed_at is null and j.locked_until is null
$$;

comment on function private.advance_successors(public.webhook_deliveries) is
  'Makes the jobs of deliveries that wait for this one due now, because it is sent earlier than scheduled.';

create function private.order_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Skips deliveries into which a transaction is folding an event, because it may stay open.
  with waiting as (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = new.tenant_id and d.endpoint_id = new.id and d.status = 'pending' and d.record_id is null
    for no key update skip locked
  )
  update public.webhook_deliveries d set record_id = e.data ->> 'id', sequence = e.sequence
  from public.events e
  where d.id in (select id from waiting) and e.tenant_id = d.tenant_id and e.id = d.event_id and e.data ->> 'id' is not null;
  return null;
end
$$;

comment on function private.order_deliveries() is 'Trigger: applies ordering to a webhook''s pending deliveries when it is enabled.';

create trigger webhook_endpoints_order_deliveries after update of ordered on public.webhook_endpoints
  for each row when (new.ordered and not old.ordered)
  execute function private.order_deliveries();

-- Webhooks: for endpoints with fold_seconds, bursts of events of one record and type are folded into one delivery. The
-- first event creates a delivery that is due at the end of the window; later events in the window replace the
-- delivery's event. Events of a record are written under the record's lock, so that concurrent requests see each
-- other's delivery.

create table private.webhook_folded_events (
  tenant_id   uuid not null references public.tenants (id) on delete cascade,
  endpoint_id uuid not null references public.webhook_endpoints (id) on delete cascade,
  event_id    text not null,
  primary key (tenant_id, event_id, endpoint_id),
  foreign key (tenant_id, event_id) references public.events (tenant_id, id) on delete cascade
);

comment on table private.webhook_folded_events is
  'Events that a later one replaced in the same delivery; replays skip them as long as these rows are kept.';

create index webhook_folded_events_endpoint_idx on private.webhook_folded_events (endpoint_id);

alter table private.webhook_folded_events enable row level security;

create function private.fold_deliveries(written jsonb) returns public.webhook_deliveries[]
language plpgsql
set search_path = ''
as $$
declare
  deliveries public.webhook_deliveries[];
begin
  with events as (
    select s.tenant_id, s.endpoint_id, e.data ->> 'id' || ' ' || e.type as fold_key, s.fold_seconds, s.record_id, max(e.sequence) as sequence,
           array_agg(distinct e.id) as events, (array_agg(e.id order by e.sequence desc))[1] as last_event,
           coalesce(array_agg(distinct name) filter (where name is not null), '{}') as changed
    from jsonb_to_recordset(written) as s (tenant_id uuid, endpoint_id uuid, event_id text, record_id text, fold_seconds integer)
    join public.events e on e.tenant_id = s.tenant_id and e.id = s.event_id
    left join unnest(e.changed) as name on true
    group by s.tenant_id, s.endpoint_id, 3, s.fold_seconds, s.record_id
  ), folding as (
    select b.*, o.id as delivery_id, o.event_id as replaced
    from events b
    -- Waiting for this lock cannot deadlock: a transaction that replays the delivery or enables ordering holds no other
    -- lock that this request needs.
    cross join lateral (
      select o.id, o.event_id from public.webhook_deliveries o
      where o.tenant_id = b.tenant_id and o.endpoint_id = b.endpoint_id and o.fold_key = b.fold_key and o.fold_until > clock_timestamp()
      order by o.fold_until desc limit 1
      for update
    ) as o
  ), joined as (
    update public.webhook_deliveries d
    set event_id = g.last_event,
        sequence = case when d.record_id is not null then g.sequence end,
        folded   = d.folded + cardinality(g.events),
        changed  = array(select distinct unnest(d.changed || g.changed) order by 1)
    from folding g
    where d.id = g.delivery_id
  ), replaced as (
    insert into private.webhook_folded_events (tenant_id, endpoint_id, event_id)
    select b.tenant_id, b.endpoint_id, event
    from events b
    left join folding g on g.endpoint_id = b.endpoint_id and g.fold_key = b.fold_key
    cross join lateral unnest(b.events || g.replaced) as event
    where event <> b.last_event
    on conflict do nothing
  ), begun as (
    insert into public.webhook_deliveries as d (tenant_id, endpoint_id, event_id, record_id, sequence, fold_key, fold_until, next_at, folded, changed)
    select b.tenant_id, b.endpoint_id, b.last_event, b.record_id, case when b.record_id is not null then b.sequence end, b.fold_key,
           ends.at, ends.at, cardinality(b.events), b.changed
    from events b, lateral (select clock_timestamp() + make_interval(secs => b.fold_seconds) as at) as ends
    where (b.endpoint_id, b.fold_key) not in (select g.endpoint_id, g.fold_key from folding g)
    returning d
  )
  select array_agg(begun.d) into deliveries from begun;
  return deliveries;
end
$$;

comment on function private.fold_deliveries(jsonb) is
  'Folds events [{tenant_id, endpoint_id, event_id, record_id, fold_seconds}] into open deliveries and returns new ones for the rest.';

create function app.end_fold_windows(delivery_ids text[], event_ids text[]) returns setof text
language sql security definer rows 5
set search_path = ''
as $$
  update public.webhook_deliveries d set fold_key = null, fold_until = null
  where d.id in (
    select o.id from public.webhook_deliveries o
    join unnest(delivery_ids, event_ids) as due (id, event_id) on o.id = due.id and o.event_id = due.event_id
    where o.fold_until <= clock_timestamp()
    -- A transaction that began within the window may still be folding an event into it.
    for no key update of o skip locked)
  returning d.id
$$;

comment on function app.end_fold_windows(text[], text[]) is
  'Ends the folding windows of due deliveries and returns those to send, except deliveries that a transaction is changing (worker only).';

grant execute on function app.end_fold_windows(text[], text[]) to worker;

-- Event feed: a tenant's events in one order that all readers see, for clients that poll instead of receiving webhooks.
--
--   event_positions  positions of committed events in the feed
--   event_feeds      numbering progress per tenant
--
-- Writing an event costs the feed one index entry. Readers assign positions to events committed since the last read
-- (app.number_events), one reader per tenant at a time. A position is assigned only after all lower ones are readable,
-- and open transactions do not block the feed. See docs/adr/0013-event-feed.md.

create table public.event_positions (
  tenant_id  uuid           not null references public.tenants (id) on delete cascade,
  interface  text           not null,
  position   bigint         not null,
  sequence   bigint         not null,
  type       text           not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, interface, position),
  unique (tenant_id, sequence)
);

comment on table  public.event_positions is
  'Positions of events in their tenant''s feed, append-only until retention; events without a position have not been read yet.';
comment on column public.event_positions.position is
  'Position among all events of the tenant, with gaps within one interface; used in cursors.';
comment on column public.event_positions.sequence is
  'Sequence of the event; not a foreign key, because the event is kept as long as its position.';
comment on column public.event_positions.created_at is 'When the event was created.';

alter table public.event_positions enable row level security;
grant select on public.event_positions to api;

create policy "A tenant sees the feed positions of its own events" on public.event_positions
  for select to api using (tenant_id = (select app.tenant_id()));

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.event_feeds (
  tenant_id        uuid   primary key references public.tenants (id) on delete cascade,
  last_position    bigint not null default 0,
  dropped_position bigint not null default 0,
  settled          bigint not null default 0,
  checkpoint       bigint,
  checkpoint_xid   xid8,
  check ((checkpoint is null) = (checkpoint_xid is null))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.event_feeds is 'Numbering progress of each tenant''s feed, created on the first read.';
comment on column public.event_feeds.last_position is 'The highest assigned position.';
comment on column public.event_feeds.dropped_position is
  'The highest position deleted by retention; cursors before it have expired.';
comment on column public.event_feeds.settled is
  'No event up to this sequence still needs a position; the search for events without one starts here.';
comment on column public.event_feeds.checkpoint is
  'The last sequence assigned at the checkpoint; it becomes settled once all transactions open at that time have ended.';
comment on column public.event_feeds.checkpoint_xid is
  'A transaction id assigned after the checkpoint; transactions open at the checkpoint have lower ids.';

alter table public.event_feeds enable row level security;
grant select on public.event_feeds to api;

create policy "A tenant sees the progress of its own feed" on public.event_feeds
  for select to api using (tenant_id = (select app.tenant_id()));

-- Reading the event feed assigns positions, which is a write: it waits while the tenant is moved.
create function app.number_events(at_most integer default 10000) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  tenant        constant uuid := app.tenant_id();
  feed          public.event_feeds;
  last_sequence bigint;
  own_xid       xid8;
  can_settle    boolean;
  oldest        timestamptz;
  n             integer;
begin
  -- Events of a tenant that cannot write have their positions already.
  if exists (
    select from private.tenant_moves m
    where m.tenant_id = tenant and (m.closed or (m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp()))
      and current_setting('app.moving', true) is distinct from m.id::text
  ) then
    return false;
  end if;

  -- Read the sequence first: transactions with numbers up to `last_sequence` already have transaction ids, which are
  -- lower than the one assigned next.
  if pg_current_xact_id_if_assigned() is null then
    select case when s.is_called then s.last_value else 0 end into last_sequence from private.event_sequence s;
    own_xid := pg_current_xact_id();
  end if;

  insert into public.event_feeds (tenant_id) values (tenant) on conflict (tenant_id) do nothing;
  select f.* into feed from public.event_feeds f where f.tenant_id = tenant for update;

  select now() - make_interval(days => r.days) into oldest from private.retention r where r.what = 'event_positions';
  -- Evaluated before reading events, so that all events of the transactions before the checkpoint are visible.
  can_settle := coalesce(feed.checkpoint_xid <= pg_snapshot_xmin(pg_current_snapshot()), false);

  insert into public.event_positions (tenant_id, interface, position, sequence, type, created_at)
  select tenant, u.interface, feed.last_position + row_number() over (order by u.sequence), u.sequence, u.type, u.created_at
  from (
    select e.interface, e.sequence, e.type, e.created_at
    from public.events e
    where e.tenant_id = tenant and e.sequence > feed.settled
      and e.type <> 'webhook.test' and e.created_at >= oldest
      and not exists (select from public.event_positions p where p.tenant_id = tenant and p.sequence = e.sequence)
    order by e.sequence limit at_most
  ) as u;
  get diagnostics n = row_count;
  feed.last_position := feed.last_position + n;

  if n < at_most and can_settle then
    feed.settled := feed.checkpoint;
    feed.checkpoint := null;
    feed.checkpoint_xid := null;
  end if;
  -- After a restore from a dump, the id is from another cluster, whose transactions have all ended.
  if feed.checkpoint_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
    feed.checkpoint := null;
    feed.checkpoint_xid := null;
  end if;
  if feed.checkpoint is null and own_xid is not null and exists (
    select from public.events e where e.tenant_id = tenant and e.sequence > feed.settled
  ) then
    feed.checkpoint := last_sequence;
    feed.checkpoint_xid := own_xid;
  end if;
  update public.event_feeds f
  set (last_position, settled, checkpoint, checkpoint_xid) = row (feed.last_position, feed.settled, feed.checkpoint, feed.checkpoint_xid)
  where f.tenant_id = tenant;
  return n = at_most;
end
$$;

comment on function app.number_events(integer) is
  'Assigns feed positions to at most at_most committed events of the tenant, in write order; returns whether there may be more.';

grant execute on function app.number_events(integer) to api;

-- Webhooks: managing endpoints in Studio.

create function private.renew_webhook_secret(
  endpoint_id uuid, secret text default 'whsec_' || encode(extensions.gen_random_bytes(24), 'base64')
) returns text
language plpgsql
set search_path = ''
as $$
begin
  delete from private.webhook_secrets s
  where s.endpoint_id = renew_webhook_secret.endpoint_id and s.expires_at is not null;
  update private.webhook_secrets s set expires_at = now() + interval '24 hours'
  where s.endpoint_id = renew_webhook_secret.endpoint_id;
  insert into private.webhook_secrets (endpoint_id, secret) values (renew_webhook_secret.endpoint_id, renew_webhook_secret.secret);
  return renew_webhook_secret.secret;
end
$$;

comment on function private.renew_webhook_secret(uuid, text) is
  'Sets a new secret for an endpoint, by default 24 random bytes; the previous one stays valid for 24 hours, older ones are deleted.';

create function admin.create_payment_webhook(tenant_id uuid, url text, events text[] default null)
returns table (id uuid, secret text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  known   constant text[] := private.event_types('payments');
  refused constant text   := private.refused_destination(create_payment_webhook.url);
  unknown text;
  new_id  uuid;
begin
  perform private.expect_tenant(create_payment_webhook.tenant_id), private.expect_filled('url', create_payment_webhook.url);
  select string_agg(coalesce(event, 'null'), ', ') into unknown
  from unnest(create_payment_webhook.events) as event
  where (event = any (known)) is not true;
  if unknown is not null then
    perform private.refuse_argument('events', 'unknown: ' || unknown, known);
  end if;
  if refused is not null then
    raise exception 'url: %', refused using errcode = 'invalid_parameter_value';
  end if;

  insert into public.webhook_endpoints as w (tenant_id, interface, url, events)
  values (create_payment_webhook.tenant_id, 'payments', create_payment_webhook.url, create_payment_webhook.events)
  returning w.id into new_id;
  return query select new_id, private.renew_webhook_secret(new_id);
end
$$;

comment on function admin.create_payment_webhook(uuid, text, text[]) is
  'Subscribes a URL to payments events (null: all except opt-in types) and returns the signing secret only once: copy it.';

create function admin.rotate_webhook_secret(id uuid) returns text
language plpgsql
set search_path = ''
as $$
begin
  -- Serializes concurrent rotations of the same webhook's secret.
  perform from public.webhook_endpoints w where w.id = rotate_webhook_secret.id for no key update;
  if not found then
    raise exception 'id: webhook % does not exist', rotate_webhook_secret.id using errcode = 'no_data_found';
  end if;
  return private.renew_webhook_secret(rotate_webhook_secret.id);
end
$$;

comment on function admin.rotate_webhook_secret(uuid) is
  'Creates and returns a new secret for a webhook; for 24 hours deliveries are also signed with the old one.';

create function private.deactivate_webhook(id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.webhook_endpoints w
  set active = false,
      deactivated_at      = case when w.active then now() else w.deactivated_at end,
      deactivation_reason = case when w.active then 'deactivated by an admin' else w.deactivation_reason end
  where w.id = deactivate_webhook.id;
  if not found then
    raise exception 'id: webhook % does not exist', deactivate_webhook.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.deactivate_webhook(uuid) is
  'Deactivates a webhook until admin.reactivate_webhook(id): pending retries fail and new events are not sent.';

create function private.pause_webhook(webhook_id uuid) returns public.webhook_endpoints
language sql
set search_path = ''
as $$
  update public.webhook_endpoints w set paused_at = coalesce(w.paused_at, now()) where w.id = webhook_id and w.active
  returning w.*
$$;

comment on function private.pause_webhook(uuid) is
  'Pauses deliveries to an active webhook; returns null if no active webhook has this id.';

create function private.resume_webhook(webhook_id uuid) returns public.webhook_endpoints
language sql
set search_path = ''
as $$
  update public.webhook_endpoints w
  set paused_at = null, suspended_until = null, suspensions = 0,
      consecutive_failures = case when w.suspended_until is null then w.consecutive_failures else 0 end,
      first_failure_at     = case when w.suspended_until is null then w.first_failure_at end
  where w.id = webhook_id and w.active
  returning w.*
$$;

comment on function private.resume_webhook(uuid) is
  'Ends the pause and the suspension of an active webhook and resets its failures; returns null if no active webhook has this id.';

create function private.reactivate_webhook(id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.webhook_endpoints w
  set active = true, paused_at = null, suspended_until = null, suspensions = 0, consecutive_failures = 0, first_failure_at = null,
      deactivated_at = null, deactivation_reason = null
  where w.id = reactivate_webhook.id;
  if not found then
    raise exception 'id: webhook % does not exist', reactivate_webhook.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.reactivate_webhook(uuid) is
  'Reactivates a webhook from the next event on and ends its pause; send missed events with admin.replay_delivery.';

create function private.replay_delivery(delivery_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  delivery public.webhook_deliveries;
  webhook  public.webhook_endpoints;
  type     text;
begin
  select * into delivery from public.webhook_deliveries d where d.id = replay_delivery.delivery_id for no key update;
  if not found then
    raise exception 'delivery_id: delivery % does not exist', replay_delivery.delivery_id using errcode = 'no_data_found';
  end if;
  select * into webhook from public.webhook_endpoints w where w.id = delivery.endpoint_id;
  select e.type into type from public.events e where e.tenant_id = delivery.tenant_id and e.id = delivery.event_id;
  if not webhook.active then
    raise exception 'The webhook of this delivery is deactivated.'
      using errcode = 'object_not_in_prerequisite_state', hint = 'Reactivate it with admin.reactivate_webhook(id).';
  elsif not app.subscribes(webhook.events, type) then
    raise exception 'The webhook of this delivery does not subscribe to %.', type
      using errcode = 'object_not_in_prerequisite_state';
  end if;

  if delivery.status = 'pending' then
    -- If an attempt is running, it counts as the replay.
    perform from public.jobs j
    where j.name = 'deliver-webhook' and j.key = delivery.id and j.locked_until > now()
      and j.finished_at is null and j.failed_at is null;
    if found then
      return;
    end if;
    update public.webhook_deliveries d set next_at = now(), fold_key = null, fold_until = null where d.id = delivery.id returning d.* into delivery;
  else
    update public.webhook_deliveries d set status = 'pending', cycle_attempts = 0, next_at = now() where d.id = delivery.id;
  end if;

  -- Replace the job row, so that messages and late workers of the previous schedule cannot affect the new one.
  delete from public.jobs j where j.name = 'deliver-webhook' and j.key = delivery.id;
  perform private.schedule_deliveries(delivery), private.advance_successors(delivery);
end
$$;

comment on function private.replay_delivery(text) is
  'Replays a delivery within a minute, with the same id and a new retry schedule; a pending retry is sent now instead.';

create view admin.events with (security_invoker = true) as
  select e.tenant_id, e.id, e.interface, e.type, e.changed, app.event_data(e) as data, e.origin, e.depth, e.created_at, e.trace_id
  from public.events e;

comment on view admin.events is 'Events of all tenants, with the changed members and the record at that time.';
comment on column admin.events.trace_id is 'Trace of the request or job that caused the event; null if none.';
comment on column admin.events.data is 'The resource after the change, in stored form.';

create view admin.webhook_endpoints with (security_invoker = true) as
  select id, tenant_id, interface, client_id, url, events, filters, changed, header_names, ordered, fold_seconds, description, variant, active and paused_at is null as active,
         paused_at, suspended_until, consecutive_failures, first_failure_at, deactivated_at, deactivation_reason, created_at, updated_at
  from public.webhook_endpoints;

comment on view admin.webhook_endpoints is
  'Webhooks of all tenants with their owner and state, without secrets; active is false for paused and deactivated ones.';

create view admin.webhook_deliveries with (security_invoker = true) as
  select d.id, d.endpoint_id, d.tenant_id, d.event_id, e.type, d.folded, d.status, d.attempts, d.next_at, d.last_status, d.last_error,
         d.created_at, d.updated_at
  from public.webhook_deliveries d
  join public.events e on e.tenant_id = d.tenant_id and e.id = d.event_id;

comment on view admin.webhook_deliveries is 'Deliveries to webhooks and their status.';

create view admin.webhook_attempts with (security_invoker = true) as
  select id, tenant_id, delivery_id, at, response_status, response_ms, response_excerpt, error
  from public.webhook_attempts;

comment on view admin.webhook_attempts is 'Delivery attempts, with the beginning of the response.';

-- Webhooks: managing them through the interface whose events they receive. Request roles write endpoints directly and call functions for
-- everything that their grants do not cover.

create function app.webhook_interface() returns text
language sql stable
return case current_setting('role') when 'payments' then 'payments' else 'records' end;

comment on function app.webhook_interface() is 'The interface whose webhooks the request manages, derived from its role.';

grant execute on function app.webhook_interface() to api;

create function app.webhook_status(w public.webhook_endpoints) returns text
language sql immutable
return case when not w.active then 'deactivated' when w.paused_at is not null then 'paused'
            when w.suspended_until is not null then 'suspended' else 'active' end;

comment on function app.webhook_status(public.webhook_endpoints) is
  'active, paused (events are queued), suspended (queued after failures) or deactivated (events are not queued).';

grant execute on function app.webhook_status(public.webhook_endpoints) to api;

create function app.webhook_record(w public.webhook_endpoints) returns jsonb
language sql stable
return jsonb_build_object('id', w.id, 'url', w.url, 'events', w.events, 'filters', coalesce(w.filters, '[]'), 'changed', coalesce(w.changed, '{}'), 'header_names', w.header_names,
                          'ordered', w.ordered, 'fold_seconds', w.fold_seconds,
                          'description', w.description, 'active', w.active,
                          'status', app.webhook_status(w), 'variant', w.variant, 'public_key', w.public_key, 'created_at', w.created_at,
                          'updated_at', w.updated_at);

comment on function app.webhook_record(public.webhook_endpoints) is 'A webhook in stored form, without secrets.';

grant execute on function app.webhook_record(public.webhook_endpoints) to api;

create function app.set_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  kind     text;
  replaced constant jsonb := '{"secret": "replaced"}';
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface();
  if not found then
    return;
  end if;
  kind := case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end;
  delete from private.webhook_secrets s where s.endpoint_id = webhook_id;
  if found then
    perform private.add_change(
      webhook.tenant_id, kind || '.secret_rotated', kind, webhook.id::text, private.audited_url(webhook.url), replaced,
      case when set_webhook_secret.secret is null then '{"secret": "removed"}' else replaced end);
  elsif set_webhook_secret.secret is not null and webhook.created_at < now() - interval '1 ms' and private.is_audited() then
    -- The first secret of a webhook that existed before this request.
    perform private.add_change(
      webhook.tenant_id, kind || '.secret_set', kind, webhook.id::text, private.audited_url(webhook.url), null, '{"secret": "set"}');
  end if;
  if set_webhook_secret.secret is not null then
    insert into private.webhook_secrets (endpoint_id, secret) values (webhook_id, set_webhook_secret.secret);
  end if;
end
$$;

comment on function app.set_webhook_secret(uuid, text) is 'Replaces the secret of a tenant''s webhook; null removes it.';

grant execute on function app.set_webhook_secret(uuid, text) to api;

create function app.rotate_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Serializes concurrent rotations of the same webhook's secret.
  perform from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for no key update;
  if not found then
    perform app.raise_domain_error('webhook_missing');
  end if;
  perform private.renew_webhook_secret(webhook_id, rotate_webhook_secret.secret);
end
$$;

comment on function app.rotate_webhook_secret(uuid, text) is
  'Rotates the secret of a tenant''s webhook to this value; for 24 hours deliveries are also signed with the old one.';

grant execute on function app.rotate_webhook_secret(uuid, text) to api;

create function app.test_webhook(webhook_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  event    text;
  delivery public.webhook_deliveries;
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for share;
  if not found then
    return app.raise_domain_error('webhook_missing');
  elsif not webhook.active then
    return app.raise_domain_error('webhook_inactive');
  end if;
  insert into public.events (tenant_id, interface, type, data)
  values (webhook.tenant_id, webhook.interface, 'webhook.test', jsonb_build_object('webhook_id', webhook.id))
  returning id into event;
  insert into public.webhook_deliveries as d (tenant_id, endpoint_id, event_id) values (webhook.tenant_id, webhook.id, event)
  returning d.* into delivery;
  perform private.schedule_deliveries(delivery);
  return jsonb_build_object('event_id', event, 'delivery_id', delivery.id);
end
$$;

comment on function app.test_webhook(uuid) is 'Sends the event webhook.test to one webhook of the tenant.';

grant execute on function app.test_webhook(uuid) to api;

create function app.replay_webhook_delivery(webhook_id uuid, delivery_id text, readable text[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  sent record;
begin
  select w.active, w.events, e.type into sent
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
  where d.id = replay_webhook_delivery.delivery_id and w.id = webhook_id
    and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for share of w;
  if not found then
    return app.raise_domain_error('delivery_missing');
  end if;
  if readable is not null then
    perform app.check_readable(array[sent.type], readable || 'webhook.test'::text);
  end if;
  if not sent.active then
    return app.raise_domain_error('webhook_inactive');
  elsif not app.subscribes(sent.events, sent.type) then
    return app.raise_domain_error('event_unsubscribed');
  end if;
  perform admin.replay_delivery(replay_webhook_delivery.delivery_id);
  return jsonb_build_object('delivery_id', replay_webhook_delivery.delivery_id);
end
$$;

comment on function app.replay_webhook_delivery(uuid, text, text[]) is
  'Replays a delivery of a tenant''s webhook if the caller may read events of its type.';

grant execute on function app.replay_webhook_delivery(uuid, text, text[]) to api;

create function app.hold_webhook(webhook_id uuid, readable text[], paused boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook public.webhook_endpoints;
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for no key update;
  if not found then
    return app.raise_domain_error('webhook_missing');
  end if;
  if readable is not null then
    perform app.check_readable(webhook.events, readable);
  end if;
  if not webhook.active then
    return app.raise_domain_error('webhook_inactive');
  end if;
  return app.webhook_record(case when paused then private.pause_webhook(webhook_id) else private.resume_webhook(webhook_id) end);
end
$$;

comment on function app.hold_webhook(uuid, text[], boolean) is
  'Pauses or resumes a tenant''s webhook if the caller may read its events; a null readable skips that check.';

grant execute on function app.hold_webhook(uuid, text[], boolean) to api;

-- Webhooks: bulk replays, of all events since a time or of failed deliveries only. A replay processes the events that
-- existed when it was requested, in order and in batches: the first batch in the transaction of the request, the rest
-- by a job.
--
--   webhook_replays            requested replays and their progress
--   webhook_replay_deliveries  deliveries that a replay sent again

create table public.webhook_replays (
  id          uuid           primary key default gen_random_uuid(),
  tenant_id   uuid           not null references public.tenants (id) on delete cascade,
  endpoint_id uuid           not null,
  since       timestamptz,
  failed      boolean        not null,
  last        bigint         not null,
  reached     bigint         not null default 0,
  total       integer        not null default 0,
  scheduled   integer        not null default 0,
  finished_at timestamptz,
  created_at  timestamptz(3) not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, endpoint_id) references public.webhook_endpoints (tenant_id, id) on delete cascade
);

comment on table  public.webhook_replays is
  'Requests to replay a webhook''s deliveries; rows older than 30 days are deleted on the webhook''s next replay.';
comment on column public.webhook_replays.since is
  'Replays events created from this time on; null means all events that are kept.';
comment on column public.webhook_replays.failed is 'Whether only failed deliveries are replayed.';
comment on column public.webhook_replays.last is
  'Sequence of the last event when the replay was requested; later events are delivered normally.';
comment on column public.webhook_replays.reached is 'Sequence of the last event whose delivery is scheduled.';
comment on column public.webhook_replays.total is
  'Number of deliveries to replay: counted when the replay was requested, and exact once all are scheduled.';
comment on column public.webhook_replays.finished_at is 'When all deliveries were scheduled.';

create index webhook_replays_endpoint_idx on public.webhook_replays (tenant_id, endpoint_id, created_at);

alter table public.webhook_replays enable row level security;
grant select on public.webhook_replays to api, worker;

create policy "A tenant sees its own replays" on public.webhook_replays
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the replays of every tenant" on public.webhook_replays
  for select to worker using (true);

create table public.webhook_replay_deliveries (
  tenant_id       uuid    not null references public.tenants (id) on delete cascade,
  replay_id       uuid    not null,
  delivery_id     text    not null,
  attempts_before integer not null,
  primary key (tenant_id, replay_id, delivery_id),
  foreign key (tenant_id, replay_id)   references public.webhook_replays (tenant_id, id) on delete cascade,
  foreign key (tenant_id, delivery_id) references public.webhook_deliveries (tenant_id, id) on delete cascade
);

comment on table  public.webhook_replay_deliveries is 'Deliveries that a replay sent again.';
comment on column public.webhook_replay_deliveries.attempts_before is
  'Attempts of the delivery before the replay; a higher count means that it was sent.';

create index webhook_replay_deliveries_delivery_idx on public.webhook_replay_deliveries (tenant_id, delivery_id);

alter table public.webhook_replay_deliveries enable row level security;
grant select on public.webhook_replay_deliveries to api;

create policy "A tenant sees the deliveries of its own replays" on public.webhook_replay_deliveries
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.events_to_replay(replay public.webhook_replays, at_most integer)
returns table (event_id text, sequence bigint, delivery_id text)
language sql stable
set search_path = ''
as $$
  select found.event_id, found.sequence, found.delivery_id
  from public.webhook_endpoints w
  cross join lateral (
    select e.id as event_id, e.sequence, d.id as delivery_id, e.type, e.silent, e.created_at
    from public.webhook_deliveries d
    join public.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    where replay.failed and d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.status = 'failed'
    union all
    select e.id, e.sequence, d.id, e.type, e.silent, e.created_at
    from public.events e
    left join public.webhook_deliveries d on d.tenant_id = w.tenant_id and d.endpoint_id = w.id and d.event_id = e.id
    where not replay.failed and e.tenant_id = w.tenant_id and e.interface = w.interface
      and e.sequence > replay.reached and e.sequence <= replay.last
      -- A delivery that is folding events is sent at the end of its window.
      and d.fold_key is null
      and not exists (
        select from private.webhook_folded_events f where f.tenant_id = w.tenant_id and f.endpoint_id = w.id and f.event_id = e.id)
  ) as found
  where w.tenant_id = replay.tenant_id and w.id = replay.endpoint_id
    and found.sequence > replay.reached and found.sequence <= replay.last
    and not found.silent and found.type <> 'webhook.test' and app.subscribes(w.events, found.type)
    and ((w.filter_rules is null and w.changed_rules is null) or private.webhook_wants(w, w.tenant_id, found.event_id))
    and found.created_at >= coalesce(replay.since, '-infinity')
  order by found.sequence
  limit at_most
$$;

comment on function private.events_to_replay(public.webhook_replays, integer) is
  'The next events of a replay (at most at_most), in order, with their existing deliveries.';

create function private.send_again(replay public.webhook_replays, delivery_ids text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  deliveries public.webhook_deliveries[];
begin
  -- Lock in the same order as workers do, to avoid deadlocks.
  perform from public.webhook_deliveries d where d.id = any (delivery_ids) order by d.id for no key update;
  insert into public.webhook_replay_deliveries (tenant_id, replay_id, delivery_id, attempts_before)
  select d.tenant_id, replay.id, d.id, d.attempts from public.webhook_deliveries d where d.id = any (delivery_ids);
  -- If an attempt is running, it counts as the replay.
  with again as (
    update public.webhook_deliveries d
    set status = 'pending', cycle_attempts = 0, next_at = now(),
        record_id = case when w.ordered then e.data ->> 'id' end,
        sequence  = case when w.ordered and e.data ->> 'id' is not null then e.sequence end
    from public.webhook_endpoints w, public.events e
    where d.id = any (delivery_ids) and w.id = d.endpoint_id and e.tenant_id = d.tenant_id and e.id = d.event_id and not exists (
      select from public.jobs j
      where j.name = 'deliver-webhook' and j.key = d.id and j.locked_until > now() and j.finished_at is null and j.failed_at is null)
    returning d
  )
  select array_agg(again.d order by (again.d).id) into deliveries from again;
  -- Replace the job rows, so that messages and late workers of the previous schedule cannot affect the new ones.
  delete from public.jobs j
  using unnest(deliveries) as d where j.name = 'deliver-webhook' and j.key = d.id;
  if deliveries is not null then
    perform private.schedule_deliveries(variadic deliveries);
    perform private.advance_successors(d) from unnest(deliveries) as d where d.record_id is not null;
  end if;
end
$$;

comment on function private.send_again(public.webhook_replays, text[]) is
  'Replays finished deliveries with a new retry schedule and sends pending ones now.';

create function app.continue_webhook_replay(replay_id uuid, at_most integer default 500) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  replay     public.webhook_replays;
  found_last bigint;
  events     text[];
  known      text[];
  made       text[];
begin
  -- Locks the endpoint first, because deleting an endpoint locks it before its replays.
  perform from public.webhook_endpoints w
  where w.id = (select r.endpoint_id from public.webhook_replays r where r.id = replay_id) for key share;
  select r.* into replay from public.webhook_replays r
  where r.id = replay_id and r.finished_at is null
  for update;
  if not found then
    return true;
  end if;
  if exists (select from public.webhook_endpoints w where w.id = replay.endpoint_id and w.active) then
    select array_agg(e.event_id), array_agg(e.delivery_id) filter (where e.delivery_id is not null), max(e.sequence)
    into events, known, found_last
    from private.events_to_replay(replay, at_most) as e;
  end if;
  with created as (
    insert into public.webhook_deliveries as d (tenant_id, endpoint_id, event_id, changed)
    select replay.tenant_id, replay.endpoint_id, one, case when w.fold_seconds is not null then e.changed end
    from unnest(events) with ordinality as each (one, n)
    join public.webhook_endpoints w on w.id = replay.endpoint_id
    join public.events e on e.tenant_id = replay.tenant_id and e.id = one
    where not exists (
      select from public.webhook_deliveries o
      where o.tenant_id = replay.tenant_id and o.endpoint_id = replay.endpoint_id and o.event_id = one)
    order by n
    on conflict (tenant_id, event_id, endpoint_id) do nothing
    returning d.id
  )
  select array_agg(id) into made from created;
  perform private.send_again(replay, coalesce(known, '{}') || coalesce(made, '{}'));
  update public.webhook_replays r
  set reached     = coalesce(found_last, r.reached),
      scheduled   = r.scheduled + coalesce(cardinality(known), 0) + coalesce(cardinality(made), 0),
      finished_at = case when coalesce(cardinality(events), 0) < at_most then now() end
  where r.id = replay.id
  returning r.* into replay;
  update public.webhook_replays r set total = greatest(r.scheduled, case when r.finished_at is null then r.total end)
  where r.id = replay.id;
  return replay.finished_at is not null;
end
$$;

comment on function app.continue_webhook_replay(uuid, integer) is
  'Schedules the next at_most deliveries of a replay and returns whether it is finished; called by jobs and by the request that creates it.';

grant execute on function app.continue_webhook_replay(uuid, integer) to worker;

create function app.webhook_replay_record(r public.webhook_replays) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'id', r.id, 'total', r.total, 'sent', r.scheduled - waits.number,
    'status', case when r.finished_at is not null and waits.number = 0 then 'done' else 'running' end)
  from (
    select count(*)::integer as number
    from public.webhook_replay_deliveries l
    join public.webhook_deliveries d on d.tenant_id = l.tenant_id and d.id = l.delivery_id
    where l.tenant_id = r.tenant_id and l.replay_id = r.id and d.status = 'pending' and d.attempts = l.attempts_before
  ) as waits
$$;

comment on function app.webhook_replay_record(public.webhook_replays) is
  'A replay in stored form; "sent" counts the deliveries that were attempted or abandoned since it began.';

grant execute on function app.webhook_replay_record(public.webhook_replays) to api;

create function private.max_running_replays() returns integer language sql immutable parallel safe return 3;

comment on function private.max_running_replays() is 'Replays of a webhook that may run at once.';

create function app.replay_webhook(webhook_id uuid, since timestamptz, failed boolean, readable text[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook public.webhook_endpoints;
  replay  public.webhook_replays;
begin
  select w.* into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface();
  if not found then
    return app.raise_domain_error('webhook_missing');
  end if;
  if readable is not null then
    perform app.check_readable(webhook.events, readable);
  end if;
  if not webhook.active then
    return app.raise_domain_error('webhook_inactive');
  end if;
  -- Serializes the replays of a webhook. Without this, each request would read and send the same events again.
  perform pg_advisory_xact_lock(hashtextextended('replay:' || webhook.id, 0));
  select r.* into replay from public.webhook_replays r
  where r.tenant_id = webhook.tenant_id and r.endpoint_id = webhook.id
    and r.failed = replay_webhook.failed and r.since is not distinct from replay_webhook.since
    and app.webhook_replay_record(r) ->> 'status' = 'running'
  order by r.created_at limit 1;
  if found then
    return app.webhook_replay_record(replay);
  elsif private.max_running_replays() <= (
    select count(*) from public.webhook_replays r
    where r.tenant_id = webhook.tenant_id and r.endpoint_id = webhook.id and app.webhook_replay_record(r) ->> 'status' = 'running'
  ) then
    return app.raise_domain_error('too_many_replays');
  end if;
  delete from public.webhook_replays r
  where r.tenant_id = webhook.tenant_id and r.endpoint_id = webhook.id and r.created_at < now() - interval '30 days';
  insert into public.webhook_replays as r (tenant_id, endpoint_id, since, failed, last)
  select webhook.tenant_id, webhook.id, replay_webhook.since, replay_webhook.failed, s.last_value from private.event_sequence s
  returning r.* into replay;
  update public.webhook_replays r set total = (select count(*) from private.events_to_replay(replay, null)) where r.id = replay.id;
  if not app.continue_webhook_replay(replay.id) then
    insert into public.jobs (tenant_id, name, key, payload)
    select replay.tenant_id, 'replay-webhook', replay.id::text, jsonb_build_object('replay_id', replay.id)
    on conflict (name, key) do nothing;
  end if;
  return (select app.webhook_replay_record(r) from public.webhook_replays r where r.id = replay.id);
end
$$;

comment on function app.replay_webhook(uuid, timestamptz, boolean, text[]) is
  'Replays a tenant''s webhook, since a time or only failed ones, or returns the same replay if it is still running.';

grant execute on function app.replay_webhook(uuid, timestamptz, boolean, text[]) to api;
