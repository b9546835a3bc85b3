-- Payments: cost centers, document numbers and invoices.
--
--   cost_centers      that invoices and payouts may name
--   document_numbers  the counters behind our_number
--   invoices          what a customer is asked to pay, and what became of it
--
-- A request makes an invoice in the state `creating`, which nobody is shown, asks the provider, and opens it. What follows from
-- a change of state, and which changes there are, is in payments_effects. Amounts are in minor units of the currency.

-- Cost centers --------------------------------------------------------------------------------------------------------

create table public.cost_centers (
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  code       text        not null check (char_length(code) between 1 and 64),
  name       text        not null,
  is_default boolean     not null default false,
  created_at timestamptz not null default now(),
  primary key (tenant_id, code)
);

comment on table  public.cost_centers is 'Cost centers that invoices and payouts may name.';
comment on column public.cost_centers.is_default is 'Taken when a request names none; one per tenant at most.';

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
  'Counters behind our_number: without a gap per tenant, kind and year of the tenant''s time zone.';

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
  'Takes the next number of the transaction''s tenant. The counter stays locked until the transaction ends, so call it in a short one, last of all.';

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
  created              timestamptz(3) not null default now(),
  updated_at           timestamptz    not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, our_number),
  foreign key (tenant_id, cost_center) references public.cost_centers (tenant_id, code),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.invoices is 'Charges: what a customer is asked to pay, and what became of it.';
comment on column public.invoices.status is 'creating until the provider has it; private.payment_transitions says what follows what.';
comment on column public.invoices.amount is 'Minor units of the currency.';
comment on column public.invoices.region is 'Such as br; with the currency it decides on the provider.';
comment on column public.invoices.artifact is 'What the customer pays with: the code, line or address that the provider gave.';
comment on column public.invoices.tax_document_request is
  'The tax document that was asked for with it, and whether it is issued when it is paid.';
comment on column public.invoices.contractor_reference is 'The caller''s own name for it.';
comment on column public.invoices.our_number is 'The number that people see, given when it opens.';
comment on column public.invoices.provider is 'The provider that it was routed to.';
comment on column public.invoices.provider_account_id is 'The tenant''s account there; null in the sandbox.';
comment on column public.invoices.provider_reference is 'The provider''s id of the charge.';
comment on column public.invoices.fee is 'The provider''s fee in minor units, known once it is paid.';
comment on column public.invoices.available_on is 'When the provider makes the money available; known once it is paid.';
comment on column public.invoices.state_at is
  'When the provider says that the present state began.';
comment on column public.invoices.looked_at is 'When the provider was last looked at for it; what was read before that changes nothing.';
comment on column public.invoices.paid_at is 'When the provider says that it was paid.';
comment on column public.invoices.failure_reason is 'Why it failed, in the provider''s words or ours; null unless it has.';
comment on column public.invoices.public_token is 'Part of the addresses of the payer''s files.';

create index invoices_list_idx        on public.invoices (tenant_id, id desc) where status <> 'creating';
create index invoices_id_idx          on public.invoices (id); -- notifications name nothing else
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
create policy "A tenant begins invoices" on public.invoices
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
  ));
end
$$;

comment on function app.invoice_snapshot(public.invoices) is 'An invoice with the summary of its latest tax document.';

grant execute on function app.invoice_snapshot(public.invoices) to api, worker;
