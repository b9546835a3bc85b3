-- Payments: payouts.
--
-- A request creates a payout with the status `creating`, which the API does not show, and sends it to the provider.
-- Effects of status changes are in payments/effects.sql. Amounts are in minor units of the currency.

-- Payouts -------------------------------------------------------------------------------------------------------------

create table public.payouts (
  id                   text           not null default app.typeid('po'),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  status               text           not null default 'creating' check (
    status in ('creating', 'created', 'incoming_payment_waiting', 'processing', 'paid', 'failed', 'canceled')),
  beneficiary          jsonb          not null,
  amount               bigint         not null check (amount between 1 and 99999999999),
  currency             text           not null,
  region               text           not null,
  purpose              text           not null check (purpose in ('prize', 'commission', 'vendor_payment', 'other')),
  cost_center          text,
  contractor_reference text,
  metadata             jsonb,
  our_number           text,
  provider             text           not null,
  provider_account_id  text,
  provider_reference   text,
  approval             text           check (approval in ('waiting', 'approved', 'rejected')),
  ordered_at           timestamptz,
  approved_transfer    text,
  missed_at            timestamptz,
  funding              jsonb,
  fee                  bigint         check (fee >= 0),
  available_on         date,
  state_at             timestamptz,
  looked_at            timestamptz,
  failure_reason       text,
  created              timestamptz(3) not null default date_trunc('milliseconds', now()),
  updated_at           timestamptz    not null default now(),
  requested_by jsonb default app.current_caller(),
  primary key (tenant_id, id),
  unique (tenant_id, our_number),
  -- Whatever the code does, a payout that waits for approval is not sent.
  check (approval is distinct from 'waiting' or status in ('creating', 'created', 'failed', 'canceled')),
  foreign key (tenant_id, cost_center) references public.cost_centers (tenant_id, code),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.payouts is 'Money sent out: prizes, commissions, vendor payments.';
comment on column public.payouts.status is
  'creating until the provider has accepted it; private.payment_transitions lists the status changes.';
comment on column public.payouts.beneficiary is 'The recipient and their bank details.';
comment on column public.payouts.amount is 'Amount in minor units of the currency.';
comment on column public.payouts.provider_account_id is 'The tenant''s account at the provider; null in the sandbox.';
comment on column public.payouts.provider_reference is 'The provider''s id of the transfer.';
comment on column public.payouts.approval is
  'State of manual approval: waiting, approved or rejected; null if none is required.';
comment on column public.payouts.ordered_at is 'When the payout was last sent to its provider; null while the provider cannot have it.';
comment on column public.payouts.approved_transfer is
  'The transfer that the provider asked about and Placar approved since the payout was last sent; no other transfer is approved.';
comment on column public.payouts.missed_at is 'When a lookup first found that the provider does not have the payout after it was sent.';
comment on column public.payouts.funding is
  'While the payout waits for manual funding: sourceAmountMinor, sourceCurrency, reference, fundBy.';
comment on column public.payouts.fee is 'The provider''s fee in minor units, known once paid.';
comment on column public.payouts.state_at is 'When the current status began, according to the provider.';
comment on column public.payouts.looked_at is 'When the state at the provider was last read; results read earlier are ignored.';
comment on column public.payouts.failure_reason is 'Why the payout failed, in the provider''s words; null unless it failed.';
comment on column public.payouts.requested_by is 'Who ordered the payout: kind (client, api_key or person) and id.';

create index payouts_list_idx        on public.payouts (tenant_id, id desc) where status <> 'creating';
create index payouts_id_idx          on public.payouts (id); -- notifications contain only the id
create index payouts_creating_idx    on public.payouts (created) where status = 'creating';
create index payouts_status_idx      on public.payouts (tenant_id, status, id desc);
create index payouts_cost_center_idx on public.payouts (tenant_id, cost_center, id desc);
create index payouts_reference_idx   on public.payouts (tenant_id, contractor_reference, id desc);
create index payouts_created_idx     on public.payouts (tenant_id, created desc, id desc);
create index payouts_account_idx     on public.payouts (tenant_id, provider_account_id, provider_reference) where provider_account_id is not null;

alter table public.payouts enable row level security;
grant select, insert, update (status, our_number, provider_reference, state_at, ordered_at, funding) on public.payouts to api;
grant select, update on public.payouts to worker;

create policy "A tenant sees its own payouts" on public.payouts
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant creates payouts" on public.payouts
  for insert to api with check (tenant_id = (select app.tenant_id()) and status = 'creating');
create policy "A tenant sends and cancels payouts, and never pays them" on public.payouts
  for update to api using (tenant_id = (select app.tenant_id()))
  with check (tenant_id = (select app.tenant_id()) and status in ('creating', 'created', 'incoming_payment_waiting', 'processing', 'canceled'));
create policy "Jobs advance payouts"    on public.payouts for all to worker using (true) with check (true);

create trigger payouts_set_updated_at
  before update on public.payouts
  for each row execute function private.set_updated_at();
