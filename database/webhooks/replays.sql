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
