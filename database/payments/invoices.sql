-- Payments: cost centers, document numbers and invoices.
--
--   cost_centers      cost centers for invoices and payouts
--   document_numbers  counters for our_number
--   invoices          charges and their outcome
--
-- A request creates an invoice with the status `creating`, which the API does not show, calls the provider and opens
-- the invoice. Allowed status changes and their effects are in payments/effects.sql. Amounts are in minor units of the
-- currency.

-- Cost centers --------------------------------------------------------------------------------------------------------

create table public.cost_centers (
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  code       text        not null check (char_length(code) between 1 and 64),
  name       text        not null,
  is_default boolean     not null default false,
  created_at timestamptz not null default now(),
  primary key (tenant_id, code)
);

comment on table  public.cost_centers is 'Cost centers that invoices and payouts can refer to.';
comment on column public.cost_centers.is_default is 'Used when a request specifies none; at most one per tenant.';

create unique index cost_centers_default_idx on public.cost_centers (tenant_id) where is_default;

alter table public.cost_centers enable row level security;
grant select on public.cost_centers to api, worker;

create policy "A tenant sees its own cost centers" on public.cost_centers
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see cost centers"   on public.cost_centers for select to worker using (true);

-- Document numbers ----------------------------------------------------------------------------------------------------

create table public.document_numbers (
  tenant_id  uuid    not null references public.tenants (id) on delete cascade,
  kind       text    not null check (kind in ('INV', 'PO', 'NFSE')),
  year       integer not null,
  last_value bigint  not null,
  primary key (tenant_id, kind, year)
);

comment on table public.document_numbers is
  'Counters for our_number: consecutive per tenant, kind and year in the tenant''s time zone.';

alter table public.document_numbers enable row level security;
grant select on public.document_numbers to api;

create policy "A tenant sees its own counters" on public.document_numbers
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.next_document_number(tenant_id uuid, kind text) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  number bigint;
begin
  insert into public.document_numbers as n (tenant_id, kind, year, last_value)
  select t.id, next_document_number.kind, extract(year from now() at time zone t.time_zone), 1
  from public.tenants t where t.id = next_document_number.tenant_id and t.id = app.tenant_id()
  on conflict on constraint document_numbers_pkey do update set last_value = n.last_value + 1
  returning n.last_value into number;
  return number;
end
$$;

comment on function app.next_document_number(uuid, text) is
  'Returns the next number of the transaction''s tenant; call it last, because it locks the counter until the transaction ends.';

grant execute on function app.next_document_number(uuid, text) to api, worker;

create function app.our_number(tenant_id uuid, kind text) returns text
language plpgsql security definer
set search_path = ''
as $$
begin
  return (
    select kind || '-' || extract(year from now() at time zone t.time_zone) || '-'
           || case when n < 1000000 then lpad(n::text, 6, '0') else n::text end
    from public.tenants t, lateral app.next_document_number(t.id, kind) as n
    where t.id = our_number.tenant_id and t.id = app.tenant_id()
  );
end
$$;

comment on function app.our_number(uuid, text) is
  'The next our_number: kind, year and a sequence of at least six digits, such as INV-2026-000001.';

grant execute on function app.our_number(uuid, text) to api, worker;

-- Invoices ------------------------------------------------------------------------------------------------------------

