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
