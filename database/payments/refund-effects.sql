-- Payments: effects of refunds and disputes on invoices, their events and jobs, and the reservation of a refund's amount.

-- Snapshots -----------------------------------------------------------------------------------------------------------

create function app.refund_snapshot(r public.refunds) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(r) || (
    select jsonb_build_object('cost_center', i.cost_center, 'our_number', i.our_number, 'contractor_reference', i.contractor_reference)
    from public.invoices i
    where i.tenant_id = r.tenant_id and i.id = r.invoice_id
  );
end
$$;

comment on function app.refund_snapshot(public.refunds) is 'A refund with the control fields of its invoice.';

grant execute on function app.refund_snapshot(public.refunds) to api, worker;

-- Events and jobs -----------------------------------------------------------------------------------------------------

create function private.check_refund_transition() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  -- A provider may complete a refund that failed here because it took too long.
  allowed constant jsonb := '{"creating": ["pending", "succeeded", "failed"], "pending": ["succeeded", "failed"], "succeeded": ["failed"],
                              "failed": ["succeeded"]}';
begin
  if not allowed -> old.status ? new.status then
    raise exception 'refunds: % cannot become %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_refund_transition() is 'Trigger: rejects status changes of refunds that cannot happen.';

create trigger refunds_check_transition before update of status on public.refunds
  for each row when (old.status <> new.status) execute function private.check_refund_transition();

create function private.refund_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  before   jsonb;
  snapshot jsonb;
begin
  if tg_op = 'INSERT' and new.status in ('creating', 'pending') then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'follow-refund', new.id, jsonb_build_object('refund_id', new.id), now() + interval '30 seconds')
    on conflict (name, key) do nothing;
  end if;
  if new.status = 'creating' then
    return null;
  end if;
  snapshot := app.refund_snapshot(new);
  if tg_op = 'UPDATE' then
    before := app.refund_snapshot(old);
  end if;
  if tg_op = 'INSERT' or old.status = 'creating' then
    perform private.add_event(new.tenant_id, 'invoice.refund.created', null, snapshot);
  end if;
  if new.status in ('succeeded', 'failed') then
    perform private.add_event(new.tenant_id, 'invoice.refund.' || new.status, before, snapshot);
  end if;
  return null;
end
$$;

comment on function private.refund_effects() is 'Trigger: writes a refund''s events and schedules the job that follows it.';

create trigger refunds_begin after insert on public.refunds
  for each row execute function private.refund_effects();
create trigger refunds_effects after update of status on public.refunds
  for each row when (old.status <> new.status) execute function private.refund_effects();

create function private.dispute_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The dispute is a derived member of the invoice, so the event lists no changed columns.
  perform private.add_event(i.tenant_id, case tg_op when 'INSERT' then 'invoice.disputed' else 'invoice.dispute_closed' end, snapshot, snapshot)
  from public.invoices i
  cross join lateral (select app.invoice_snapshot(i) as snapshot offset 0) as s
  where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
  return null;
end
$$;

comment on function private.dispute_effects() is 'Trigger: writes the event of a dispute that opens or closes.';

create trigger disputes_begin after insert on public.disputes
  for each row execute function private.dispute_effects();
create trigger disputes_effects after update of status on public.disputes
  for each row when (old.status = 'open' and new.status <> 'open') execute function private.dispute_effects();

create function private.refund_of_entry(entry public.balance_transactions) returns public.refunds
language plpgsql stable
set search_path = ''
as $$
declare
  invoice public.invoices;
  refund  public.refunds;
begin
  select i.* into invoice from public.invoices i where i.tenant_id = entry.tenant_id and i.id = entry.invoice_id;
  refund.tenant_id := entry.tenant_id;
  refund.invoice_id := entry.invoice_id;
  -- A charge that was settled in another currency is refunded in that one, at the rate of the charge.
  refund.amount := case when entry.currency = invoice.currency then -entry.amount else greatest(1, least(invoice.amount, (
    select round(-entry.amount * invoice.amount::numeric / nullif(sum(b.amount), 0)) from public.balance_transactions b
    where b.tenant_id = entry.tenant_id and b.invoice_id = entry.invoice_id and b.reason = 'conversion' and b.currency = entry.currency)))
  end;
  refund.currency := invoice.currency;
  refund.provider := invoice.provider;
  refund.provider_account_id := invoice.provider_account_id;
  refund.entry_id := entry.id;
  refund.created := entry.created;
  refund.settled_at := entry.created;
  return refund;
end
$$;

comment on function private.refund_of_entry(public.balance_transactions) is
  'Builds the refund row for a ledger entry that has none: status succeeded, origin provider.';

-- Reserving -----------------------------------------------------------------------------------------------------------

create function private.paid_amount_of(invoice_id text) returns bigint
language sql stable
set search_path = ''
as $$
  select coalesce(sum(b.amount), 0)::bigint
  from public.invoices i
  join public.balance_transactions b on b.tenant_id = i.tenant_id and b.invoice_id = i.id and b.currency = i.currency
  where i.id = paid_amount_of.invoice_id
    and (b.type = 'charge' or b.type = 'adjustment' and b.reason in ('overpaid', 'fine', 'interest', 'discount'))
$$;

comment on function private.paid_amount_of(text) is 'What the payer paid for an invoice, in minor units, from its ledger entries.';

create function private.refundable_amount(invoice public.invoices) returns bigint
language sql stable
set search_path = ''
as $$
  select greatest(0, private.paid_amount_of(invoice.id)
    - coalesce((select sum(r.amount) from public.refunds r
                where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and r.status <> 'failed'), 0)
    - coalesce((select sum(d.lost) from public.disputes d where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id), 0))::bigint
