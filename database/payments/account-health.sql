-- Payments: accounts whose provider does not respond or rejects the key, and orders whose response was lost.

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
