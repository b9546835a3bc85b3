-- Payments: what providers tell us of accounts, and what a comparison with them finds.
--
-- A delivery is kept as it came, answered, and applied by a job (apply-provider-event), which looks at what it is about: an event
-- says where to look, never what to believe. Once a day a job (reconcile-provider) compares orders and statement with ours.

create table public.provider_account_events (
  account_id  text        not null,
  event_id    text        not null,
  tenant_id   uuid        not null,
  type        text        not null,
  about       jsonb,
  body        text        not null,
  received_at timestamptz not null default now(),
  applied_at  timestamptz,
  primary key (account_id, event_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_account_events is 'What providers told us of accounts, each event once.';
comment on column public.provider_account_events.event_id is 'The provider''s own; of what could not be read, the hash of its body.';
comment on column public.provider_account_events.about is 'What to look at; null where it concerns nothing of ours.';
comment on column public.provider_account_events.body is 'As it came.';
comment on column public.provider_account_events.applied_at is 'When what it is about was looked at; null before, and where nothing is.';

create index provider_account_events_account_idx on public.provider_account_events (tenant_id, account_id, received_at desc);

alter table public.provider_account_events enable row level security;
grant select on public.provider_account_events to api;
grant select, insert, update on public.provider_account_events to worker;

create policy "A tenant sees what its providers told" on public.provider_account_events
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs keep and apply what providers tell" on public.provider_account_events
  for all to worker using (true) with check (true);

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
  'Whether this is the SHA-256 of the token with which Asaas asks about transfers of an account.';

grant execute on function app.withdrawal_token_fits(text, bytea) to worker;

-- Comparing -----------------------------------------------------------------------------------------------------------

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
  primary key (account_id, line_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_statement_lines is 'Statements of accounts as their providers have them, since they were connected.';
comment on column public.provider_statement_lines.amount is 'Signed minor units: what it changed in the balance.';
comment on column public.provider_statement_lines.provider_reference is
  'The charge or payout at the provider that it is of. What is of none is an adjustment in the ledger.';

create index provider_statement_lines_order_idx on public.provider_statement_lines (tenant_id, account_id, provider_reference);

alter table public.provider_statement_lines enable row level security;
grant select on public.provider_statement_lines to worker;

create policy "Jobs compare statements" on public.provider_statement_lines for select to worker using (true);

create table public.provider_differences (
  id          bigint      generated always as identity primary key,
  tenant_id   uuid        not null,
  account_id  text        not null,
  kind        text        not null check (kind in ('unknown_order', 'missing_order', 'amount')),
  subject     text        not null,
  ours        jsonb,
  theirs      jsonb,
  found_at    timestamptz not null default now(),
  resolved_at timestamptz,
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_differences is 'What a comparison with a provider found and could not explain.';
comment on column public.provider_differences.kind is
  'unknown_order: they have one that we do not; missing_order: we have one that they do not; amount: both have it, with different money.';
comment on column public.provider_differences.subject is 'Our id of the order, or theirs.';
comment on column public.provider_differences.resolved_at is 'When a later comparison no longer found it.';

create unique index provider_differences_open_idx on public.provider_differences (account_id, kind, subject) where resolved_at is null;
create index provider_differences_account_idx on public.provider_differences (tenant_id, account_id);

alter table public.provider_differences enable row level security;
grant select, insert, update on public.provider_differences to worker;

create policy "Jobs note differences" on public.provider_differences for all to worker using (true) with check (true);

create function app.enter_statement_lines(account_id text, lines jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  line    record;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_statement_lines.account_id;
  for line in
    with made as (
      insert into public.provider_statement_lines as s
        (account_id, line_id, tenant_id, at, currency, amount, order_kind, provider_reference, description)
      select account.id, l ->> 'id', account.tenant_id, (l ->> 'at')::timestamptz, l ->> 'currency', (l ->> 'amountMinor')::bigint,
             l #>> '{order,kind}', coalesce(i.provider_reference, p.provider_reference, l #>> '{order,providerReference}'),
             l ->> 'description'
      from jsonb_array_elements(lines) as l
      left join public.invoices i on i.tenant_id = account.tenant_id and i.id = l ->> 'ourId' and i.provider_account_id = account.id
      left join public.payouts p  on p.tenant_id = account.tenant_id and p.id = l ->> 'ourId' and p.provider_account_id = account.id
      -- What was there before the account was connected is nobody's here.
      where (l ->> 'at')::timestamptz >= account.created_at - interval '1 day'
      on conflict on constraint provider_statement_lines_pkey do nothing
      returning s.line_id, s.currency, s.amount, s.order_kind, s.provider_reference
    ), noted as (
      insert into private.provider_orders_to_compare (account_id, kind, provider_reference)
      select distinct account.id, m.order_kind, m.provider_reference from made m
      where m.provider_reference is not null and m.order_kind is not null
    )
    select m.*, l ->> 'reason' as reason
    from made m join jsonb_array_elements(lines) as l on l ->> 'id' = m.line_id
    where m.provider_reference is null
  loop
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null, line.reason, line.currency, line.amount);
    entered := entered + 1;
  end loop;
  return entered;
end
$$;

comment on function app.enter_statement_lines(text, jsonb) is
  'Keeps lines of a statement, each once; those of no order become adjustments. Gives how many did.';

grant execute on function app.enter_statement_lines(text, jsonb) to worker;

-- What changed since the last comparison ------------------------------------------------------------------------------
--
-- Adding up every order of an account would cost more each day. So each new line and each new entry notes its order here, and a
-- comparison takes those notes away whose orders are even, so many at once. Writers only add notes: those of one order do not wait for each
-- other, nor for a comparison.

create table private.provider_orders_to_compare (
  id                 bigint generated always as identity primary key,
  account_id         text   not null references public.provider_accounts (id) on delete cascade,
  kind               text   not null check (kind in ('charge', 'payout')),
  order_id           text,
  provider_reference text,
  compared_at        timestamptz,
  check (num_nonnulls(order_id, provider_reference) = 1)
);

comment on table  private.provider_orders_to_compare is
  'Orders of accounts whose statement or ledger changed since they were last found even.';
comment on column private.provider_orders_to_compare.order_id is 'Ours, of an entry of the ledger.';
comment on column private.provider_orders_to_compare.provider_reference is 'Theirs, of a line of the statement.';
comment on column private.provider_orders_to_compare.compared_at is 'When it was found to differ last; null before.';

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

comment on function private.note_order_to_compare() is 'Trigger: an order whose ledger changed is compared with its provider''s statement.';

create trigger balance_transactions_compare after insert on public.balance_transactions
  for each row when (new.provider_account_id is not null and (new.invoice_id is not null or new.payout_id is not null))
  execute function private.note_order_to_compare();

create function private.uneven_among(account public.provider_accounts, orders jsonb)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language sql stable security definer
set search_path = ''
as $$
  -- Order by order, by their indexes: sums of these, and not of the account.
  select n.kind, o.id, n.provider_reference, m.currency, sum(m.ours)::bigint, sum(m.theirs)::bigint, coalesce(o.under_way, false)
  from (select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text)) as n
  left join lateral (
    select i.id, i.status in ('creating', 'open') or coalesce(i.available_on >= current_date, false) as under_way
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
  -- What the statement says nothing of yet is no difference.
  where exists (
    select from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = n.provider_reference
      and l.order_kind = n.kind)
  group by n.kind, o.id, n.provider_reference, m.currency, o.under_way
  having sum(m.ours) <> sum(m.theirs)
$$;

comment on function private.uneven_among(public.provider_accounts, jsonb) is
  'Those of these orders (kind, provider_reference) whose money in the ledger is not what the statement has of them, by currency.';

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
  -- One statement: a note that comes meanwhile is seen by none of its parts, and stays for the next comparison.
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
    ), uneven as materialized (
      select u.*
      from private.uneven_among(account, (
        select coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'provider_reference', n.provider_reference)), '[]')
        from noted n where n.provider_reference is not null)) as u
    ), differing as (
      select n.id from noted n
      where n.provider_reference is null
         or exists (select from uneven u where u.kind = n.kind and u.provider_reference = n.provider_reference)
    ), kept as (
      update private.provider_orders_to_compare k set compared_at = now() where k.id in (select d.id from differing d)
    ), even as (
      delete from private.provider_orders_to_compare e
      where e.id in (select n.id from noted n except select d.id from differing d)
    )
    select u.kind, u.id, u.provider_reference, u.currency, u.ours, u.theirs, u.under_way from uneven u;
