-- Payments: cost centers, invoices, tax documents, payouts and the ledger. Rows that a provider has not accepted yet are
-- `creating`; nobody is shown those.

alter table public.tenants add column nfse_cancellation_hours integer check (nfse_cancellation_hours > 0);
comment on column public.tenants.nfse_cancellation_hours is
  'Hours after issuance in which an NFS-e can be canceled; null means the calendar day of issuance in the tenant''s time zone.';

create function app.random_token() returns text
language sql volatile security definer
set search_path = ''
as $$ select private.random_base62(32) $$;

comment on function app.random_token() is 'An unguessable token of 190 bits, for addresses that open without authentication.';
grant execute on function app.random_token() to api, worker;

create table public.cost_centers (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  code       text not null check (char_length(code) between 1 and 64),
  name       text not null,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (tenant_id, code)
);

comment on table  public.cost_centers is 'Cost centers that invoices and payouts may name.';
comment on column public.cost_centers.is_default is 'Taken when a request names none; one per tenant at most.';
create unique index cost_centers_default_idx on public.cost_centers (tenant_id) where is_default;

create table public.document_numbers (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  kind       text not null check (kind in ('INV', 'PO', 'NFSE')),
  year       integer not null,
  last_value bigint not null,
  primary key (tenant_id, kind, year)
);

comment on table public.document_numbers is 'Counters behind our_number: without a gap per tenant, kind and year of the tenant''s time zone.';

create function app.next_document_number(tenant_id uuid, kind text) returns bigint
language sql security definer
set search_path = ''
as $$
  insert into public.document_numbers as n (tenant_id, kind, year, last_value)
  select t.id, kind, extract(year from now() at time zone t.time_zone), 1
  from public.tenants t where t.id = next_document_number.tenant_id and t.id = app.tenant_id()
  on conflict on constraint document_numbers_pkey do update set last_value = n.last_value + 1
  returning last_value
$$;

comment on function app.next_document_number(uuid, text) is
  'Takes the next number of the transaction''s tenant. The counter stays locked until the transaction ends, so call it in a short one, last of all.';
grant execute on function app.next_document_number(uuid, text) to api, worker;

create function app.our_number(tenant_id uuid, kind text) returns text
language sql security definer
set search_path = ''
as $$
  select kind || '-' || extract(year from now() at time zone t.time_zone) || '-'
         || case when n < 1000000 then lpad(n::text, 6, '0') else n::text end
  from public.tenants t, lateral app.next_document_number(t.id, kind) as n
  where t.id = our_number.tenant_id and t.id = app.tenant_id()
$$;

comment on function app.our_number(uuid, text) is 'The next our_number: kind, year and a sequence of at least six digits, such as INV-2026-000001.';
grant execute on function app.our_number(uuid, text) to api, worker;

create table public.invoices (
  id                   text not null default app.typeid('inv'),
  tenant_id            uuid not null references public.tenants (id) on delete cascade,
  status               text not null default 'creating' check (status in ('creating', 'open', 'paid', 'canceled', 'failed')),
  customer             jsonb not null,
  amount               bigint not null check (amount between 1 and 99999999999),
  currency             text not null,
  region               text not null,
  description          text not null,
  payment_method_type  text not null check (payment_method_type in ('pix', 'boleto', 'bolepix', 'card')),
  payment_method       jsonb not null,
  artifact             jsonb,
  tax_document_request jsonb,
  cost_center          text,
  contractor_reference text,
  metadata             jsonb,
  our_number           text,
  provider             text not null,
  provider_reference   text,
  fee                  bigint check (fee >= 0),
  available_on         date,
  state_at             timestamptz,
  expires_at           timestamptz(3),
  public_token         text not null default app.random_token() unique,
  cancel_reason        text,
  created              timestamptz(3) not null default now(),
  updated_at           timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, our_number),
  foreign key (tenant_id, cost_center) references public.cost_centers (tenant_id, code)
);

