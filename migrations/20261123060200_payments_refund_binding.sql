-- Payments: Asaas' withdrawal validation approves a PIX refund only if the request identifies it: by the payment, or by our id in
-- the description. The amount is not enough, because a refund that somebody else made could have it as well.

set local lock_timeout = '3s';

-- allow: expand-contract: replaced at once by a wider one
alter table public.provider_differences drop constraint provider_differences_kind_check;
alter table public.provider_differences add constraint provider_differences_kind_check
  check (kind in ('unknown_order', 'missing_order', 'amount', 'second_transfer', 'refused_refund')) not valid;
comment on column public.provider_differences.kind is
  'unknown_order, missing_order: only one side has it; amount: amounts differ; second_transfer, refused_refund: Placar did not approve it.';

create function app.approve_refund(account_id text, provider_id text, amount bigint, payment text, reference text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  account  public.provider_accounts;
  approved public.refunds;
  move_id  uuid;
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
  elsif payment is null and reference is null and account.id is not null then
    if move_id is not null then
      return false;
    end if;
    insert into public.provider_differences (tenant_id, account_id, kind, subject, theirs)
    values (account.tenant_id, account.id, 'refused_refund', approve_refund.provider_id,
            jsonb_build_object('refund', approve_refund.provider_id, 'amount', approve_refund.amount))
    on conflict do nothing;
    return false;
  end if;
  select r.* into approved
  from public.refunds r
  join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
  where r.tenant_id = account.tenant_id and r.provider_account_id = account.id
    and r.origin = 'api' and r.status in ('creating', 'pending') and r.approved_for is null
    and not exists (select from private.approvals_while_moving w where w.order_id = r.id)
    and r.amount = approve_refund.amount and (payment is null or i.provider_reference = payment)
    and (reference is null or r.id = reference)
  order by r.created
  limit 1;
  if approved.id is not null and move_id is not null then
    insert into private.approvals_while_moving (order_id, move_id, transfer_id)
    values (approved.id, move_id, approve_refund.provider_id);
    return true;
  end if;
  update public.refunds r set approved_for = approve_refund.provider_id where r.tenant_id = approved.tenant_id and r.id = approved.id;
  return found;
end
$$;

comment on function app.approve_refund(text, text, bigint, text, text) is
  'Approves a PIX refund of this payment or with this id of ours that is in progress and was not approved for another one (worker only).';

grant execute on function app.approve_refund(text, text, bigint, text, text) to worker;

create or replace function app.approve_refund(account_id text, provider_id text, amount bigint, payment text) returns boolean
language sql security definer
set search_path = ''
as $$
  select app.approve_refund(account_id, provider_id, amount, payment, null)
$$;
