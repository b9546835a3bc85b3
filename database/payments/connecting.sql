-- Payments in Studio: connecting tenants' provider accounts, and routing.
--
-- Postgres logs a failed statement with its arguments. Functions that take API keys therefore keep their own errors out
-- of the log.

create function private.tenant_named(tenant text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found_id uuid;
begin
  select t.id into found_id from public.tenants t where t.slug = tenant or t.id::text = lower(tenant);
  if not found then
    perform private.refuse_argument(
      'tenant', case when tenant is null then 'is required' else format('tenant "%s" does not exist', left(tenant, 100)) end,
      array(select t.slug from public.tenants t order by t.slug));
  end if;
  return found_id;
end
$$;

comment on function private.tenant_named(text) is
  'The tenant with this slug or id; rejects an unknown one and lists the existing tenants.';

-- Supabase permits `set log_min_messages` to postgres, but not set_config(), which does the same.
create function private.keep_errors_out_of_log() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  set local log_min_messages = panic;
  return true;
exception when insufficient_privilege then
  return false;
end
$$;

comment on function private.keep_errors_out_of_log() is
  'Keeps errors, which include the statement, out of the log; returns false if not permitted, and callers must then raise none.';

-- Connecting ----------------------------------------------------------------------------------------------------------

create function private.connect_account(tenant_id uuid, provider text, api_key text, settings jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  hash constant bytea := sha256(convert_to(api_key, 'UTF8'));
  account public.provider_accounts;
  secrets private.provider_secrets;
begin
  -- Serializes concurrent calls.
  perform pg_advisory_xact_lock(hashtextextended('provider-accounts', 0));
  if exists (
    select from private.provider_secrets s
    join public.provider_accounts a on a.id = s.account_id
    where s.api_key_hash = hash and not (a.tenant_id = connect_account.tenant_id and a.provider = connect_account.provider)
  ) then
    perform private.refuse_argument('key', 'is already used by another account. Each account needs its own key.', reason => 'key_taken');
  end if;
  insert into public.provider_accounts as a (tenant_id, provider, settings)
  values (connect_account.tenant_id, connect_account.provider, connect_account.settings)
  on conflict on constraint provider_accounts_tenant_id_provider_key do update
  set status = 'connecting', reason = null, settings = excluded.settings, disconnected_at = null
  returning a.* into account;
  select s.* into secrets from private.provider_secrets s where s.account_id = account.id;
  insert into private.provider_secrets as s (account_id, api_key, api_key_hash, webhook_secret)
  values (
    account.id, private.keep_secret(secrets.api_key, api_key, 'provider_key_' || account.id, 'Key of a payment provider.'), hash,
    case when (select p.accepts_webhook_secret from private.payment_providers p where p.name = provider) then coalesce(
      secrets.webhook_secret,
      private.keep_secret(null, private.random_base62(48), 'provider_webhook_' || account.id, 'Verifies webhooks of a payment provider.'))
    else secrets.webhook_secret end)
  on conflict on constraint provider_secrets_pkey do update
  set api_key = excluded.api_key, api_key_hash = excluded.api_key_hash, webhook_secret = excluded.webhook_secret;
  perform private.check_provider_soon(account);
  return account.id;
end
$$;

comment on function private.connect_account(uuid, text, text, jsonb) is
  'Creates a tenant''s provider account, or replaces its key and settings, and schedules a check.';

create function private.expect_key(value text, live text, test text, what text) returns void
language plpgsql
set search_path = ''
as $$
declare
  production constant boolean := app.environment() = 'production';
begin
  if (value ~ format('^(%s)[[:graph:]]{8,}$', case when production then live else test end)) is true then
    return;
  elsif (value ~ format('^(%s)', case when production then test else live end)) is true then
    perform private.refuse_argument(what, case when production then 'is a test key. Production accepts only live keys'
                                               else 'is a live key. Staging accepts only test keys' end);
  end if;
  perform private.refuse_argument(
    what, 'is not a valid key of this provider', array['a key that begins with ' || replace(replace(case when production then live else test end, '\', ''), '|', ' or ')]);
end
$$;

comment on function private.expect_key(text, text, text, text) is
  'Rejects keys of the other environment and invalid keys, without repeating them in the error.';

create function private.withdrawal_token_hash(token text) returns bytea
language plpgsql
set search_path = ''
as $$
begin
  if token !~ '^[[:graph:]]{32,255}$' then
    perform private.refuse_argument('withdrawal_token', 'must have 32 to 255 characters without spaces');
  end if;
  return sha256(convert_to(token, 'UTF8'));
end
$$;

comment on function private.withdrawal_token_hash(text) is
  'Hash of the token that Asaas sends with withdrawal validation requests.';

create function private.connect_provider(tenant text, provider text, key text, settings jsonb, withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  connected text;
begin
  case provider
    when 'asaas' then
      perform private.expect_key(key, '\$aact_prod_', '\$aact_hmlg_', 'api_key'), private.expect_asaas_settings(settings);
    when 'wise' then
      perform private.expect_wise_settings(settings);
      if (key ~ '^[[:graph:]]{8,255}$') is not true then
        perform private.refuse_argument('token', 'is not a valid Wise API token', array['8 to 255 characters without spaces']);
      end if;
    else
      perform private.expect_key(key, 'sk_live_|rk_live_', 'sk_test_|rk_test_', 'api_key');
  end case;
  connected := private.connect_account(private.tenant_named(tenant), provider, key, settings);
  if withdrawal_token is not null then
    update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(withdrawal_token)
    where s.account_id = connected;
  end if;
  return connected;
end
$$;

comment on function private.connect_provider(text, text, text, jsonb, text) is
  'Connects a tenant (slug or id) to a provider and returns the account id; reconnecting keeps the id. Rejects keys and settings that do not fit.';

create function admin.connect_asaas(tenant text, api_key text, settings jsonb default '{}', withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'asaas', api_key, settings, withdrawal_token);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_asaas(text, text, jsonb, text) is
  'Connects a tenant (slug or id) to Asaas, optionally with withdrawal_token, and returns the account id; reconnecting keeps the id.';

create function admin.connect_wise(tenant text, token text, settings jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'wise', token, settings);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_wise(text, text, jsonb) is
  'Connects a tenant (slug or id) to Wise (settings: profile_id, source_currency) and returns the account id; reconnecting keeps the id.';

create function admin.connect_stripe(tenant text, api_key text) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'stripe', api_key, '{}');
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_stripe(text, text) is
  'Connects a tenant (slug or id) to Stripe and returns the account id; reconnecting with another key keeps the id.';

-- Accepts settings as text. Invalid JSON would otherwise fail before the function runs, and the statement would be
-- logged.

create function private.settings_of(given text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return given::jsonb;
exception when invalid_text_representation then
  perform private.refuse_argument('settings', 'is not valid JSON');
  return null;
end
$$;

comment on function private.settings_of(text) is 'Parses account settings and rejects invalid JSON.';

create function admin.connect_asaas(tenant text, api_key text, settings text, withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return admin.connect_asaas(tenant, api_key, private.settings_of(settings), withdrawal_token);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_asaas(text, text, text, text) is 'admin.connect_asaas with settings as text.';

create function admin.connect_wise(tenant text, token text, settings text) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return admin.connect_wise(tenant, token, private.settings_of(settings));
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_wise(text, text, text) is 'admin.connect_wise with settings as text.';

create function private.account_with_id(id text) returns public.provider_accounts
language plpgsql stable
set search_path = ''
as $$
declare
  account public.provider_accounts;
begin
  select a.* into account from public.provider_accounts a where a.id = account_with_id.id;
  if not found then
    perform private.refuse_argument(
      'id', case when id is null then 'is required' else format('account %s does not exist', left(id, 100)) end,
      array(select format('%s (%s of %s)', a.id, a.provider, t.slug)
            from public.provider_accounts a join public.tenants t on t.id = a.tenant_id order by t.slug, a.provider));
  end if;
  return account;
end
$$;

comment on function private.account_with_id(text) is
  'The account with this id; rejects an unknown one and lists the existing accounts.';

create function admin.new_withdrawal_token(id text) returns table (address text, token text)
language plpgsql
set search_path = ''
as $$
declare
  account constant public.provider_accounts := private.account_with_id(id);
begin
  if account.provider <> 'asaas' then
    perform private.refuse_argument('id', format('is an account at %s; only Asaas has withdrawal validation', account.provider));
  end if;
  token := private.random_base62(48);
  address := coalesce(account.callback_url, '<URL of the functions>/callbacks/providers/asaas/' || account.id) || '/approvals';
  update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(token) where s.account_id = account.id;
  return next;
end
$$;

comment on function admin.new_withdrawal_token(text) is
  'Creates a token for Asaas'' withdrawal validation, replacing the previous one, and returns it with its URL only once: copy it.';

create function admin.disconnect_provider(id text) returns text
language plpgsql
set search_path = ''
as $$
declare
  account constant public.provider_accounts := private.account_with_id(id);
begin
  update public.provider_accounts a
  set status = 'disconnected', reason = null, disconnected_at = coalesce(a.disconnected_at, now())
  where a.id = account.id;
  perform private.rearm_job(account.tenant_id, 'disconnect-provider', account.id, jsonb_build_object('account_id', account.id));
  return 'The account accepts no new orders. Its key and webhook are deleted once its open orders are finished, after 60 days at the latest.';
end
$$;

comment on function admin.disconnect_provider(text) is
  'Stops new orders on an account; when its open orders are finished, its key is deleted from Vault and our webhook is removed.';

create function private.reconcile_provider(account text) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_account constant public.provider_accounts := private.account_with_id(account);
begin
  perform private.rearm_job(found_account.tenant_id, 'reconcile-provider', found_account.id, jsonb_build_object('account_id', found_account.id));
end
$$;

comment on function private.reconcile_provider(text) is
  'Reconciles an account with its provider now: applies missed changes and lists other differences in admin.provider_differences.';

-- The admin API has no unlimited rows: provider routes, approval rules and rotated API keys count. Changes that replace rows are serialized,
-- so that concurrent ones do not violate a unique index.
create function private.set_provider_route(
  tenant text, kind text, region text, currency text, method text default null, providers text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  own                 constant uuid := private.tenant_named(tenant);
  methods             constant text[] := '{pix,boleto,bolepix,card,ach_debit,sepa_debit,bank_transfer}';
  supported_providers constant text[] := array(
    select p.name from private.payment_providers p where kind = any (p.kinds) order by p.name <> 'sandbox', p.name);
begin
  perform private.expect_one_of('kind', kind, '{charge,payout,tax_document}');
  perform private.expect_one_of('providers', name, supported_providers) from unnest(providers) as name;
  if (region ~ '^([a-z]{2}|\*)$') is not true then
    perform private.refuse_argument('region', 'is not a valid region', array['br', 'us', 'eu', 'a country''s code in lower case (payouts)', '*']);
  elsif (currency ~ '^([A-Z]{3}|\*)$') is not true then
    perform private.refuse_argument('currency', 'is not a valid currency', array['a code of three capital letters, such as BRL', '*']);
  elsif method is not null and (kind <> 'charge' or method <> all (methods)) then
    perform private.refuse_argument('method', case when kind = 'charge' then format('"%s" is not a payment method', method) else 'is only allowed for charges' end,
                                    methods);
  elsif 'sandbox' = any (providers) and app.environment() = 'production' then
    perform private.refuse_argument('providers', 'the sandbox is only available in staging');
  elsif (select count(distinct p) from unnest(providers) as p) < cardinality(providers) then
    perform private.refuse_argument('providers', 'lists a provider twice');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.provider_routes' || own, 0));
  if providers = array(
    select r.provider from public.provider_routes r
    where r.tenant_id = own and r.kind = set_provider_route.kind and r.region = set_provider_route.region
      and r.currency = set_provider_route.currency and r.method is not distinct from set_provider_route.method
    order by r.preference) then
    return;
  end if;
  delete from public.provider_routes r
  where r.tenant_id = own and r.kind = set_provider_route.kind and r.region = set_provider_route.region
    and r.currency = set_provider_route.currency and r.method is not distinct from set_provider_route.method;
  insert into public.provider_routes (tenant_id, kind, region, currency, method, preference, provider, min_amount, max_amount)
  select own, set_provider_route.kind, set_provider_route.region, set_provider_route.currency, set_provider_route.method, p.place, p.name,
         limits.min_amount, limits.max_amount
  from unnest(providers) with ordinality as p (name, place)
  left join lateral (
    select r.min_amount, r.max_amount from public.provider_routes r
    where r.tenant_id is null and r.provider = p.name and r.kind = set_provider_route.kind and r.currency = set_provider_route.currency
    limit 1
  ) as limits on true;
end
$$;

comment on function private.set_provider_route(text, text, text, text, text, text[]) is
  'Sets a tenant''s providers, in order, for a kind, region, currency and method (null: all); an empty list restores the default.';
-- Views ---------------------------------------------------------------------------------------------------------------

create view admin.provider_accounts with (security_invoker = true) as
  select a.id, a.tenant_id, t.slug as tenant, a.provider, a.status, a.reason, a.capabilities, a.webhook_state, a.last_event_at,
         a.rejected_events, (a.balances #>> '{0,amount}')::bigint as balance, a.balances #>> '{0,currency}' as currency,
         a.balance_read_at, a.created_at, a.checked_at, a.reconciled_at, a.disconnected_at,
         case when a.provider = 'asaas' then coalesce(a.tax_regime, 'unknown') end as tax_regime, a.national_portal,
         private.account_warnings(a) as warnings
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id;

comment on view admin.provider_accounts is
  'Provider accounts of all tenants: status and reason, warnings, capabilities, tax regime, balance in minor units and when it was read.';
comment on column admin.provider_accounts.tax_regime is
  'Tax regime according to the provider: simples, normal or unknown; null for accounts that issue no tax documents.';
comment on column admin.provider_accounts.national_portal is
  'Whether the account issues NFS-e on the national portal; null if the provider does not report it.';
comment on column admin.provider_accounts.warnings is
  'Warnings about a working account, such as missing tax settings; empty if there are none.';

create view admin.provider_routes with (security_invoker = true) as
  select r.tenant_id, t.slug as tenant, r.kind, r.region, r.currency, r.method, r.preference, r.provider, r.min_amount, r.max_amount
  from public.provider_routes r
  left join public.tenants t on t.id = r.tenant_id
  order by t.slug nulls first, r.kind, r.region, r.currency, r.method nulls first, r.preference;

comment on view admin.provider_routes is
  'Provider routes in order of preference; rows without a tenant are defaults, which a tenant''s own routes replace.';
