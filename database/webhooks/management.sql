-- Webhooks: managing them through the interface whose events they receive. Request roles write endpoints directly and call functions for
-- everything that their grants do not cover.

create function app.webhook_interface() returns text
language sql stable
return case current_setting('role') when 'payments' then 'payments' else 'records' end;

comment on function app.webhook_interface() is 'The interface whose webhooks the request manages, derived from its role.';

grant execute on function app.webhook_interface() to api;

create function app.webhook_status(w public.webhook_endpoints) returns text
language sql immutable
return case when not w.active then 'deactivated' when w.paused_at is not null then 'paused'
            when w.suspended_until is not null then 'suspended' else 'active' end;

comment on function app.webhook_status(public.webhook_endpoints) is
  'active, paused (events are queued), suspended (queued after failures) or deactivated (events are not queued).';

grant execute on function app.webhook_status(public.webhook_endpoints) to api;

create function app.webhook_record(w public.webhook_endpoints) returns jsonb
language sql stable
return jsonb_build_object('id', w.id, 'url', w.url, 'events', w.events, 'filters', coalesce(w.filters, '[]'), 'changed', coalesce(w.changed, '{}'), 'header_names', w.header_names,
                          'ordered', w.ordered, 'fold_seconds', w.fold_seconds,
                          'description', w.description, 'active', w.active,
                          'status', app.webhook_status(w), 'variant', w.variant, 'public_key', w.public_key, 'created_at', w.created_at,
                          'updated_at', w.updated_at);

comment on function app.webhook_record(public.webhook_endpoints) is 'A webhook in stored form, without secrets.';

grant execute on function app.webhook_record(public.webhook_endpoints) to api;

create function app.set_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  kind     text;
  replaced constant jsonb := '{"secret": "replaced"}';
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface();
  if not found then
    return;
  end if;
  kind := case webhook.interface when 'payments' then 'payment_webhook' else 'webhook' end;
  delete from private.webhook_secrets s where s.endpoint_id = webhook_id;
  if found then
    perform private.add_change(
      webhook.tenant_id, kind || '.secret_rotated', kind, webhook.id::text, private.audited_url(webhook.url), replaced,
      case when set_webhook_secret.secret is null then '{"secret": "removed"}' else replaced end);
  elsif set_webhook_secret.secret is not null and webhook.created_at < now() - interval '1 ms' and private.is_audited() then
    -- The first secret of a webhook that existed before this request.
    perform private.add_change(
      webhook.tenant_id, kind || '.secret_set', kind, webhook.id::text, private.audited_url(webhook.url), null, '{"secret": "set"}');
  end if;
  if set_webhook_secret.secret is not null then
    insert into private.webhook_secrets (endpoint_id, secret) values (webhook_id, set_webhook_secret.secret);
  end if;
end
$$;

comment on function app.set_webhook_secret(uuid, text) is 'Replaces the secret of a tenant''s webhook; null removes it.';

grant execute on function app.set_webhook_secret(uuid, text) to api;

create function app.rotate_webhook_secret(webhook_id uuid, secret text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Serializes concurrent rotations of the same webhook's secret.
  perform from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for no key update;
  if not found then
    perform app.raise_domain_error('webhook_missing');
  end if;
  perform private.renew_webhook_secret(webhook_id, rotate_webhook_secret.secret);
end
$$;

comment on function app.rotate_webhook_secret(uuid, text) is
  'Rotates the secret of a tenant''s webhook to this value; for 24 hours deliveries are also signed with the old one.';

grant execute on function app.rotate_webhook_secret(uuid, text) to api;

create function app.test_webhook(webhook_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook  public.webhook_endpoints;
  event    text;
  delivery public.webhook_deliveries;
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for share;
  if not found then
    return app.raise_domain_error('webhook_missing');
  elsif not webhook.active then
    return app.raise_domain_error('webhook_inactive');
  end if;
  insert into public.events (tenant_id, interface, type, data)
  values (webhook.tenant_id, webhook.interface, 'webhook.test', jsonb_build_object('webhook_id', webhook.id))
  returning id into event;
  insert into public.webhook_deliveries as d (tenant_id, endpoint_id, event_id) values (webhook.tenant_id, webhook.id, event)
  returning d.* into delivery;
  perform private.schedule_deliveries(delivery);
  return jsonb_build_object('event_id', event, 'delivery_id', delivery.id);
end
$$;

comment on function app.test_webhook(uuid) is 'Sends the event webhook.test to one webhook of the tenant.';

grant execute on function app.test_webhook(uuid) to api;

create function app.replay_webhook_delivery(webhook_id uuid, delivery_id text, readable text[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  sent record;
begin
  select w.active, w.events, e.type into sent
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  join public.events e            on e.tenant_id = d.tenant_id and e.id = d.event_id
  where d.id = replay_webhook_delivery.delivery_id and w.id = webhook_id
    and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for share of w;
  if not found then
    return app.raise_domain_error('delivery_missing');
  end if;
  if readable is not null then
    perform app.check_readable(array[sent.type], readable || 'webhook.test'::text);
  end if;
  if not sent.active then
    return app.raise_domain_error('webhook_inactive');
  elsif not app.subscribes(sent.events, sent.type) then
    return app.raise_domain_error('event_unsubscribed');
  end if;
  perform admin.replay_delivery(replay_webhook_delivery.delivery_id);
  return jsonb_build_object('delivery_id', replay_webhook_delivery.delivery_id);
end
$$;

comment on function app.replay_webhook_delivery(uuid, text, text[]) is
  'Replays a delivery of a tenant''s webhook if the caller may read events of its type.';

grant execute on function app.replay_webhook_delivery(uuid, text, text[]) to api;

create function app.hold_webhook(webhook_id uuid, readable text[], paused boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook public.webhook_endpoints;
begin
  select * into webhook from public.webhook_endpoints w
  where w.id = webhook_id and w.tenant_id = app.tenant_id() and w.interface = app.webhook_interface()
  for no key update;
  if not found then
    return app.raise_domain_error('webhook_missing');
  end if;
  if readable is not null then
    perform app.check_readable(webhook.events, readable);
  end if;
  if not webhook.active then
    return app.raise_domain_error('webhook_inactive');
  end if;
  return app.webhook_record(case when paused then private.pause_webhook(webhook_id) else private.resume_webhook(webhook_id) end);
end
$$;

comment on function app.hold_webhook(uuid, text[], boolean) is
  'Pauses or resumes a tenant''s webhook if the caller may read its events; a null readable skips that check.';

grant execute on function app.hold_webhook(uuid, text[], boolean) to api;
