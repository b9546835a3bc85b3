-- Payments: Asaas asks before it sends money (withdrawal validation). Its question has a token of ours and names a transfer or a refund.

create function app.withdrawal_token_fits(account_id text, token_hash bytea) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce((
    select s.withdrawal_token_hash = token_hash from private.provider_secrets s where s.account_id = withdrawal_token_fits.account_id
  ), false);
end
$$;

comment on function app.withdrawal_token_fits(text, bytea) is
  'Whether this is the SHA-256 of an account''s token for Asaas withdrawal validation.';

grant execute on function app.withdrawal_token_fits(text, bytea) to worker;

-- Asaas cancels a transfer if its question stays unanswered, so it is answered while the tenant is closed for a move, too.
create function app.approve_transfer(payout_id text, transfer_id text, matches boolean, details jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  payout  public.payouts;
  known   text;
  move_id uuid;
begin
  select p.* into payout from public.payouts p where p.id = payout_id for no key update;
  select m.id into move_id from private.tenant_moves m
  where m.tenant_id = payout.tenant_id and m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp() and not m.closed;
  known := coalesce(payout.provider_reference, payout.approved_transfer,
                    (select a.transfer_id from private.approvals_while_moving a where a.order_id = payout.id));
  if known <> transfer_id then
    if move_id is not null then
      return false;
    end if;
    insert into public.provider_differences (tenant_id, account_id, kind, subject, ours, theirs)
    values (payout.tenant_id, payout.provider_account_id, 'second_transfer', transfer_id,
            jsonb_build_object('payout', payout.id, 'transfer', known, 'amount', payout.amount), details)
    on conflict (account_id, kind, subject) where resolved_at is null do nothing;
    perform private.mail_owner(
      payout.tenant_id, format('second-transfer:%s', transfer_id), 'second_transfer',
      jsonb_build_object(
        'provider', initcap(payout.provider), 'transfer', transfer_id, 'payout', payout.our_number, 'known', known));
    return false;
  elsif not matches or payout.ordered_at is null or payout.status not in ('creating', 'created', 'processing') then
    return false;
  elsif move_id is not null then
    insert into private.approvals_while_moving (order_id, move_id, transfer_id) values (payout.id, move_id, approve_transfer.transfer_id)
    on conflict on constraint approvals_while_moving_pkey do nothing;
    return true;
  end if;
  update public.payouts p set approved_transfer = transfer_id
  where p.tenant_id = payout.tenant_id and p.id = payout.id and p.approved_transfer is null;
  return payout.id is not null;
end
$$;

comment on function app.approve_transfer(text, text, boolean, jsonb) is
  'Approves the first transfer that matches a payout in progress; rejects any other, records it and emails the owner (worker only).';

grant execute on function app.approve_transfer(text, text, boolean, jsonb) to worker;

-- Asaas identifies a PIX refund by its payment, by our id in the description, or by neither. Then the amount is enough if exactly one
-- refund that is being sent has it.
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

create function private.forget_approved_transfer() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.approved_transfer := null;
  return new;
end
$$;

comment on function private.forget_approved_transfer() is
  'Trigger: clears the approved transfer of a payout that is sent again, because that may create another transfer.';

create trigger payouts_forget_approved_transfer
  before update of ordered_at on public.payouts
  for each row when (new.ordered_at is distinct from old.ordered_at)
  execute function private.forget_approved_transfer();
