-- Webhooks: managing endpoints in Studio.

create function private.renew_webhook_secret(
  endpoint_id uuid, secret text default 'whsec_' || encode(extensions.gen_random_bytes(24), 'base64')
) returns text
language plpgsql
set search_path = ''
as $$
begin
  delete from private.webhook_secrets s
  where s.endpoint_id = renew_webhook_secret.endpoint_id and s.expires_at is not null;
  update private.webhook_secrets s set expires_at = now() + interval '24 hours'
  where s.endpoint_id = renew_webhook_secret.endpoint_id;
  insert into private.webhook_secrets (endpoint_id, secret) values (renew_webhook_secret.endpoint_id, renew_webhook_secret.secret);
  return renew_webhook_secret.secret;
end
$$;

comment on function private.renew_webhook_secret(uuid, text) is
  'Sets a new secret for an endpoint, by default 24 random bytes; the previous one stays valid for 24 hours, older ones are deleted.';

create function admin.create_payment_webhook(tenant_id uuid, url text, events text[] default null)
returns table (id uuid, secret text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  known   constant text[] := private.event_types('payments');
  refused constant text   := private.refused_destination(create_payment_webhook.url);
  unknown text;
  new_id  uuid;
begin
  perform private.expect_tenant(create_payment_webhook.tenant_id), private.expect_filled('url', create_payment_webhook.url);
  select string_agg(coalesce(event, 'null'), ', ') into unknown
  from unnest(create_payment_webhook.events) as event
  where (event = any (known)) is not true;
  if unknown is not null then
    perform private.refuse_argument('events', 'unknown: ' || unknown, known);
  end if;
  if refused is not null then
    raise exception 'url: %', refused using errcode = 'invalid_parameter_value';
  end if;

  insert into public.webhook_endpoints as w (tenant_id, interface, url, events)
  values (create_payment_webhook.tenant_id, 'payments', create_payment_webhook.url, create_payment_webhook.events)
  returning w.id into new_id;
  return query select new_id, private.renew_webhook_secret(new_id);
end
$$;

comment on function admin.create_payment_webhook(uuid, text, text[]) is
  'Subscribes a URL to payments events (null: all except opt-in types) and returns the signing secret only once: copy it.';

create function admin.rotate_webhook_secret(id uuid) returns text
language plpgsql
set search_path = ''
as $$
begin
  -- Serializes concurrent rotations of the same webhook's secret.
  perform from public.webhook_endpoints w where w.id = rotate_webhook_secret.id for no key update;
  if not found then
    raise exception 'id: webhook % does not exist', rotate_webhook_secret.id using errcode = 'no_data_found';
  end if;
  return private.renew_webhook_secret(rotate_webhook_secret.id);
end
$$;

comment on function admin.rotate_webhook_secret(uuid) is
  'Creates and returns a new secret for a webhook; for 24 hours deliveries are also signed with the old one.';

create function private.deactivate_webhook(id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.webhook_endpoints w
  set active = false,
      deactivated_at      = case when w.active then now() else w.deactivated_at end,
      deactivation_reason = case when w.active then 'deactivated by an admin' else w.deactivation_reason end
  where w.id = deactivate_webhook.id;
  if not found then
    raise exception 'id: webhook % does not exist', deactivate_webhook.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.deactivate_webhook(uuid) is
  'Deactivates a webhook until admin.reactivate_webhook(id): pending retries fail and new events are not sent.';

create function private.pause_webhook(webhook_id uuid) returns public.webhook_endpoints
language sql
set search_path = ''
as $$
  update public.webhook_endpoints w set paused_at = coalesce(w.paused_at, now()) where w.id = webhook_id and w.active
  returning w.*
$$;

comment on function private.pause_webhook(uuid) is
  'Pauses deliveries to an active webhook; returns null if no active webhook has this id.';

create function private.resume_webhook(webhook_id uuid) returns public.webhook_endpoints
language sql
set search_path = ''
as $$
  update public.webhook_endpoints w
  set paused_at = null, suspended_until = null, suspensions = 0,
      consecutive_failures = case when w.suspended_until is null then w.consecutive_failures else 0 end,
      first_failure_at     = case when w.suspended_until is null then w.first_failure_at end
  where w.id = webhook_id and w.active
  returning w.*
$$;

comment on function private.resume_webhook(uuid) is
  'Ends the pause and the suspension of an active webhook and resets its failures; returns null if no active webhook has this id.';

create function private.reactivate_webhook(id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.webhook_endpoints w
  set active = true, paused_at = null, suspended_until = null, suspensions = 0, consecutive_failures = 0, first_failure_at = null,
      deactivated_at = null, deactivation_reason = null
  where w.id = reactivate_webhook.id;
  if not found then
    raise exception 'id: webhook % does not exist', reactivate_webhook.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.reactivate_webhook(uuid) is
  'Reactivates a webhook from the next event on and ends its pause; send missed events with admin.replay_delivery.';

create function private.replay_delivery(delivery_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  delivery public.webhook_deliveries;
  webhook  public.webhook_endpoints;
  type     text;
begin
  select * into delivery from public.webhook_deliveries d where d.id = replay_delivery.delivery_id for no key update;
  if not found then
    raise exception 'delivery_id: delivery % does not exist', replay_delivery.delivery_id using errcode = 'no_data_found';
  end if;
  select * into webhook from public.webhook_endpoints w where w.id = delivery.endpoint_id;
  select e.type into type from public.events e where e.tenant_id = delivery.tenant_id and e.id = delivery.event_id;
  if not webhook.active then
    raise exception 'The webhook of this delivery is deactivated.'
      using errcode = 'object_not_in_prerequisite_state', hint = 'Reactivate it with admin.reactivate_webhook(id).';
  elsif not app.subscribes(webhook.events, type) then
    raise exception 'The webhook of this delivery does not subscribe to %.', type
      using errcode = 'object_not_in_prerequisite_state';
  end if;

  if delivery.status = 'pending' then
    -- If an attempt is running, it counts as the replay.
    perform from public.jobs j
    where j.name = 'deliver-webhook' and j.key = delivery.id and j.locked_until > now()
      and j.finished_at is null and j.failed_at is null;
    if found then
      return;
    end if;
    update public.webhook_deliveries d set next_at = now(), fold_key = null, fold_until = null where d.id = delivery.id returning d.* into delivery;
  else
    update public.webhook_deliveries d set status = 'pending', cycle_attempts = 0, next_at = now() where d.id = delivery.id;
  end if;

  -- Replace the job row, so that messages and late workers of the previous schedule cannot affect the new one.
  delete from public.jobs j where j.name = 'deliver-webhook' and j.key = delivery.id;
  perform private.schedule_deliveries(delivery), private.advance_successors(delivery);
end
$$;

comment on function private.replay_delivery(text) is
  'Replays a delivery within a minute, with the same id and a new retry schedule; a pending retry is sent now instead.';

create view admin.events with (security_invoker = true) as
  select e.tenant_id, e.id, e.interface, e.type, e.changed, app.event_data(e) as data, e.origin, e.depth, e.created_at, e.trace_id
  from public.events e;

comment on view admin.events is 'Events of all tenants, with the changed members and the record at that time.';
comment on column admin.events.trace_id is 'Trace of the request or job that caused the event; null if none.';
comment on column admin.events.data is 'The resource after the change, in stored form.';

create view admin.webhook_endpoints with (security_invoker = true) as
  select id, tenant_id, interface, client_id, url, events, filters, changed, header_names, ordered, fold_seconds, description, variant, active and paused_at is null as active,
         paused_at, suspended_until, consecutive_failures, first_failure_at, deactivated_at, deactivation_reason, created_at, updated_at
  from public.webhook_endpoints;

comment on view admin.webhook_endpoints is
  'Webhooks of all tenants with their owner and state, without secrets; active is false for paused and deactivated ones.';

create view admin.webhook_deliveries with (security_invoker = true) as
  select d.id, d.endpoint_id, d.tenant_id, d.event_id, e.type, d.folded, d.status, d.attempts, d.next_at, d.last_status, d.last_error,
         d.created_at, d.updated_at
  from public.webhook_deliveries d
  join public.events e on e.tenant_id = d.tenant_id and e.id = d.event_id;

comment on view admin.webhook_deliveries is 'Deliveries to webhooks and their status.';

create view admin.webhook_attempts with (security_invoker = true) as
  select id, tenant_id, delivery_id, at, response_status, response_ms, response_excerpt, error
  from public.webhook_attempts;

comment on view admin.webhook_attempts is 'Delivery attempts, with the beginning of the response.';