$$;

comment on function private.refundable_amount(public.invoices) is
  'Amount of an invoice that can still be refunded: paid minus refunds that have not failed and lost disputes. Lock the invoice first.';

create function private.refund_problem(invoice public.invoices, amount bigint) returns table (problem text, detail text)
language plpgsql stable
set search_path = ''
as $$
declare
  paid constant bigint := private.paid_amount_of(invoice.id);
  left_ constant bigint := private.refundable_amount(invoice);
  paid_by constant text := coalesce(invoice.paid_by, invoice.payment_method_type);
begin
  if invoice.status <> 'paid' then
    return query values ('not_refundable', format('The invoice is %s. Only a paid invoice can be refunded.', invoice.status));
  elsif (select coalesce(sum(b.net), 0) <> 0 from public.balance_transactions b
         where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.reason = 'received_outside') then
    return query values ('not_refundable', 'The invoice was paid outside the provider, which has no money to return.');
  elsif exists (select from public.disputes d where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.status = 'open') then
    return query values ('not_refundable', 'The invoice is disputed. It can be refunded only after the dispute is won.');
  elsif left_ = 0 then
    return query values ('not_refundable', 'Nothing is left to refund.');
  elsif paid_by = 'pix' and invoice.paid_at < now() - interval '90 days' then
    return query values ('window_expired', 'A PIX payment can be refunded for 90 days after it was paid.');
  elsif (select count(*) >= 100 from public.refunds r where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id) then
    return query values ('not_refundable', 'The invoice already has 100 refunds, which is the maximum.');
  elsif refund_problem.amount > left_ then
    return query values ('amount', format('must be at most %s, which is what is left to refund', left_));
  -- The provider checks each payment of an invoice that was paid more than once.
  elsif paid_by = 'boleto' and coalesce(refund_problem.amount, left_) < paid
        and not exists (select from public.balance_transactions b
                        where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.reason = 'overpaid') then
    return query values ('amount', format('must be the whole paid amount of %s: a boleto cannot be refunded in parts', paid));
  elsif exists (select from public.provider_accounts a
                where a.tenant_id = invoice.tenant_id and a.id = invoice.provider_account_id and a.status = 'failing') then
    return query values ('not_ready', 'its account is failing.');
  -- The API key of a disconnected account is deleted later.
  elsif invoice.provider_account_id is not null and not exists (
    select from private.provider_secrets s where s.account_id = invoice.provider_account_id and s.api_key is not null)
  then
    return query values ('not_configured',
      'The account that charged the invoice was disconnected and its API key is deleted. Refund the payment in the provider''s dashboard.');
  end if;
end
$$;

comment on function private.refund_problem(public.invoices, bigint) is
  'Why an invoice cannot be refunded by this amount (null: all that is left); no row if it can. Lock the invoice first.';

create function app.reserve_refund(key text, attempt_id uuid, invoice_id text, amount bigint, reason text)
returns table (problem text, detail text, is_first boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  claimed public.idempotency_keys;
  invoice public.invoices;
  made    text;
begin
  select k.* into claimed from public.idempotency_keys k
  where k.tenant_id = app.tenant_id() and k.key = reserve_refund.key and k.claimed_by = attempt_id and k.response_status is null;
  if claimed.key is null or claimed.resource_id is not null then
    return;
  end if;
  -- Concurrent requests for the invoice wait here, and then count this refund.
  select i.* into invoice from public.invoices i
  where i.tenant_id = claimed.tenant_id and i.id = reserve_refund.invoice_id and i.status <> 'creating'
  for no key update;
  if invoice.id is null then
    return query values ('not_found', null::text, false);
    return;
  end if;
  return query select p.problem, p.detail, false from private.refund_problem(invoice, reserve_refund.amount) as p;
  if found then
    return;
  end if;
  insert into public.refunds as r (tenant_id, invoice_id, amount, currency, reason, provider, provider_account_id)
  values (invoice.tenant_id, invoice.id, coalesce(reserve_refund.amount, private.refundable_amount(invoice)), invoice.currency,
          reserve_refund.reason, invoice.provider, invoice.provider_account_id)
  returning r.id into made;
  update public.idempotency_keys k set resource_id = made where k.tenant_id = claimed.tenant_id and k.key = claimed.key;
  return query values (null::text, null::text, true);
end
$$;

comment on function app.reserve_refund(text, uuid, text, bigint, text) is
  'Reserves a refund for the request of a key (amount null: all that is left), or returns why not; no row if the key has one.';

grant execute on function app.reserve_refund(text, uuid, text, bigint, text) to payments;

create function app.discard_refund(id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.refunds r
  where r.tenant_id = app.tenant_id() and r.id = discard_refund.id and r.status = 'creating' and r.provider_refunds = '{}';
  if found then
    update public.idempotency_keys k set resource_id = null
    where k.tenant_id = app.tenant_id() and k.resource_id = discard_refund.id and k.response_status is null;
  end if;
end
$$;

comment on function app.discard_refund(text) is
  'Deletes a refund that the provider rejected, so that its amount is free again, and lets a retry of its request start over.';

grant execute on function app.discard_refund(text) to payments, worker;

create function app.schedule_refund_lookup(id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs as j (tenant_id, name, key, payload)
  select r.tenant_id, 'follow-refund', r.id, jsonb_build_object('refund_id', r.id)
  from public.refunds r
  where r.tenant_id = app.tenant_id() and r.id = schedule_refund_lookup.id and r.status = 'creating'
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;

comment on function app.schedule_refund_lookup(text) is 'Schedules an immediate lookup of a refund whose outcome is unknown.';

grant execute on function app.schedule_refund_lookup(text) to payments;