create table public.invoices (
  id                   text           not null default app.typeid('inv'),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  status               text           not null default 'creating'
                                      check (status in ('creating', 'open', 'paid', 'canceled', 'failed')),
  customer             jsonb          not null,
  amount               bigint         not null check (amount between 1 and 99999999999),
  currency             text           not null,
  region               text           not null,
  description          text           not null,
  payment_method_type  text           not null check (
    payment_method_type in ('pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer')),
  payment_method       jsonb          not null,
  artifact             jsonb,
  tax_document_request jsonb,
  cost_center          text,
  contractor_reference text,
  metadata             jsonb,
  our_number           text,
  provider             text           not null,
  provider_account_id  text,
  provider_reference   text,
  fee                  bigint         check (fee >= 0),
  available_on         date,
  state_at             timestamptz,
  looked_at            timestamptz,
  paid_at              timestamptz(3),
  failure_reason       text,
  expires_at           timestamptz(3),
  public_token         text           not null default app.random_token() unique,
  cancel_reason        text,
  created              timestamptz(3) not null default date_trunc('milliseconds', now()),
  updated_at           timestamptz    not null default now(),
  paid_by text check (paid_by in ('pix', 'boleto')),
  paid_amount bigint,
  paid_on     date,
  fine        bigint,
  interest    bigint,
  discount    bigint,
  checkout_sessions jsonb,
  primary key (tenant_id, id),
  unique (tenant_id, our_number),
  foreign key (tenant_id, cost_center) references public.cost_centers (tenant_id, code),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.invoices is 'Invoices: charges to customers and their outcome.';
comment on column public.invoices.status is
  'creating until the provider has accepted it; private.payment_transitions lists the status changes.';
comment on column public.invoices.amount is 'Amount in minor units of the currency.';
comment on column public.invoices.region is 'Region such as br; determines the provider together with the currency.';
comment on column public.invoices.artifact is 'What the customer pays with: the code, barcode line or URL from the provider.';
comment on column public.invoices.tax_document_request is
  'The tax document requested with the invoice, and whether it is issued on payment.';
comment on column public.invoices.contractor_reference is 'The caller''s own reference.';
comment on column public.invoices.our_number is 'Human-readable number, assigned when the invoice opens.';
comment on column public.invoices.provider is 'The provider that the invoice was routed to.';
comment on column public.invoices.provider_account_id is 'The tenant''s account at the provider; null in the sandbox.';
comment on column public.invoices.provider_reference is 'The provider''s id of the charge.';
comment on column public.invoices.fee is 'The provider''s fee in minor units, known once paid.';
comment on column public.invoices.available_on is 'When the provider makes the money available; known once paid.';
comment on column public.invoices.state_at is 'When the current status began, according to the provider.';
comment on column public.invoices.looked_at is 'When the state at the provider was last read; results read earlier are ignored.';
comment on column public.invoices.paid_at is 'When the invoice was paid, according to the provider.';
comment on column public.invoices.failure_reason is
  'Why the invoice failed, from the provider or from Placar; null unless it failed.';
comment on column public.invoices.public_token is 'Secret part of the URLs of the payer''s files.';
comment on column public.invoices.paid_by is 'How a Brazilian invoice was paid, which decides how it can be refunded; null if not known.';
comment on column public.invoices.paid_amount is
  'What was paid, in minor units: amount - discount + fine + interest + what was overpaid. Null until paid.';
comment on column public.invoices.paid_on is 'The day on which the payer paid, according to the provider. Null until paid.';
comment on column public.invoices.fine is 'Fine for late payment that was paid, in minor units. Null until paid.';
comment on column public.invoices.interest is 'Interest for late payment that was paid, in minor units. Null until paid.';
comment on column public.invoices.discount is 'Discount that the payer took, in minor units. Null until paid.';
comment on column public.invoices.checkout_sessions is
  'Payment pages after the first one: n, made_at, and reference and url once created; claimed_until while a request creates one.';

create index invoices_list_idx        on public.invoices (tenant_id, id desc) where status <> 'creating';
create index invoices_id_idx          on public.invoices (id); -- notifications contain only the id
create index invoices_creating_idx    on public.invoices (created) where status = 'creating';
create index invoices_status_idx      on public.invoices (tenant_id, status, id desc);
create index invoices_method_idx      on public.invoices (tenant_id, payment_method_type, id desc);
create index invoices_cost_center_idx on public.invoices (tenant_id, cost_center, id desc);
create index invoices_reference_idx   on public.invoices (tenant_id, contractor_reference, id desc);
create index invoices_created_idx     on public.invoices (tenant_id, created desc, id desc);
create index invoices_account_idx     on public.invoices (tenant_id, provider_account_id, provider_reference) where provider_account_id is not null;

alter table public.invoices enable row level security;
grant select, insert, update (status, our_number, artifact, provider_reference, state_at, cancel_reason)
  on public.invoices to api;
grant select, update on public.invoices to worker;

create policy "A tenant sees its own invoices" on public.invoices
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant creates invoices" on public.invoices
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'creating');
create policy "A tenant opens and cancels invoices, and never pays them" on public.invoices
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and status in ('open', 'canceled'));
create policy "Jobs advance invoices"   on public.invoices for all to worker using (true) with check (true);

create trigger invoices_set_updated_at
  before update on public.invoices
  for each row execute function private.set_updated_at();

create function app.invoice_snapshot(i public.invoices) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(i) || jsonb_build_object('tax_document', (
    select jsonb_build_object('id', d.id, 'type', d.type, 'status', d.status)
    from public.tax_documents d
    where d.tenant_id = i.tenant_id and d.invoice_id = i.id
    order by d.id desc
    limit 1
  ), 'dispute', (
    select jsonb_build_object('status', d.status, 'kind', d.kind, 'amount', d.amount, 'opened_at', d.opened_at, 'closed_at', d.closed_at)
    from public.disputes d
    where d.tenant_id = i.tenant_id and d.invoice_id = i.id
    order by d.id desc
    limit 1
  )) || (
    select jsonb_build_object(
      'amount_refunded', coalesce(sum(r.amount) filter (where r.status = 'succeeded'), 0),
      'amount_refund_pending', coalesce(sum(r.amount) filter (where r.status = 'pending'), 0))
    from public.refunds r
    where r.tenant_id = i.tenant_id and r.invoice_id = i.id
  );
end
$$;

comment on function app.invoice_snapshot(public.invoices) is
  'An invoice with a summary of its latest tax document, its latest dispute and its refunded amounts.';

grant execute on function app.invoice_snapshot(public.invoices) to api, worker;

