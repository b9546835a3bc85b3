-- Webhooks: events, which are written by the triggers of the domain that something happened in.
--
--   events        what happened
--   event_values  what callers fill as they like, such as custom fields: each value of a record once for all its events
--
-- A change writes its event, the event its deliveries (webhooks), all in the transaction of the change.
--
-- Hangs on it from elsewhere: events give points (gamification_point_rules) and run automations (automations_runs).

-- What a change costs: its event has the record as it then was, since deliveries and replays show it so when the record is
-- changed or gone. That is some 900 bytes with indexes, and no more for a record with 16 KiB of custom fields unless those
-- changed: see move_event_values. Deliveries, jobs and runs of automations hold the event's id, and no copy of its data.

-- Events --------------------------------------------------------------------------------------------------------------

create function private.event_types(interface text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case interface
    when 'payments' then array[
      'invoice.paid', 'invoice.canceled', 'invoice.failed', 'invoice.refunded', 'invoice.disputed',
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
  'Types of events that an interface emits and can be subscribed to; webhook.test goes to the one endpoint that asked for it.';

create function app.opt_in_event_types() returns text[]
language sql immutable parallel safe
return '{invoice.refunded,invoice.disputed}'::text[];

comment on function app.opt_in_event_types() is
  'Types that only reach endpoints that name them: those that were made for all events do not expect them.';

grant execute on function app.opt_in_event_types() to api, worker;

create table public.event_values (
  tenant_id  uuid           not null references public.tenants (id) on delete cascade,
  id         uuid           not null,
  members    jsonb          not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.event_values is
  'Large members of the data of events, as custom fields may be: each value of a record once, however many events have it. Goes with the last of them.';
comment on column public.event_values.id is 'Made of the record''s id and the members: the same value of a record is the same row.';
comment on column public.event_values.members is 'Members by name, which events that point here have beside their own.';

alter table public.event_values enable row level security;
grant select on public.event_values to api, worker;

-- They go inside a trigger, with their last event; a statement of anybody's neither changes nor deletes one.
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

comment on sequence private.event_sequence is 'The order in which events of all tenants are written, with gaps: events.sequence.';

create function app.is_silent() returns boolean
language sql stable parallel safe
return coalesce(current_setting('app.silent', true) = 'on', false);

comment on function app.is_silent() is
  'Whether the running request imports in silence: what it changes is in the event feed, and causes no deliveries, points, automations and mails.';

grant execute on function app.is_silent() to api, worker;

create table public.events (
  tenant_id  uuid           not null references public.tenants (id) on delete cascade,
  id         text           not null default app.typeid('evt'),
  -- The transaction has its id before the number is taken: app.number_events concludes from ids which numbers are still to come.
  sequence   bigint         not null default case when pg_current_xact_id() is not null then nextval('private.event_sequence') end,
  interface  text           not null check (interface in ('payments', 'records')),
  type       text           not null check (type ~ '^[a-z_]+\.[a-z_]+$'),
  changed    text[]         not null default '{}',
  data       jsonb          not null,
  values_id  uuid,
  origin     text           default nullif(current_setting('app.origin', true), ''),
  depth      smallint       not null default coalesce(nullif(current_setting('app.depth', true), '')::smallint, 0),
  silent     boolean        not null default app.is_silent(),
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, sequence),
  foreign key (tenant_id, values_id) references public.event_values (tenant_id, id)
);

comment on table  public.events is
  'What happened to the data of a tenant. Append-only: the database itself refuses to change or delete a row.';
comment on column public.events.sequence is
  'Of two events the one that was written later has the higher one; not the order in which their transactions ended, which event_positions has.';
comment on column public.events.silent is 'Whether it is only for the event feed: it is delivered nowhere and causes nothing.';
comment on column public.events.interface is 'Which interface it belongs to, and so which endpoints get it.';
comment on column public.events.type is 'Such as deal.won; private.event_types lists them.';
comment on column public.events.changed is
  'Members of the stored form that changed, in the order of their names, without updated_at; when something was made or deleted, none.';
comment on column public.events.data is
  'The resource right after the change, in stored form but for the members that values_id has; app.event_data gives it whole, to be rendered for each endpoint when it is sent.';
comment on column public.events.values_id is 'Where large members of the data are; null when there are none.';
comment on column public.events.origin is 'What the request that caused it said of itself in X-Origin; null otherwise.';
comment on column public.events.depth is
  'How many automations, one causing the next, led to it; 0 for what a person or program did.';

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

comment on function app.event_data(public.events) is 'The data of an event, whole: the resource right after the change, in stored form.';

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
  -- One that is there is locked, though not changed: else it could go with the last event that had it before this one points to it.
  insert into public.event_values as v (tenant_id, id, members) values (new.tenant_id, new.values_id, large)
  on conflict (tenant_id, id) do update set members = v.members where false;
  return new;
end
$$;

comment on function private.move_event_values() is
  'Trigger: what callers fill as they like is stored once for all events of a record that have it, where it is large.';

create trigger events_move_values
  before insert or update of data on public.events
  for each row when (pg_column_size(new.data) > 1024 and new.data ->> 'id' is not null)
  execute function private.move_event_values();

create function private.drop_event_values() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Locked first: an event that is being written with one of them is waited for, and then seen.
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

comment on function private.drop_event_values() is 'Trigger: a value goes with the last event that has it, as when its time is past or a person is erased.';

create trigger events_drop_values_of_changed after update on public.events
  referencing old table as gone
  for each statement execute function private.drop_event_values();
create trigger events_drop_values_of_deleted after delete on public.events
  referencing old table as gone
  for each statement execute function private.drop_event_values();
