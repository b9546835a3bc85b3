-- Webhooks: endpoints that subscribe to events, and their deliveries.
--
--   webhook_endpoints   where events are sent
--   webhook_secrets     signing secrets; the role api cannot read them or the keys in webhooks/credentials.sql
--   webhook_deliveries  one event for one endpoint
--   webhook_attempts    one row per delivery attempt
--
-- Inserting an event (webhooks/events.sql) inserts its deliveries, each with a due job, in the same transaction. Rules for
-- URLs and limits are in webhooks/urls.sql and limits.sql, the handling of attempts in webhooks/attempts.sql, and endpoint management in
-- webhooks/management.sql.

create table public.webhook_endpoints (
  id                   uuid           primary key default gen_random_uuid(),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  interface            text           not null check (interface in ('payments', 'records')),
  client_id            text,
  url                  text           not null,
  events               text[]         check (cardinality(events) > 0),
  filters              jsonb          check (jsonb_typeof(filters) = 'array'),
  filter_rules         jsonb          check (jsonb_typeof(filter_rules) = 'object'),
  changed              text[]         check (cardinality(changed) > 0),
  changed_rules        jsonb          check (jsonb_typeof(changed_rules) = 'object'),
  header_names         text[]         not null default '{}',
  ordered              boolean        not null default false,
  fold_seconds         integer        check (fold_seconds between 1 and 300),
  description          text,
  variant              text           check (variant in ('a', 'b', 'c')),
  public_key           text           check (public_key ~ '^whpk_[A-Za-z0-9+/]{43}=$'),
  active               boolean        not null default true,
  paused_at            timestamptz,
  suspended_until      timestamptz,
  suspensions          integer        not null default 0 check (suspensions >= 0),
  consecutive_failures integer        not null default 0 check (consecutive_failures >= 0),
  first_failure_at     timestamptz,
  deactivated_at       timestamptz,
  deactivation_reason  text,
  created_at           timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp()),
  updated_at           timestamptz    not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, client_id) references public.oauth_clients (tenant_id, client_id) on delete set null (client_id),
  constraint webhook_endpoints_url_plain
    check (char_length(url) <= 2048
           and url ~* '^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?([/?#][^[:space:]]*)?$')
);

comment on table  public.webhook_endpoints is 'Webhook endpoints: where a tenant''s events are sent.';
comment on column public.webhook_endpoints.interface is 'The interface whose events the endpoint receives.';
comment on column public.webhook_endpoints.client_id is
  'Records: the client that created, or last moved or activated, the endpoint; revoking it deactivates the endpoint; null for admins'' webhooks.';
comment on column public.webhook_endpoints.url is
  'HTTPS URL without credentials, whose resolved address is checked on each attempt.';
comment on column public.webhook_endpoints.events is
  'Event types sent to the endpoint; null means all except the opt-in types (app.opt_in_event_types).';
comment on column public.webhook_endpoints.filters is
  'Filters as the caller sent them: [{"field", "op", "value"}]; an event must match all of them; null means no filters.';
comment on column public.webhook_endpoints.filter_rules is
  'The filters translated to stored names, by naming variant and event subject; evaluated by the trigger on events.';
comment on column public.webhook_endpoints.changed is
  'Member names as the caller sent them; events are sent if one of them changed, or on creation and deletion; null means any.';
comment on column public.webhook_endpoints.changed_rules is
  'The changed members translated to stored names, structured like filter_rules; type:invoice.paid matches events of that type.';
comment on column public.webhook_endpoints.header_names is
  'Names of custom headers; their values are in private.webhook_headers.';
comment on column public.webhook_endpoints.ordered is
  'Whether events of one record are sent in order, each after the previous one was delivered or failed permanently.';
comment on column public.webhook_endpoints.fold_seconds is
  'Seconds from the first event during which events of one record and type are folded into one delivery; null disables folding.';
comment on column public.webhook_endpoints.variant is 'Records: naming variant of the payload.';
comment on column public.webhook_endpoints.public_key is
  'Ed25519 public key that verifies deliveries (the private key is in private.webhook_keys); null until first used if created in Studio.';
comment on column public.webhook_endpoints.active is
  'Whether the endpoint receives events; those that occur while it is inactive are never sent to it.';
comment on column public.webhook_endpoints.paused_at is
  'When a client or an admin paused the endpoint; its deliveries are kept for 30 days; null if not paused.';
comment on column public.webhook_endpoints.suspended_until is
  'When the suspension after repeated failures ends and one delivery is tried; null if not suspended.';
comment on column public.webhook_endpoints.suspensions is
  'Suspensions since the last success; each one lasts longer than the one before.';
comment on column public.webhook_endpoints.consecutive_failures is
  'Failed attempts across all deliveries since the last success.';
comment on column public.webhook_endpoints.first_failure_at is 'When the first of the consecutive failures happened.';
comment on column public.webhook_endpoints.deactivation_reason is
  'Why the service or an admin deactivated the endpoint; null if its client did.';

create index webhook_endpoints_created_idx on public.webhook_endpoints (tenant_id, created_at, id);
create index webhook_endpoints_client_idx on public.webhook_endpoints (tenant_id, client_id);

alter table public.webhook_endpoints enable row level security;
grant select, insert, delete,
      update (client_id, url, events, filters, filter_rules, changed, changed_rules, ordered, fold_seconds, description, header_names, active, suspended_until, suspensions, consecutive_failures, first_failure_at,
              deactivated_at, deactivation_reason)
  on public.webhook_endpoints to api;
grant select on public.webhook_endpoints to worker;

create policy "A tenant sees its own endpoints" on public.webhook_endpoints
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the endpoints of every tenant" on public.webhook_endpoints
  for select to worker using (true);
create policy "A tenant adds its own endpoints of records" on public.webhook_endpoints
  for insert to api with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant changes its own endpoints of records" on public.webhook_endpoints
  for update to api using (tenant_id = (select app.tenant_id()) and interface = 'records')
  with check (tenant_id = (select app.tenant_id()) and interface = 'records');
create policy "A tenant removes its own endpoints of records" on public.webhook_endpoints
  for delete to api using (tenant_id = (select app.tenant_id()) and interface = 'records');

create policy "A tenant adds its own endpoints of payments" on public.webhook_endpoints
  for insert to payments with check (tenant_id = (select app.tenant_id()) and interface = 'payments');
create policy "A tenant changes its own endpoints of payments" on public.webhook_endpoints
  for update to payments using (tenant_id = (select app.tenant_id()) and interface = 'payments')
  with check (tenant_id = (select app.tenant_id()) and interface = 'payments');
create policy "A tenant removes its own endpoints of payments" on public.webhook_endpoints
  for delete to payments using (tenant_id = (select app.tenant_id()) and interface = 'payments');

create trigger webhook_endpoints_set_updated_at
  before update on public.webhook_endpoints
  for each row execute function private.set_updated_at('consecutive_failures', 'first_failure_at');

create table private.webhook_secrets (
  id          bigint      generated always as identity primary key,
  endpoint_id uuid        not null references public.webhook_endpoints (id) on delete cascade,
  secret      text        not null check (secret <> ''),
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz
);

comment on table  private.webhook_secrets is
  'Secrets that sign deliveries, stored unhashed because signing needs them; a rotated secret expires after 24 hours.';
comment on column private.webhook_secrets.expires_at is 'When a rotated secret stops signing; null for the current one.';

create unique index webhook_secrets_present_idx on private.webhook_secrets (endpoint_id) where expires_at is null;
create index webhook_secrets_endpoint_idx on private.webhook_secrets (endpoint_id);

alter table private.webhook_secrets enable row level security;
