-- Payments in Studio: functions and views for admins.

create function private.register_cost_center(tenant_id uuid, code text, name text, is_default boolean default false) returns void
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

comment on function private.register_cost_center(uuid, text, text, boolean) is
  'Creates or updates a cost center for invoices and payouts; a new default replaces the previous one.';

create function admin.adjust_balance(tenant_id uuid, amount bigint, currency text, reason text) returns text
language plpgsql
set search_path = ''
as $$
declare
  entry_id text;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('reason', reason);
  if coalesce(amount, 0) = 0 then
    perform private.refuse_argument('amount', 'must be a number other than 0 in minor units of the currency');
  end if;
  if (currency ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('currency', format('"%s" is not a valid currency', currency), array['a code of three capital letters, such as BRL']);
  end if;
  insert into public.balance_transactions (tenant_id, type, amount, currency, fee, net, available_on, reason)
  select t.id, 'adjustment', adjust_balance.amount, adjust_balance.currency, 0, adjust_balance.amount,
         (now() at time zone t.time_zone)::date, adjust_balance.reason
  from public.tenants t where t.id = adjust_balance.tenant_id
  returning id into strict entry_id;
  return entry_id;
end
$$;

comment on function admin.adjust_balance(uuid, bigint, text, text) is
  'Adds a permanent ledger adjustment in minor units (negative to deduct) and returns its id.';

create view admin.invoices with (security_invoker = true) as
  select id, tenant_id, status, amount, currency, payment_method_type, customer ->> 'name' as customer_name, our_number,
         cost_center, contractor_reference, provider, provider_reference, fee, paid_at, failure_reason, expires_at, created,
         updated_at
  from public.invoices;

comment on view admin.invoices is 'Invoices of all tenants; admin.unfinished_orders explains those that are still creating.';

create view admin.payouts with (security_invoker = true) as
  select id, tenant_id, status, amount, currency, beneficiary ->> 'name' as beneficiary_name, purpose, our_number,
         cost_center, contractor_reference, provider, provider_reference, fee, failure_reason, created, updated_at
  from public.payouts;

comment on view admin.payouts is 'Payouts of all tenants; admin.unfinished_orders explains those that are still creating.';

create view admin.unfinished_orders with (security_invoker = true) as
  select o.kind, o.id, o.tenant_id, t.slug as tenant, o.provider, o.amount, o.currency, o.contractor_reference, o.created,
         case when o.sent then 'unknown' else 'not_taken' end as outcome
  from (
    select 'invoice' as kind, i.id, i.tenant_id, i.provider, i.amount, i.currency, i.contractor_reference, i.created, true as sent
    from public.invoices i where i.status = 'creating'
    union all
    select 'payout', p.id, p.tenant_id, p.provider, p.amount, p.currency, p.contractor_reference, p.created, p.ordered_at is not null
    from public.payouts p where p.status = 'creating'
    union all
    select 'refund', r.id, r.tenant_id, r.provider, r.amount, r.currency, null, r.created, true
    from public.refunds r where r.status = 'creating'
  ) as o
  join public.tenants t on t.id = o.tenant_id
  where o.created < now() - interval '1 minute';

comment on view admin.unfinished_orders is
  'Invoices, payouts and refunds created over a minute ago that never opened: rejected, or with an unknown outcome.';

create view admin.balances with (security_invoker = true) as
  select tenant_id, currency, sum(net) as net, count(*) as entries, max(created) as last_entry_at
  from public.balance_transactions
  group by tenant_id, currency;

comment on view admin.balances is 'Balance per tenant and currency: the sum of the ledger, in minor units.';

create view admin.ledger with (security_invoker = true) as
  select tenant_id, id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, our_number, contractor_reference,
         cost_center, provider, reason, created
  from public.balance_transactions;

comment on view admin.ledger is 'All entries of the append-only payments ledger.';

create view admin.tax_documents with (security_invoker = true) as
  select tenant_id, id, invoice_id, type, status, service_code, document_number, access_key, provider, failure_reason, cancel_reason,
         issued_at, created, updated_at
  from public.tax_documents;

comment on view admin.tax_documents is 'Tax documents of invoices, with the reason of a failure or cancellation.';
