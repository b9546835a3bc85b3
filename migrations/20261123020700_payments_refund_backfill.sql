-- Payments: stores the refunds and disputes whose entries are in the ledger from before they were stored. They send no
-- events: `invoice.refunded` and `invoice.disputed` were sent with the entries.
set local lock_timeout = '3s';

alter table public.invoices validate constraint invoices_paid_by_check;
alter table public.events validate constraint events_type_check;
alter table public.balance_transactions validate constraint balance_transactions_refund_fkey;

-- allow: expand-contract: the previous version does not know the table
alter table public.refunds disable trigger refunds_begin;
-- allow: expand-contract: the previous version does not know the table
alter table public.disputes disable trigger disputes_begin;

-- allow: no-backfill: only entries of refunds, which are few, and the insert locks none of them
insert into public.refunds
  (tenant_id, invoice_id, status, amount, currency, origin, provider, provider_account_id, entry_id, reversal_entry_id, failure_reason, created, settled_at)
select r.tenant_id, r.invoice_id, case when o.back then 'failed' else 'succeeded' end, r.amount, r.currency, 'provider', r.provider,
       r.provider_account_id, r.entry_id, o.reversal, case when o.back then 'The money came back.' end, r.created, r.settled_at
from (
  -- The money of a refund that was denied later came back with an entry of the same amount.
  select made.entry, reversed.id is not null as back, reversed.id as reversal
  from (
    select b as entry, b.id, b.tenant_id, b.invoice_id, b.amount,
           row_number() over (partition by b.tenant_id, b.invoice_id, b.amount order by b.id) as place
    from public.balance_transactions b
    where b.reason = 'refund' and b.type = 'adjustment' and b.invoice_id is not null and b.refund_id is null and b.amount < 0
      and not exists (select from public.refunds f where f.tenant_id = b.tenant_id and f.entry_id = b.id)
  ) as made
  left join (
    select b.id, b.tenant_id, b.invoice_id, b.amount, row_number() over (partition by b.tenant_id, b.invoice_id, b.amount order by b.id) as place
    from public.balance_transactions b
    where b.reason = 'refund' and b.type = 'adjustment' and b.invoice_id is not null and b.refund_id is null and b.amount > 0
  ) as reversed
    on reversed.tenant_id = made.tenant_id and reversed.invoice_id = made.invoice_id and reversed.amount = -made.amount and reversed.place = made.place
) as o
cross join lateral private.refund_of_entry(o.entry) as r;

-- allow: no-backfill: only entries of chargebacks, which are few, and the insert locks none of them
insert into public.disputes (tenant_id, invoice_id, kind, amount, status, lost, opened_at, closed_at)
select t.tenant_id, t.invoice_id, 'chargeback', t.taken, s.status, case s.status when 'lost' then t.taken else 0 end, t.opened_at,
       case when s.status <> 'open' then t.latest end
from (
  select b.tenant_id, b.invoice_id, -sum(b.amount) filter (where b.reason = 'chargeback') as taken, sum(b.amount) as net,
         min(b.created) as opened_at, max(b.created) as latest
  from public.balance_transactions b
  where b.reason in ('chargeback', 'chargeback_won') and b.type = 'adjustment' and b.invoice_id is not null
    and not exists (select from public.disputes d where d.tenant_id = b.tenant_id and d.invoice_id = b.invoice_id)
  group by b.tenant_id, b.invoice_id
) as t
-- Card networks decide within 120 days.
cross join lateral (
  select case when t.net >= 0 then 'won' when t.opened_at < now() - interval '120 days' then 'lost' else 'open' end as status) as s
where t.taken > 0;

alter table public.disputes enable trigger disputes_begin;
alter table public.refunds enable trigger refunds_begin;
