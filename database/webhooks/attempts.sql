-- Webhooks: recording attempts. An attempt succeeds, schedules a retry, or fails the delivery permanently. A failing
-- endpoint is suspended for increasing periods. An endpoint that keeps failing or returns 410 is deactivated. The
-- tenant's owner is notified by email.

create table private.webhook_mails (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  endpoint_id uuid        not null,
  about       text        not null check (about in ('suspended', 'deactivated')),
  sent_at     timestamptz not null,
  primary key (tenant_id, endpoint_id, about)
);

comment on table private.webhook_mails is
  'Last email to a tenant''s owner about a webhook; kept after the webhook is deleted, so that recreating it does not bypass the limit.';

alter table private.webhook_mails enable row level security;

create function private.claim_webhook_mail(endpoint public.webhook_endpoints, about text) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  max_per_day constant integer := 10;
begin
  -- Serializes counting of emails per tenant.
  perform pg_advisory_xact_lock(hashtextextended('webhook-mails:' || endpoint.tenant_id, 0));
  delete from private.webhook_mails m
  where m.tenant_id = endpoint.tenant_id and m.sent_at <= clock_timestamp() - interval '1 day';
  if (
    select count(*) from private.webhook_mails m
    where m.tenant_id = endpoint.tenant_id and m.about = claim_webhook_mail.about
  ) >= max_per_day then
    return false;
  end if;
  insert into private.webhook_mails (tenant_id, endpoint_id, about, sent_at)
  values (endpoint.tenant_id, endpoint.id, claim_webhook_mail.about, clock_timestamp())
  on conflict do nothing;
  return found;
end
$$;

comment on function private.claim_webhook_mail(public.webhook_endpoints, text) is
  'Counts an email about a webhook and returns whether it may be sent; in 24 hours, each kind is limited to one per webhook and ten per tenant.';

