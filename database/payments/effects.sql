-- Payments: allowed status changes and their effects: ledger entries, events with a snapshot of the resource, and jobs.
-- They apply to requests, jobs and admins alike.

-- Status changes ------------------------------------------------------------------------------------------------------

create function private.payment_transitions() returns jsonb
language sql immutable parallel safe
-- A payment for an expired or canceled invoice makes it paid, and a paid transfer that bounces becomes failed.
return '{
  "invoices": {
    "creating": ["open"],
    "open": ["paid", "canceled", "failed"],
    "canceled": ["paid"],
    "failed": ["paid"]
  },
  "tax_documents": {
    "pending": ["issued", "failed", "canceled"],
    "issued": ["canceled"]
  },
  "payouts": {
    "creating": ["created", "processing"],
    "created": ["incoming_payment_waiting", "processing", "paid", "failed", "canceled"],
    "incoming_payment_waiting": ["processing", "paid", "failed", "canceled"],
    "processing": ["paid", "failed"],
    "paid": ["failed"]
  }
}'::jsonb;

comment on function private.payment_transitions() is 'Allowed status changes by table; statuses that are not listed are final.';

create function private.check_transition() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not coalesce(private.payment_transitions() -> tg_table_name -> old.status ? new.status, false) then
    raise exception '%: % cannot become %', tg_table_name, old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_transition() is
  'Trigger: rejects status changes that private.payment_transitions does not allow.';

create trigger invoices_check_transition before update of status on public.invoices
  for each row when (old.status <> new.status) execute function private.check_transition();
create trigger tax_documents_check_transition before update of status on public.tax_documents
  for each row when (old.status <> new.status) execute function private.check_transition();
create trigger payouts_check_transition before update of status on public.payouts
  for each row when (old.status <> new.status) execute function private.check_transition();

-- Effects -------------------------------------------------------------------------------------------------------------

create function private.add_event(tenant_id uuid, type text, before jsonb, data jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.events (tenant_id, interface, type, changed, data)
  values (tenant_id, 'payments', type, private.changed_members(before, data, '{updated_at}'), data);
end
$$;

comment on function private.add_event(uuid, text, jsonb, jsonb) is
  'Writes a payments event from the resource in stored form before and after the change.';

-- The document gets the taxes of the invoice's request.
create function private.insert_waiting_tax_document(invoice public.invoices) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.tax_documents (tenant_id, invoice_id, type, service_code, requested_taxes, provider, provider_account_id)
  select invoice.tenant_id, invoice.id, 'nfse', invoice.tax_document_request ->> 'service_code', invoice.tax_document_request -> 'taxes',
         -- Creating the invoice checked that a provider is available, but the account may have been disconnected since.
         coalesce(r.provider, invoice.provider), case when r.provider is null then invoice.provider_account_id else r.account_id end
  from private.choose_provider(invoice.tenant_id, 'tax_document', invoice.region, invoice.currency, null, null) as r
  where (invoice.tax_document_request ->> 'auto_issue')::boolean;
end
$$;

comment on function private.insert_waiting_tax_document(public.invoices) is
  'Creates the pending tax document of an invoice that requested one to be issued on payment.';

create function app.add_waiting_tax_document(invoice_id text) returns void
language sql security definer
set search_path = ''
as $$
  select private.insert_waiting_tax_document(i)
  from public.invoices i
  where i.tenant_id = app.tenant_id() and i.id = invoice_id
    and not exists (select from public.tax_documents d where d.tenant_id = i.tenant_id and d.invoice_id = i.id)
$$;

comment on function app.add_waiting_tax_document(text) is
  'Creates the pending tax document requested with an invoice, when the invoice opens.';

grant execute on function app.add_waiting_tax_document(text) to api, worker;

create function private.schedule_tax_document(tenant_id uuid, tax_document_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs (tenant_id, name, key, payload)
  values (tenant_id, 'issue-tax-document', tax_document_id, jsonb_build_object('tax_document_id', tax_document_id))
  on conflict (name, key) do nothing;
end
$$;

comment on function private.schedule_tax_document(uuid, text) is 'Schedules the issuance of a pending tax document.';

create function private.invoice_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  before jsonb;
begin
  if new.status in ('paid', 'canceled', 'failed') then
    before := app.invoice_snapshot(old);
  end if;
  if new.status = 'open' and new.expires_at is not null then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'expire-invoice', new.id, jsonb_build_object('invoice_id', new.id),
            least(new.expires_at, now() + make_interval(secs => private.add_jitter(600, new.id, 0))));
  end if;

  if new.status = 'paid' then
    perform private.enter_paid_invoice(new);
    perform private.schedule_tax_document(new.tenant_id, d.id)
    from public.tax_documents d
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
    -- The invoice was paid after it failed or was canceled, which also canceled its pending document.
    if old.status in ('failed', 'canceled') and not exists (
      select from public.tax_documents d
      where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status in ('pending', 'issued')
    ) then
      perform private.insert_waiting_tax_document(new);
    end if;
  end if;

  if new.status in ('canceled', 'failed') then
    update public.tax_documents d set status = 'canceled'
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
  end if;

  if new.status in ('paid', 'canceled', 'failed') then
    perform private.add_event(new.tenant_id, 'invoice.' || new.status, before, app.invoice_snapshot(new));
  end if;
  return null;
end
$$;

comment on function private.invoice_effects() is
  'Trigger: writes the ledger entry and event and handles the tax document and expiry when an invoice''s status changes.';

create trigger invoices_effects after update of status on public.invoices
  for each row when (old.status <> new.status) execute function private.invoice_effects();

create function private.tax_document_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    -- A document requested explicitly is issued now; one that waits for payment is scheduled when the invoice is paid.
    if not exists (
      select from public.invoices i
      where i.tenant_id = new.tenant_id and i.id = new.invoice_id
        and i.status in ('creating', 'open') and (i.tax_document_request ->> 'auto_issue')::boolean
        and not exists (
          select from public.tax_documents d
          where d.tenant_id = new.tenant_id and d.invoice_id = new.invoice_id and d.id <> new.id
        )
    ) then
      perform private.schedule_tax_document(new.tenant_id, new.id);
    end if;
  elsif new.status in ('issued', 'failed', 'canceled') then
    -- An address in events would have to be erased there as well.
    perform private.add_event(
      new.tenant_id, 'tax_document.' || new.status, to_jsonb(old) - 'customer_address', to_jsonb(new) - 'customer_address');
  end if;
  return null;
end
$$;

comment on function private.tax_document_effects() is
  'Trigger: writes the event and schedules the issuance when a tax document''s status changes.';

create trigger tax_documents_schedule after insert on public.tax_documents
  for each row execute function private.tax_document_effects();
create trigger tax_documents_effects after update of status on public.tax_documents
  for each row when (old.status <> new.status) execute function private.tax_document_effects();

create function private.follow_cancellation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.rearm_job(
    new.tenant_id, 'issue-tax-document', new.id, jsonb_build_object('tax_document_id', new.id));
  return null;
end
$$;

comment on function private.follow_cancellation() is
  'Trigger: schedules checks for the city''s decision on a requested cancellation.';

create trigger tax_documents_follow_cancellation after update of cancel_requested_at on public.tax_documents
  for each row when (old.cancel_requested_at is null and new.cancel_requested_at is not null)
  execute function private.follow_cancellation();

create function private.payout_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.status = 'paid' then
    perform private.enter_paid_payout(new);
  end if;
  -- A payout that waits for approval has not been sent to a provider.
  if old.status = 'creating' and new.approval is distinct from 'waiting' or new.approval = 'approved' and old.status = 'created' then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'follow-payout', new.id, jsonb_build_object('payout_id', new.id),
            now() + make_interval(secs => private.add_jitter(600, new.id, 0)))
    on conflict (name, key) do nothing;
  end if;
  if new.status in ('paid', 'failed', 'canceled') then
    perform private.add_event(new.tenant_id, 'payout.' || new.status, to_jsonb(old), to_jsonb(new));
  end if;
  return null;
