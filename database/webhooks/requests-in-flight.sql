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
