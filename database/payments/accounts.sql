-- Payments: tenants' accounts at payment providers, and routing of orders to providers.
--
--   provider_accounts         a tenant's account at a provider and its state
--   private.provider_secrets  Vault ids of its keys
--   private.payment_providers providers and the sandbox: the rows of their definitions in `shared/payments/providers/`
--   provider_routes           routes to providers for charges, payouts and tax documents, in order of preference
--
-- Accounts are connected in Studio or by the admin API. A job (check-provider) verifies the key, reads the account's capabilities,
-- registers our webhook and records the result; it repeats the check regularly. Keys are stored only in Vault.

-- Providers -----------------------------------------------------------------------------------------------------------

create table private.payment_providers (
  name                   text    primary key check (name ~ '^[a-z][a-z0-9_]*$'),
  kinds                  text[]  not null check (kinds <@ '{charge,payout,tax_document}'),
  has_due_terms          boolean not null,
  accepts_webhook_secret boolean not null
);

comment on table  private.payment_providers is
  'Providers of payments and the sandbox: which orders go to each. A test compares them with their definitions in the code.';
comment on column private.payment_providers.name is 'Name in the API and in routes.';
comment on column private.payment_providers.kinds is 'Kinds of orders that can be routed to it.';
comment on column private.payment_providers.has_due_terms is
  'Whether its charges can have due dates with fines, interest and discounts.';
comment on column private.payment_providers.accepts_webhook_secret is
  'Whether it verifies webhooks with a secret of ours. Others return one with the webhook, or sign with their own key.';

alter table private.payment_providers enable row level security;

-- Accounts ------------------------------------------------------------------------------------------------------------

create table public.provider_accounts (
  id              text        not null default app.typeid('pacc'),
  tenant_id       uuid        not null references public.tenants (id) on delete cascade,
  provider        text        not null references private.payment_providers (name) check (provider <> 'sandbox'),
  status          text        not null default 'connecting' check (status in ('connecting', 'active', 'failing', 'disconnected')),
  reason          text,
  capabilities    jsonb       not null default '{}',
  settings        jsonb       not null default '{}',
  webhook_state   text        not null default 'missing' check (webhook_state in ('missing', 'active', 'paused')),
  callback_url    text,
  last_event_at   timestamptz,
  rejected_events bigint      not null default 0,
  rejected_since  timestamptz,
  rejected_lately smallint    not null default 0,
  balances        jsonb       not null default '[]',
  balance_read_at timestamptz,
  checked_at      timestamptz,
  reconciled_at   timestamptz,
  disconnected_at timestamptz,
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  silent_orders jsonb not null default '{}',
  failing_since timestamptz,
  tax_regime            text check (tax_regime in ('simples', 'normal', 'unknown')),
  national_portal       boolean,
  webhook_warning       text,
  webhook_warned_at     timestamptz,
  complete_fiscal_lists text[] not null default '{}',
  primary key (tenant_id, id),
  unique (tenant_id, provider)
);

comment on table  public.provider_accounts is 'Tenants'' accounts at payment providers, whose keys are stored in Vault.';
comment on column public.provider_accounts.status is
  'connecting until the key is verified; failing while the key or webhook does not work; disconnected accounts accept no new orders.';
comment on column public.provider_accounts.reason is 'Why the account is failing, in plain language.';
comment on column public.provider_accounts.capabilities is
  'By payment method or kind of order: null if available, otherwise what to set up; missing ones do not make the account failing.';
comment on column public.provider_accounts.settings is 'Settings given to the connect function.';
comment on column public.provider_accounts.webhook_state is 'State of our webhook at the provider: missing, active or paused.';
comment on column public.provider_accounts.callback_url is 'URL that the provider sends webhooks to.';
comment on column public.provider_accounts.last_event_at is 'When the last webhook arrived.';
comment on column public.provider_accounts.rejected_events is
  'Webhooks with an invalid signature or token; counts at most ten per minute.';
comment on column public.provider_accounts.rejected_since is 'Start of the minute in which rejected webhooks were last counted.';
comment on column public.provider_accounts.rejected_lately is
  'Number counted in the minute from rejected_since; at most ten, to limit writes, because anyone can send requests to the URL.';
