-- Payments: the paid amount and the day of payment. If the provider reports no day, it is the day of the payment. An overpayment in the
-- ledger counts even if a later report omits it.

set local lock_timeout = '3s';

create or replace function private.paid_members(invoice public.invoices, report jsonb) returns public.invoices
language plpgsql stable security definer
set search_path = ''
as $$
declare
  overpaid bigint := private.reported_total(report, 'overpaid');
begin
  if invoice.status <> 'paid' and (report #>> '{state,status}' is distinct from 'paid'
     or not private.payment_transitions() -> 'invoices' -> invoice.status ? 'paid') then
    return invoice;
  end if;
  -- Members that a report omits stay unchanged. For invoices paid before these columns existed, the ledger has the values.
  if overpaid is null and invoice.paid_amount is null then
    overpaid := (
      select sum(b.net) from public.balance_transactions b
      where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.type = 'adjustment' and b.reason = 'overpaid');
  elsif overpaid is null then
    overpaid := invoice.paid_amount - invoice.amount - invoice.fine - invoice.interest + invoice.discount;
  end if;
  invoice.fine := coalesce(private.reported_total(report, 'fine'), invoice.fine, 0);
  invoice.interest := coalesce(private.reported_total(report, 'interest'), invoice.interest, 0);
  invoice.discount := coalesce(-private.reported_total(report, 'discount'), invoice.discount, 0);
  invoice.paid_amount := invoice.amount - invoice.discount + invoice.fine + invoice.interest + coalesce(overpaid, 0);
  invoice.paid_on := coalesce(
    (report #>> '{state,paidOn}')::date, invoice.paid_on,
    private.payer_day(invoice, coalesce(invoice.paid_at, (report #>> '{state,at}')::timestamptz, now())));
  return invoice;
end
$$;

create or replace function app.fill_paid_members(at_most integer) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  unfilled text[];
begin
  unfilled := array(
    select i.id from public.invoices i
    where i.status = 'paid' and i.paid_amount is null
    order by i.id limit at_most
    for update skip locked);
  -- A separate statement, so that it sees the entries that were committed before the rows were locked.
  update public.invoices i
  set paid_amount = i.amount + coalesce((
        select sum(b.net) from public.balance_transactions b
        where b.tenant_id = i.tenant_id and b.invoice_id = i.id and b.type = 'adjustment' and b.reason = 'overpaid'), 0),
      paid_on = private.payer_day(i, coalesce(i.paid_at, i.state_at, i.created)), fine = 0, interest = 0, discount = 0
  where i.id = any (unfilled) and i.status = 'paid' and i.paid_amount is null;
  return cardinality(unfilled);
end
$$;

create function private.beyond_entered_lines(invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint)
returns bigint
language sql stable
set search_path = ''
as $$
  select private.beyond_lines(beyond_entered_lines.amount + l.total, l.total)
  from (
    select coalesce(sum(b.net), 0) as total
    from public.balance_transactions b
    where b.tenant_id = coalesce(invoice.tenant_id, payout.tenant_id) and b.statement_line is not null
      and b.reason = beyond_entered_lines.reason and b.currency = beyond_entered_lines.currency
      and (b.invoice_id = invoice.id or b.payout_id = payout.id)
  ) as l
$$;

comment on function private.beyond_entered_lines(public.invoices, public.payouts, text, text, bigint) is
  'The part of an order''s change that is not yet in the ledger through entries for its statement lines.';

create or replace function private.add_adjustment(
  account_id text, tenant_id uuid, provider text, invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  amount := private.beyond_entered_lines(invoice, payout, reason, currency, amount);
  if amount = 0 then
    return;
  end if;
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id, reason)
  values
    (add_adjustment.tenant_id, 'adjustment', amount, add_adjustment.currency, 0, amount, private.today(add_adjustment.tenant_id),
     invoice.id, payout.id, coalesce(invoice.cost_center, payout.cost_center), coalesce(invoice.our_number, payout.our_number),
     coalesce(invoice.contractor_reference, payout.contractor_reference), add_adjustment.provider, account_id, add_adjustment.reason);
end
$$;

create or replace function app.apply_order_report(kind text, id text, account_id text, looked_at timestamptz, report jsonb) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  reported constant text        := report #>> '{state,status}';
  at       constant timestamptz := report #>> '{state,at}';
  fee_now  constant bigint      := report #>> '{state,feeMinor}';
  day      constant date        := report #>> '{state,availableOn}';
  reason   constant text        := case when reported = 'failed' then coalesce(report #>> '{state,reason}', 'The provider gave no reason.') end;
  invoice  public.invoices;
  payout   public.payouts;
  moves    boolean;
  paid     record;
begin
  if kind = 'invoices' then
    select i.* into invoice from public.invoices i
    where i.id = apply_order_report.id and i.provider_account_id is not distinct from apply_order_report.account_id
      and (i.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker')) for update;
  else
    select p.* into payout from public.payouts p
    where p.id = apply_order_report.id and p.provider_account_id is not distinct from apply_order_report.account_id
      and (p.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker')) for update;
  end if;
  if coalesce(invoice.id, payout.id) is null then
    return 'unknown';
  elsif coalesce(invoice.status, payout.status) = 'creating' then
    return 'too_early';
  elsif coalesce(invoice.looked_at, payout.looked_at) > apply_order_report.looked_at then
    return 'older';
  elsif coalesce(invoice.provider_reference, payout.provider_reference) <> report ->> 'providerReference' then
    -- Another object at the provider has our reference, such as a second payment; looking up the order itself
    -- includes it.
    return 'other';
  end if;
  moves := coalesce(private.payment_transitions() -> kind -> coalesce(invoice.status, payout.status) ? reported, false);
  -- Other amounts at the provider may already be in the ledger; applying only this part would reverse them.
  if (report ->> 'isPartial')::boolean
    and exists (select from public.balance_transactions b where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id)
    and (moves or exists (
      select from private.adjustments_due(invoice, payout, report) as due
      where private.beyond_entered_lines(invoice, payout, due.reason, due.currency, due.amount) <> 0))
  then
    return 'in_part';
  end if;
  if kind = 'invoices' then
    paid := private.paid_members(invoice, report);
    update public.invoices i
    set looked_at = apply_order_report.looked_at,
        provider_reference = coalesce(i.provider_reference, report ->> 'providerReference'),
        fee = coalesce(fee_now, i.fee), available_on = coalesce(day, i.available_on),
        status = case when moves then reported else i.status end,
        state_at = case when moves then at else i.state_at end,
        paid_at = case when moves then case when reported = 'paid' then at end else i.paid_at end,
        failure_reason = case when moves then reason else i.failure_reason end,
        paid_amount = paid.paid_amount, paid_on = paid.paid_on, fine = paid.fine, interest = paid.interest, discount = paid.discount
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id
    returning i.* into invoice;
  else
    update public.payouts p
    set looked_at = apply_order_report.looked_at,
        provider_reference = coalesce(p.provider_reference, report ->> 'providerReference'),
        fee = coalesce(fee_now, p.fee), available_on = coalesce(day, p.available_on),
        status = case when moves then reported else p.status end,
        state_at = case when moves then at else p.state_at end,
        failure_reason = case when moves then reason else p.failure_reason end,
        funding = report -> 'funding'
    where p.tenant_id = payout.tenant_id and p.id = payout.id
    returning p.* into payout;
  end if;
  perform private.settle_adjustments(invoice, payout, report);
  return case when moves then 'applied' else 'known' end;
end
$$;
