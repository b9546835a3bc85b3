-- Payments: providers' webhooks about accounts, and reconciliation with providers.
--
-- A webhook is stored as received, acknowledged, and applied by a job (apply-provider-event). The job looks up the
-- object that the event names and never trusts the event's own data. Once a day, a job (reconcile-provider) compares
-- the provider's orders and statements with ours.

create table public.provider_account_events (
  account_id  text        not null,
  event_id    text        not null,
  tenant_id   uuid        not null,
  type        text        not null,
  about       jsonb,
  body        text        not null,
  received_at timestamptz not null default now(),
  applied_at  timestamptz,
  primary key (account_id, event_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_account_events is 'Webhook events received from providers, each stored once.';
comment on column public.provider_account_events.event_id is
  'The provider''s event id; for an unreadable event the hash of its body.';
comment on column public.provider_account_events.about is 'The object to look up; null if the event does not concern Placar.';
comment on column public.provider_account_events.body is 'Body as received.';
comment on column public.provider_account_events.applied_at is
  'When the event''s object was looked up; null if pending or not relevant.';

create index provider_account_events_account_idx on public.provider_account_events (tenant_id, account_id, received_at desc);

alter table public.provider_account_events enable row level security;
grant select on public.provider_account_events to api;
grant select, insert, update on public.provider_account_events to worker;

create policy "A tenant sees its own provider events" on public.provider_account_events
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs store and apply provider events" on public.provider_account_events
  for all to worker using (true) with check (true);

