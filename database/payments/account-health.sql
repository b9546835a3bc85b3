-- Payments: accounts whose provider does not respond or rejects the key, and orders whose response was lost.

create function private.rearm_job(tenant_id uuid, name text, key text, payload jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs as j (tenant_id, name, key, payload)
  values (rearm_job.tenant_id, rearm_job.name, rearm_job.key, rearm_job.payload)
  on conflict on constraint jobs_name_key_key do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null,
      -- Increments the fencing token, so that a run in progress cannot finish the new one.
      attempts = j.attempts + 1;
end
$$;

comment on function private.rearm_job(uuid, text, text, jsonb) is
  'Schedules a job to run now, even if it finished or failed before.';

create function private.check_provider_soon(account public.provider_accounts) returns void
language sql
set search_path = ''
as $$
  select private.rearm_job(account.tenant_id, 'check-provider', account.id, jsonb_build_object('account_id', account.id))
$$;

comment on function private.check_provider_soon(public.provider_accounts) is 'Schedules a check of an account now.';

create function private.mail_about_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.mail_owner(
    new.tenant_id, format('provider-failing:%s:%s', new.id, to_char(now(), 'YYYY-MM-DD HH24')), 'provider_failing',
    jsonb_build_object('provider', initcap(new.provider), 'reason', new.reason));
  return null;
end
$$;

comment on function private.mail_about_account() is
  'Trigger: emails the tenant''s owner when an account starts failing, at most once per hour.';

create trigger provider_accounts_mail_failing after update of status on public.provider_accounts
  for each row when (new.status = 'failing' and old.status <> 'failing')
  execute function private.mail_about_account();

create function app.record_provider_check(account_id text, result jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  unreachable constant boolean := coalesce((result ->> 'unreachable')::boolean, false);
  secrets private.provider_secrets;
begin
  -- Locks the account before its secrets, like private.connect_account.
  perform from public.provider_accounts a where a.id = record_provider_check.account_id for update;
  select s.* into secrets from private.provider_secrets s
  where s.account_id = record_provider_check.account_id and s.api_key_hash = decode(result ->> 'key_hash', 'hex')
  for update;
  if not found then
    return;
  end if;
  if result ->> 'webhook_secret' is not null then
    secrets.webhook_secret := private.keep_secret(
      secrets.webhook_secret, result ->> 'webhook_secret', 'provider_webhook_' || secrets.account_id, 'Verifies webhooks of a payment provider.');
  end if;
  update private.provider_secrets s
  set webhook_secret = secrets.webhook_secret,
      webhook_reference = coalesce(result ->> 'webhook_reference', s.webhook_reference)
  where s.account_id = secrets.account_id;
  update public.provider_accounts a
  -- A check without a response changes neither the status nor the reason of silent orders.
  set status = case when unreachable or a.status = 'disconnected' then a.status else result ->> 'status' end,
      reason = case when unreachable and a.status = 'failing' then a.reason else result ->> 'reason' end,
      silent_orders = case when unreachable then a.silent_orders else '{}' end,
      capabilities = coalesce(result -> 'capabilities', a.capabilities),
      balances = coalesce(result -> 'balances', a.balances),
      balance_read_at = case when result ? 'balances' then now() else a.balance_read_at end,
      webhook_state = coalesce(result ->> 'webhook_state', a.webhook_state),
      callback_url = coalesce(result ->> 'callback_url', a.callback_url),
      tax_regime = case when result ? 'tax_regime' then result ->> 'tax_regime' else a.tax_regime end,
      national_portal = case when result ? 'tax_regime' then (result ->> 'national_portal')::boolean else a.national_portal end,
      -- Absent if the check did not try to register all events.
      webhook_warning = case when result ? 'webhook_warning' then result ->> 'webhook_warning' else a.webhook_warning end,
      webhook_warned_at = case when result ->> 'webhook_warning' is not null then now()
                               when result ? 'webhook_warning' then null else a.webhook_warned_at end,
      checked_at = now()
  where a.id = secrets.account_id;
end
$$;

comment on function app.record_provider_check(text, jsonb) is
  'Records the result of an account check, unless the account''s key has changed since (key_hash is the key''s SHA-256 in hex).';

grant execute on function app.record_provider_check(text, jsonb) to worker;

create function app.report_refused_key(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
begin
  update public.provider_accounts a
  set status = 'failing', reason = initcap(a.provider) || ' rejects the API key.'
  where a.id = report_refused_key.account_id and a.status in ('connecting', 'active')
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  returning a.* into account;
  if found then
    perform private.check_provider_soon(account);
  end if;
end
$$;

comment on function app.report_refused_key(text) is
  'Marks an account as failing because the provider rejected its key, and schedules a check.';

grant execute on function app.report_refused_key(text) to payments, worker;

create function app.check_provider_soon(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  select private.check_provider_soon(a) from public.provider_accounts a where a.id = check_provider_soon.account_id
$$;

comment on function app.check_provider_soon(text) is
  'Schedules a check of an account now, because its provider reported a change.';

grant execute on function app.check_provider_soon(text) to worker;

create function app.forget_provider_account(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  secrets private.provider_secrets;
begin
  -- Locks like private.connect_account, so that an account connected again in the meantime keeps its new key.
  perform from public.provider_accounts a where a.id = forget_provider_account.account_id and a.status = 'disconnected' for update;
  if not found then
    return;
  end if;
  select s.* into secrets from private.provider_secrets s where s.account_id = forget_provider_account.account_id for update;
  update private.provider_secrets s
  set api_key = null, api_key_hash = null, webhook_secret = null, webhook_reference = null, withdrawal_token_hash = null
  where s.account_id = secrets.account_id;
  delete from vault.secrets v where v.id in (secrets.api_key, secrets.webhook_secret);
  update public.provider_accounts a set webhook_state = 'missing' where a.id = secrets.account_id;
end
$$;

comment on function app.forget_provider_account(text) is 'Deletes the keys of a disconnected account from Vault.';

grant execute on function app.forget_provider_account(text) to worker;



create function private.record_failing_account() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.failing_since := case when new.status = 'failing' then clock_timestamp() end;
  return new;
end
$$;

comment on function private.record_failing_account() is 'Trigger: records when an account starts failing.';

create trigger provider_accounts_note_failing before update of status on public.provider_accounts
  for each row when (new.status <> old.status) execute function private.record_failing_account();

create function private.unreachable_reason() returns text language sql immutable parallel safe return 'the provider could not be reached';

comment on function private.unreachable_reason() is 'Reason of an account that is failing because its provider did not respond to orders.';

create function app.record_unanswered_order(account_id text, order_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  failing_at constant integer := 3;
  account public.provider_accounts;
  silent  jsonb;
begin
  select a.* into account from public.provider_accounts a
  where a.id = record_unanswered_order.account_id and a.status = 'active'
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  for no key update;
  if not found then
    return;
  end if;
  select coalesce(jsonb_object_agg(s.key, s.value), '{}') || jsonb_build_object(record_unanswered_order.order_id, now()) into silent
  from jsonb_each_text(account.silent_orders) as s
  where s.value::timestamptz > now() - interval '5 minutes';
  if (select count(*) from jsonb_object_keys(silent)) < failing_at then
    update public.provider_accounts a set silent_orders = silent where a.id = account.id;
  else
    update public.provider_accounts a
    set silent_orders = '{}', status = 'failing', reason = private.unreachable_reason()
    where a.id = account.id;
    perform private.check_provider_soon(account);
  end if;
end
$$;

comment on function app.record_unanswered_order(text, text) is
  'Records an order that the provider did not respond to. The third in five minutes makes the account failing and schedules a check.';

grant execute on function app.record_unanswered_order(text, text) to payments, worker;

create function app.record_answered_order(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  update public.provider_accounts a
  set silent_orders = '{}',
      status = case when a.status = 'failing' and a.reason = private.unreachable_reason() then 'active' else a.status end,
      reason = case when a.status = 'failing' and a.reason = private.unreachable_reason() then null else a.reason end
  where a.id = record_answered_order.account_id
    and (a.silent_orders <> '{}' or (a.status = 'failing' and a.reason = private.unreachable_reason()))
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
$$;

comment on function app.record_answered_order(text) is
  'Records that the provider responds: forgets silent orders, and an account that is failing because of them is active again.';

grant execute on function app.record_answered_order(text) to payments, worker;
