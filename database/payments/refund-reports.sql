-- Payments: applying providers' reports about refunds and disputes.
--
-- A report lists an order's refunds and disputes. Each reported refund has a key that is unique within the order. It
-- belongs to the row with that key, else to the row that it names by our id, else it was made at the provider.

create function private.add_refund_entry(invoice public.invoices, refund public.refunds, reason text, currency text, amount bigint, available_on date)
returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  entry_id text;
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, cost_center, our_number, contractor_reference, provider,
     provider_account_id, reason, refund_id)
  values
    (invoice.tenant_id, 'adjustment', amount, add_refund_entry.currency, 0, amount,
     coalesce(add_refund_entry.available_on, private.today(invoice.tenant_id)), invoice.id, invoice.cost_center, invoice.our_number,
     invoice.contractor_reference, invoice.provider, invoice.provider_account_id, add_refund_entry.reason, refund.id)
  returning id into entry_id;
  return entry_id;
end
$$;

comment on function private.add_refund_entry(public.invoices, public.refunds, text, text, bigint, date) is
  'Adds the ledger entry of a refund (refund, or refund_reversed if the money came back) and returns its id.';

create function private.apply_refund(invoice public.invoices, refund public.refunds, reported jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  said     constant text   := reported ->> 'status';
  moved    constant bigint := reported #>> '{moved,amountMinor}';
  returned constant bigint := reported #>> '{returned,amountMinor}';
  day      constant date   := reported ->> 'availableOn';
  ended    constant timestamptz := reported ->> 'settledAt';
  next_    text;
  current_ public.refunds;
  entry    text;
begin
  next_ := case
    when refund.status = 'succeeded' and said = 'pending' then 'succeeded'
    when refund.status = 'failed' and said = 'pending' then 'failed'
    -- A reversed refund stays reversed, even if an older report arrives later.
    when refund.reversal_entry_id is not null then 'failed'
    else said
  end;
  update public.refunds r
  set status = next_,
      provider_refunds = r.provider_refunds
        || case when reported ? 'key' then jsonb_build_object(reported ->> 'key', reported -> 'amountMinor') else '{}' end,
      pending_reason = case when next_ = 'pending' then coalesce(reported ->> 'pendingReason', r.pending_reason) end,
      action_url = coalesce(reported ->> 'actionUrl', r.action_url),
      failure_reason = case when next_ = 'failed' then coalesce(reported ->> 'failureReason', r.failure_reason, 'The provider gave no reason.') end,
      settled_at = case when next_ = r.status then r.settled_at when next_ in ('succeeded', 'failed') then greatest(coalesce(ended, now()), r.created) end
  where r.tenant_id = refund.tenant_id and r.id = refund.id
  returning r.* into current_;

  if current_.entry_id is null and moved <> 0 then
    entry := private.add_refund_entry(invoice, current_, 'refund', reported #>> '{moved,currency}', moved, day);
    update public.refunds r set entry_id = entry where r.tenant_id = refund.tenant_id and r.id = refund.id returning r.* into current_;
  end if;
  if current_.status = 'failed' and current_.entry_id is not null and current_.reversal_entry_id is null then
    select private.add_refund_entry(invoice, current_, 'refund_reversed', coalesce(reported #>> '{returned,currency}', b.currency),
                                    coalesce(returned, -b.amount), null)
    into entry
    from public.balance_transactions b where b.tenant_id = current_.tenant_id and b.id = current_.entry_id;
    update public.refunds r set reversal_entry_id = entry where r.tenant_id = refund.tenant_id and r.id = refund.id;
  end if;
end
$$;

comment on function private.apply_refund(public.invoices, public.refunds, jsonb) is
  'Applies a reported refund to its row and adds its ledger entries, each once. Lock the invoice first.';

create function private.find_refund(invoice public.invoices, reported jsonb) returns public.refunds
language sql stable
set search_path = ''
as $$
  select r.*
  from public.refunds r
  cross join lateral (
    select coalesce(sum(v.value::bigint) filter (where v.key not like '%|rest'), 0) as covered from jsonb_each_text(r.provider_refunds) as v
  ) as c
  cross join lateral (
    select case
      when r.provider_refunds ? (reported ->> 'key') then 1
      when r.origin = 'api' and r.provider_refunds = '{}' and r.id = reported ->> 'reference' then 2
      -- A refund that cannot contain our id, or the rest of a payment whose refunds the provider does not list.
      when r.origin = 'api' and r.provider_refunds = '{}' and r.status in ('creating', 'pending') and r.amount = (reported ->> 'amountMinor')::bigint
           and (reported ->> 'isAnonymous')::boolean then 3
      -- An entry from a total, which may cover several refunds.
      when r.origin = 'provider' and r.status = 'succeeded' and reported ->> 'status' = 'succeeded'
           and r.amount - c.covered = (reported ->> 'amountMinor')::bigint then 4
      when r.origin = 'provider' and r.status = 'succeeded' and reported ->> 'status' = 'succeeded'
           and r.amount - c.covered > (reported ->> 'amountMinor')::bigint then 5
    end as rank
  ) as m
  where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and m.rank is not null
  order by m.rank, r.id
  limit 1
$$;

comment on function private.find_refund(public.invoices, jsonb) is 'The row that a reported refund belongs to; null if it was made at the provider.';

create function private.can_be_infraction_loss(dispute public.disputes, reported jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  -- The keys of a payment's refunds begin with its id. A refund of another amount was made before the balance was blocked.
  select dispute.kind = 'pix_infraction' and dispute.status = 'open' and split_part(reported ->> 'key', '|', 1) = dispute.provider_reference
    and (reported ->> 'amountMinor')::bigint in (dispute.amount, dispute.amount - dispute.released)
$$;

comment on function private.can_be_infraction_loss(public.disputes, jsonb) is
  'Whether an unknown reported refund can be the loss of an open PIX infraction.';

create function private.apply_refunds(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  reported jsonb;
  refund   public.refunds;
begin
  for reported in select r from jsonb_array_elements(report -> 'refunds') as r loop
    refund := private.find_refund(invoice, reported);
    if refund.id is null then
      -- While a PIX infraction is open, its loss can look like a refund (private.apply_infraction).
      continue when exists (
        select from public.disputes d
        where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id
          and (d.provider_refunds ? (reported ->> 'key') or private.can_be_infraction_loss(d, reported)));
      -- A refund that failed before it was ever seen moved no money.
      continue when reported ->> 'status' = 'failed' and not reported ? 'moved';
      insert into public.refunds as r
        (tenant_id, invoice_id, status, amount, currency, reason, origin, provider, provider_account_id, provider_refunds, pending_reason, action_url,
         settled_at)
      values
        (invoice.tenant_id, invoice.id, case reported ->> 'status' when 'failed' then 'succeeded' else reported ->> 'status' end,
         (reported ->> 'amountMinor')::bigint, invoice.currency, left(reported ->> 'description', 500), 'provider', invoice.provider,
         invoice.provider_account_id, jsonb_build_object(reported ->> 'key', reported -> 'amountMinor'), reported ->> 'pendingReason',
         reported ->> 'actionUrl', case when reported ->> 'status' <> 'pending' then coalesce((reported ->> 'settledAt')::timestamptz, now()) end)
      returning r.* into refund;
    end if;
    perform private.apply_refund(invoice, refund, reported);
  end loop;
end
$$;

comment on function private.apply_refunds(public.invoices, jsonb) is
  'Applies the refunds of an order''s report, and stores those made at the provider. Lock the invoice first.';

create function app.apply_refund_report(id text, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  refund  public.refunds;
begin
  select i.* into invoice from public.invoices i
  join public.refunds r on r.tenant_id = i.tenant_id and r.invoice_id = i.id
  where r.tenant_id = app.tenant_id() and r.id = apply_refund_report.id
  for update of i;
  -- A separate statement, because the row may have changed while the one above waited.
  select r.* into refund from public.refunds r where r.tenant_id = invoice.tenant_id and r.id = apply_refund_report.id;
  if refund.id is not null then
    perform private.apply_refund(invoice, refund, report);
  end if;
end
$$;

comment on function app.apply_refund_report(text, jsonb) is 'Applies a provider''s answer to a refund of the transaction''s tenant.';

grant execute on function app.apply_refund_report(text, jsonb) to payments, worker;

create function app.end_refund(id text, failure_reason text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.refunds r set status = 'failed', failure_reason = end_refund.failure_reason, settled_at = now(), pending_reason = null
  where r.tenant_id = app.tenant_id() and r.id = end_refund.id and r.status = 'pending' and r.entry_id is null;
  return found;
end
$$;

comment on function app.end_refund(text, text) is 'Fails a pending refund that moved no money, so that its amount can be refunded again; false if there is none.';

grant execute on function app.end_refund(text, text) to worker;

-- Disputes ------------------------------------------------------------------------------------------------------------

create function private.apply_chargebacks(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  reported jsonb;
  dispute  public.disputes;
begin
  for reported in select d from jsonb_array_elements(report -> 'disputes') as d loop
    select d.* into dispute from public.disputes d
    where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'chargeback'
      and (d.provider_reference = reported ->> 'providerReference' or d.provider_reference is null)
    order by d.provider_reference nulls last, d.id
    limit 1;
    if dispute.id is null then
      insert into public.disputes as d (tenant_id, invoice_id, kind, amount, provider_reference, opened_at)
      values (invoice.tenant_id, invoice.id, 'chargeback', (reported ->> 'amountMinor')::bigint, reported ->> 'providerReference',
              coalesce((reported ->> 'openedAt')::timestamptz, now()))
      returning d.* into dispute;
    end if;
    update public.disputes d
    set status = reported ->> 'status', provider_reference = reported ->> 'providerReference',
        lost = case reported ->> 'status' when 'lost' then d.amount else 0 end,
        closed_at = case when reported ->> 'status' <> 'open' then coalesce(d.closed_at, now()) end
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
      and (d.status = 'open' and reported ->> 'status' <> 'open' or d.provider_reference is null);
  end loop;
end
$$;

comment on function private.apply_chargebacks(public.invoices, jsonb) is 'Stores the chargebacks of an order''s report and closes decided ones.';

create function private.apply_infraction(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  dispute  public.disputes;
  reported jsonb;
  waiting  boolean := false;
  loss     bigint;
  blocked  bigint;
begin
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction' and d.status = 'open';
  if dispute.id is null then
    return;
  end if;
  -- While the dispute is open, the API accepts no refunds, so an unknown refund of the payment took the disputed money.
  for reported in select r from jsonb_array_elements(coalesce(report -> 'refunds', '[]')) as r loop
    continue when not coalesce(private.can_be_infraction_loss(dispute, reported), false)
               or (private.find_refund(invoice, reported)).id is not null or dispute.provider_refunds ? (reported ->> 'key');
    waiting := waiting or reported ->> 'status' = 'pending';
    continue when reported ->> 'status' <> 'succeeded';
    loss := (reported ->> 'amountMinor')::bigint;
    blocked := least(dispute.amount - dispute.released, loss);
    perform private.add_adjustment(
      invoice.provider_account_id, invoice.tenant_id, invoice.provider, invoice, null, 'balance_released', invoice.currency, blocked);
    perform private.add_adjustment(
      invoice.provider_account_id, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback', invoice.currency, -loss);
    update public.disputes d
    set lost = d.lost + loss, released = d.released + blocked, released_unstated = d.released_unstated + blocked,
        released_at = coalesce(d.released_at, now()),
        provider_refunds = d.provider_refunds || jsonb_build_object(reported ->> 'key', reported -> 'amountMinor')
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
    returning d.* into dispute;
  end loop;
  update public.disputes d
  set status = case when d.lost > 0 then 'lost' else 'won' end, closed_at = now()
  where d.tenant_id = dispute.tenant_id and d.id = dispute.id and d.released = d.amount
    -- Asaas unblocks the money of a lost dispute shortly before it refunds the payment.
    and (d.lost > 0 or not waiting and report #>> '{state,status}' = 'paid' and invoice.looked_at >= d.released_at + interval '10 seconds');
end
$$;

comment on function private.apply_infraction(public.invoices, jsonb) is
  'Closes an open PIX infraction: lost if its payment was refunded, won if it is still received 10 s after the balance was released.';
