-- Payments: refunds in Asaas' withdrawal validation, in Studio and in privacy functions.
set local lock_timeout = '3s';

create function app.approve_refund(account_id text, provider_id text, amount bigint, payment text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  approved public.refunds;
begin
  -- The account's row is locked, so that two requests do not approve the same refund.
  perform from public.provider_accounts a where a.id = approve_refund.account_id for no key update;
  select r.* into approved from public.refunds r
  join public.provider_accounts a on a.tenant_id = r.tenant_id and a.id = r.provider_account_id
  where a.id = approve_refund.account_id and r.approved_for = approve_refund.provider_id;
  if approved.id is not null then
    return approved.amount = approve_refund.amount;
  end if;
  select r.* into approved
  from public.provider_accounts a
  join public.refunds r on r.tenant_id = a.tenant_id and r.provider_account_id = a.id
  join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
  where a.id = approve_refund.account_id and r.origin = 'api' and r.status in ('creating', 'pending') and r.approved_for is null
    and r.amount = approve_refund.amount and (payment is null or i.provider_reference = payment)
  order by r.created
  limit 1;
  update public.refunds r set approved_for = approve_refund.provider_id where r.tenant_id = approved.tenant_id and r.id = approved.id;
  return found;
end
$$;

comment on function app.approve_refund(text, text, bigint, text) is
  'Approves a PIX refund at Asaas that matches a refund in progress which was not approved for another one (worker only).';

grant execute on function app.approve_refund(text, text, bigint, text) to worker;

-- Studio --------------------------------------------------------------------------------------------------------------

create view admin.refunds with (security_invoker = true) as
  select r.id, r.tenant_id, t.slug as tenant, r.invoice_id, r.amount, r.currency, r.status, r.origin, r.reason, r.failure_reason, r.provider,
         r.created, r.settled_at
  from public.refunds r
  join public.tenants t on t.id = r.tenant_id;

comment on view admin.refunds is 'Refunds of all tenants; creating: the provider has not accepted the refund yet.';
comment on column admin.refunds.id is 'The refund.';
comment on column admin.refunds.tenant_id is 'The tenant.';
comment on column admin.refunds.tenant is 'Slug of the tenant.';
comment on column admin.refunds.invoice_id is 'The invoice.';
comment on column admin.refunds.amount is 'Refunded amount in minor units.';
comment on column admin.refunds.currency is 'Currency of the amount.';
comment on column admin.refunds.status is 'creating, pending, succeeded or failed.';
comment on column admin.refunds.origin is 'api if a caller ordered it, provider if it was made at the provider.';
comment on column admin.refunds.reason is 'The caller''s reason, or the provider''s description.';
comment on column admin.refunds.failure_reason is 'Why it failed.';
comment on column admin.refunds.provider is 'The provider that charged the invoice.';
comment on column admin.refunds.created is 'When it was ordered or first seen.';
comment on column admin.refunds.settled_at is 'When it succeeded or failed.';

create or replace view admin.unfinished_orders with (security_invoker = true) as
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