end
$$;

comment on function app.uneven_orders(text, integer) is
  'Orders of an account whose money in the ledger is not what the statement has of them, by currency; without id where the order is none of ours. under_way: its money may be on the statement before it is paid, or only on the day on which it is available. Only orders that changed since they were last even are added up: those of so many notes, first those that were never compared, from the oldest on. Even ones are forgotten.';

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
  'Those of these orders (kind, provider_reference) of an account, and of those that differed before, whose money still differs.';

grant execute on function app.uneven_again(text, jsonb) to worker;

create function app.has_orders_to_compare(account_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.provider_orders_to_compare n
    where n.account_id = has_orders_to_compare.account_id and n.compared_at is null)
$$;

comment on function app.has_orders_to_compare(text) is 'Whether orders of an account changed that no comparison has added up since.';

grant execute on function app.has_orders_to_compare(text) to worker;

create view admin.provider_differences with (security_invoker = true) as
  select id, tenant_id, account_id, kind, subject, ours, theirs, found_at, resolved_at
  from public.provider_differences;

comment on view admin.provider_differences is
  'What a comparison with a provider found and could not explain, with both sides. Look into those that have no resolved_at.';

create view admin.provider_balances with (security_invoker = true) as
  select a.id as account_id, a.tenant_id, t.slug as tenant, a.provider, b ->> 'currency' as currency, (b ->> 'amount')::bigint as balance,
         a.balance_read_at,
         coalesce((select sum(l.net) from public.balance_transactions l
                   where l.tenant_id = a.tenant_id and l.provider_account_id = a.id and l.currency = b ->> 'currency'), 0)::bigint as in_ledger
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id
  cross join lateral jsonb_array_elements(a.balances) as b;

comment on view admin.provider_balances is
  'Balances of accounts as their providers last gave them, beside what came and went through Placar since they were connected; minor units.';

create view admin.provider_events with (security_invoker = true) as
  select account_id, event_id, tenant_id, type, about, received_at, applied_at
  from public.provider_account_events;

comment on view admin.provider_events is 'What providers told us of accounts, and when it was applied.';
