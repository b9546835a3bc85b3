-- Payments: the ledger of incoming and outgoing money. Amounts are in minor units of the currency. Entries are append-only.
--
-- A paid invoice is one row of the type charge, with its fee in the same row, and a paid payout one row of the type payout: private.enter_paid_invoice
-- and private.enter_paid_payout below, which triggers call when the status becomes paid (payments/effects.sql). Adjustments come from
-- providers' reports (payments/reports.sql, payments/refund-reports.sql), statements (payments/reconciliation.sql, payments/statement-orders.sql),
-- blocked balances (payments/blocked-balance.sql), simulated disputes (payments/sandbox-refunds.sql) and admins (payments/studio.sql).
--
-- To change an entry, edit its function and run `npm run migration -- <name>`. What depends on it: the amount that can be refunded
-- (private.paid_amount_of, payments/refund-effects.sql) and, for fees, fee_correction in payments/reports.sql, the lines of statements in
-- payments/statement-orders.sql and the OFX export (shared/payments/ledger/exports/). The fee is the one that the provider reported with the
-- payment or before (app.apply_order_report, payments/reports.sql); a later one becomes a fee_correction, and invoices show it. The comparison with
-- statements (payments/reconciliation.sql) sums these entries, and shared/payments/ledger/exports/csv.ts exports them. The only accounts are
-- those of providers (provider_account_id). Tests: tests/functions/payments/ledger.test.ts.

-- The ledger ----------------------------------------------------------------------------------------------------------

create table public.balance_transactions (
  id                   text           not null default app.typeid('btxn'),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  type                 text           not null check (type in ('charge', 'payout', 'fee', 'adjustment')),
  amount               bigint         not null,
  currency             text           not null check (currency ~ '^[A-Z]{3}$'),
  fee                  bigint         not null default 0 check (fee >= 0),
  net                  bigint         not null,
  available_on         date           not null,
  invoice_id           text,
  payout_id            text,
  cost_center          text,
  our_number           text,
  contractor_reference text,
  provider             text,
  provider_account_id  text,
  reason               text,
  created              timestamptz(3) not null default now(),
  refund_id text,
  statement_line text,
  primary key (tenant_id, id),
  check (net = amount - fee),
  check (invoice_id is null or payout_id is null),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id),
  foreign key (tenant_id, payout_id)  references public.payouts (tenant_id, id),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.balance_transactions is 'Append-only ledger of money in and out.';
comment on column public.balance_transactions.type is
  'charge for invoices, payout for payouts, adjustment for changes by providers and admins. fee is kept for the API; nothing writes it.';
comment on column public.balance_transactions.amount is 'Signed minor units: incoming money is positive, outgoing negative.';
comment on column public.balance_transactions.net is 'amount - fee.';
comment on column public.balance_transactions.available_on is
  'Day in the tenant''s time zone from which the entry counts as available.';
comment on column public.balance_transactions.reason is
  'Reason of an adjustment: an admin''s text, or a provider event such as refund or returned.';
comment on column public.balance_transactions.provider_account_id is
  'The account whose balance changed; null in the sandbox and for admins'' adjustments.';
comment on column public.balance_transactions.refund_id is 'The refund that moved the money; null for entries of other kinds.';
comment on column public.balance_transactions.statement_line is
  'The statement line from which this entry was created, if an order''s report did not cover it.';

create index balance_transactions_list_idx        on public.balance_transactions (tenant_id, type, id desc);
create index balance_transactions_created_idx     on public.balance_transactions (tenant_id, created desc, id desc);
create index balance_transactions_available_idx   on public.balance_transactions (tenant_id, available_on, id desc);
create index balance_transactions_invoice_idx     on public.balance_transactions (tenant_id, invoice_id);
create index balance_transactions_payout_idx      on public.balance_transactions (tenant_id, payout_id);
create index balance_transactions_cost_center_idx on public.balance_transactions (tenant_id, cost_center, id desc);
create index balance_transactions_reference_idx   on public.balance_transactions (tenant_id, contractor_reference, id desc);
create index balance_transactions_account_idx     on public.balance_transactions (tenant_id, provider_account_id, currency) where provider_account_id is not null;
create index balance_transactions_number_idx      on public.balance_transactions (tenant_id, our_number, id desc);

alter table public.balance_transactions enable row level security;
grant select on public.balance_transactions to api, worker;

create policy "A tenant sees its own ledger" on public.balance_transactions
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the ledger"     on public.balance_transactions for select to worker using (true);

create trigger balance_transactions_append_only
  before update or delete on public.balance_transactions
  for each row execute function private.refuse_change();
create trigger balance_transactions_no_truncate
  before truncate on public.balance_transactions
  execute function private.refuse_change();

-- Entries of paid invoices and payouts -------------------------------------------------------------------------------

