-- Payments: the orders available to a tenant, for GET /capabilities.

create function app.payment_capabilities(methods jsonb)
returns table (
  kind text, region text, currency text, method text, provider text, problem text, missing text, settings jsonb, min_amount bigint, max_amount bigint,
  tax_faults jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own constant uuid := app.tenant_id();
begin
  return query
    with rows as (
      select distinct r.kind, r.region, r.currency, m.method
      from public.provider_routes r
      -- A route without a method is for all methods of its region.
      cross join lateral (
        select r.method where r.kind <> 'charge' or r.method is not null
        union
        select l.method from jsonb_each(methods) as e (region, methods), jsonb_array_elements_text(e.methods) as l (method)
        where r.kind = 'charge' and r.method is null and r.region in (e.region, '*')
      ) as m (method)
      where r.tenant_id = own or r.tenant_id is null
    )
    select w.kind, w.region, w.currency, w.method, coalesce(c.provider, f.provider), c.problem, c.missing, coalesce(a.settings, '{}'),
           f.min_amount, f.max_amount,
           case when w.kind = 'tax_document' and c.provider is not null then app.tax_order(own, c.account_id, '', null) -> 'faults' end
    from rows w
    cross join lateral private.choose_provider(own, w.kind, w.region, w.currency, w.method, null) as c
    -- The limits of the provider that accepts the order, or else of the first one that could.
    left join lateral (
      select r.provider, r.min_amount, r.max_amount
      from private.routes_for(own, w.kind, w.region, w.currency, w.method) as r
      order by r.provider is distinct from c.provider, r.preference
      limit 1
    ) as f on true
    left join public.provider_accounts a on a.tenant_id = own and a.id = c.account_id
    order by w.kind, w.region, w.currency, w.method;
end
$$;

comment on function app.payment_capabilities(jsonb) is
  'What the transaction''s tenant can order by its routes, with the provider or the problem (methods: payment methods by region).';

grant execute on function app.payment_capabilities(jsonb) to api;
