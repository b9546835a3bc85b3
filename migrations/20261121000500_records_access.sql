-- How requests of the records interface come to the data: whether their client may still come in, pages of lists, and
-- webhooks that integrators manage themselves.

create function app.admit_client(tenant_id uuid, client_id text) returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  allowed integer;
  revoked boolean;
begin
  select p.requests_per_minute, c.revoked_at is not null or c.client_id is null into allowed, revoked
  from public.tenants t
  join public.plans p              on p.name = t.plan
  left join public.oauth_clients c on c.tenant_id = t.id and c.client_id = admit_client.client_id
  where t.id = admit_client.tenant_id;
  if revoked is not false then
    raise exception 'client_revoked' using errcode = 'PL401', detail = coalesce(allowed, 0);
  end if;
  return allowed;
end
$$;

comment on function app.admit_client(uuid, text) is
  'Requests a minute of the plan of a client''s tenant. Fails when the client was revoked, with the same number as its detail. For the login role alone.';

create function app.enter_client(client_id text) returns integer
language sql stable security definer
set search_path = ''
as $$ select app.admit_client(app.tenant_id(), client_id) $$;

comment on function app.enter_client(text) is
  'First statement of a client''s transaction: it fails, and the transaction with it, when the client was revoked.';

grant execute on function app.enter_client(text) to api;

create function app.local_midnight(day date) returns timestamptz
language sql stable
set search_path = ''
as $$ select day::timestamp at time zone t.time_zone from public.tenants t where t.id = app.tenant_id() $$;

comment on function app.local_midnight(date) is 'When a day begins in the tenant''s time zone.';

grant execute on function app.local_midnight(date) to api;

-- Row-level security lets only leakproof operators use an index, and LIKE is none. So the ids of a page are found here,
-- as the owner and with the tenant named; the rows are then read by these ids, under row-level security.
create function app.list_page(
  source      text,
  conditions  jsonb,
  sort        text,
  descending  boolean,
  page_size   integer,
  page_offset bigint
) returns table (ids text[], total bigint)
-- Volatile, for only such functions may EXPLAIN.
language plpgsql volatile security definer rows 1
set search_path = ''
set jit = off
as $$
declare
  exact_up_to constant integer := 10000;
  large_from  constant integer := 100000;
  tables constant text := format('public.%I r', source);
  joined constant text := case when sort = 'total_points'
    then ' join public.players p on p.tenant_id = r.tenant_id and p.id = r.player_id' else '' end;
  sorted_by constant text := case when sort = 'total_points' then 'p.total_points' else format('r.%I', sort) end;
  direction constant text := case when descending then 'desc' else 'asc' end;
  filter    text := format('r.tenant_id = %L', app.tenant_id());
  condition jsonb;
  plan      json;
  counted   bigint;
  exact     boolean := false;
begin
  for condition in select jsonb_array_elements(conditions) loop
    filter := filter || ' and ' || case condition ->> 'op'
      when 'eq'      then format('r.%I = %L',  condition ->> 'column', condition ->> 'value')
      when 'gt'      then format('r.%I > %L',  condition ->> 'column', condition ->> 'value')
      when 'lt'      then format('r.%I < %L',  condition ->> 'column', condition ->> 'value')
      when 'gte'     then format('r.%I >= %L', condition ->> 'column', condition ->> 'value')
      when 'lte'     then format('r.%I <= %L', condition ->> 'column', condition ->> 'value')
      when 'in'      then format('r.%I = any (%L)', condition ->> 'column', condition ->> 'value')
      when 'after_day'  then format('r.%I > %L', condition ->> 'column', app.local_midnight((condition ->> 'value')::date))
      when 'before_day' then format('r.%I < %L', condition ->> 'column', app.local_midnight((condition ->> 'value')::date))
      when 'invitation_status' then format('app.invitation_status(r) = %L', condition ->> 'value')
      when 'search'  then format('r.search like %L', app.search_pattern(condition ->> 'value'))
      when 'stage'   then format(
        'r.stage_id = any (array(select s.id from public.pipeline_stages s
                                 where s.tenant_id = %L and (lower(s.name) = lower(%L) or s.id::text = lower(%2$L))))',
        app.tenant_id(), condition ->> 'value')
      when 'owner_team' then format(
        'r.owner_id = any (array(select u.id from public.users u where u.tenant_id = %L and u.team_id = %L))',
        app.tenant_id(), condition ->> 'value')
    end;
  end loop;

  execute format(
    'select array(select r.id::text from %s%s where %s order by %s %s%s, r.id %s limit %s offset %s)',
    tables, joined, filter, sorted_by, direction, case when descending and sort = 'expected_close_date' then ' nulls last' else '' end, direction,
    page_size + 1, page_offset
  ) into ids;
  -- Counting ten thousand rows takes longer than finding a page: where a table is large, the planner is asked first.
  if (select c.reltuples from pg_catalog.pg_class c where c.oid = format('public.%I', source)::regclass) > large_from then
    execute format('explain (format json) select from %s where %s', tables, filter) into plan;
    total := (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
  end if;
  if total is null or total <= 5 * exact_up_to then
    execute format('select count(*) from (select from %s where %s limit %s) as counted', tables, filter, exact_up_to + 1)
    into counted;
    exact := counted <= exact_up_to;
    total := case when exact then counted else greatest(total, counted) end;
  end if;
  if not exact then
    total := case when cardinality(ids) between 1 and page_size then page_offset + cardinality(ids)
                  else greatest(total, page_offset + cardinality(ids)) end;
  end if;
  ids := ids[:page_size];
  return next;
end
$$;

comment on function app.list_page(text, jsonb, text, boolean, integer, bigint) is
  'Ids of one page of a list in order, and how many rows there are in all: exact up to 10000; beyond it an estimate, which is never less than what was seen, and exact again on the last page.';

grant execute on function app.list_page(text, jsonb, text, boolean, integer, bigint) to api;

grant insert, delete,
      update (url, events, description, active, consecutive_failures, first_failure_at, deactivated_at, deactivation_reason)
  on public.webhook_endpoints to api;

create policy "A tenant adds its own endpoints of records" on public.webhook_endpoints
  for insert to api with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant changes its own endpoints of records" on public.webhook_endpoints
  for update to api using (tenant_id = (select app.tenant_id()) and interface = 'records')
  with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant removes its own endpoints of records" on public.webhook_endpoints
  for delete to api using (tenant_id = (select app.tenant_id()) and interface = 'records');

create function app.webhook_record(w public.webhook_endpoints) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('id', w.id, 'url', w.url, 'events', w.events, 'description', w.description, 'active', w.active,
                            'variant', w.variant, 'created_at', w.created_at, 'updated_at', w.updated_at)
$$;

comment on function app.webhook_record(public.webhook_endpoints) is 'A webhook in stored form, without its secret.';
grant execute on function app.webhook_record(public.webhook_endpoints) to api;

create function app.set_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.webhook_endpoints w
    where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = 'records'
  ) then
    return;
  end if;
  delete from private.webhook_secrets s where s.endpoint_id = webhook_id;
  if set_webhook_secret.secret is not null then
    insert into private.webhook_secrets (endpoint_id, secret) values (webhook_id, set_webhook_secret.secret);
  end if;
