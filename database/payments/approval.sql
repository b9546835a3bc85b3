-- Payments: approval of payouts before they are sent. A payout that waits for approval has no order at its provider yet; once approved, a job
-- (order-payout) sends it.
--
-- Which payouts wait: those above the amount of a rule, and at any amount those of clients, of persons without manage:payments and of
-- persons by MCP (app.payout_approval). The latter three are rejected while 20 payouts of clients and persons of the tenant wait.
--
-- Who may approve or reject, whatever the amount: callers with the scope approve:payouts, both in their token and when they decide (the
-- endpoint: functions/v1/admin/payments.ts). Persons with the preset finance or admin have it (access/user-access.sql); the scope admin
-- does not include it. Not the caller that requested the payout, nor one that may be the same person (private.is_same_person,
-- access/credential-holders.sql); but persons may reject any, also their own (app.decide_payout). Studio has all rights: admin.approve_payout and
-- admin.reject_payout check none of this. Canceling needs no approver: functions/payments/payouts.ts.
--
-- Who may change a rule: callers with manage:payments; to raise or remove one, they also need approve:payouts, and persons manage:access
-- (app.set_payout_approval_rule).

create table public.payout_approval_rules (
  tenant_id    uuid   not null references public.tenants (id) on delete cascade,
  currency     text   not null check (currency ~ '^[A-Z]{3}$'),
  above_amount bigint not null check (above_amount >= 0),
  primary key (tenant_id, currency)
);

comment on table  public.payout_approval_rules is 'Rules for which payouts require manual approval before they are sent.';
comment on column public.payout_approval_rules.above_amount is 'Payouts above this amount require approval, in minor units.';

alter table public.payout_approval_rules enable row level security;
grant select on public.payout_approval_rules to api;

create policy "A tenant sees its own rules" on public.payout_approval_rules
  for select to api using (tenant_id = (select app.tenant_id()));

-- Which payouts wait --------------------------------------------------------------------------------------------------

create function app.only_requests_payouts() returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(case app.current_caller() ->> 'kind'
    when 'client' then true
    -- The tool of mcp requests payouts, whatever else the person may do.
    when 'person' then not app.caller_has('{manage:payments}') or nullif(current_setting('app.actor', true), '')::jsonb ->> 'via' = 'mcp'
  end, false);
end
$$;

comment on function app.only_requests_payouts() is 'Whether the payouts of the caller of the request wait for approval, whatever their amount.';

grant execute on function app.only_requests_payouts() to api;

create function app.payout_approval(currency text, amount bigint) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if app.only_requests_payouts() then
    return 'waiting';
  end if;
  return (
    select 'waiting' from public.payout_approval_rules r
    where r.tenant_id = app.tenant_id() and r.currency = payout_approval.currency and r.above_amount < amount
  );
end
$$;

comment on function app.payout_approval(text, bigint) is
  'Returns waiting if a payout of this amount requires manual approval, or if its caller may only request it; otherwise null.';

grant execute on function app.payout_approval(text, bigint) to api;

create function private.check_requested_payout_limit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  allowed constant integer := 20;
begin
  -- Serializes concurrent requests, so that each counts the payouts of the others.
  perform pg_advisory_xact_lock(hashtextextended('requested payouts ' || new.tenant_id, 0));
  if allowed <= (
    select count(*) from public.payouts p
    where p.tenant_id = new.tenant_id and p.status in ('creating', 'created') and p.approval = 'waiting'
      and p.requested_by ->> 'kind' in ('client', 'person')
  ) and app.only_requests_payouts() then
    raise exception 'requested_payouts_waiting' using errcode = 'PL435', detail = allowed;
  end if;
  return new;
end
$$;

comment on function private.check_requested_payout_limit() is 'Raises PL435 if too many payouts that clients and persons requested wait for approval.';

create trigger limit_requested_payouts before insert on public.payouts for each row
  when (new.approval = 'waiting' and new.requested_by ->> 'kind' in ('client', 'person'))
  execute function private.check_requested_payout_limit();

-- Rules -----------------------------------------------------------------------------------------------------------------

