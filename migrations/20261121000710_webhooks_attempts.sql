-- Webhooks: what the job that delivers asks and records. An attempt succeeds, or the delivery is due again by the schedule of
-- retries, or it failed for good; an endpoint that never answers, or says that it is gone, is deactivated and its tenant's
-- owner gets a mail.

create function app.webhook_secrets(endpoint_id uuid) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select s.secret
  from private.webhook_secrets s
  where s.endpoint_id = webhook_secrets.endpoint_id and coalesce(s.expires_at > now(), true)
  order by s.id desc
$$;

comment on function app.webhook_secrets(uuid) is
  'Secrets that sign an endpoint''s deliveries at present, newest first. For jobs alone.';

grant execute on function app.webhook_secrets(uuid) to worker;

create table private.webhook_mails (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  endpoint_id uuid        not null,
  sent_at     timestamptz not null,
  primary key (tenant_id, endpoint_id)
);

comment on table private.webhook_mails is
  'When a tenant''s owner was last mailed about a webhook; outlives the webhook, so that making another is no way to more mails.';

alter table private.webhook_mails enable row level security;

create function private.claim_webhook_mail(endpoint public.webhook_endpoints) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  most_a_day constant integer := 10;
begin
  -- Mails of a tenant are counted one after the other.
  perform pg_advisory_xact_lock(hashtextextended('webhook-mails:' || endpoint.tenant_id, 0));
  delete from private.webhook_mails m
  where m.tenant_id = endpoint.tenant_id and m.sent_at <= clock_timestamp() - interval '1 day';
  if (select count(*) from private.webhook_mails m where m.tenant_id = endpoint.tenant_id) >= most_a_day then
    return false;
  end if;
  insert into private.webhook_mails (tenant_id, endpoint_id, sent_at)
  values (endpoint.tenant_id, endpoint.id, clock_timestamp())
  on conflict do nothing;
  return found;
end
$$;

comment on function private.claim_webhook_mail(public.webhook_endpoints) is
  'Counts a mail about a webhook, and says whether it may be sent: one a webhook in 24 hours, ten a tenant.';

create function private.deactivate_webhook(endpoint_id uuid, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  endpoint public.webhook_endpoints;
begin
  update public.webhook_endpoints w
  set active = false, deactivated_at = now(), deactivation_reason = reason
  where w.id = deactivate_webhook.endpoint_id and w.active
  returning w.* into endpoint;
  if not found or not private.claim_webhook_mail(endpoint) then
    return;
  end if;

  insert into public.jobs (tenant_id, name, key, payload)
  select t.id, 'send-mail', format('webhook-deactivated:%s:%s', endpoint.id, extract(epoch from endpoint.deactivated_at)),
         jsonb_build_object(
           'to', t.owner_email,
           'subject', 'Webhook deactivated',
           'text', format(E'A webhook of %s was deactivated and gets no more events.\n\nURL: %s\nReason: %s\nWebhook: %s\n\n'
                          'Once the receiver works again, have an administrator reactivate the webhook and replay what it missed.\n',
                          t.name, endpoint.url, reason, endpoint.id)
         )
  from public.tenants t
  where t.id = endpoint.tenant_id and btrim(t.owner_email) <> '';
end
$$;

comment on function private.deactivate_webhook(uuid, text) is
  'Deactivates an endpoint that does not work, and schedules a mail to the tenant''s owner, unless there were enough of them today.';

create function app.record_webhook_attempt(
  delivery_id         text,
  response_status     integer,
  response_ms         integer,
  response_excerpt    text,
  error               text,
  retry_seconds       integer[],
  retry_after_seconds integer,
  min_span_seconds    integer
) returns table (status text, next_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  succeeded constant boolean := record_webhook_attempt.error is null;
  delivery  public.webhook_deliveries;
  endpoint  public.webhook_endpoints;
  wait      integer;
begin
  delete from private.webhook_requests r where r.delivery_id = record_webhook_attempt.delivery_id;

  select * into delivery from public.webhook_deliveries d
  where d.id = record_webhook_attempt.delivery_id for no key update;
  if not found then
    return;
  end if;
  -- Null after the last retry.
  wait := retry_seconds[delivery.cycle_attempts + 1];

  insert into public.webhook_attempts (tenant_id, delivery_id, response_status, response_ms, response_excerpt, error)
  values (delivery.tenant_id, delivery.id, record_webhook_attempt.response_status, record_webhook_attempt.response_ms,
          record_webhook_attempt.response_excerpt, record_webhook_attempt.error);

  update public.webhook_endpoints w
  set consecutive_failures = case when succeeded then 0 else w.consecutive_failures + 1 end,
      first_failure_at     = case when not succeeded then coalesce(w.first_failure_at, now()) end
  where w.id = delivery.endpoint_id and w.active and not (succeeded and w.consecutive_failures = 0);

  select * into strict endpoint from public.webhook_endpoints w where w.id = delivery.endpoint_id;
  if endpoint.active and record_webhook_attempt.response_status = 410 then
    perform private.deactivate_webhook(endpoint.id, 'it answered 410 Gone');
    endpoint.active := false;
  elsif endpoint.active and not succeeded and endpoint.consecutive_failures >= 10
    and now() - endpoint.first_failure_at >= make_interval(secs => min_span_seconds) then
    perform private.deactivate_webhook(
      endpoint.id, format('%s attempts in a row failed, the last one with: %s',
                          endpoint.consecutive_failures, record_webhook_attempt.error));
    endpoint.active := false;
  end if;

  -- A worker that outlived its claim may come with a failure after the success of another: that one stands.
  if succeeded then
    delivery.status := 'delivered';
  elsif delivery.status = 'pending' and (wait is null or not endpoint.active) then
    delivery.status := 'failed';
  end if;

  return query
    update public.webhook_deliveries d
    set status         = delivery.status,
        attempts       = d.attempts + 1,
        cycle_attempts = d.cycle_attempts + 1,
        next_at        = case when delivery.status = 'pending'
                              then now() + make_interval(secs => greatest(wait, retry_after_seconds)) end,
        last_status    = record_webhook_attempt.response_status,
        last_error     = record_webhook_attempt.error
    where d.id = delivery.id
    returning d.status, d.next_at::timestamptz;
end
$$;

comment on function app.record_webhook_attempt(text, integer, integer, text, text, integer[], integer, integer) is
  'Records one attempt and what follows from it: delivered, due again by the schedule (or later, when the receiver asked for it), failed, or the endpoint deactivated. For jobs alone.';

grant execute on function app.record_webhook_attempt(text, integer, integer, text, text, integer[], integer, integer) to worker;

create function app.fail_webhook_delivery(delivery_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$
  update public.webhook_deliveries d
  set status = 'failed', next_at = null, last_error = reason
  where d.id = fail_webhook_delivery.delivery_id and d.status = 'pending'
$$;

comment on function app.fail_webhook_delivery(text, text) is 'Gives a pending delivery up without an attempt. For jobs alone.';

grant execute on function app.fail_webhook_delivery(text, text) to worker;
