-- Payments in Studio: connecting a tenant's accounts at providers, and who takes what.
--
-- A refused call would be in Postgres' log with its statement, and so with the key: what takes keys keeps its own errors out of it.

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
      'tenant', case when tenant is null then 'is required' else format('there is no tenant "%s"', left(tenant, 100)) end,
      array(select t.slug from public.tenants t order by t.slug));
  end if;
  return found_id;
end
$$;

comment on function private.tenant_named(text) is 'The tenant with this slug or id. Refuses others, and lists those that there are.';

create function private.keep_errors_out_of_log() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('log_min_messages', 'panic', true);
  return true;
exception when insufficient_privilege then
  return false;
end
$$;

comment on function private.keep_errors_out_of_log() is
  'For the rest of the transaction an error goes to the caller alone, since the log would have its statement. False where that is not allowed: then errors must not be raised.';

-- Settings of each provider -------------------------------------------------------------------------------------------

create function private.expect_object(argument text, value jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  stranger text;
begin
  if jsonb_typeof(value) is distinct from 'object' then
    perform private.refuse_argument(argument, 'must be a JSON object', allowed);
  end if;
  select key into stranger from jsonb_object_keys(value) as key where key <> all (allowed) limit 1;
  if found then
    perform private.refuse_argument(argument, format('"%s" is no setting', stranger), allowed);
  end if;
end
$$;

comment on function private.expect_object(text, jsonb, text[]) is 'Refuses JSON that is no object, or has other members than these.';

create function private.expect_texts(argument text, value jsonb, names text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select key into wrong from jsonb_each(value) as m (key, member)
  where key = any (names) and (jsonb_typeof(member) <> 'string' or btrim(member #>> '{}') = '') limit 1;
  if found then
    perform private.refuse_argument(format('%s.%s', argument, wrong), 'must be a text that is not empty');
  end if;
end
$$;

comment on function private.expect_texts(text, jsonb, text[]) is 'Refuses members of these names that are no filled texts.';

create function private.expect_asaas_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  tax     constant text[] := '{retainIss,iss,pis,cofins,csll,inss,ir}';
  service record;
  wrong   text;
begin
  perform private.expect_object('settings', settings, '{municipal_service_code,municipal_service_name,services,taxes,observations,deductions}'),
          private.expect_texts('settings', settings, '{municipal_service_code,municipal_service_name,observations}');
  if settings ? 'services' then
    if jsonb_typeof(settings -> 'services') <> 'object' then
      perform private.refuse_argument('settings.services', 'must be an object: our service code to the city''s {"code" or "id", "name"}');
    end if;
    for service in select key, member from jsonb_each(settings -> 'services') as m (key, member) loop
      perform private.expect_object(format('settings.services.%s', service.key), service.member, '{code,id,name}'),
              private.expect_texts(format('settings.services.%s', service.key), service.member, '{code,id,name}');
      if not service.member ?| '{code,id}' then
        perform private.refuse_argument(format('settings.services.%s', service.key), 'needs "code" or "id" of the city''s service');
      end if;
    end loop;
  end if;
  if settings ? 'taxes' then
    perform private.expect_object('settings.taxes', settings -> 'taxes', tax);
    select key into wrong from jsonb_each(settings -> 'taxes') as m (key, member)
    where case when key = 'retainIss' then jsonb_typeof(member) <> 'boolean'
               else jsonb_typeof(member) <> 'number' or (member #>> '{}')::numeric not between 0 and 100 end limit 1;
    if found then
      perform private.refuse_argument(
        format('settings.taxes.%s', wrong), case when wrong = 'retainIss' then 'must be true or false' else 'must be a percentage from 0 to 100' end);
    end if;
  end if;
  if settings ? 'deductions'
     and (jsonb_typeof(settings -> 'deductions') <> 'number' or (settings ->> 'deductions')::numeric < 0) then
    perform private.refuse_argument('settings.deductions', 'must be an amount in reais, at least 0');
  end if;
end
$$;

comment on function private.expect_asaas_settings(jsonb) is 'Refuses settings that Asaas'' tax documents cannot be made with.';

create function private.expect_wise_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_object('settings', settings, '{profile_id,source_currency}');
  if (settings ->> 'profile_id' ~ '^[0-9]{1,19}$') is not true then
    perform private.refuse_argument('settings.profile_id', 'must be the number of a Wise profile');
  elsif (settings ->> 'source_currency' ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('settings.source_currency', 'must be the currency that payouts are paid from, such as EUR');
  end if;
end
$$;

comment on function private.expect_wise_settings(jsonb) is 'Refuses settings that Wise cannot be asked with.';

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
  -- Two calls at once for one tenant are one after the other.
  perform pg_advisory_xact_lock(hashtextextended('provider-accounts', 0));
  if exists (
    select from private.provider_secrets s
    join public.provider_accounts a on a.id = s.account_id
    where s.api_key_hash = hash and not (a.tenant_id = connect_account.tenant_id and a.provider = connect_account.provider)
  ) then
    perform private.refuse_argument('key', 'is another tenant''s: each would take the other''s money for its own');
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
    -- Asaas takes what we choose; Stripe gives one when our webhook is made; Wise signs with a key of its own.
    case when provider = 'asaas' then coalesce(
      secrets.webhook_secret,
      private.keep_secret(null, private.random_base62(48), 'provider_webhook_' || account.id, 'Proves what a payment provider tells us.'))
    else secrets.webhook_secret end)
  on conflict on constraint provider_secrets_pkey do update
  set api_key = excluded.api_key, api_key_hash = excluded.api_key_hash, webhook_secret = excluded.webhook_secret;
  perform private.check_provider_soon(account);
  return account.id;
end
$$;

comment on function private.connect_account(uuid, text, text, jsonb) is
  'Makes a tenant''s account at a provider, or gives the one that it has another key, and has it looked at.';

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
    perform private.refuse_argument(what, case when production then 'is a test key: production takes live keys alone'
                                               else 'is a live key: staging takes test keys alone' end);
  end if;
  perform private.refuse_argument(
    what, 'is no key of this provider', array['one that begins with ' || replace(replace(case when production then live else test end, '\', ''), '|', ' or ')]);
end
$$;

comment on function private.expect_key(text, text, text, text) is
  'Refuses keys of the other environment, and what is no key at all. Says neither.';

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

comment on function private.withdrawal_token_hash(text) is 'What is kept of the token with which Asaas asks about transfers.';

create function admin.connect_asaas(tenant text, api_key text, settings jsonb default '{}', withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
  connected text;
begin
  perform private.expect_key(api_key, '\$aact_prod_', '\$aact_hmlg_', 'api_key'), private.expect_asaas_settings(settings);
  connected := private.connect_account(private.tenant_named(tenant), 'asaas', api_key, settings);
  if withdrawal_token is not null then
    update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(withdrawal_token)
    where s.account_id = connected;
  end if;
  return connected;
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_asaas(text, text, jsonb, text) is
  'Connects a tenant (slug or id) to its Asaas account and returns the account''s id; again with another key, the id stays. Settings: municipal_service_code, municipal_service_name, services, taxes, observations, deductions. withdrawal_token: what Asaas'' withdrawal validation carries.';

create function admin.connect_wise(tenant text, token text, settings jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  perform private.expect_wise_settings(settings);
  if (token ~ '^[[:graph:]]{8,255}$') is not true then
    perform private.refuse_argument('token', 'is no API token of Wise', array['8 to 255 characters without spaces']);
  end if;
  return private.connect_account(private.tenant_named(tenant), 'wise', token, settings);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_wise(text, text, jsonb) is
  'Connects a tenant (slug or id) to its Wise profile and returns the account''s id; again with another token, the id stays. Settings: profile_id, source_currency.';

create function admin.connect_stripe(tenant text, api_key text) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  perform private.expect_key(api_key, 'sk_live_|rk_live_', 'sk_test_|rk_test_', 'api_key');
  return private.connect_account(private.tenant_named(tenant), 'stripe', api_key, '{}');
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_stripe(text, text) is
  'Connects a tenant (slug or id) to its Stripe account and returns the account''s id; again with another key, the id stays.';

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
      'id', case when id is null then 'is required' else format('there is no account %s', left(id, 100)) end,
      array(select format('%s (%s of %s)', a.id, a.provider, t.slug)
            from public.provider_accounts a join public.tenants t on t.id = a.tenant_id order by t.slug, a.provider));
  end if;
  return account;
end
$$;

comment on function private.account_with_id(text) is 'The account with this id. Refuses others, and lists those that there are.';

create function admin.new_withdrawal_token(id text) returns table (address text, token text)
language plpgsql
set search_path = ''
as $$
declare
  account constant public.provider_accounts := private.account_with_id(id);
begin
  if account.provider <> 'asaas' then
    perform private.refuse_argument('id', format('is an account at %s; only Asaas asks about transfers', account.provider));
  end if;
  token := private.random_base62(48);
  address := coalesce(account.callback_url, '<address of the functions>/callbacks/providers/asaas/' || account.id) || '/approvals';
  update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(token) where s.account_id = account.id;
  return next;
end
$$;

comment on function admin.new_withdrawal_token(text) is
  'A new token for Asaas'' withdrawal validation, with the address to type in beside it. It is in the answer and nowhere else; the one before ends.';

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
  return 'It takes no new orders. Key and webhook go when its open orders have ended, after 60 days at the latest.';
end
$$;

comment on function admin.disconnect_provider(text) is
  'Takes no new orders for an account; open ones are still followed. Then its key leaves Vault and our webhook there goes.';

create function admin.reconcile_provider(account text) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_account constant public.provider_accounts := private.account_with_id(account);
begin
  perform private.rearm_job(found_account.tenant_id, 'reconcile-provider', found_account.id, jsonb_build_object('account_id', found_account.id));
end
$$;

comment on function admin.reconcile_provider(text) is
  'Compares an account with its provider now, and not at the next day: what was missed is applied, what cannot be explained is in admin.provider_differences.';

create function admin.set_provider_route(
  tenant text, kind text, region text, currency text, method text default null, providers text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  own     constant uuid := private.tenant_named(tenant);
  methods constant text[] := '{pix,boleto,bolepix,card,ach_debit,sepa_debit,bank_transfer}';
  takers  constant text[] := case kind when 'charge' then '{sandbox,asaas,stripe}'
                                       when 'payout' then '{sandbox,asaas,wise}' else '{sandbox,asaas}' end;
begin
  perform private.expect_one_of('kind', kind, '{charge,payout,tax_document}');
  perform private.expect_one_of('providers', name, takers) from unnest(providers) as name;
  if (region ~ '^([a-z]{2}|\*)$') is not true then
    perform private.refuse_argument('region', 'is no region', array['br', 'us', 'eu', 'a country''s code in lower case (payouts)', '*']);
  elsif (currency ~ '^([A-Z]{3}|\*)$') is not true then
    perform private.refuse_argument('currency', 'is no currency', array['a code of three capital letters, such as BRL', '*']);
  elsif method is not null and (kind <> 'charge' or method <> all (methods)) then
    perform private.refuse_argument('method', case when kind = 'charge' then format('"%s" is no method', method) else 'is for charges alone' end,
                                    methods);
  elsif 'sandbox' = any (providers) and app.environment() = 'production' then
    perform private.refuse_argument('providers', 'the sandbox serves staging alone');
  elsif (select count(distinct p) from unnest(providers) as p) < cardinality(providers) then
    perform private.refuse_argument('providers', 'names one twice');
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

comment on function admin.set_provider_route(text, text, text, text, text, text[]) is
  'Who takes a tenant''s (slug or id) charges, payouts or tax documents of a region and currency, in order of preference, instead of the default; no method means all, no provider the default again.';

-- Looking ------------------------------------------------------------------------------------------------------------

create view admin.provider_accounts with (security_invoker = true) as
  select a.id, a.tenant_id, t.slug as tenant, a.provider, a.status, a.reason, a.capabilities, a.webhook_state, a.last_event_at,
         a.rejected_events, (a.balances #>> '{0,amount}')::bigint as balance, a.balances #>> '{0,currency}' as currency,
         a.balance_read_at, a.created_at, a.checked_at, a.reconciled_at, a.disconnected_at
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id;

comment on view admin.provider_accounts is
  'Accounts of tenants at payment providers: whether they work and why not, what they can do, balance in minor units and when it was read.';

create view admin.provider_routes with (security_invoker = true) as
  select r.tenant_id, t.slug as tenant, r.kind, r.region, r.currency, r.method, r.preference, r.provider, r.min_amount, r.max_amount
  from public.provider_routes r
  left join public.tenants t on t.id = r.tenant_id
  order by t.slug nulls first, r.kind, r.region, r.currency, r.method nulls first, r.preference;

comment on view admin.provider_routes is 'Who takes what, in order of preference: of everybody where there is no tenant, else of that tenant in its place.';