end
$$;

comment on function private.payout_effects() is
  'Trigger: writes the ledger entry and event and schedules the follow-up when a payout''s status changes.';

create trigger payouts_effects after update of status on public.payouts
  for each row when (old.status <> new.status) execute function private.payout_effects();

create function private.ledger_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.reason = 'chargeback' then
    -- A report with the dispute itself stores the dispute before its entry.
    insert into public.disputes (tenant_id, invoice_id, kind, amount)
    select new.tenant_id, new.invoice_id, 'chargeback', -new.amount
    where not exists (select from public.disputes d where d.tenant_id = new.tenant_id and d.invoice_id = new.invoice_id);
    return null;
  end if;
  if new.refund_id is null then
    -- A report that contains only the total of an order's refunds.
    insert into public.refunds
      (tenant_id, invoice_id, status, amount, currency, origin, provider, provider_account_id, entry_id, created, settled_at)
    select r.tenant_id, r.invoice_id, 'succeeded', r.amount, r.currency, 'provider', r.provider, r.provider_account_id, r.entry_id, r.created, r.settled_at
    from private.refund_of_entry(new) as r;
  end if;
  -- The invoice itself does not change, so the event lists no changed members; the amount is in the ledger.
  perform private.add_event(i.tenant_id, 'invoice.refunded', snapshot, snapshot)
  from public.invoices i
  cross join lateral (select app.invoice_snapshot(i) as snapshot offset 0) as s
  where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
  return null;
end
$$;

comment on function private.ledger_effects() is
  'Trigger: writes the event of a refund entry, and stores refunds and disputes that a report contained only as totals.';

create trigger balance_transactions_effects after insert on public.balance_transactions
  for each row when (new.invoice_id is not null and new.amount < 0 and new.reason in ('refund', 'chargeback'))
  execute function private.ledger_effects();

-- Checks at the start of the final transaction, because the state may have changed since it was read ------------------

create function app.expect_status(kind text, id text, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  present text;
begin
  execute format('select status from public.%I where tenant_id = app.tenant_id() and id = $1 for update', kind)
  into present using id;
  if present is null or not present = any (allowed) then
    raise exception '% % is %', kind, id, present using errcode = 'PL002';
  end if;
end
$$;

comment on function app.expect_status(text, text, text[]) is
  'Locks a row of the tenant and fails with PL002 unless its status is one of these.';

grant execute on function app.expect_status(text, text, text[]) to api;

create function app.expect_no_issued_document(invoice_id text, except_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The lock waits for a concurrent issuance and blocks others.
  perform from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = expect_no_issued_document.invoice_id
    and d.status in ('pending', 'issued')
  for update;
  perform from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = expect_no_issued_document.invoice_id
    and d.status = 'issued' and d.id is distinct from except_id;
  if found then
    raise exception 'invoice % has an issued tax document', invoice_id using errcode = 'PL003';
  end if;
end
$$;

comment on function app.expect_no_issued_document(text, text) is
  'Fails with PL003 if the invoice has another issued tax document.';

grant execute on function app.expect_no_issued_document(text, text) to api;
