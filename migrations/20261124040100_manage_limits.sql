-- The admin API has no unlimited rows: provider routes, approval rules and rotated API keys count. Changes that replace rows are serialized,
-- so that concurrent ones do not violate a unique index.

set local lock_timeout = '3s';

create or replace function manage.set_route(body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.expect_room('public.provider_routes', 'true', 500, 'provider routes')
  where jsonb_array_length(body -> 'providers') > 0 and not exists (
    select from public.provider_routes r
    where r.tenant_id = app.tenant_id() and r.kind = body ->> 'kind' and r.region = body ->> 'region' and r.currency = body ->> 'currency'
      and r.method is not distinct from body ->> 'method');
  begin
    perform private.set_provider_route(
      tenant => (select t.slug from public.tenants t where t.id = app.tenant_id()), kind => body ->> 'kind', region => body ->> 'region',
      currency => body ->> 'currency', method => body ->> 'method', providers => array(select jsonb_array_elements_text(body -> 'providers')));
  exception when invalid_parameter_value then
    perform private.reject('validation', 'Fix these fields.', split_part(sqlerrm, ': ', 1), substr(sqlerrm, strpos(sqlerrm, ': ') + 2));
  end;
  return jsonb_build_object('summary', private.last_summary(), 'record', (
    select r from jsonb_array_elements(manage.list_routes() -> 'records') as r
    where r ->> 'kind' = body ->> 'kind' and r ->> 'region' = body ->> 'region' and r ->> 'currency' = body ->> 'currency'
      and r ->> 'method' is not distinct from body ->> 'method'
    union all
    select body || '{"method": null, "providers": [], "is_default": false}' || jsonb_strip_nulls(jsonb_build_object('method', body -> 'method'))
    limit 1));
end
$$;

create or replace function manage.set_approval_rule(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  given_currency constant text := coalesce(body ->> 'currency', 'BRL');
  above          constant bigint := (body ->> 'above_amount')::bigint;
  current        bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = given_currency for update;
  if current is not null and (above is null or above > current) then
    -- Who can order payouts may not switch off the second pair of eyes.
    perform private.expect_own_scopes('{approve:payouts}', caller, 'Raising or removing a payout approval rule also requires approve:payouts.');
  elsif current is null and above is not null then
    perform private.expect_room('public.payout_approval_rules', 'true', 500, 'payout approval rules');
  end if;
  perform private.require_payout_approval((select t.slug from public.tenants t where t.id = app.tenant_id()), above, given_currency);
  return jsonb_build_object('summary', private.last_summary(), 'record', jsonb_build_object('currency', given_currency, 'above_amount', above));
end
$$;

create or replace function manage.set_cost_center(code text, body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  shown jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('room public.cost_centers' || app.tenant_id(), 0));
  perform private.expect_version(versions, (select jsonb_build_object('record', v.record, 'version', v.version) from manage.cost_centers v where v.code = set_cost_center.code));
  if not exists (select from public.cost_centers c where c.tenant_id = app.tenant_id() and c.code = set_cost_center.code) then
    perform private.expect_room('public.cost_centers', 'true', 500, 'cost centers'), set_config('manage.status', '201', true);
  else
    perform set_config('manage.status', '200', true);
  end if;
  perform private.register_cost_center(app.tenant_id(), code, body ->> 'name', coalesce((body ->> 'is_default')::boolean, false));
  select jsonb_build_object('record', v.record, 'version', v.version) into shown from manage.cost_centers v where v.code = set_cost_center.code;
  return shown || jsonb_build_object('summary', private.last_summary(), 'made', current_setting('manage.status') = '201');
end
$$;

create or replace function manage.rotate_api_key(ref text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old  constant public.api_keys := private.key_found(ref);
  made record;
begin
  perform private.expect_version(versions, private.shown_key(old.id)), private.expect_own_scopes(private.scopes_for_key(old.scopes), caller);
  if old.revoked_at is not null or old.expires_at <= now() then
    perform private.reject('conflict', format('The API key is %s. Create another one.', case when old.revoked_at is null then 'expired' else 'revoked' end),
                           extra => jsonb_build_object('state', case when old.revoked_at is null then 'expired' else 'revoked' end));
  end if;
  -- Each of the 100 keys can be replaced at once, and the old ones work for another day.
  perform private.expect_room('public.api_keys', 'r.revoked_at is null and coalesce(r.expires_at > now(), true)', 200, 'API keys in use');
  select * into made from admin.rotate_api_key(old.id);
  return jsonb_set(private.shown_key(made.id), '{record,api_key}', to_jsonb(made.api_key)) || jsonb_build_object('summary', private.last_summary());
end
$$;

create or replace function private.set_provider_route(
  tenant text, kind text, region text, currency text, method text default null, providers text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  own                 constant uuid := private.find_tenant(tenant);
  methods             constant text[] := '{pix,boleto,bolepix,card,ach_debit,sepa_debit,bank_transfer}';
  supported_providers constant text[] := case kind when 'charge' then '{sandbox,asaas,stripe}'
                                                   when 'payout' then '{sandbox,asaas,wise}' else '{sandbox,asaas}' end;
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

create or replace function private.register_cost_center(tenant_id uuid, code text, name text, is_default boolean default false) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('code', code), private.expect_filled('name', name);
  if char_length(code) > 64 then
    perform private.refuse_argument('code', 'is too long', array['1 to 64 characters']);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.cost_centers' || register_cost_center.tenant_id, 0));
  if is_default then
    update public.cost_centers c set is_default = false
    where c.tenant_id = register_cost_center.tenant_id and c.is_default and c.code <> register_cost_center.code;
  end if;
  insert into public.cost_centers (tenant_id, code, name, is_default) values (tenant_id, code, name, is_default)
  on conflict on constraint cost_centers_pkey do update set name = excluded.name, is_default = excluded.is_default;
end
$$;
