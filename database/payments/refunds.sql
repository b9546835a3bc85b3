-- Payments: refunds of paid invoices.
--
--   refunds   refunds ordered through the API or made at the provider
--
-- A request reserves its amount with a row in `creating`, calls the provider and applies its answer. Providers' reports
-- list an order's refunds (payments/refund-reports.sql); each one belongs to exactly one row here. Amounts are in minor
-- units of the currency.

create table public.refunds (
  id                  text           not null default app.typeid('rfd'),
  tenant_id           uuid           not null references public.tenants (id) on delete cascade,
  invoice_id          text           not null,
  status              text           not null default 'creating' check (status in ('creating', 'pending', 'succeeded', 'failed')),
  amount              bigint         not null check (amount > 0),
  currency            text           not null,
  reason              text,
  origin              text           not null default 'api' check (origin in ('api', 'provider')),
  pending_reason      text,
  action_url          text,
  failure_reason      text,
  provider            text           not null,
  provider_account_id text,
  provider_refunds    jsonb          not null default '{}',
  entry_id            text,
  reversal_entry_id   text,
  ordered_at          timestamptz    not null default now(),
  missed_at           timestamptz,
  approved_for        text,
  created             timestamptz(3) not null default date_trunc('milliseconds', now()),
  settled_at          timestamptz(3),
  updated_at          timestamptz    not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.refunds is 'Refunds of paid invoices, ordered through the API or made at the provider.';
comment on column public.refunds.status is
  'creating until the provider has accepted it: the amount is reserved, but the API does not show the refund.';
comment on column public.refunds.reason is 'The caller''s reason, or the provider''s description if origin is provider.';
comment on column public.refunds.origin is 'api if a caller ordered it, provider if it was made at the provider.';
comment on column public.refunds.pending_reason is 'What a pending refund waits for.';
comment on column public.refunds.action_url is 'Page on which the payer completes the refund, if the provider needs that.';
comment on column public.refunds.provider_account_id is 'The account that charged the invoice; null in the sandbox.';
comment on column public.refunds.provider_refunds is
  'Keys of the provider''s refunds that this row stands for, with their amounts; several only for entries made before this table.';
comment on column public.refunds.entry_id is 'The ledger entry of the refund; null while the provider has not moved the money.';
comment on column public.refunds.reversal_entry_id is 'The ledger entry of the money that came back because the refund failed.';
comment on column public.refunds.ordered_at is 'When the refund was last sent to the provider, or was about to be.';
comment on column public.refunds.missed_at is 'When a lookup first missed the refund at the provider; it is sent again after two misses.';
comment on column public.refunds.approved_for is 'The provider''s id for which Asaas'' withdrawal validation approved this refund.';
comment on column public.refunds.settled_at is 'When the refund succeeded or failed.';

create index refunds_invoice_idx on public.refunds (tenant_id, invoice_id, id desc);
create index refunds_account_idx on public.refunds (tenant_id, provider_account_id) where provider_account_id is not null;

alter table public.refunds enable row level security;
grant select on public.refunds to api;
grant select, update on public.refunds to worker;

create policy "A tenant sees its own refunds" on public.refunds
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs advance refunds" on public.refunds for all to worker using (true) with check (true);

create trigger refunds_set_updated_at
  before update on public.refunds
  for each row execute function private.set_updated_at();
alter table public.balance_transactions add constraint balance_transactions_refund_fkey
  foreign key (tenant_id, refund_id) references public.refunds (tenant_id, id);

-- Disputes ------------------------------------------------------------------------------------------------------------

create table public.disputes (
  id                 bigint         generated always as identity,
  tenant_id          uuid           not null references public.tenants (id) on delete cascade,
  invoice_id         text           not null,
  kind               text           not null check (kind in ('pix_infraction', 'chargeback')),
  status             text           not null default 'open' check (status in ('open', 'won', 'lost')),
  amount             bigint         not null check (amount > 0),
  released           bigint         not null default 0,
  released_unstated  bigint         not null default 0,
  released_at        timestamptz,
  lost               bigint         not null default 0,
  provider_reference text,
  provider_refunds   jsonb          not null default '{}',
  opened_at          timestamptz(3) not null default now(),
  closed_at          timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id)
);

comment on table  public.disputes is 'Disputes of paid invoices: PIX infractions (MED) and chargebacks.';
comment on column public.disputes.amount is 'The disputed amount in minor units of the invoice''s currency.';
comment on column public.disputes.released is 'PIX infractions: how much of the blocked amount was released in the ledger.';
comment on column public.disputes.released_unstated is 'The part of released whose statement line has not been found.';
comment on column public.disputes.released_at is 'When the last of the blocked amount was released.';
comment on column public.disputes.lost is 'How much the payer''s bank kept, in minor units.';
comment on column public.disputes.provider_reference is 'The provider''s id of a chargeback, or of the payment of a PIX infraction.';
comment on column public.disputes.provider_refunds is 'Keys of the provider''s refunds that were this dispute''s loss, with their amounts.';

create index disputes_invoice_idx on public.disputes (tenant_id, invoice_id, id desc);

alter table public.disputes enable row level security;
grant select on public.disputes to api, worker;

create policy "A tenant sees its own disputes" on public.disputes
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see disputes" on public.disputes for select to worker using (true);

-- Blocked balance -----------------------------------------------------------------------------------------------------

create table public.provider_balance_events (
  account_id         text        not null,
  event_id           text        not null,
  tenant_id          uuid        not null,
  change             text        not null check (change in ('blocked', 'unblocked')),
  type               text        not null,
  amount             bigint      not null check (amount > 0),
  currency           text        not null,
  provider_reference text        not null,
  on_day             date        not null,
  line_id            text,
  received_at        timestamptz not null default now(),
  primary key (account_id, event_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_balance_events is
  'Providers'' events about balance blocked or unblocked because of a charge, until their statement lines are found.';
comment on column public.provider_balance_events.change is 'Whether the balance was blocked or unblocked.';
comment on column public.provider_balance_events.type is 'The provider''s reason, such as PIX_INFRACTION.';
comment on column public.provider_balance_events.provider_reference is 'The provider''s id of the charge.';
comment on column public.provider_balance_events.on_day is 'The day of the event at the provider.';
comment on column public.provider_balance_events.line_id is 'The statement line that moved the money; null until it is found.';

create index provider_balance_events_account_idx on public.provider_balance_events (tenant_id, account_id, received_at desc);

alter table public.provider_balance_events enable row level security;
grant select on public.provider_balance_events to worker;

create policy "Jobs match blocked balance" on public.provider_balance_events for select to worker using (true);
