-- Payments: routing of orders to the accounts of a tenant.

create table public.provider_routes (
  tenant_id  uuid     references public.tenants (id) on delete cascade,
  kind       text     not null check (kind in ('charge', 'payout', 'tax_document')),
  region     text     not null,
  currency   text     not null check (currency ~ '^([A-Z]{3}|\*)$'),
  method     text     check (kind = 'charge' or method is null),
  preference smallint not null,
  provider   text     not null references private.payment_providers (name),
  min_amount bigint,
  max_amount bigint,
  unique nulls not distinct (tenant_id, kind, region, currency, method, preference)
);

comment on table  public.provider_routes is
  'Routes to providers in order of preference; a tenant''s routes override defaults, and routes for a method override general ones.';
comment on column public.provider_routes.tenant_id is 'Null for default routes.';
comment on column public.provider_routes.region is 'Region such as br; * means any.';
comment on column public.provider_routes.currency is 'Currency; * means any.';
comment on column public.provider_routes.method is 'Payment method of a charge; null means all.';
comment on column public.provider_routes.preference is 'Order of preference, lowest first.';
comment on column public.provider_routes.min_amount is 'Minimum amount that the provider accepts, in minor units.';
comment on column public.provider_routes.max_amount is 'Maximum amount that the provider accepts, in minor units.';

alter table public.provider_routes enable row level security;
grant select on public.provider_routes to api, worker;

create policy "A tenant sees default routes and its own" on public.provider_routes
  for select to api using (tenant_id is null or tenant_id = (select app.tenant_id()));
create policy "Jobs see routes" on public.provider_routes for select to worker using (true);

create index provider_routes_provider_idx on public.provider_routes (provider);

insert into private.payment_providers (name, kinds, has_due_terms, accepts_webhook_secret) values
  ('sandbox', '{charge,payout,tax_document}', true,  false),
  ('asaas',   '{charge,payout,tax_document}', true,  true),
  ('wise',    '{payout}',                     false, false),
  ('stripe',  '{charge}',                     false, false);

insert into public.provider_routes (kind, region, currency, method, preference, provider, min_amount, max_amount) values
  ('charge',       'br', 'BRL', null,   1, 'asaas',  500, null),
  ('charge',       'br', 'BRL', 'card', 1, 'asaas',  500, null),
  ('charge',       'br', 'BRL', 'card', 2, 'stripe', 50,  99999999),
  ('charge',       'us', 'USD', null,   1, 'stripe', 50,  99999999),
  ('charge',       'eu', 'EUR', null,   1, 'stripe', 50,  99999999),
  ('tax_document', 'br', 'BRL', null,   1, 'asaas',  null, null),
  ('payout',       '*',  'BRL', null,   1, 'asaas',  null, null),
  ('payout',       '*',  '*',   null,   1, 'wise',   null, null);

create function private.missing_capability(capabilities jsonb, kind text, method text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select capabilities ->> needed
    from unnest(case when kind <> 'charge' then array[kind]
                     when method = 'bolepix' then array['boleto', 'pix']
                     else array[method] end) as needed
    where capabilities ->> needed is not null
    limit 1
  );
end
$$;

comment on function private.missing_capability(jsonb, text, text) is 'Why an account lacks a capability; null if it has it.';

create function private.choose_provider(own uuid, kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text, missing text)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  order_type  constant text := case kind when 'charge' then format('%s charges in %s', method, currency)
                                         when 'payout' then format('payouts in %s', currency) else 'tax documents' end;
  route       record;
  lacks       text;
  has_account boolean := false;
  unconnected text[] := '{}';
begin
  for route in
    select m.provider, m.min_amount, m.max_amount, a.id, a.status, a.reason, a.capabilities
    from (
      select r.*, rank() over (order by r.tenant_id is null, r.method is null, r.region = '*', r.currency = '*') as place
      from public.provider_routes r
      where (r.tenant_id = own or r.tenant_id is null) and r.kind = choose_provider.kind
        and r.region in (choose_provider.region, '*') and r.currency in (choose_provider.currency, '*')
        and (r.method is null or r.method = choose_provider.method)
    ) as m
    left join public.provider_accounts a on a.tenant_id = own and a.provider = m.provider and a.status <> 'disconnected'
    where m.place = 1
    order by m.preference
  loop
    if route.provider = 'sandbox' then
      continue when app.environment() = 'production';
      provider := 'sandbox';
    elsif route.id is null then
      unconnected := unconnected || route.provider;
      continue;
    else
      has_account := true;
      lacks := private.missing_capability(route.capabilities, kind, method);
      if route.status <> 'active' then
        -- An active account later in the list takes precedence; without one, the caller should retry.
        problem := 'not_ready';
        detail := coalesce(route.reason, format('The account at %s is being connected.', route.provider));
        continue;
      elsif lacks is not null then
        problem := coalesce(problem, 'not_configured');
        detail := coalesce(detail, format('%s: %s', route.provider, lacks));
        missing := coalesce(missing, lacks);
        continue;
      end if;
      provider := route.provider;
      account_id := route.id;
    end if;
    problem := null;
    detail := null;
    missing := null;
    if amount < route.min_amount then
      problem := 'amount';
      detail := format('must be at least %s for %s', route.min_amount, order_type);
    elsif amount > route.max_amount then
      problem := 'amount';
      detail := format('must be at most %s for %s', route.max_amount, order_type);
    end if;
    return next;
    return;
  end loop;
  if not has_account and app.environment() = 'staging' and (kind <> 'charge' or region = 'br') then
    provider := 'sandbox';
  elsif not has_account then
    problem := 'not_configured';
    detail := case when unconnected = '{}' then format('No provider supports %s in this region.', order_type)
                   else format('No provider is connected for %s. Connect %s.', order_type, array_to_string(unconnected, ' or ')) end;
  end if;
  return next;
end
$$;

comment on function private.choose_provider(uuid, text, text, text, text, bigint) is
  'Provider and account for an order, or a problem with detail and what an account is missing; in staging, the sandbox serves tenants without one.';

create function app.choose_provider(kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
    select c.provider, c.account_id, c.problem, c.detail from private.choose_provider(app.tenant_id(), kind, region, currency, method, amount) as c;
end
$$;

comment on function app.choose_provider(text, text, text, text, bigint) is
  'Provider and account for an order of the transaction''s tenant, or the problem (private.choose_provider).';

grant execute on function app.choose_provider(text, text, text, text, bigint) to api, worker;
