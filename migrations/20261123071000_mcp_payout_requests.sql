-- Payouts that an OAuth client requests: they always wait for approval, and at most 20 of them at a time.

set local lock_timeout = '3s';

create or replace function app.payout_approval(currency text, amount bigint) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if app.requester() ->> 'kind' = 'client' then
    return 'waiting';
  end if;
  return (
    select 'waiting' from public.payout_approval_rules r
    where r.tenant_id = app.tenant_id() and r.currency = payout_approval.currency and r.above_amount < amount
  );
end
$$;

comment on function app.payout_approval(text, bigint) is
  'Returns waiting if a payout of this amount requires manual approval, or if an OAuth client requests it; otherwise null.';

create function private.limit_requested_payouts() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  allowed constant integer := 20;
begin
  -- Two requests at once count each other.
  perform pg_advisory_xact_lock(hashtextextended('requested payouts ' || new.tenant_id, 0));
  if allowed <= (
    select count(*) from public.payouts p
    where p.tenant_id = new.tenant_id and p.status in ('creating', 'created') and p.approval = 'waiting'
      and p.requested_by ->> 'kind' = 'client'
  ) then
    raise exception 'requested_payouts_waiting' using errcode = 'PL435', detail = allowed;
  end if;
  return new;
end
$$;

comment on function private.limit_requested_payouts() is 'Raises PL435 if too many payouts that OAuth clients requested wait for approval.';

create trigger limit_requested_payouts before insert on public.payouts for each row
  when (new.requested_by ->> 'kind' = 'client')
  execute function private.limit_requested_payouts();
