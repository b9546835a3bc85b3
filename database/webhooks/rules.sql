-- Webhooks: allowed destinations, limits per plan and host, concurrent requests per host, and ownership. The records
-- interface checks URLs itself for better errors and before resolving names (shared/webhooks/delivery/destinations.ts).
-- These triggers enforce the same rules for every writer, as far as possible without resolving names; a test compares
-- both implementations.

-- URLs ----------------------------------------------------------------------------------------------------------------

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

-- Pausing and resuming deliveries -------------------------------------------------------------------------------------

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

-- When a client is revoked or deleted (access) ------------------------------------------------------------------------

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

-- Requests in flight --------------------------------------------------------------------------------------------------

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