create function private.enter_paid_invoice(invoice public.invoices) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id)
  values
    (invoice.tenant_id, 'charge', invoice.amount, invoice.currency, coalesce(invoice.fee, 0), invoice.amount - coalesce(invoice.fee, 0),
     coalesce(invoice.available_on, private.today(invoice.tenant_id)), invoice.id, invoice.cost_center, invoice.our_number,
     invoice.contractor_reference, invoice.provider, invoice.provider_account_id);
end
$$;

comment on function private.enter_paid_invoice(public.invoices) is 'Writes the entry of an invoice that was paid.';

create function private.enter_paid_payout(payout public.payouts) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, payout_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id)
  values
    (payout.tenant_id, 'payout', -payout.amount, payout.currency, coalesce(payout.fee, 0), -payout.amount - coalesce(payout.fee, 0),
     coalesce(payout.available_on, private.today(payout.tenant_id)), payout.id, payout.cost_center, payout.our_number,
     payout.contractor_reference, payout.provider, payout.provider_account_id);
end
$$;

comment on function private.enter_paid_payout(public.payouts) is 'Writes the entry of a payout that was paid.';

-- Stored sums, so that balances do not add up the whole ledger --------------------------------------------------------

create table public.ledger_sums (
  tenant_id      uuid        primary key references public.tenants (id) on delete cascade,
  created_before timestamptz not null,
  available_by   date        not null,
  net            jsonb       not null
);

comment on table  public.ledger_sums is
  'Sums of the entries created before created_before and available by available_by, so that a balance adds only the others.';
comment on column public.ledger_sums.net is 'Sums of net by currency.';

alter table public.ledger_sums enable row level security;
grant select on public.ledger_sums to api;

create policy "A tenant sees its own sums" on public.ledger_sums
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.unsummed_entries(tenant_id uuid, before timestamptz, available_by date)
returns table (currency text, net bigint, available_on date)
language plpgsql stable
set search_path = ''
as $$
declare
  sums public.ledger_sums;
begin
  select s.* into sums from public.ledger_sums s where s.tenant_id = unsummed_entries.tenant_id;
  if not found then
    return query
      select b.currency, b.net, b.available_on from public.balance_transactions b
      where b.tenant_id = unsummed_entries.tenant_id and b.created < before and b.available_on <= unsummed_entries.available_by;
    return;
  end if;
  return query
    select b.currency, b.net, b.available_on from public.balance_transactions b
    where b.tenant_id = unsummed_entries.tenant_id and b.available_on > sums.available_by
      and b.created < before and b.available_on <= unsummed_entries.available_by
    union all
    select b.currency, b.net, b.available_on from public.balance_transactions b
    where b.tenant_id = unsummed_entries.tenant_id and b.created >= sums.created_before and b.available_on <= sums.available_by
      and b.created < before;
end
$$;

comment on function app.unsummed_entries(uuid, timestamptz, date) is
  'Ledger entries created before this time and available by this day that the stored sums do not include.';

grant execute on function app.unsummed_entries(uuid, timestamptz, date) to api;

create function app.sum_up_ledgers(at_most integer default 100, entries integer default 500) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  -- An hour ago, so that no open transaction can insert an older entry.
  cutoff constant timestamptz := now() - interval '1 hour';
  ledger record;
  summed integer := 0;
begin
  for ledger in
    select t.id, (cutoff at time zone t.time_zone)::date - 1 as day
    from public.tenants t
    left join public.ledger_sums s on s.tenant_id = t.id
    where (select count(*) from (
             select from public.balance_transactions b
             where b.tenant_id = t.id and b.created >= coalesce(s.created_before, '-infinity') and b.created < cutoff
             limit entries) as recent) >= entries
    limit at_most
  loop
    insert into public.ledger_sums as s (tenant_id, created_before, available_by, net)
    select ledger.id, cutoff, ledger.day, coalesce(jsonb_object_agg(c.currency, c.net), '{}')
    from (
      select o.currency, sum(o.net)::bigint as net
      from (
        select e.currency, e.net from app.unsummed_entries(ledger.id, cutoff, ledger.day) as e
        union all
        select k.key, k.value::bigint from public.ledger_sums s, jsonb_each_text(s.net) as k where s.tenant_id = ledger.id
      ) as o
      group by o.currency
    ) as c
    on conflict (tenant_id) do update
    set created_before = excluded.created_before, available_by = excluded.available_by, net = excluded.net;
    summed := summed + 1;
  end loop;
  return summed;
end
$$;

comment on function app.sum_up_ledgers(integer, integer) is
  'Updates the stored sums of up to at_most tenants with at least this many new entries; returns the number of tenants (daily maintenance).';

grant execute on function app.sum_up_ledgers(integer, integer) to worker;
create index balance_transactions_refund_idx on public.balance_transactions (tenant_id, refund_id) where refund_id is not null;
create unique index balance_transactions_line_idx on public.balance_transactions (tenant_id, provider_account_id, statement_line) where statement_line is not null;
