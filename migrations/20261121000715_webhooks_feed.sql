-- The event feed: events of a tenant in one order that every reader sees, for those who ask instead of being told.
--
--   event_positions  the places of events in it; given to events that are committed, in the order of the places
--   event_feeds      how far each tenant's feed is numbered
--
-- Writing an event costs the feed nothing but an entry of an index: who reads gives places to what was committed since
-- (app.number_events), one reader of a tenant at a time. So a place is only ever given after all lower ones are there to be read, and
-- nobody's open transaction holds anything back. Decided in docs/adr/0013-event-feed.md.

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
  'Places of events in the feed of their tenant. Rows are only added, and go when their time is past; an event without one was not read yet.';
comment on column public.event_positions.position is
  'Counts all events of the tenant, so that those of one interface have gaps between them. What a cursor holds.';
comment on column public.event_positions.sequence is 'Of the event, which has no foreign key from here: it is kept for as long as its place.';
comment on column public.event_positions.created_at is 'Of the event.';

alter table public.event_positions enable row level security;
grant select on public.event_positions to api;

create policy "A tenant sees the places of its own events" on public.event_positions
  for select to api using (tenant_id = (select app.tenant_id()));

create table public.event_feeds (
  tenant_id        uuid   primary key references public.tenants (id) on delete cascade,
  last_position    bigint not null default 0,
  dropped_position bigint not null default 0,
  settled          bigint not null default 0,
  checkpoint       bigint,
  checkpoint_xid   xid8,
  check ((checkpoint is null) = (checkpoint_xid is null))
);

comment on table  public.event_feeds is 'How far the feed of a tenant is numbered. A row is made when somebody first reads it.';
comment on column public.event_feeds.last_position is 'The highest place that was given.';
comment on column public.event_feeds.dropped_position is 'The highest place whose time is past: a cursor before it has expired.';
comment on column public.event_feeds.settled is
  'Every event of the tenant up to this sequence has its place, or none: none is still to come. Where looking for others begins.';
comment on column public.event_feeds.checkpoint is 'The last sequence that was taken at some moment; settled once all transactions of then are over.';
comment on column public.event_feeds.checkpoint_xid is 'A transaction that began after that moment: those of then have lower ids.';

alter table public.event_feeds enable row level security;
grant select on public.event_feeds to api;

create policy "A tenant sees how far its own feed is" on public.event_feeds
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.number_events(at_most integer default 10000) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  tenant  constant uuid := app.tenant_id();
  feed    public.event_feeds;
  taken   bigint;
  own_xid xid8;
  settles boolean;
  oldest  timestamptz;
  n       integer;
begin
  -- In this order: whoever took a sequence up to `taken` had a transaction id by then, which is lower than one that is given now.
  if pg_current_xact_id_if_assigned() is null then
    select case when s.is_called then s.last_value else 0 end into taken from private.event_sequence s;
    own_xid := pg_current_xact_id();
  end if;

  insert into public.event_feeds (tenant_id) values (tenant) on conflict (tenant_id) do nothing;
  select f.* into feed from public.event_feeds f where f.tenant_id = tenant for update;

  select now() - make_interval(days => r.days) into oldest from private.retention r where r.what = 'event_positions';
  -- Decided before the events are looked at: what those transactions committed is then seen.
  settles := coalesce(feed.checkpoint_xid <= pg_snapshot_xmin(pg_current_snapshot()), false);

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

  if n < at_most and settles then
    feed.settled := feed.checkpoint;
    feed.checkpoint := null;
    feed.checkpoint_xid := null;
  end if;
  -- Of another cluster's counting, where the database was restored from a dump: those transactions are long over.
  if feed.checkpoint_xid >= pg_snapshot_xmax(pg_current_snapshot()) then
    feed.checkpoint := null;
    feed.checkpoint_xid := null;
  end if;
  if feed.checkpoint is null and own_xid is not null and exists (
    select from public.events e where e.tenant_id = tenant and e.sequence > feed.settled
  ) then
    feed.checkpoint := taken;
    feed.checkpoint_xid := own_xid;
  end if;
  update public.event_feeds f
  set (last_position, settled, checkpoint, checkpoint_xid) = row (feed.last_position, feed.settled, feed.checkpoint, feed.checkpoint_xid)
  where f.tenant_id = tenant;
  return n = at_most;
end
$$;

comment on function app.number_events(integer) is
  'Gives the committed events of the tenant that have none yet their places in its feed, in the order in which they were written; so many at most. Whether there may be more.';

grant execute on function app.number_events(integer) to api;
