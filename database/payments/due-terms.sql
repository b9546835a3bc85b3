-- Payments: due dates with fine, interest and discount: what a payer paid, and the limits of a tenant.

create function private.reported_total(report jsonb, reason text) returns bigint
language sql immutable parallel safe
return (
  select sum((a ->> 'amountMinor')::bigint)::bigint from jsonb_array_elements(coalesce(report -> 'adjustments', '[]')) as a
  where a ->> 'reason' = reported_total.reason
);

comment on function private.reported_total(jsonb, text) is
  'Total of an order''s adjustments for a reason in a provider''s report; null if the report omits the reason.';

create function private.payer_day(invoice public.invoices, at timestamptz) returns date
language sql stable
set search_path = ''
return (
  select (at at time zone case invoice.region when 'br' then 'America/Sao_Paulo' else t.time_zone end)::date
  from public.tenants t where t.id = invoice.tenant_id
);

comment on function private.payer_day(public.invoices, timestamptz) is
  'The day of a time for an invoice''s payer: in Brazil that of São Paulo, otherwise that of the tenant.';

create function private.paid_members(invoice public.invoices, report jsonb) returns public.invoices
language plpgsql stable security definer
set search_path = ''
as $$
declare
  overpaid bigint := private.reported_total(report, 'overpaid');
