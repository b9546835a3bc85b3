-- Taxes: tax documents get the taxes of the invoice's request, and addresses stay out of events.
set local lock_timeout = '3s';

create or replace function private.insert_waiting_tax_document(invoice public.invoices) returns void
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

create function private.erase_document_addresses() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.tax_documents d set customer_address = private.erased_party(d.customer_address, '')
  where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.customer_address is not null;
  return null;
end
$$;

comment on function private.erase_document_addresses() is
  'Trigger: erases the addresses of an invoice''s tax documents when its customer is erased, which is the only change of a customer.';

create trigger invoices_erase_document_addresses after update of customer on public.invoices
  for each row when (old.customer is distinct from new.customer)
  execute function private.erase_document_addresses();

create or replace function private.tax_document_effects() returns trigger
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

create function app.check_canceled_documents(invoice_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- After the lease of the attempt.
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  select d.tenant_id, 'issue-tax-document', d.id || ':cancellation', jsonb_build_object('tax_document_id', d.id), now() + interval '1 minute'
  from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = check_canceled_documents.invoice_id and d.status = 'issued'
  on conflict (name, key) do update
  set due_at = excluded.due_at, published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null;
end
$$;

comment on function app.check_canceled_documents(text) is
  'Schedules a lookup of an invoice''s issued tax documents, in case the attempt to cancel them ends before it stores their state.';

grant execute on function app.check_canceled_documents(text) to api;