comment on table  public.invoices is 'Charges: what a customer is asked to pay, and what became of it.';
comment on column public.invoices.amount is 'Minor units of the currency.';
comment on column public.invoices.fee is 'The provider''s fee in minor units, known once it is paid.';
comment on column public.invoices.state_at is 'When the provider says that the present state began; older notifications change nothing.';
comment on column public.invoices.public_token is 'Part of the addresses of the payer''s files.';

create index invoices_list_idx        on public.invoices (tenant_id, id desc) where status <> 'creating';
create index invoices_creating_idx    on public.invoices (created) where status = 'creating';
create index invoices_status_idx      on public.invoices (tenant_id, status, id desc);
create index invoices_method_idx      on public.invoices (tenant_id, payment_method_type, id desc);
create index invoices_cost_center_idx on public.invoices (tenant_id, cost_center, id desc);
create index invoices_reference_idx   on public.invoices (tenant_id, contractor_reference, id desc);
create index invoices_created_idx     on public.invoices (tenant_id, created desc, id desc);

create table public.tax_documents (
  id               text not null default app.typeid('txd'),
  tenant_id        uuid not null,
  invoice_id       text not null,
  type             text not null check (type = 'nfse'),
  status           text not null default 'pending' check (status in ('pending', 'issued', 'failed', 'canceled')),
  service_code     text not null,
  metadata         jsonb,
  provider         text not null,
  document_number  text,
  access_key       text,
  failure_reason   text,
  cancel_reason    text,
  issued_at        timestamptz(3),
  public_token     text not null default app.random_token() unique,
  created          timestamptz(3) not null default now(),
  updated_at       timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id)
);

comment on table public.tax_documents is 'Fiscal documents of invoices. After a failure or a cancellation a new one is made; the old one stays.';
create index tax_documents_invoice_idx on public.tax_documents (tenant_id, invoice_id, id desc);
create unique index tax_documents_live_idx on public.tax_documents (tenant_id, invoice_id) where status in ('pending', 'issued');

create table public.payouts (
  id                   text not null default app.typeid('po'),
  tenant_id            uuid not null references public.tenants (id) on delete cascade,
  status               text not null default 'creating' check (
    status in ('creating', 'created', 'incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled')),
  beneficiary          jsonb not null,
  amount               bigint not null check (amount between 1 and 99999999999),
  currency             text not null,
  region               text not null,
  purpose              text not null check (purpose in ('prize', 'commission', 'vendor_payment', 'other')),
  cost_center          text,
  contractor_reference text,
  metadata             jsonb,
  our_number           text,
  provider             text not null,
  provider_reference   text,
  fee                  bigint check (fee >= 0),
  available_on         date,
  state_at             timestamptz,
  failure_reason       text,
  created              timestamptz(3) not null default now(),
  updated_at           timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, our_number),
  foreign key (tenant_id, cost_center) references public.cost_centers (tenant_id, code)
);

comment on table  public.payouts is 'Money sent out: prizes, commissions, vendor payments.';
comment on column public.payouts.amount is 'Minor units of the currency.';

create index payouts_list_idx        on public.payouts (tenant_id, id desc) where status <> 'creating';
create index payouts_creating_idx    on public.payouts (created) where status = 'creating';
create index payouts_status_idx      on public.payouts (tenant_id, status, id desc);
create index payouts_cost_center_idx on public.payouts (tenant_id, cost_center, id desc);
create index payouts_reference_idx   on public.payouts (tenant_id, contractor_reference, id desc);
create index payouts_created_idx     on public.payouts (tenant_id, created desc, id desc);

create table public.balance_transactions (
  id                   text not null default app.typeid('btxn'),
  tenant_id            uuid not null references public.tenants (id) on delete cascade,
  type                 text not null check (type in ('charge', 'payout', 'fee', 'adjustment')),
  amount               bigint not null,
  currency             text not null check (currency ~ '^[A-Z]{3}$'),
  fee                  bigint not null default 0 check (fee >= 0),
  net                  bigint not null,
  available_on         date not null,
  invoice_id           text,
  payout_id            text,
  cost_center          text,
  our_number           text,
  contractor_reference text,
  provider             text,
  reason               text,
  created              timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  check (net = amount - fee),
  check (invoice_id is null or payout_id is null),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id),
  foreign key (tenant_id, payout_id)  references public.payouts (tenant_id, id)
);