end
$$;

comment on function app.set_webhook_secret(uuid, text) is 'Gives a webhook of the tenant this secret in place of the one it had; null takes it away.';

-- Webhooks can be deleted by requests of records. One that is deleted while an event is written gets no delivery; without
-- the lock the event's own request would fail.
create or replace function private.order_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  with subscribed as (
    select e.tenant_id, w.id as endpoint_id, e.id as event_id
    from written e
    join public.webhook_endpoints w
      on w.tenant_id = e.tenant_id and w.interface = e.interface
      and w.active and (w.events is null or e.type = any (w.events))
    for key share of w
  ), ordered as (
    insert into public.webhook_deliveries (tenant_id, endpoint_id, event_id)
    select tenant_id, endpoint_id, event_id from subscribed
    returning tenant_id, id, endpoint_id
  )
  insert into public.jobs (tenant_id, name, key, lane, payload)
  select tenant_id, 'deliver-webhook', id, 'webhook-' || endpoint_id, jsonb_build_object('delivery_id', id)
  from ordered;
  return null;
end
$$;

create function app.test_webhook(webhook_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  event    text;
  delivery text;
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = 'records'
  for share;
  if not found then
    return app.refuse('webhook_missing');
  elsif not webhook.active then
    return app.refuse('webhook_inactive');
  end if;
  insert into public.events (tenant_id, interface, type, data)
  values (webhook.tenant_id, 'records', 'webhook.test', jsonb_build_object('webhook_id', webhook.id))
  returning id into event;
  insert into public.webhook_deliveries (tenant_id, endpoint_id, event_id) values (webhook.tenant_id, webhook.id, event)
  returning id into delivery;
  insert into public.jobs (tenant_id, name, key, lane, payload)
  values (webhook.tenant_id, 'deliver-webhook', delivery, 'webhook-' || webhook.id, jsonb_build_object('delivery_id', delivery));
  return jsonb_build_object('event_id', event, 'delivery_id', delivery);
end
$$;

comment on function app.test_webhook(uuid) is 'Sends the event webhook.test to a webhook of the tenant, and to no other.';

create function app.replay_webhook_delivery(webhook_id uuid, delivery_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  active boolean;
begin
  select w.active into active
  from public.webhook_deliveries d join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = replay_webhook_delivery.delivery_id and w.id = webhook_id
    and w.tenant_id = app.tenant_id() and w.interface = 'records'
  for share of w;
  if not found then
    return app.refuse('delivery_missing');
  elsif not active then
    return app.refuse('webhook_inactive');
  end if;
  perform admin.replay_delivery(replay_webhook_delivery.delivery_id);
  return jsonb_build_object('delivery_id', replay_webhook_delivery.delivery_id);
end
$$;

comment on function app.replay_webhook_delivery(uuid, text) is 'Sends a delivery of a webhook of the tenant again.';

grant execute on function app.set_webhook_secret(uuid, text), app.test_webhook(uuid), app.replay_webhook_delivery(uuid, text) to api;

create index webhook_endpoints_created_idx on public.webhook_endpoints (tenant_id, created_at, id);
create index webhook_deliveries_created_idx on public.webhook_deliveries (tenant_id, endpoint_id, created_at, id);