create function private.mail_about_webhook(endpoint public.webhook_endpoints, about text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if private.claim_webhook_mail(endpoint, about) then
    perform private.mail_owner(
      endpoint.tenant_id, format('webhook-%s:%s:%s', about, endpoint.id, extract(epoch from clock_timestamp())),
      'webhook_' || about,
      jsonb_build_object('url', endpoint.url, 'reason', reason, 'webhook', endpoint.id,
                         'failures', private.failures_to_deactivate()));
  end if;
end
$$;

comment on function private.mail_about_webhook(public.webhook_endpoints, text, text) is
  'Schedules an email about a webhook (suspended or deactivated) to the tenant''s owner, unless the daily limit is reached.';

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
  if found then
    perform private.mail_about_webhook(endpoint, 'deactivated', reason);
  end if;
end
$$;

comment on function private.deactivate_webhook(uuid, text) is
  'Deactivates a failing endpoint and schedules an email to the tenant''s owner, unless the daily limit is reached.';

-- Thresholds of consecutive failed attempts.
create function private.failures_to_suspend() returns integer language sql immutable parallel safe return 5;
create function private.failures_to_deactivate() returns integer language sql immutable parallel safe return 10;

comment on function private.failures_to_suspend() is 'Consecutive failed attempts after which a webhook is suspended.';
comment on function private.failures_to_deactivate() is 'Consecutive failed attempts after which a webhook is deactivated.';

create function private.suspend_webhook(endpoint public.webhook_endpoints, retry_seconds integer[], reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Suspensions use the same delays as the retries of one delivery.
  pause constant integer := private.add_jitter(
    coalesce(retry_seconds[least(endpoint.suspensions + 1, cardinality(retry_seconds))], 60), endpoint.id::text, endpoint.suspensions);
begin
  update public.webhook_endpoints w
  set suspended_until = now() + make_interval(secs => pause), suspensions = w.suspensions + 1
  where w.id = endpoint.id;
  if endpoint.suspensions = 0 then
    perform private.mail_about_webhook(endpoint, 'suspended', reason);
  end if;
end
$$;

comment on function private.suspend_webhook(public.webhook_endpoints, integer[], text) is
  'Suspends a failing endpoint, longer each time, and schedules an email to the tenant''s owner the first time.';

create function private.count_webhook_failures(endpoint_id uuid, attempts jsonb, retry_seconds integer[], min_span_seconds integer) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  attempt   record;
  endpoint  public.webhook_endpoints;
  recovered boolean := false;
  failures  integer := 0;
  fault     text;
  gone      boolean := false;
begin
  for attempt in select a.* from jsonb_to_recordset(attempts) as a (response_status integer, error text) loop
    recovered := recovered or attempt.error is null;
    failures  := case when attempt.error is not null then failures + 1 else 0 end;
    fault     := coalesce(attempt.error, fault);
    gone      := gone or attempt.response_status is not distinct from 410;
  end loop;
  update public.webhook_endpoints w
  set consecutive_failures = case when recovered then 0 else w.consecutive_failures end + failures,
      first_failure_at     = case when failures > 0 then coalesce(case when not recovered then w.first_failure_at end, now()) end,
      suspended_until      = case when not recovered then w.suspended_until end,
      suspensions          = case when recovered then 0 else w.suspensions end
  where w.id = count_webhook_failures.endpoint_id and w.active and (failures > 0 or w.consecutive_failures > 0);

  select * into strict endpoint from public.webhook_endpoints w where w.id = count_webhook_failures.endpoint_id;
  if endpoint.active and gone then
    perform private.deactivate_webhook(endpoint.id, 'the receiver responded with 410 Gone');
    return false;
  elsif endpoint.active and failures > 0 and endpoint.consecutive_failures >= private.failures_to_deactivate()
    and now() - endpoint.first_failure_at >= make_interval(secs => min_span_seconds) then
    perform private.deactivate_webhook(
      endpoint.id, format('%s consecutive attempts failed; last error: %s', endpoint.consecutive_failures, fault));
    return false;
  elsif endpoint.active and failures > 0 and endpoint.consecutive_failures >= private.failures_to_suspend() then
    perform private.suspend_webhook(
      endpoint, retry_seconds, format('%s consecutive attempts failed; last error: %s', endpoint.consecutive_failures, fault));
  end if;
  return endpoint.active;
end
$$;

comment on function private.count_webhook_failures(uuid, jsonb, integer[], integer) is
  'Counts consecutive failures, suspends or deactivates a failing endpoint, and returns whether it is still active.';

create function app.record_webhook_attempts(attempts jsonb, retry_seconds integer[], min_span_seconds integer) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  attempt  record;
  delivery public.webhook_deliveries;
  active   boolean;
  wait     integer;
begin
  -- Locks the endpoints first and as strongly as counting failures does, because replays, changes and deletions of an
  -- endpoint lock it before its deliveries.
  perform from public.webhook_endpoints w
  where w.id in (select d.endpoint_id from jsonb_array_elements(attempts) as each join public.webhook_deliveries d on d.id = each ->> 'delivery_id')
  order by w.id for no key update;
  -- Locking in sorted order prevents deadlocks between workers.
  for attempt in select each ->> 'delivery_id' as id from jsonb_array_elements(attempts) as each order by 1 loop
    delete from private.webhook_requests r where r.delivery_id = attempt.id;
    select * into delivery from public.webhook_deliveries d where d.id = attempt.id for no key update;
  end loop;
  -- The endpoint was deleted together with its deliveries.
  if delivery.id is null then
    return;
  end if;
  active := private.count_webhook_failures(delivery.endpoint_id, attempts, retry_seconds, min_span_seconds);

  for attempt in
    select a.* from jsonb_to_recordset(attempts) as a (
      delivery_id text, response_status integer, response_ms integer, response_excerpt text, error text, retry_after_seconds integer)
  loop
    select * into strict delivery from public.webhook_deliveries d where d.id = attempt.delivery_id;
    -- Null after the last retry.
    wait := private.add_jitter(retry_seconds[delivery.cycle_attempts + 1], delivery.id, delivery.cycle_attempts);
    -- A worker whose lease expired may report a failure after another worker's success, which then still counts.
    if attempt.error is null then
      delivery.status := 'delivered';
    elsif delivery.status = 'pending' and (wait is null or not active) then
      delivery.status := 'failed';
    end if;
    insert into public.webhook_attempts (tenant_id, delivery_id, response_status, response_ms, response_excerpt, error)
    values (delivery.tenant_id, delivery.id, attempt.response_status, attempt.response_ms, attempt.response_excerpt, attempt.error);
    update public.webhook_deliveries d
    set status         = delivery.status,
        attempts       = d.attempts + 1,
        cycle_attempts = d.cycle_attempts + 1,
        next_at        = case when delivery.status = 'pending'
                              then now() + make_interval(secs => greatest(wait, attempt.retry_after_seconds)) end,
        last_status    = attempt.response_status,
        last_error     = attempt.error
    where d.id = delivery.id;
  end loop;
end
$$;

comment on function app.record_webhook_attempts(jsonb, integer[], integer) is
  'Records attempts for one endpoint in order and updates its deliveries, retries (honoring Retry-After) and state (worker only).';

grant execute on function app.record_webhook_attempts(jsonb, integer[], integer) to worker;

create function app.fail_webhook_delivery(delivery_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$
  update public.webhook_deliveries d
  set status = 'failed', next_at = null, fold_key = null, fold_until = null, last_error = reason
  where d.id = fail_webhook_delivery.delivery_id and d.status = 'pending'
$$;

comment on function app.fail_webhook_delivery(text, text) is 'Fails a pending delivery without an attempt (worker only).';

grant execute on function app.fail_webhook_delivery(text, text) to worker;

create function app.held_until(delivery_id text) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
declare
  webhook public.webhook_endpoints;
begin
  -- Lock the webhook against concurrent resuming: either resuming waits and then finds the job finished, or this
  -- function waits and then sees the resumed webhook.
  select w.* into webhook
  from public.webhook_deliveries d
  join public.webhook_endpoints w on w.tenant_id = d.tenant_id and w.id = d.endpoint_id
  where d.id = held_until.delivery_id
  for share of w;
  return case when webhook.active and webhook.paused_at is not null then null else greatest(webhook.suspended_until, now()) end;
end
$$;

comment on function app.held_until(text) is
  'When to rerun the job of a delivery whose webhook is suspended; null if it is paused, because resuming reschedules the job (worker only).';

grant execute on function app.held_until(text) to worker;

-- Ordering by record --------------------------------------------------------------------------------------------------

create function app.turn_of_delivery(delivery public.webhook_deliveries) returns timestamptz
language plpgsql security definer
set search_path = ''
as $$
declare
  max_microseconds constant bigint := 1000000;
  predecessor public.webhook_deliveries;
begin
  select d.* into predecessor from public.webhook_deliveries d
  where d.tenant_id = delivery.tenant_id and d.endpoint_id = delivery.endpoint_id and d.record_id = delivery.record_id
    and d.sequence < delivery.sequence and d.status = 'pending'
  order by d.sequence limit 1;
  if not found then
    return now();
  end if;
  -- Keeps the predecessor locked until the outcome is recorded; a concurrent replay of it reschedules its successors
  -- itself.
  perform from public.webhook_deliveries d where d.id = predecessor.id and d.next_at = predecessor.next_at for share skip locked;
  if not found then
    return now();
  elsif exists (
    select from public.jobs j where j.name = 'deliver-webhook' and j.key = predecessor.id and j.finished_at is null and j.failed_at is null
  ) then
    -- Run after the predecessor, in order with the other deliveries that wait for it.
    return greatest(predecessor.next_at, now()) + least(delivery.sequence - predecessor.sequence, max_microseconds) * interval '1 microsecond';
  end if;
  -- The predecessor's job failed permanently and runs again only after an admin intervenes.
  return now() + interval '1 minute';
end
$$;

comment on function app.turn_of_delivery(public.webhook_deliveries) is
  'When to check again whether all earlier deliveries of the same record were delivered or failed permanently (worker only).';

grant execute on function app.turn_of_delivery(public.webhook_deliveries) to worker;

create function private.advance_successors(delivery public.webhook_deliveries) returns void
language sql
set search_path = ''
as $$
  update public.jobs j set due_at = now()
  from public.webhook_deliveries d
  where d.tenant_id = delivery.tenant_id and d.endpoint_id = delivery.endpoint_id and d.record_id = delivery.record_id
    and d.sequence > delivery.sequence and d.status = 'pending'
    and j.name = 'deliver-webhook' and j.key = d.id and j.due_at > now()
    and j.finished_at is null and j.failed_at is null and j.locked_until is null
$$;

comment on function private.advance_successors(public.webhook_deliveries) is
  'Makes the jobs of deliveries that wait for this one due now, because it is sent earlier than scheduled.';

create function private.order_deliveries() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Skips deliveries into which a transaction is folding an event, because it may stay open.
  with waiting as (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = new.tenant_id and d.endpoint_id = new.id and d.status = 'pending' and d.record_id is null
    for no key update skip locked
  )
  update public.webhook_deliveries d set record_id = e.data ->> 'id', sequence = e.sequence
  from public.events e
  where d.id in (select id from waiting) and e.tenant_id = d.tenant_id and e.id = d.event_id and e.data ->> 'id' is not null;
  return null;
end
$$;

comment on function private.order_deliveries() is 'Trigger: applies ordering to a webhook''s pending deliveries when it is enabled.';

create trigger webhook_endpoints_order_deliveries after update of ordered on public.webhook_endpoints
  for each row when (new.ordered and not old.ordered)
  execute function private.order_deliveries();