comment on column public.provider_accounts.balances is
  'Balances last reported by the provider: currency and amount in minor units.';
comment on column public.provider_accounts.checked_at is 'When the key, webhook and balance were last checked.';
comment on column public.provider_accounts.reconciled_at is 'When the account was last fully reconciled with the provider.';
comment on column public.provider_accounts.disconnected_at is 'When the account was disconnected and stopped accepting orders.';

create unique index provider_accounts_id_idx on public.provider_accounts (id); -- callbacks contain only the id
create index provider_accounts_provider_idx on public.provider_accounts (provider);

alter table public.provider_accounts enable row level security;
grant select on public.provider_accounts to api;
grant select, update on public.provider_accounts to worker;

create policy "A tenant sees its own accounts" on public.provider_accounts
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs manage accounts" on public.provider_accounts
  for all to worker using (true) with check (true);

create trigger provider_accounts_set_updated_at
  before update on public.provider_accounts
  for each row execute function private.set_updated_at();

create table private.provider_secrets (
  account_id            text  primary key references public.provider_accounts (id) on delete cascade,
  api_key               uuid,
  api_key_hash          bytea unique check (length(api_key_hash) = 32),
  webhook_secret        uuid,
  webhook_reference     text,
  withdrawal_token_hash bytea check (length(withdrawal_token_hash) = 32)
);

comment on table  private.provider_secrets is 'Vault ids of the keys of provider accounts.';
comment on column private.provider_secrets.api_key is 'Vault id of the API key; null after it is deleted.';
comment on column private.provider_secrets.api_key_hash is 'SHA-256 of the key, so that two tenants cannot use the same one.';
comment on column private.provider_secrets.webhook_secret is 'Vault id of the secret that verifies the provider''s webhooks.';
comment on column private.provider_secrets.webhook_reference is 'The provider''s id of our webhook.';
comment on column private.provider_secrets.withdrawal_token_hash is
  'SHA-256 of the token that Asaas sends with withdrawal validation requests.';

alter table private.provider_secrets enable row level security;

create function private.forget_provider_secrets() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id in (old.api_key, old.webhook_secret);
  return null;
end
$$;

comment on function private.forget_provider_secrets() is 'Trigger: deletes an account''s keys from Vault when the account is deleted.';

create trigger provider_secrets_forget after delete on private.provider_secrets
  for each row execute function private.forget_provider_secrets();

create function private.keep_secret(present uuid, value text, name text, description text) returns uuid
language plpgsql
set search_path = ''
as $$
begin
  if exists (select from vault.secrets s where s.id = present) then
    perform vault.update_secret(present, value);
    return present;
  end if;
  return vault.create_secret(value, name, description);
end
$$;

comment on function private.keep_secret(uuid, text, text, text) is 'Creates or updates a Vault secret and returns its id.';

create function app.provider_account(account_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', a.id, 'tenantId', a.tenant_id, 'provider', a.provider, 'settings', a.settings, 'webhookReference', s.webhook_reference,
      'key', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = s.api_key),
      'webhookSecret', (select v.decrypted_secret from vault.decrypted_secrets v where v.id = s.webhook_secret))
    from public.provider_accounts a
    join private.provider_secrets s on s.account_id = a.id
    where a.id = provider_account.account_id and s.api_key is not null
      and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  );
end
$$;

comment on function app.provider_account(text) is
  'An account of the transaction''s tenant (jobs: of any tenant) with its decrypted keys; null if missing or without a key.';

grant execute on function app.provider_account(text) to payments, worker;

-- Account health ------------------------------------------------------------------------------------------------------

