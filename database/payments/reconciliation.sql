-- Payments: comparing an account with its provider.

-- Reconciliation ------------------------------------------------------------------------------------------------------

create table public.provider_statement_lines (
  account_id         text        not null,
  line_id            text        not null,
  tenant_id          uuid        not null,
  at                 timestamptz not null,
  currency           text        not null,
  amount             bigint      not null,
  order_kind         text        check (order_kind in ('charge', 'payout')),
  provider_reference text,
  description        text        not null,
  type text,
  named_reference text,
  claimed_by text,
  reason text,
  primary key (account_id, line_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_statement_lines is 'Statement lines from providers since their accounts were connected.';
comment on column public.provider_statement_lines.amount is 'Signed change of the balance in minor units.';
comment on column public.provider_statement_lines.provider_reference is
  'The provider''s id of the charge or payout; lines without one become adjustments in the ledger.';
comment on column public.provider_statement_lines.reason is
  'Reason of the ledger entry if the order''s report does not cover the line; null if reports always cover such lines.';
comment on column public.provider_statement_lines.type is 'The provider''s type of the line, for lines that may block or unblock balance.';
comment on column public.provider_statement_lines.named_reference is 'The charge that a line of the account names, in the provider''s ids.';
comment on column public.provider_statement_lines.claimed_by is 'The balance event that this line belongs to.';

create index provider_statement_lines_order_idx on public.provider_statement_lines (tenant_id, account_id, provider_reference);

alter table public.provider_statement_lines enable row level security;
grant select on public.provider_statement_lines to worker;

create policy "Jobs compare statements" on public.provider_statement_lines for select to worker using (true);

create table public.provider_differences (
  id          bigint      generated always as identity primary key,
  tenant_id   uuid        not null,
  account_id  text        not null,
  kind        text        not null check (kind in ('unknown_order', 'missing_order', 'amount', 'second_transfer', 'refused_refund')),
  subject     text        not null,
  ours        jsonb,
  theirs      jsonb,
  found_at    timestamptz not null default now(),
  resolved_at timestamptz,
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_differences is 'Unexplained differences found by reconciliation with a provider.';

comment on column public.provider_differences.kind is
  'unknown_order, missing_order: only one side has it; amount: amounts differ; second_transfer, refused_refund: Placar did not approve it.';
comment on column public.provider_differences.subject is 'Our id of the order, or the provider''s.';
comment on column public.provider_differences.resolved_at is 'When a later reconciliation no longer found the difference.';

create unique index provider_differences_open_idx on public.provider_differences (account_id, kind, subject) where resolved_at is null;
create index provider_differences_account_idx on public.provider_differences (tenant_id, account_id);

alter table public.provider_differences enable row level security;
grant select, insert, update on public.provider_differences to worker;

create policy "Jobs record differences" on public.provider_differences for all to worker using (true) with check (true);

create function app.enter_statement_lines(account_id text, lines jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  line    record;
  event   public.provider_balance_events;
  stored  public.provider_statement_lines;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_statement_lines.account_id for no key update;
  for line in
    with made as (
      insert into public.provider_statement_lines as s
        (account_id, line_id, tenant_id, at, currency, amount, order_kind, provider_reference, description, type, named_reference, reason)
      select account.id, l ->> 'id', account.tenant_id, (l ->> 'at')::timestamptz, l ->> 'currency', (l ->> 'amountMinor')::bigint,
             l #>> '{order,kind}', coalesce(i.provider_reference, p.provider_reference, l #>> '{order,providerReference}'),
             l ->> 'description', l ->> 'type', l ->> 'namedReference', l ->> 'orderReason'
      from jsonb_array_elements(lines) as l
      left join public.invoices i on i.tenant_id = account.tenant_id and i.id = l ->> 'ourId' and i.provider_account_id = account.id
      left join public.payouts p  on p.tenant_id = account.tenant_id and p.id = l ->> 'ourId' and p.provider_account_id = account.id
      -- Lines from before the account was connected are ignored.
      where (l ->> 'at')::timestamptz >= account.created_at - interval '1 day'
      on conflict on constraint provider_statement_lines_pkey do nothing
      returning s.line_id, s.currency, s.amount, s.order_kind, s.provider_reference, s.reason as order_reason
    ), noted as (
      insert into private.provider_orders_to_compare (account_id, kind, provider_reference)
      select distinct account.id, m.order_kind, m.provider_reference from made m
      where m.provider_reference is not null and m.order_kind is not null
    )
    select m.*, l ->> 'reason' as reason
    from made m join jsonb_array_elements(lines) with ordinality as e (l, place) on l ->> 'id' = m.line_id
    where m.provider_reference is null or m.order_reason in ('balance_blocked', 'balance_released')
    order by place
  loop
    select l.* into stored from public.provider_statement_lines l where l.account_id = account.id and l.line_id = line.line_id;
    select e.* into event from public.provider_balance_events e
    where e.tenant_id = account.tenant_id and e.account_id = account.id and e.line_id is null
      and e.received_at > now() - interval '7 days' and private.can_match_line(e, stored) and private.is_applicable_now(e)
    order by e.provider_reference = stored.named_reference desc nulls last, e.received_at
    limit 1;
    if event.event_id is not null then
      perform private.assign_statement_line(event, stored, false);
      continue;
    end if;
    continue when line.provider_reference is not null;
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null, line.reason, line.currency, line.amount);
    entered := entered + 1;
  end loop;
  return entered;
end
$$;

comment on function app.enter_statement_lines(text, jsonb) is
  'Stores statement lines, each once, turns lines without an order into adjustments and returns the number of adjustments.';

grant execute on function app.enter_statement_lines(text, jsonb) to worker;

-- Changes since the last reconciliation -------------------------------------------------------------------------------
-- Comparing all orders of an account would take longer every day. Each new statement line and ledger entry therefore
-- notes its order here. A comparison processes a limited number of notes and deletes those whose orders match. Writers
-- only insert notes, so they wait neither for each other nor for a comparison.

create table private.provider_orders_to_compare (
  id                 bigint generated always as identity primary key,
  account_id         text   not null references public.provider_accounts (id) on delete cascade,
  kind               text   not null check (kind in ('charge', 'payout')),
  order_id           text,
  provider_reference text,
  compared_at        timestamptz,
  check (num_nonnulls(order_id, provider_reference) = 1)
);

comment on table  private.provider_orders_to_compare is 'Orders whose statement or ledger changed since they last matched.';
comment on column private.provider_orders_to_compare.order_id is 'Our order id, from a ledger entry.';
comment on column private.provider_orders_to_compare.provider_reference is 'The provider''s order id, from a statement line.';
comment on column private.provider_orders_to_compare.compared_at is
  'When the order was last found to differ; null if not compared yet.';

create index provider_orders_to_compare_account_idx on private.provider_orders_to_compare (account_id, compared_at nulls first, id);

alter table private.provider_orders_to_compare enable row level security;

create function private.note_order_to_compare() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.provider_orders_to_compare (account_id, kind, order_id)
  values (new.provider_account_id, case when new.invoice_id is null then 'payout' else 'charge' end, coalesce(new.invoice_id, new.payout_id));
  return null;
end
$$;

comment on function private.note_order_to_compare() is
  'Trigger: notes an order for comparison with its provider''s statement when its ledger changes.';

create trigger balance_transactions_compare after insert on public.balance_transactions
  for each row when (new.provider_account_id is not null and (new.invoice_id is not null or new.payout_id is not null))
  execute function private.note_order_to_compare();

create function private.uneven_among(account public.provider_accounts, orders jsonb)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language sql stable security definer
set search_path = ''
as $$
  -- Sums each order by index instead of scanning the whole account.
  select n.kind, o.id, n.provider_reference, m.currency, sum(m.ours)::bigint, sum(m.theirs)::bigint, coalesce(o.under_way, false)
  from (select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text)) as n
  left join lateral (
    select i.id, i.status in ('creating', 'open') or coalesce(i.available_on >= current_date, false)
           -- The provider may take the money when a refund begins.
           or exists (select from public.refunds r
                      where r.tenant_id = i.tenant_id and r.invoice_id = i.id and r.status in ('creating', 'pending')) as under_way
    from public.invoices i
    where n.kind = 'charge' and i.tenant_id = account.tenant_id and i.provider_account_id = account.id
      and i.provider_reference = n.provider_reference
    union all
    select p.id, p.status in ('creating', 'created', 'incoming_payment_waiting', 'processing')
    from public.payouts p
    where n.kind = 'payout' and p.tenant_id = account.tenant_id and p.provider_account_id = account.id
      and p.provider_reference = n.provider_reference
  ) as o on true
  cross join lateral (
    select l.currency, 0 as ours, l.amount as theirs
    from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = n.provider_reference
      and l.order_kind = n.kind
    union all
    select b.currency, b.net, 0 from public.balance_transactions b
    where n.kind = 'charge' and b.tenant_id = account.tenant_id and b.invoice_id = o.id
    union all
    select b.currency, b.net, 0 from public.balance_transactions b
    where n.kind = 'payout' and b.tenant_id = account.tenant_id and b.payout_id = o.id
  ) as m
  -- An order that is not on the statement yet is not a difference.
  where exists (
    select from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = n.provider_reference
      and l.order_kind = n.kind)
  group by n.kind, o.id, n.provider_reference, m.currency, o.under_way
  having sum(m.ours) <> sum(m.theirs)
$$;

comment on function private.uneven_among(public.provider_accounts, jsonb) is
  'The given orders (kind, provider_reference) whose ledger sum differs from the statement, by currency.';

-- under_way: whether a difference may be temporary, because the statement can show the money before the order is paid
-- or only on the day on which it becomes available.
create function app.uneven_orders(account_id text, at_most integer)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account public.provider_accounts;
begin
  select a.* into account from public.provider_accounts a where a.id = uneven_orders.account_id;
  -- Use a single statement: none of its parts sees notes inserted concurrently, which remain for the next comparison.
  return query
    with noted as materialized (
      select n.id, n.kind, coalesce(n.provider_reference, i.provider_reference, p.provider_reference) as provider_reference
      from (
        select c.* from private.provider_orders_to_compare c
        where c.account_id = uneven_orders.account_id
        order by c.compared_at nulls first, c.id
        limit at_most
      ) as n
      left join public.invoices i on n.kind = 'charge' and i.tenant_id = account.tenant_id and i.id = n.order_id
      left join public.payouts p  on n.kind = 'payout' and p.tenant_id = account.tenant_id and p.id = n.order_id
    ), mismatched as materialized (
      select u.*
      from private.uneven_among(account, (
        select coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'provider_reference', n.provider_reference)), '[]')
        from noted n where n.provider_reference is not null)) as u
    ), differing as (
      select n.id from noted n
      where n.provider_reference is null
         or exists (select from mismatched u where u.kind = n.kind and u.provider_reference = n.provider_reference)
    ), kept as (
      update private.provider_orders_to_compare k set compared_at = now() where k.id in (select d.id from differing d)
    ), even as (
      delete from private.provider_orders_to_compare e
      where e.id in (select n.id from noted n except select d.id from differing d)
    )
    select u.kind, u.id, u.provider_reference, u.currency, u.ours, u.theirs, u.under_way from mismatched u;
