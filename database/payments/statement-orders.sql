-- Payments: lines of a provider's statement that belong to an order.

create function private.amount_beyond_lines(change numeric, lines numeric) returns bigint
language sql immutable parallel safe
return (change - case when sign(change) = sign(lines) then sign(change) * least(abs(change), abs(lines)) else 0 end)::bigint;

comment on function private.amount_beyond_lines(numeric, numeric) is
  'The part of a reported change that is not yet in the ledger through entries for statement lines.';

create function private.amount_beyond_entered_lines(invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint)
returns bigint
language sql stable
set search_path = ''
as $$
  select private.amount_beyond_lines(amount_beyond_entered_lines.amount + l.total, l.total)
  from (
    select coalesce(sum(b.net), 0) as total
    from public.balance_transactions b
    where b.tenant_id = coalesce(invoice.tenant_id, payout.tenant_id) and b.statement_line is not null
      and b.reason = amount_beyond_entered_lines.reason and b.currency = amount_beyond_entered_lines.currency
      and (b.invoice_id = invoice.id or b.payout_id = payout.id)
  ) as l
$$;

comment on function private.amount_beyond_entered_lines(public.invoices, public.payouts, text, text, bigint) is
  'The part of an order''s change that is not yet in the ledger through entries for its statement lines.';

create function app.record_line_reasons(account_id text, lines jsonb) returns void
language sql security definer
set search_path = ''
as $$
  update public.provider_statement_lines s
  set reason = l.reason
  from jsonb_to_recordset(lines) as l (id text, reason text)
  where s.account_id = record_line_reasons.account_id and s.line_id = l.id and s.reason is null and l.reason is not null
$$;

comment on function app.record_line_reasons(text, jsonb) is
  'Records the reasons (id, reason) under which statement lines of orders are entered if reports do not cover them.';

grant execute on function app.record_line_reasons(text, jsonb) to worker;

create function private.uncovered_lines(
  account public.provider_accounts, kind text, order_id text, provider_reference text, currency text, difference bigint
) returns setof public.provider_statement_lines
language sql stable security definer
set search_path = ''
as $$
  with recursive entries as (
    select b.* from public.balance_transactions b
    where b.tenant_id = account.tenant_id and b.currency = uncovered_lines.currency
      and case when kind = 'charge' then b.invoice_id else b.payout_id end = order_id
  ), covered as (
    select m.amount, count(*) as times
    from entries e
    cross join lateral (
      select e.amount union all select parts.amount from (values (-e.fee), (e.net)) as parts (amount) where e.fee <> 0
    ) as m
    where e.statement_line is null
    group by m.amount
  ), candidates as (
    select l.*, row_number() over (partition by l.amount order by l.at, l.line_id) as nth
    from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = uncovered_lines.provider_reference
      and l.order_kind = kind and l.currency = uncovered_lines.currency and l.reason is not null
      and not exists (select from entries e where e.statement_line = l.line_id)
  ), newest as (
    -- A line with the same amount as an entry belongs to that entry. Twelve lines have 4095 combinations.
    select c.line_id, c.amount, row_number() over (order by c.at desc, c.line_id desc) as place
    from candidates c left join covered v on v.amount = c.amount
    where c.nth > coalesce(v.times, 0)
    order by c.at desc, c.line_id desc
    limit 12
  ), combinations (place, ids, total) as (
    select n.place, array[n.line_id], n.amount from newest n
    union all
    select n.place, c.ids || n.line_id, c.total + n.amount from combinations c join newest n on n.place > c.place
  ), fitting as (
    select c.ids from combinations c where c.total = difference order by cardinality(c.ids), c.ids limit 1
  )
  select l.* from public.provider_statement_lines l, fitting f
  where l.tenant_id = account.tenant_id and l.account_id = account.id and l.line_id = any (f.ids)
$$;

comment on function private.uncovered_lines(public.provider_accounts, text, text, text, text, bigint) is
  'The fewest statement lines without a ledger entry that explain by how much an order''s statement exceeds its ledger.';

create function app.enter_uncovered_lines(account_id text, orders jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  one     record;
  line    record;
  invoice public.invoices;
  payout  public.payouts;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_uncovered_lines.account_id;
  for one in select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text) loop
    -- The lock prevents reports from changing the order's entries. A report may still cover an order in progress.
    select i.* into invoice from public.invoices i
    where one.kind = 'charge' and i.tenant_id = account.tenant_id and i.provider_account_id = account.id
      and i.provider_reference = one.provider_reference and i.status not in ('creating', 'open')
    for update;
    select p.* into payout from public.payouts p
    where one.kind = 'payout' and p.tenant_id = account.tenant_id and p.provider_account_id = account.id
      and p.provider_reference = one.provider_reference and p.status not in ('creating', 'created', 'incoming_payment_waiting', 'processing')
    for update;
    continue when coalesce(invoice.id, payout.id) is null;
    -- A refund in progress may explain the line once it has ended.
    continue when exists (
      select from public.refunds r
      where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and r.status in ('creating', 'pending'));
    for line in
      select l.line_id, l.currency, l.amount, l.reason
      from private.uneven_among(account, jsonb_build_array(to_jsonb(one))) as u
      cross join lateral private.uncovered_lines(account, one.kind, u.id, one.provider_reference, u.currency, u.theirs - u.ours) as l
    loop
      insert into public.balance_transactions
        (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, cost_center, our_number,
         contractor_reference, provider, provider_account_id, reason, statement_line)
      values
        (account.tenant_id, 'adjustment', line.amount, line.currency, 0, line.amount, private.today(account.tenant_id), invoice.id, payout.id,
         coalesce(invoice.cost_center, payout.cost_center), coalesce(invoice.our_number, payout.our_number),
         coalesce(invoice.contractor_reference, payout.contractor_reference), account.provider, account.id, line.reason, line.line_id);
      entered := entered + 1;
    end loop;
  end loop;
  return entered;
end
$$;

comment on function app.enter_uncovered_lines(text, jsonb) is
  'Enters the statement lines of completed orders (kind, provider_reference) that reports do not cover, each once; returns their number.';

grant execute on function app.enter_uncovered_lines(text, jsonb) to worker;
