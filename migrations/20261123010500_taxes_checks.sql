-- Taxes: account checks record the tax regime and rejected webhook events.
set local lock_timeout = '3s';

create or replace function app.record_provider_check(account_id text, result jsonb) returns void
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
