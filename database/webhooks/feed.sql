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