create function private.require_payout_approval(tenant text, above_minor bigint, currency text default 'BRL') returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  if (currency ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('currency', format('"%s" is not a valid currency', currency), array['a code of three capital letters, such as BRL']);
  end if;
  if above_minor is null then
    delete from public.payout_approval_rules r where r.tenant_id = own and r.currency = require_payout_approval.currency;
    return;
  end if;
  perform private.expect_number('above_minor', above_minor, 0);
  insert into public.payout_approval_rules as r (tenant_id, currency, above_amount) values (own, currency, above_minor)
  on conflict on constraint payout_approval_rules_pkey do update set above_amount = excluded.above_amount;
end
$$;

comment on function private.require_payout_approval(text, bigint, text) is
  'Requires approval, from now on, for payouts of a tenant (slug or id) above an amount in minor units; null removes the requirement.';

create function app.set_payout_approval_rule(rule_currency text, above bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  current bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = rule_currency for update;
  if current is not null and (above is null or above > current) then
    -- A caller that can order payouts must not be able to disable their approval.
    perform app.expect_own_scopes(
      case app.current_caller() ->> 'kind' when 'person' then array['approve:payouts', 'manage:access'] else array['approve:payouts'] end,
      'approval_rule_protected');
  end if;
  perform private.require_payout_approval(app.tenant_id()::text, above, rule_currency);
end
$$;

comment on function app.set_payout_approval_rule(text, bigint) is 'Sets the amount above which payouts of the tenant require approval; null removes the rule.';

-- Decisions -------------------------------------------------------------------------------------------------------------

create function private.waiting_payout(id text) returns public.payouts
language plpgsql
set search_path = ''
as $$
declare
  payout public.payouts;
begin
  select p.* into payout from public.payouts p where p.id = waiting_payout.id for update;
  if not found then
    perform private.refuse_argument('id', format('payout %s does not exist', left(id, 100)));
  elsif payout.approval is null then
    perform private.refuse_argument('id', 'this payout does not require approval');
  elsif payout.approval <> 'waiting' or payout.status <> 'created' then
    perform private.refuse_argument(
      'id', format('this payout is not waiting for approval: it is %s', case when payout.approval = 'waiting' then payout.status else payout.approval end));
  end if;
  return payout;
end
$$;

comment on function private.waiting_payout(text) is 'Locks and returns a payout that waits for approval; rejects all others.';

create function private.approve_payout(id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  payout constant public.payouts := private.waiting_payout(id);
begin
  update public.payouts p set approval = 'approved' where p.tenant_id = payout.tenant_id and p.id = payout.id;
  insert into public.jobs (tenant_id, name, key, payload)
  values (payout.tenant_id, 'order-payout', payout.id, jsonb_build_object('payout_id', payout.id));
end
$$;

comment on function private.approve_payout(text) is 'Approves a payout that waits for approval and queues it for sending.';

create function private.reject_payout(id text, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  payout constant public.payouts := private.waiting_payout(id);
begin
  perform private.expect_filled('reason', reason);
  update public.payouts p set approval = 'rejected', status = 'failed', failure_reason = reject_payout.reason, state_at = now()
  where p.tenant_id = payout.tenant_id and p.id = payout.id;
end
$$;

comment on function private.reject_payout(text, text) is 'Rejects a payout that waits for approval; the API shows the reason.';

create function app.decide_payout(payout_id text, reason text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  decider constant jsonb := app.current_caller();
  -- Persons may take back what they requested.
  decides constant boolean := reason is null or decider ->> 'kind' <> 'person';
  payout  public.payouts;
begin
  select * into payout from public.payouts p where p.tenant_id = app.tenant_id() and p.id = payout_id for update;
  if decides and payout.requested_by ->> 'id' = decider ->> 'id' then
    perform app.raise_domain_error('own_payout');
  elsif decides and private.is_same_person(payout.requested_by, decider) then
    perform app.raise_domain_error('requester_known');
  elsif payout.approval is distinct from 'waiting' or payout.status <> 'created' then
    perform app.raise_domain_error('payout_not_waiting', jsonb_build_object(
      'state', case when payout.approval in ('approved', 'rejected') then payout.approval else payout.status end));
  elsif reason is null and payout.beneficiary ->> 'document' = 'erased' then
    perform app.raise_domain_error('beneficiary_erased');
  elsif reason is null then
    perform private.approve_payout(payout_id);
  else
    perform private.reject_payout(payout_id, reason);
  end if;
end
$$;

comment on function app.decide_payout(text, text) is
  'Approves a payout of the tenant that waits for approval, or rejects it with a reason. Who requested it, or can act as that caller, may not; but persons may reject, and so take back their own.';

create function app.expect_approval(id text, approval text, ordered_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.payouts p
  where p.tenant_id = app.tenant_id() and p.id = expect_approval.id and p.approval is not distinct from expect_approval.approval
    and p.ordered_at is not distinct from expect_approval.ordered_at;
  if not found then
    raise exception 'the approval of payout % changed', id using errcode = 'PL002';
  end if;
end
$$;

comment on function app.expect_approval(text, text, timestamptz) is
  'Fails with PL002 unless a payout still has this approval and ordered_at; call it after app.expect_status, which locks the row.';

grant execute on function app.expect_approval(text, text, timestamptz) to api;

create view admin.payouts_to_approve with (security_invoker = true) as
  select p.id as payout_id, p.tenant_id, t.slug as tenant, p.amount, p.currency, p.beneficiary ->> 'name' as beneficiary_name, p.purpose,
         p.our_number, p.contractor_reference, p.created
  from public.payouts p
  join public.tenants t on t.id = p.tenant_id
  where p.approval = 'waiting' and p.status = 'created';

comment on view admin.payouts_to_approve is 'Payouts that wait for admin.approve_payout or admin.reject_payout.';

create view admin.payouts_to_fund with (security_invoker = true) as
  select p.id as payout_id, p.tenant_id, p.amount, p.currency, (p.funding ->> 'sourceAmountMinor')::bigint as source_amount,
         p.funding ->> 'sourceCurrency' as source_currency, p.funding ->> 'reference' as reference,
         (p.funding ->> 'fundBy')::timestamptz as fund_by
  from public.payouts p
  where p.status = 'incoming_payment_waiting' and p.funding is not null;

comment on view admin.payouts_to_fund is
  'Payouts that wait for manual funding at their provider: amount, payment reference and deadline.';
