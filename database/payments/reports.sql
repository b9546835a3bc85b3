-- Payments: applying providers' reports about orders.
--
-- A report is the complete state of an order at one time: status, fee, and totals of money moved by reason. Applying it
-- twice or late has the same result; a report read before the last applied one is ignored.

create function private.add_adjustment(
  account_id text, tenant_id uuid, provider text, invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  amount := private.amount_beyond_entered_lines(invoice, payout, reason, currency, amount);
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

comment on function private.add_adjustment(text, uuid, text, public.invoices, public.payouts, text, text, bigint) is
  'Adds a provider''s adjustment to the ledger, for an invoice, a payout or neither.';

create function private.adjustments_due(invoice public.invoices, payout public.payouts, report jsonb)
returns table (reason text, currency text, amount bigint)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_tenant constant uuid := coalesce(invoice.tenant_id, payout.tenant_id);
begin
  return query
    select t.reason, t.currency, (t.amount - coalesce((
      select sum(b.net) from public.balance_transactions b
      where b.tenant_id = own_tenant and b.type = 'adjustment' and b.currency = t.currency
        and (b.reason = t.reason or t.reason = 'refund' and b.reason = 'refund_reversed')
        and (b.invoice_id = invoice.id or b.payout_id = payout.id)), 0)
      -- The losses of PIX infractions are chargebacks that no report contains.
      - coalesce((
        select sum(d.lost) from public.disputes d
        where t.reason = 'chargeback' and d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction'), 0))::bigint
    from (
      select a ->> 'reason' as reason, a ->> 'currency' as currency, (a ->> 'amountMinor')::bigint as amount
      from jsonb_array_elements(coalesce(report -> 'adjustments', '[]')) as a
      -- Money returned from a payout that was never entered as paid needs no entry.
      where payout.id is null or exists (
        select from public.balance_transactions b where b.tenant_id = own_tenant and b.payout_id = payout.id and b.type = 'payout')
      union all
      select 'provider_fee', report #>> '{kept,currency}', -(report #>> '{kept,amountMinor}')::bigint
      where report #>> '{kept,currency}' is not null and not exists (
        select from public.balance_transactions b where b.tenant_id = own_tenant and b.payout_id = payout.id and b.type = 'payout')
    ) as t;
  -- A charge or payout entry keeps its fee; a different fee is corrected by an adjustment.
  return query
    select 'fee_correction', coalesce(invoice.currency, payout.currency),
           (sum(b.fee) - coalesce(sum(b.net) filter (where b.reason = 'fee_correction'), 0) - (report #>> '{state,feeMinor}')::bigint)::bigint
    from public.balance_transactions b
    where b.tenant_id = own_tenant and (b.invoice_id = invoice.id or b.payout_id = payout.id)
      and report #>> '{state,feeMinor}' is not null
    having bool_or(b.type in ('charge', 'payout'));
end
$$;

comment on function private.adjustments_due(public.invoices, public.payouts, jsonb) is
  'Adjustments by reason that make an order''s ledger entries match its provider''s report; amounts can be 0.';

create function private.settle_adjustments(invoice public.invoices, payout public.payouts, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  due record;
begin
  if invoice.id is not null then
    update public.invoices i set paid_by = report #>> '{state,paidBy}'
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id and i.paid_by is distinct from coalesce(report #>> '{state,paidBy}', i.paid_by);
    perform private.apply_chargebacks(invoice, report);
    perform private.apply_infraction(invoice, report);
    perform private.apply_refunds(invoice, report);
  end if;
  for due in select * from private.adjustments_due(invoice, payout, report) loop
    perform private.add_adjustment(
      coalesce(invoice.provider_account_id, payout.provider_account_id), coalesce(invoice.tenant_id, payout.tenant_id),
      coalesce(invoice.provider, payout.provider), invoice, payout, due.reason, due.currency, due.amount);
  end loop;
end
$$;

comment on function private.settle_adjustments(public.invoices, public.payouts, jsonb) is
  'Applies an order''s refunds and disputes and adds the adjustments that make its ledger match its provider''s report.';

create function app.apply_order_report(kind text, id text, account_id text, looked_at timestamptz, report jsonb) returns text
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
      where private.amount_beyond_entered_lines(invoice, payout, due.reason, due.currency, due.amount) <> 0))
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

comment on function app.apply_order_report(text, text, text, timestamptz, jsonb) is
  'Applies a provider''s report of an order and returns applied, known, older, other (different object), in_part (not applied), too_early or unknown.';

grant execute on function app.apply_order_report(text, text, text, timestamptz, jsonb) to payments, worker;

create function app.discard_order(kind text, id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  execute format('delete from public.%I where tenant_id = app.tenant_id() and id = $1 and status = ''creating''',
                 case kind when 'invoices' then 'invoices' else 'payouts' end)
  using id;
end
$$;

comment on function app.discard_order(text, text) is
  'Deletes an order that a request created but that turned out to be invalid and was never sent to a provider.';

grant execute on function app.discard_order(text, text) to api;

-- Callers that retry while their provider is unreachable do not pile up lookups of the same order.
create function app.recover_order_soon(kind text, id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- One job per attempt, as in the sweep, because each attempt may have reached the provider.
  insert into public.jobs as j (tenant_id, name, key, payload)
  select k.tenant_id, 'recover-order', concat_ws(':', k.resource_id, k.claimed_by),
         jsonb_build_object('table', recover_order_soon.kind, 'id', k.resource_id)
  from public.idempotency_keys k
  where k.tenant_id = app.tenant_id() and k.resource_id = recover_order_soon.id and k.response_status is null
    -- A lookup that waits to run again covers this attempt, too.
    and not exists (
      select from public.jobs w
      where w.tenant_id = k.tenant_id and w.name = 'recover-order' and w.payload ->> 'id' = k.resource_id
        and w.finished_at is null and w.failed_at is null and w.attempts > 0 and coalesce(w.locked_until <= now(), true))
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;

comment on function app.recover_order_soon(text, text) is
  'Schedules an immediate lookup of an order of the transaction''s tenant whose outcome is unknown (kind: the table).';

grant execute on function app.recover_order_soon(text, text) to api;