begin
  if invoice.status <> 'paid' and (report #>> '{state,status}' is distinct from 'paid'
     or not private.payment_transitions() -> 'invoices' -> invoice.status ? 'paid') then
    return invoice;
  end if;
  -- Members that a report omits stay unchanged. For invoices paid before these columns existed, the ledger has the values.
  if overpaid is null and invoice.paid_amount is null then
    overpaid := (
      select sum(b.net) from public.balance_transactions b
      where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.type = 'adjustment' and b.reason = 'overpaid');
  elsif overpaid is null then
    overpaid := invoice.paid_amount - invoice.amount - invoice.fine - invoice.interest + invoice.discount;
  end if;
  invoice.fine := coalesce(private.reported_total(report, 'fine'), invoice.fine, 0);
  invoice.interest := coalesce(private.reported_total(report, 'interest'), invoice.interest, 0);
  invoice.discount := coalesce(-private.reported_total(report, 'discount'), invoice.discount, 0);
  invoice.paid_amount := invoice.amount - invoice.discount + invoice.fine + invoice.interest + coalesce(overpaid, 0);
  invoice.paid_on := coalesce(
    (report #>> '{state,paidOn}')::date, invoice.paid_on,
    private.payer_day(invoice, coalesce(invoice.paid_at, (report #>> '{state,at}')::timestamptz, now())));
  return invoice;
end
$$;

comment on function private.paid_members(public.invoices, jsonb) is
  'The invoice with paid_amount, paid_on, fine, interest and discount as a provider''s report gives them, if it is paid by the report.';

create function private.set_paid_amounts() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  new.paid_amount := new.amount;
  new.paid_on := private.payer_day(new, coalesce(new.paid_at, now()));
  new.fine := 0;
  new.interest := 0;
  new.discount := 0;
  return new;
end
$$;

comment on function private.set_paid_amounts() is 'Trigger: an invoice that becomes paid without a report was paid in full today.';

create trigger invoices_fill_paid_members before update of status on public.invoices
  for each row when (new.status = 'paid' and new.paid_amount is null) execute function private.set_paid_amounts();

-- Limits --------------------------------------------------------------------------------------------------------------

create table public.due_limits (
  tenant_id              uuid    primary key references public.tenants (id) on delete cascade,
  fine_percent           numeric not null check (fine_percent between 0 and 20),
  interest_percent_month numeric not null check (interest_percent_month between 0 and 20)
);

comment on table  public.due_limits is 'How much a tenant may charge companies for late payment. Without a row, 2 and 1 as for consumers.';
comment on column public.due_limits.fine_percent is 'Maximum fine in percent of the invoice.';
comment on column public.due_limits.interest_percent_month is 'Maximum interest in percent per month.';

alter table public.due_limits enable row level security;
grant select on public.due_limits to api;

create policy "A tenant sees its own limits" on public.due_limits
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.set_due_limits(tenant text, fine_percent numeric, interest_percent_month numeric) returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  perform private.expect_number('fine_percent', coalesce(fine_percent, 2), 0, 20),
          private.expect_number('interest_percent_month', coalesce(interest_percent_month, 1), 0, 20);
  insert into public.due_limits as l (tenant_id, fine_percent, interest_percent_month)
  values (own, coalesce(set_due_limits.fine_percent, 2), coalesce(set_due_limits.interest_percent_month, 1))
  on conflict on constraint due_limits_pkey do update
  set fine_percent = excluded.fine_percent, interest_percent_month = excluded.interest_percent_month;
end
$$;

comment on function private.set_due_limits(text, numeric, numeric) is
  'Sets a tenant''s (slug or id) maximum fine and monthly interest for customers with a CNPJ, up to 20 % each; null: back to 2 and 1.';

create function private.routes_for(own uuid, kind text, region text, currency text, method text) returns setof public.provider_routes
language sql stable security definer
set search_path = ''
as $$
  select (m.route).*
  from (
    select r as route, rank() over (order by r.tenant_id is null, r.method is null, r.region = '*', r.currency = '*') as place
    from public.provider_routes r
    where (r.tenant_id = own or r.tenant_id is null) and r.kind = routes_for.kind
      and r.region in (routes_for.region, '*') and r.currency in (routes_for.currency, '*')
      and (r.method is null or r.method = routes_for.method)
  ) as m
  where m.place = 1
  order by (m.route).preference
$$;

comment on function private.routes_for(uuid, text, text, text, text) is
  'The routes that private.choose_provider considers for an order of a tenant, in order of preference.';

create function app.due_term_faults(region text, currency text, method text, terms jsonb, is_company boolean) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  providers constant text[] := array(
    select r.provider from private.routes_for(app.tenant_id(), 'charge', region, currency, method) as r);
  maximum   public.due_limits;
begin
  if terms is null then
    return null;
  elsif providers <> '{}' and not providers && array(select p.name from private.payment_providers p where p.has_due_terms) then
    return (
      select jsonb_agg(jsonb_build_object('field', 'payment_method.' || k, 'message', 'is not supported by the provider of this payment method'))
      from jsonb_object_keys(terms) as k);
  elsif is_company then
    select l.* into maximum from public.due_limits l where l.tenant_id = app.tenant_id();
  end if;
  return (
    select jsonb_agg(jsonb_build_object('field', 'payment_method.' || m.member, 'message', format('must be at most %s', m.maximum)))
    from (values ('fine_percent', coalesce(maximum.fine_percent, 2)),
                 ('interest_percent_month', coalesce(maximum.interest_percent_month, 1))) as m (member, maximum)
    where (terms ->> m.member)::numeric > m.maximum);
end
$$;

comment on function app.due_term_faults(text, text, text, jsonb, boolean) is
  'Faults (field, message) of an invoice''s due terms: unsupported by its routes, or above the limits for a consumer or company; null if none.';

grant execute on function app.due_term_faults(text, text, text, jsonb, boolean) to api, worker;

create function app.sandbox_note_payment(reference text, amount bigint, paid_on date) returns void
language sql security definer
set search_path = ''
as $$
  update private.sandbox_orders o
  set paid_amount = sandbox_note_payment.amount, paid_on = sandbox_note_payment.paid_on
  where o.kind = 'charge' and o.reference = sandbox_note_payment.reference and o.status = 'open'
$$;

comment on function app.sandbox_note_payment(text, bigint, date) is
  'Records how much the payer of an open sandbox charge pays, and on which day.';

grant execute on function app.sandbox_note_payment(text, bigint, date) to worker;