create function private.rearm_job(tenant_id uuid, name text, key text, payload jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs as j (tenant_id, name, key, payload)
  values (rearm_job.tenant_id, rearm_job.name, rearm_job.key, rearm_job.payload)
  on conflict on constraint jobs_name_key_key do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null,
      -- Increments the fencing token, so that a run in progress cannot finish the new one.
      attempts = j.attempts + 1;
end
$$;

comment on function private.rearm_job(uuid, text, text, jsonb) is
  'Schedules a job to run now, even if it finished or failed before.';

create function private.check_provider_soon(account public.provider_accounts) returns void
language sql
set search_path = ''
as $$
  select private.rearm_job(account.tenant_id, 'check-provider', account.id, jsonb_build_object('account_id', account.id))
$$;

comment on function private.check_provider_soon(public.provider_accounts) is 'Schedules a check of an account now.';

create function private.mail_about_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.mail_owner(
    new.tenant_id, format('provider-failing:%s:%s', new.id, to_char(now(), 'YYYY-MM-DD HH24')), 'provider_failing',
    jsonb_build_object('provider', initcap(new.provider), 'reason', new.reason));
  return null;
end
$$;

comment on function private.mail_about_account() is
  'Trigger: emails the tenant''s owner when an account starts failing, at most once per hour.';

create trigger provider_accounts_mail_failing after update of status on public.provider_accounts
  for each row when (new.status = 'failing' and old.status <> 'failing')
  execute function private.mail_about_account();

create function app.record_provider_check(account_id text, result jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  unreachable constant boolean := coalesce((result ->> 'unreachable')::boolean, false);
  secrets private.provider_secrets;
begin
  -- Locks the account before its secrets, like private.connect_account.
  perform from public.provider_accounts a where a.id = record_provider_check.account_id for update;
  select s.* into secrets from private.provider_secrets s
  where s.account_id = record_provider_check.account_id and s.api_key_hash = decode(result ->> 'key_hash', 'hex')
  for update;
  if not found then
    return;
  end if;
  if result ->> 'webhook_secret' is not null then
    secrets.webhook_secret := private.keep_secret(
      secrets.webhook_secret, result ->> 'webhook_secret', 'provider_webhook_' || secrets.account_id, 'Verifies webhooks of a payment provider.');
  end if;
  update private.provider_secrets s
  set webhook_secret = secrets.webhook_secret,
      webhook_reference = coalesce(result ->> 'webhook_reference', s.webhook_reference)
  where s.account_id = secrets.account_id;
  update public.provider_accounts a
  -- A check without a response changes neither the status nor the reason of silent orders.
  set status = case when unreachable or a.status = 'disconnected' then a.status else result ->> 'status' end,
      reason = case when unreachable and a.status = 'failing' then a.reason else result ->> 'reason' end,
      silent_orders = case when unreachable then a.silent_orders else '{}' end,
      capabilities = coalesce(result -> 'capabilities', a.capabilities),
      balances = coalesce(result -> 'balances', a.balances),
      balance_read_at = case when result ? 'balances' then now() else a.balance_read_at end,
      webhook_state = coalesce(result ->> 'webhook_state', a.webhook_state),
      callback_url = coalesce(result ->> 'callback_url', a.callback_url),
      tax_regime = case when result ? 'tax_regime' then result ->> 'tax_regime' else a.tax_regime end,
      national_portal = case when result ? 'tax_regime' then (result ->> 'national_portal')::boolean else a.national_portal end,
      -- Absent if the check did not try to register all events.
      webhook_warning = case when result ? 'webhook_warning' then result ->> 'webhook_warning' else a.webhook_warning end,
      webhook_warned_at = case when result ->> 'webhook_warning' is not null then now()
                               when result ? 'webhook_warning' then null else a.webhook_warned_at end,
      checked_at = now()
  where a.id = secrets.account_id;
end
$$;

comment on function app.record_provider_check(text, jsonb) is
  'Records the result of an account check, unless the account''s key has changed since (key_hash is the key''s SHA-256 in hex).';

grant execute on function app.record_provider_check(text, jsonb) to worker;

create function app.report_refused_key(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
begin
  update public.provider_accounts a
  set status = 'failing', reason = initcap(a.provider) || ' rejects the API key.'
  where a.id = report_refused_key.account_id and a.status in ('connecting', 'active')
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  returning a.* into account;
  if found then
    perform private.check_provider_soon(account);
  end if;
end
$$;

comment on function app.report_refused_key(text) is
  'Marks an account as failing because the provider rejected its key, and schedules a check.';

grant execute on function app.report_refused_key(text) to payments, worker;

create function app.check_provider_soon(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  select private.check_provider_soon(a) from public.provider_accounts a where a.id = check_provider_soon.account_id
$$;

comment on function app.check_provider_soon(text) is
  'Schedules a check of an account now, because its provider reported a change.';

grant execute on function app.check_provider_soon(text) to worker;

create function app.forget_provider_account(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  secrets private.provider_secrets;
begin
  -- Locks like private.connect_account, so that an account connected again in the meantime keeps its new key.
  perform from public.provider_accounts a where a.id = forget_provider_account.account_id and a.status = 'disconnected' for update;
  if not found then
    return;
  end if;
  select s.* into secrets from private.provider_secrets s where s.account_id = forget_provider_account.account_id for update;
  update private.provider_secrets s
  set api_key = null, api_key_hash = null, webhook_secret = null, webhook_reference = null, withdrawal_token_hash = null
  where s.account_id = secrets.account_id;
  delete from vault.secrets v where v.id in (secrets.api_key, secrets.webhook_secret);
  update public.provider_accounts a set webhook_state = 'missing' where a.id = secrets.account_id;
end
$$;

comment on function app.forget_provider_account(text) is 'Deletes the keys of a disconnected account from Vault.';

grant execute on function app.forget_provider_account(text) to worker;

-- Routing -------------------------------------------------------------------------------------------------------------

create table public.provider_routes (
  tenant_id  uuid     references public.tenants (id) on delete cascade,
  kind       text     not null check (kind in ('charge', 'payout', 'tax_document')),
  region     text     not null,
  currency   text     not null check (currency ~ '^([A-Z]{3}|\*)$'),
  method     text     check (kind = 'charge' or method is null),
  preference smallint not null,
  provider   text     not null references private.payment_providers (name),
  min_amount bigint,
  max_amount bigint,
  unique nulls not distinct (tenant_id, kind, region, currency, method, preference)
);

comment on table  public.provider_routes is
  'Routes to providers in order of preference; a tenant''s routes override defaults, and routes for a method override general ones.';
comment on column public.provider_routes.tenant_id is 'Null for default routes.';
comment on column public.provider_routes.region is 'Region such as br; * means any.';
comment on column public.provider_routes.currency is 'Currency; * means any.';
comment on column public.provider_routes.method is 'Payment method of a charge; null means all.';
comment on column public.provider_routes.preference is 'Order of preference, lowest first.';
comment on column public.provider_routes.min_amount is 'Minimum amount that the provider accepts, in minor units.';
comment on column public.provider_routes.max_amount is 'Maximum amount that the provider accepts, in minor units.';

alter table public.provider_routes enable row level security;
grant select on public.provider_routes to api, worker;

create policy "A tenant sees default routes and its own" on public.provider_routes
  for select to api using (tenant_id is null or tenant_id = (select app.tenant_id()));
create policy "Jobs see routes" on public.provider_routes for select to worker using (true);

create index provider_routes_provider_idx on public.provider_routes (provider);

insert into private.payment_providers (name, kinds, has_due_terms, accepts_webhook_secret) values
  ('sandbox', '{charge,payout,tax_document}', true,  false),
  ('asaas',   '{charge,payout,tax_document}', true,  true),
  ('wise',    '{payout}',                     false, false),
  ('stripe',  '{charge}',                     false, false);

insert into public.provider_routes (kind, region, currency, method, preference, provider, min_amount, max_amount) values
  ('charge',       'br', 'BRL', null,   1, 'asaas',  500, null),
  ('charge',       'br', 'BRL', 'card', 1, 'asaas',  500, null),
  ('charge',       'br', 'BRL', 'card', 2, 'stripe', 50,  99999999),
  ('charge',       'us', 'USD', null,   1, 'stripe', 50,  99999999),
  ('charge',       'eu', 'EUR', null,   1, 'stripe', 50,  99999999),
  ('tax_document', 'br', 'BRL', null,   1, 'asaas',  null, null),
  ('payout',       '*',  'BRL', null,   1, 'asaas',  null, null),
  ('payout',       '*',  '*',   null,   1, 'wise',   null, null);

create function private.missing_capability(capabilities jsonb, kind text, method text) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select capabilities ->> needed
    from unnest(case when kind <> 'charge' then array[kind]
                     when method = 'bolepix' then array['boleto', 'pix']
                     else array[method] end) as needed
    where capabilities ->> needed is not null
    limit 1
  );
end
$$;

comment on function private.missing_capability(jsonb, text, text) is 'Why an account lacks a capability; null if it has it.';

create function private.choose_provider(own uuid, kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text, missing text)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  order_type  constant text := case kind when 'charge' then format('%s charges in %s', method, currency)
                                         when 'payout' then format('payouts in %s', currency) else 'tax documents' end;
  route       record;
  lacks       text;
  has_account boolean := false;
  unconnected text[] := '{}';
begin
  for route in
    select m.provider, m.min_amount, m.max_amount, a.id, a.status, a.reason, a.capabilities
    from (
      select r.*, rank() over (order by r.tenant_id is null, r.method is null, r.region = '*', r.currency = '*') as place
      from public.provider_routes r
      where (r.tenant_id = own or r.tenant_id is null) and r.kind = choose_provider.kind
        and r.region in (choose_provider.region, '*') and r.currency in (choose_provider.currency, '*')
        and (r.method is null or r.method = choose_provider.method)
    ) as m
    left join public.provider_accounts a on a.tenant_id = own and a.provider = m.provider and a.status <> 'disconnected'
    where m.place = 1
    order by m.preference
  loop
    if route.provider = 'sandbox' then
      continue when app.environment() = 'production';
      provider := 'sandbox';
    elsif route.id is null then
      unconnected := unconnected || route.provider;
      continue;
    else
      has_account := true;
      lacks := private.missing_capability(route.capabilities, kind, method);
      if route.status <> 'active' then
        -- An active account later in the list takes precedence; without one, the caller should retry.
        problem := 'not_ready';
        detail := coalesce(route.reason, format('The account at %s is being connected.', route.provider));
        continue;
      elsif lacks is not null then
        problem := coalesce(problem, 'not_configured');
        detail := coalesce(detail, format('%s: %s', route.provider, lacks));
        missing := coalesce(missing, lacks);
        continue;
      end if;
      provider := route.provider;
      account_id := route.id;
    end if;
    problem := null;
    detail := null;
    missing := null;
    if amount < route.min_amount then
      problem := 'amount';
      detail := format('must be at least %s for %s', route.min_amount, order_type);
    elsif amount > route.max_amount then
      problem := 'amount';
      detail := format('must be at most %s for %s', route.max_amount, order_type);
    end if;
    return next;
    return;
  end loop;
  if not has_account and app.environment() = 'staging' and (kind <> 'charge' or region = 'br') then
    provider := 'sandbox';
  elsif not has_account then
    problem := 'not_configured';
    detail := case when unconnected = '{}' then format('No provider supports %s in this region.', order_type)
                   else format('No provider is connected for %s. Connect %s.', order_type, array_to_string(unconnected, ' or ')) end;
  end if;
  return next;
end
$$;

comment on function private.choose_provider(uuid, text, text, text, text, bigint) is
  'Provider and account for an order, or a problem with detail and what an account is missing; in staging, the sandbox serves tenants without one.';

create function app.choose_provider(kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
    select c.provider, c.account_id, c.problem, c.detail from private.choose_provider(app.tenant_id(), kind, region, currency, method, amount) as c;
end
$$;

comment on function app.choose_provider(text, text, text, text, bigint) is
  'Provider and account for an order of the transaction''s tenant, or the problem (private.choose_provider).';

grant execute on function app.choose_provider(text, text, text, text, bigint) to api, worker;

comment on column public.provider_accounts.silent_orders is
  'Orders within five minutes that the provider did not respond to, with their time; emptied by a response.';

comment on column public.provider_accounts.failing_since is 'When the account started failing; null while it is not failing.';


comment on column public.provider_accounts.tax_regime is
  'Tax regime according to the provider: simples, normal or unknown; null if it has not been read or issues no tax documents.';
comment on column public.provider_accounts.national_portal is
  'Whether the account issues NFS-e on the national portal; null if the provider does not say.';
comment on column public.provider_accounts.webhook_warning is
  'Why the provider rejected our webhook with all events; null if it accepted them.';
comment on column public.provider_accounts.webhook_warned_at is
  'When the provider last rejected all events; they are tried again after a day.';
comment on column public.provider_accounts.complete_fiscal_lists is
  'Kinds of codes in provider_fiscal_codes that were read to the end.';