end
$$;

comment on function app.uneven_orders(text, integer) is
  'Compares at_most noted orders with the statement, deletes the notes of matching ones and returns the rest; id is null if not ours.';

grant execute on function app.uneven_orders(text, integer) to worker;

create function app.uneven_again(account_id text, orders jsonb)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
    select u.*
    from public.provider_accounts a
    cross join lateral private.uneven_among(a, (
      select coalesce(jsonb_agg(o), '[]')
      from (
        select r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text)
        union
        select d.theirs ->> 'kind', d.theirs ->> 'id' from public.provider_differences d
        where d.tenant_id = a.tenant_id and d.account_id = a.id and d.resolved_at is null and d.theirs is not null
      ) as o)) as u
    where a.id = uneven_again.account_id;
end
$$;

comment on function app.uneven_again(text, jsonb) is
  'The orders that still differ among these (kind, provider_reference) and an account''s unresolved differences.';

grant execute on function app.uneven_again(text, jsonb) to worker;

create function app.has_orders_to_compare(account_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.provider_orders_to_compare n
    where n.account_id = has_orders_to_compare.account_id and n.compared_at is null)
$$;

comment on function app.has_orders_to_compare(text) is 'Whether an account has changed orders that were never compared.';

grant execute on function app.has_orders_to_compare(text) to worker;