comment on table  public.balance_transactions is 'The ledger. Entries are only ever added.';
comment on column public.balance_transactions.amount is 'Signed minor units: money in is positive, money out negative.';
comment on column public.balance_transactions.net is 'amount - fee.';

create index balance_transactions_list_idx        on public.balance_transactions (tenant_id, type, id desc);
create index balance_transactions_created_idx     on public.balance_transactions (tenant_id, created desc, id desc);
create index balance_transactions_available_idx   on public.balance_transactions (tenant_id, available_on, id desc);
create index balance_transactions_invoice_idx     on public.balance_transactions (tenant_id, invoice_id);
create index balance_transactions_payout_idx      on public.balance_transactions (tenant_id, payout_id);
create index balance_transactions_cost_center_idx on public.balance_transactions (tenant_id, cost_center, id desc);
create index balance_transactions_reference_idx   on public.balance_transactions (tenant_id, contractor_reference, id desc);
create index balance_transactions_number_idx      on public.balance_transactions (tenant_id, our_number, id desc);

create trigger balance_transactions_append_only
  before update or delete on public.balance_transactions
  for each row execute function private.refuse_change();
create trigger balance_transactions_no_truncate
  before truncate on public.balance_transactions
  execute function private.refuse_change();

create trigger invoices_touch_updated_at before update on public.invoices
  for each row execute function private.touch_updated_at();
create trigger tax_documents_touch_updated_at before update on public.tax_documents
  for each row execute function private.touch_updated_at();
create trigger payouts_touch_updated_at before update on public.payouts
  for each row execute function private.touch_updated_at();

alter table public.cost_centers         enable row level security;
alter table public.document_numbers     enable row level security;
alter table public.invoices             enable row level security;
alter table public.tax_documents        enable row level security;
alter table public.payouts              enable row level security;
alter table public.balance_transactions enable row level security;

grant select                 on public.cost_centers         to api, worker;
grant select, insert         on public.invoices             to api;
grant select, insert         on public.tax_documents        to api;
grant select, insert         on public.payouts              to api;
grant update (status, our_number, artifact, provider_reference, state_at, cancel_reason) on public.invoices to api;
grant update (status, cancel_reason)                                                     on public.tax_documents to api;
grant update (status, our_number, provider_reference, state_at)                          on public.payouts to api;
grant select                 on public.balance_transactions to api, worker;
grant select                 on public.document_numbers     to api;
grant select, update         on public.invoices, public.payouts to worker;
grant select, insert, update on public.tax_documents        to worker;

create policy "A tenant sees its own cost centers" on public.cost_centers
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own counters" on public.document_numbers
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own invoices" on public.invoices
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant begins invoices" on public.invoices
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'creating');
create policy "A tenant opens and cancels invoices, and never pays them" on public.invoices
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and status in ('open', 'canceled'));
create policy "A tenant sees its own tax documents" on public.tax_documents
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant asks for tax documents" on public.tax_documents
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'pending');
create policy "A tenant cancels tax documents, and never issues them" on public.tax_documents
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and status in ('pending', 'canceled'));
create policy "A tenant sees its own payouts" on public.payouts
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant begins payouts" on public.payouts
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'creating');
create policy "A tenant sends and cancels payouts, and never pays them" on public.payouts
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and status in ('created', 'processing', 'canceled'));
create policy "A tenant sees its own ledger" on public.balance_transactions
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see cost centers"   on public.cost_centers for select to worker using (true);
create policy "Jobs advance invoices"   on public.invoices for all to worker using (true) with check (true);
create policy "Jobs issue documents"    on public.tax_documents for all to worker using (true) with check (true);
create policy "Jobs advance payouts"    on public.payouts for all to worker using (true) with check (true);
create policy "Jobs see the ledger"     on public.balance_transactions for select to worker using (true);
