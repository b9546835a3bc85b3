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
