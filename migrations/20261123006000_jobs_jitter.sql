set local lock_timeout = '3s';

-- Jitter of retry schedules. Work that failed together, for example because a host was unreachable, is not retried together.

create function private.add_jitter(seconds integer, id text, failures integer) returns integer
language sql immutable parallel safe
begin atomic
  select case when seconds <= 5 then seconds
              else bounds.least + (hash.value % (bounds.most - bounds.least + 1))::integer end
  from (select (seconds * 4 + 4) / 5 as least, (seconds * 6) / 5 as most) as bounds,
       (select ('x' || encode(substr(sha256(convert_to(id || ':' || failures, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint as value) as hash;
end;

comment on function private.add_jitter(integer, text, integer) is
  'A wait multiplied by 0.8 to 1.2, always the same for the same id and failures; waits up to 5 seconds are unchanged.';

-- Webhooks ------------------------------------------------------------------------------------------------------------

create or replace function private.suspend_webhook(endpoint public.webhook_endpoints, retry_seconds integer[], reason text) returns void
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

create or replace function app.record_webhook_attempts(attempts jsonb, retry_seconds integer[], min_span_seconds integer) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  attempt  record;
  delivery public.webhook_deliveries;
  active   boolean;
  wait     integer;
begin
  -- Locks the endpoints first, because deleting an endpoint locks it before its deliveries.
  perform from public.webhook_endpoints w
  where w.id in (select d.endpoint_id from jsonb_array_elements(attempts) as each join public.webhook_deliveries d on d.id = each ->> 'delivery_id')
  order by w.id for key share;
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

-- The first lookup of an order ----------------------------------------------------------------------------------------

create or replace function private.invoice_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  before jsonb;
begin
  if new.status in ('paid', 'canceled', 'failed') then
    before := app.invoice_snapshot(old);
  end if;
  if new.status = 'open' and new.expires_at is not null then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'expire-invoice', new.id, jsonb_build_object('invoice_id', new.id),
            least(new.expires_at, now() + make_interval(secs => private.add_jitter(600, new.id, 0))));
  end if;

  if new.status = 'paid' then
    insert into public.balance_transactions
      (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, cost_center, our_number,
       contractor_reference, provider, provider_account_id)
    values
      (new.tenant_id, 'charge', new.amount, new.currency, coalesce(new.fee, 0), new.amount - coalesce(new.fee, 0),
       coalesce(new.available_on, private.today(new.tenant_id)), new.id, new.cost_center, new.our_number,
       new.contractor_reference, new.provider, new.provider_account_id);
    perform private.schedule_tax_document(new.tenant_id, d.id)
    from public.tax_documents d
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
    -- The invoice was paid after it failed or was canceled, which also canceled its pending document.
    if old.status in ('failed', 'canceled') and not exists (
      select from public.tax_documents d
      where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status in ('pending', 'issued')
    ) then
      perform private.insert_waiting_tax_document(new);
    end if;
  end if;

  if new.status in ('canceled', 'failed') then
    update public.tax_documents d set status = 'canceled'
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
  end if;

  if new.status in ('paid', 'canceled', 'failed') then
    perform private.add_event(new.tenant_id, 'invoice.' || new.status, before, app.invoice_snapshot(new));
  end if;
  return null;
end
$$;

create or replace function private.payout_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.status = 'paid' then
    insert into public.balance_transactions
      (tenant_id, type, amount, currency, fee, net, available_on, payout_id, cost_center, our_number,
       contractor_reference, provider, provider_account_id)
    values
      (new.tenant_id, 'payout', -new.amount, new.currency, coalesce(new.fee, 0), -new.amount - coalesce(new.fee, 0),
       coalesce(new.available_on, private.today(new.tenant_id)), new.id, new.cost_center, new.our_number,
       new.contractor_reference, new.provider, new.provider_account_id);
  end if;
  -- A payout that waits for approval has not been sent to a provider.
  if old.status = 'creating' and new.approval is distinct from 'waiting' or new.approval = 'approved' and old.status = 'created' then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'follow-payout', new.id, jsonb_build_object('payout_id', new.id),
            now() + make_interval(secs => private.add_jitter(600, new.id, 0)))
    on conflict (name, key) do nothing;
  end if;
  if new.status in ('paid', 'failed', 'canceled') then
    perform private.add_event(new.tenant_id, 'payout.' || new.status, to_jsonb(old), to_jsonb(new));
  end if;
  return null;
end
$$;
