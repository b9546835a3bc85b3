-- The admin API has no unlimited rows: provider routes, approval rules and rotated API keys count. Changes that replace rows are serialized,
-- so that concurrent ones do not violate a unique index.

set local lock_timeout = '3s';

create or replace function private.set_provider_route(
  tenant text, kind text, region text, currency text, method text default null, providers text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  own                 constant uuid := private.tenant_named(tenant);
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
