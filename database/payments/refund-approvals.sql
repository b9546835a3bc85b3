-- Payments: refunds in Asaas' withdrawal validation, in Studio and in privacy functions.

-- Approves a PIX refund only if the request identifies it: by the payment, or by our id in the description. The amount is not
-- enough, because a refund made by another program could have the same one.
create function app.approve_refund(account_id text, provider_id text, amount bigint, payment text, reference text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  account    public.provider_accounts;
  approved   public.refunds;
  move_id    uuid;
  candidates text[];
begin
  -- The account's row is locked, so that two requests do not approve the same refund.
  select a.* into account from public.provider_accounts a where a.id = approve_refund.account_id for no key update;
  -- Asaas cancels a refund if it gets no answer, so Placar answers even while the tenant cannot write.
  select m.id into move_id from private.tenant_moves m
  where m.tenant_id = account.tenant_id and m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp() and not m.closed;
  select r.* into approved from public.refunds r
  left join private.approvals_while_moving w on w.order_id = r.id
  where r.tenant_id = account.tenant_id and r.provider_account_id = account.id
    and coalesce(r.approved_for, w.transfer_id) = approve_refund.provider_id;
  if approved.id is not null then
    return approved.amount = approve_refund.amount;
  end if;
  candidates := array(
    select r.id
    from public.refunds r
    join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
    where r.tenant_id = account.tenant_id and r.provider_account_id = account.id
      and r.origin = 'api' and r.status in ('creating', 'pending') and r.approved_for is null
      and not exists (select from private.approvals_while_moving w where w.order_id = r.id)
      and r.amount = approve_refund.amount and (payment is null or i.provider_reference = payment)
      and (reference is null or r.id = reference)
    order by r.created
    limit 2);
  -- A question that names neither the payment nor our id must leave no choice.
  if payment is null and reference is null and cardinality(candidates) <> 1 then
    if move_id is null then
      insert into public.provider_differences (tenant_id, account_id, kind, subject, theirs)
      select account.tenant_id, account.id, 'refused_refund', approve_refund.provider_id,
             jsonb_build_object('refund', approve_refund.provider_id, 'amount', approve_refund.amount)
      where account.id is not null
      on conflict do nothing;
    end if;
    return false;
  elsif move_id is not null and candidates <> '{}' then
    insert into private.approvals_while_moving (order_id, move_id, transfer_id)
    values (candidates[1], move_id, approve_refund.provider_id);
    return true;
  end if;
  update public.refunds r set approved_for = approve_refund.provider_id where r.tenant_id = account.tenant_id and r.id = candidates[1];
  return found;
end
$$;

comment on function app.approve_refund(text, text, bigint, text, text) is
  'Approves a PIX refund in progress that is not approved yet, by payment or our refund id, or as the only one of its amount (worker only).';

grant execute on function app.approve_refund(text, text, bigint, text, text) to worker;

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