create view admin.provider_differences with (security_invoker = true) as
  select id, tenant_id, account_id, kind, subject, ours, theirs, found_at, resolved_at
  from public.provider_differences;

comment on view admin.provider_differences is
  'Unexplained differences with providers, with both sides; investigate those without resolved_at.';

create view admin.provider_balances with (security_invoker = true) as
  select a.id as account_id, a.tenant_id, t.slug as tenant, a.provider, b ->> 'currency' as currency, (b ->> 'amount')::bigint as balance,
         a.balance_read_at,
         coalesce((select sum(l.net) from public.balance_transactions l
                   where l.tenant_id = a.tenant_id and l.provider_account_id = a.id and l.currency = b ->> 'currency'), 0)::bigint as in_ledger
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id
  cross join lateral jsonb_array_elements(a.balances) as b;

comment on view admin.provider_balances is
  'Provider account balances compared with the sum of ledger entries since the account was connected, in minor units.';

create view admin.provider_events with (security_invoker = true) as
  select account_id, event_id, tenant_id, type, about, received_at, applied_at
  from public.provider_account_events;

comment on view admin.provider_events is 'Webhook events received from providers, and when they were applied.';
-- The comparison with a provider runs in a job, so its function says that it begins instead of that nothing changed.

create function admin.reconcile_provider(account text) returns text
language plpgsql
set search_path = ''
as $$
begin
  perform private.reconcile_provider(account);
  return 'Comparing the account with its provider. It is done when reconciled_at in admin.provider_accounts is later than now.';
end
$$;

comment on function admin.reconcile_provider(text) is
  'Reconciles an account with its provider now: applies missed changes and lists other differences in admin.provider_differences.';
