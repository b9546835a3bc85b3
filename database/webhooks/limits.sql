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
