-- Payments: tax documents of invoices and their cancellation window.
--
-- A document is pending until a job issues it (scheduled by payments/effects.sql).

-- Tax documents -------------------------------------------------------------------------------------------------------

create table public.tax_documents (
  id              text           not null default app.typeid('txd'),
  tenant_id       uuid           not null,
  invoice_id      text           not null,
  type            text           not null check (type = 'nfse'),
  status          text           not null default 'pending' check (status in ('pending', 'issued', 'failed', 'canceled')),
  service_code    text           not null,
  metadata        jsonb,
  provider        text           not null,
  provider_account_id text,
  provider_reference  text,
  document_number text,
  access_key      text,
  failure_reason  text,
  cancel_reason   text,
  cancel_requested_at timestamptz(3),
  cancel_error    text,
  files           jsonb,
  issued_at       timestamptz(3),
  public_token    text           not null default app.random_token() unique,
  created         timestamptz(3) not null default date_trunc('milliseconds', now()),
  updated_at      timestamptz    not null default now(),
  requested_taxes  jsonb,
  customer_address jsonb,
  taxes            jsonb,
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.tax_documents is
  'Tax documents of invoices; after a failure or cancellation a new one is created and the old one stays.';
comment on column public.tax_documents.status is
  'pending until the provider issues it; private.payment_transitions lists the status changes.';
comment on column public.tax_documents.service_code is 'The service provided, from the municipality''s list of services.';
comment on column public.tax_documents.provider_account_id is 'The tenant''s account at the provider; null in the sandbox.';
comment on column public.tax_documents.provider_reference is 'The provider''s id of the document.';
comment on column public.tax_documents.cancel_requested_at is
  'When cancellation was requested from the city; null once the city has decided.';
comment on column public.tax_documents.cancel_error is 'Why the city rejected the cancellation, in its words.';
comment on column public.tax_documents.files is 'URLs of the files at the provider; null if Placar hosts them.';
comment on column public.tax_documents.access_key is 'Key for looking up the document at the tax authority.';
comment on column public.tax_documents.public_token is 'Secret part of the URLs of the document''s files.';
comment on column public.tax_documents.requested_taxes is 'Taxes given for this document, which take precedence over settings.';
comment on column public.tax_documents.customer_address is 'Address given for this document; null if the invoice has one or none is needed.';
comment on column public.tax_documents.taxes is 'IBS and CBS of the issued document, according to the provider.';

create index tax_documents_invoice_idx on public.tax_documents (tenant_id, invoice_id, id desc);
create index tax_documents_account_idx on public.tax_documents (tenant_id, provider_account_id, provider_reference) where provider_account_id is not null;
create unique index tax_documents_live_idx on public.tax_documents (tenant_id, invoice_id) where status in ('pending', 'issued');

alter table public.tax_documents enable row level security;
grant select, insert, update (status, cancel_reason, cancel_requested_at, cancel_error) on public.tax_documents to api;
grant select, insert, update on public.tax_documents to worker;

create policy "A tenant sees its own tax documents" on public.tax_documents
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant requests tax documents" on public.tax_documents
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'pending');
create policy "A tenant cancels tax documents, and never issues them" on public.tax_documents
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and (status in ('pending', 'canceled') or cancel_requested_at is not null or cancel_error is not null));
create policy "Jobs issue documents"    on public.tax_documents for all to worker using (true) with check (true);

create trigger tax_documents_set_updated_at
  before update on public.tax_documents
  for each row execute function private.set_updated_at();

-- Snapshots combine a row with related data that its representation needs. Responses, events and stored responses are
-- rendered from them.
create function app.cancellation_window_open(tenant_id uuid, issued_at timestamptz) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select case when issued_at is null then null
                when t.nfse_cancellation_hours is not null then now() < issued_at + make_interval(hours => t.nfse_cancellation_hours)
                else (now() at time zone t.time_zone)::date = (issued_at at time zone t.time_zone)::date end
    from public.tenants t
    where t.id = cancellation_window_open.tenant_id
  );
end
$$;

comment on function app.cancellation_window_open(uuid, timestamptz) is
  'Whether an NFS-e can still be canceled: within the tenant''s nfse_cancellation_hours, or else on the day of issuance in its time zone.';

grant execute on function app.cancellation_window_open(uuid, timestamptz) to api, worker;

