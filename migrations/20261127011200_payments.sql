set local check_function_bodies = off;

-- Payments: the providers, and the sandbox.

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

-- Payments: tenants' accounts at payment providers.
--
--   provider_accounts         a tenant's account at a provider and its state
--   private.provider_secrets  Vault ids of its keys
--
-- Accounts are connected in Studio or by the admin API. A job (check-provider) verifies the key, reads the account's capabilities,
-- registers our webhook and records the result; it repeats the check regularly. Keys are stored only in Vault.

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

-- Payments: accounts whose provider does not respond or rejects the key, and orders whose response was lost.

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



create function private.record_failing_account() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.failing_since := case when new.status = 'failing' then clock_timestamp() end;
  return new;
end
$$;

comment on function private.record_failing_account() is 'Trigger: records when an account starts failing.';

create trigger provider_accounts_note_failing before update of status on public.provider_accounts
  for each row when (new.status <> old.status) execute function private.record_failing_account();

create function private.unreachable_reason() returns text language sql immutable parallel safe return 'the provider could not be reached';

comment on function private.unreachable_reason() is 'Reason of an account that is failing because its provider did not respond to orders.';

create function app.record_unanswered_order(account_id text, order_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  failing_at constant integer := 3;
  account public.provider_accounts;
  silent  jsonb;
begin
  select a.* into account from public.provider_accounts a
  where a.id = record_unanswered_order.account_id and a.status = 'active'
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  for no key update;
  if not found then
    return;
  end if;
  select coalesce(jsonb_object_agg(s.key, s.value), '{}') || jsonb_build_object(record_unanswered_order.order_id, now()) into silent
  from jsonb_each_text(account.silent_orders) as s
  where s.value::timestamptz > now() - interval '5 minutes';
  if (select count(*) from jsonb_object_keys(silent)) < failing_at then
    update public.provider_accounts a set silent_orders = silent where a.id = account.id;
  else
    update public.provider_accounts a
    set silent_orders = '{}', status = 'failing', reason = private.unreachable_reason()
    where a.id = account.id;
    perform private.check_provider_soon(account);
  end if;
end
$$;

comment on function app.record_unanswered_order(text, text) is
  'Records an order that the provider did not respond to. The third in five minutes makes the account failing and schedules a check.';

grant execute on function app.record_unanswered_order(text, text) to payments, worker;

create function app.record_answered_order(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  update public.provider_accounts a
  set silent_orders = '{}',
      status = case when a.status = 'failing' and a.reason = private.unreachable_reason() then 'active' else a.status end,
      reason = case when a.status = 'failing' and a.reason = private.unreachable_reason() then null else a.reason end
  where a.id = record_answered_order.account_id
    and (a.silent_orders <> '{}' or (a.status = 'failing' and a.reason = private.unreachable_reason()))
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
$$;

comment on function app.record_answered_order(text) is
  'Records that the provider responds: forgets silent orders, and an account that is failing because of them is active again.';

grant execute on function app.record_answered_order(text) to payments, worker;

-- Payments: routing of orders to the accounts of a tenant.

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

-- Taxes: the dates from which NFS-e must include each group of taxes, by the issuer's tax regime.
--
--   pis_cofins  situation (CST) and the issuer's own rates of PIS and COFINS
--   ibs_cbs     the four codes of IBS and CBS (tax reform)
--
-- The dates are data, because the tax authority has moved them before.

create table private.fiscal_rules (
  regime        text not null check (regime in ('normal', 'simples')),
  rule          text not null check (rule in ('pis_cofins', 'ibs_cbs')),
  sent_from     date,
  required_from date check (required_from >= sent_from),
  primary key (regime, rule),
  check (required_from is null or sent_from is not null)
);

comment on table  private.fiscal_rules is 'Dates from which the taxes of each rule are sent and required, by tax regime.';
comment on column private.fiscal_rules.regime is
  'Tax regime of the issuer: normal or simples (Simples Nacional). If it is unknown, all taxes are sent and none is required.';
comment on column private.fiscal_rules.rule is 'pis_cofins: CST and own rates; ibs_cbs: the four codes of IBS and CBS.';
comment on column private.fiscal_rules.sent_from is 'First issue date on which the taxes are sent; null means never.';
comment on column private.fiscal_rules.required_from is
  'First issue date on which documents require the taxes; null means never.';

alter table private.fiscal_rules enable row level security;

insert into private.fiscal_rules (regime, rule, sent_from, required_from) values
  ('normal',  'pis_cofins', '2026-06-30', '2026-06-30'),
  ('normal',  'ibs_cbs',    '2026-01-01', '2026-10-01'),
  ('simples', 'pis_cofins', null,         null),
  ('simples', 'ibs_cbs',    '2027-01-01', '2027-01-01');

create view admin.fiscal_rules with (security_invoker = true) as
  select regime, rule, sent_from, required_from from private.fiscal_rules;

comment on view admin.fiscal_rules is
  'Dates from which the taxes of NFS-e are sent and required, by tax regime; change a row with admin.set_fiscal_rule.';
comment on column admin.fiscal_rules.regime is 'Tax regime of the issuer: normal or simples (Simples Nacional).';
comment on column admin.fiscal_rules.rule is 'pis_cofins: CST and own rates; ibs_cbs: the four codes of IBS and CBS.';
comment on column admin.fiscal_rules.sent_from is 'First issue date on which the taxes are sent; null means never.';
comment on column admin.fiscal_rules.required_from is 'First issue date on which documents require the taxes; null means never.';

create function private.set_fiscal_rule(regime text, rule text, sent_from date, required_from date) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_one_of('regime', regime, '{normal,simples}'), private.expect_one_of('rule', rule, '{pis_cofins,ibs_cbs}');
  if required_from < sent_from or (required_from is not null and sent_from is null) then
    perform private.refuse_argument('required_from', 'must be null or on or after sent_from: taxes that are not sent cannot be required');
  end if;
  update private.fiscal_rules r set sent_from = set_fiscal_rule.sent_from, required_from = set_fiscal_rule.required_from
  where r.regime = set_fiscal_rule.regime and r.rule = set_fiscal_rule.rule;
end
$$;

comment on function private.set_fiscal_rule(text, text, date, date) is
  'Sets the dates from which a rule''s taxes (pis_cofins, ibs_cbs) are sent and required for a regime (normal, simples); null means never.';

-- The sandbox's tenants have no account, so an admin sets their regime.
create table private.sandbox_tax_regimes (
  tenant_id uuid primary key references public.tenants (id) on delete cascade,
  regime    text not null check (regime in ('simples', 'normal', 'unknown'))
);

comment on table  private.sandbox_tax_regimes is 'Tax regimes of tenants in the sandbox; tenants without a row are in Simples Nacional.';
comment on column private.sandbox_tax_regimes.regime is 'simples, normal or unknown.';

alter table private.sandbox_tax_regimes enable row level security;

create function admin.set_sandbox_tax_regime(tenant text, regime text) returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  perform private.expect_one_of('regime', regime, '{simples,normal,unknown}');
  if app.environment() = 'production' then
    perform private.refuse_argument('tenant', 'has no sandbox: the sandbox is only available in staging');
  end if;
  insert into private.sandbox_tax_regimes (tenant_id, regime) values (own, set_sandbox_tax_regime.regime)
  on conflict on constraint sandbox_tax_regimes_pkey do update set regime = excluded.regime;
end
$$;

comment on function admin.set_sandbox_tax_regime(text, text) is
  'Sets the tax regime (simples, normal, unknown) with which the sandbox issues a tenant''s tax documents (slug or id); staging only.';

-- Codes of IBS and CBS ------------------------------------------------------------------------------------------------

-- Those that an account's provider knows. A job (read-fiscal-codes) reads them daily.

create table public.provider_fiscal_codes (
  tenant_id   uuid not null,
  account_id  text not null,
  kind        text not null check (
    kind in ('nbs_code', 'tax_situation_code', 'tax_classification_code', 'operation_indicator_code')),
  code        text not null,
  description text,
  primary key (tenant_id, account_id, kind, code),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_fiscal_codes is 'Codes of IBS and CBS that the provider of an account lists.';
comment on column public.provider_fiscal_codes.kind is 'The member of taxes that has such a code.';
comment on column public.provider_fiscal_codes.code is 'The code as the provider writes it.';

alter table public.provider_fiscal_codes enable row level security;
grant select, insert, update, delete on public.provider_fiscal_codes to worker;

create policy "Jobs keep code lists" on public.provider_fiscal_codes for all to worker using (true) with check (true);

create view admin.fiscal_codes with (security_invoker = true) as
  select account_id, kind, code, description from public.provider_fiscal_codes;

comment on view admin.fiscal_codes is 'Codes of IBS and CBS that can be set for an account, according to its provider.';
comment on column admin.fiscal_codes.account_id is 'The provider account; see admin.provider_accounts.';
comment on column admin.fiscal_codes.kind is 'The member of taxes that has such a code.';
comment on column admin.fiscal_codes.code is 'The code as the provider writes it.';
comment on column admin.fiscal_codes.description is 'What the code stands for, in the provider''s words.';

create function app.schedule_fiscal_codes_job(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  insert into public.jobs as j (tenant_id, name, key, payload)
  select a.tenant_id, 'read-fiscal-codes', a.id, jsonb_build_object('account_id', a.id)
  from public.provider_accounts a
  where a.id = schedule_fiscal_codes_job.account_id and exists (
    select from private.fiscal_rules r where r.regime = a.tax_regime and r.rule = 'ibs_cbs' and r.sent_from <= current_date)
  on conflict on constraint jobs_name_key_key do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null
  where j.finished_at < now() - interval '1 day' or j.failed_at < now() - interval '1 day'
$$;

comment on function app.schedule_fiscal_codes_job(text) is
  'Schedules the job that reads the lists of codes if IBS and CBS concern the account and no list was read within a day.';

grant execute on function app.schedule_fiscal_codes_job(text) to worker;

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

-- Payments: the ledger of incoming and outgoing money. Amounts are in minor units of the currency. Entries are append-only.
--
-- A paid invoice is one row of the type charge, with its fee in the same row, and a paid payout one row of the type payout: private.enter_paid_invoice
-- and private.enter_paid_payout below, which triggers call when the status becomes paid (payments/effects.sql). Adjustments come from
-- providers' reports (payments/reports.sql, payments/refund-reports.sql), statements (payments/reconciliation.sql, payments/statement-orders.sql),
-- blocked balances (payments/blocked-balance.sql), simulated disputes (payments/sandbox-refunds.sql) and admins (payments/studio.sql).
--
-- To change an entry, edit its function and run `npm run migration -- <name>`. What depends on it: the amount that can be refunded
-- (private.paid_amount_of, payments/refund-effects.sql) and, for fees, fee_correction in payments/reports.sql, the lines of statements in
-- payments/statement-orders.sql and the OFX export (shared/payments/ledger/exports/). The fee is the one that the provider reported with the
-- payment or before (app.apply_order_report, payments/reports.sql); a later one becomes a fee_correction, and invoices show it. The comparison with
-- statements (payments/reconciliation.sql) sums these entries, and shared/payments/ledger/exports/csv.ts exports them. The only accounts are
-- those of providers (provider_account_id). Tests: tests/functions/payments/ledger.test.ts.

-- The ledger ----------------------------------------------------------------------------------------------------------

create table public.balance_transactions (
  id                   text           not null default app.typeid('btxn'),
  tenant_id            uuid           not null references public.tenants (id) on delete cascade,
  type                 text           not null check (type in ('charge', 'payout', 'fee', 'adjustment')),
  amount               bigint         not null,
  currency             text           not null check (currency ~ '^[A-Z]{3}$'),
  fee                  bigint         not null default 0 check (fee >= 0),
  net                  bigint         not null,
  available_on         date           not null,
  invoice_id           text,
  payout_id            text,
  cost_center          text,
  our_number           text,
  contractor_reference text,
  provider             text,
  provider_account_id  text,
  reason               text,
  created              timestamptz(3) not null default now(),
  refund_id text,
  statement_line text,
  primary key (tenant_id, id),
  check (net = amount - fee),
  check (invoice_id is null or payout_id is null),
  foreign key (tenant_id, invoice_id) references public.invoices (tenant_id, id),
  foreign key (tenant_id, payout_id)  references public.payouts (tenant_id, id),
  foreign key (tenant_id, provider_account_id) references public.provider_accounts (tenant_id, id)
);

comment on table  public.balance_transactions is 'Append-only ledger of money in and out.';
comment on column public.balance_transactions.type is
  'charge for invoices, payout for payouts, adjustment for changes by providers and admins. fee is kept for the API; nothing writes it.';
comment on column public.balance_transactions.amount is 'Signed minor units: incoming money is positive, outgoing negative.';
comment on column public.balance_transactions.net is 'amount - fee.';
comment on column public.balance_transactions.available_on is
  'Day in the tenant''s time zone from which the entry counts as available.';
comment on column public.balance_transactions.reason is
  'Reason of an adjustment: an admin''s text, or a provider event such as refund or returned.';
comment on column public.balance_transactions.provider_account_id is
  'The account whose balance changed; null in the sandbox and for admins'' adjustments.';
comment on column public.balance_transactions.refund_id is 'The refund that moved the money; null for entries of other kinds.';
comment on column public.balance_transactions.statement_line is
  'The statement line from which this entry was created, if an order''s report did not cover it.';

create index balance_transactions_list_idx        on public.balance_transactions (tenant_id, type, id desc);
create index balance_transactions_created_idx     on public.balance_transactions (tenant_id, created desc, id desc);
create index balance_transactions_available_idx   on public.balance_transactions (tenant_id, available_on, id desc);
create index balance_transactions_invoice_idx     on public.balance_transactions (tenant_id, invoice_id);
create index balance_transactions_payout_idx      on public.balance_transactions (tenant_id, payout_id);
create index balance_transactions_cost_center_idx on public.balance_transactions (tenant_id, cost_center, id desc);
create index balance_transactions_reference_idx   on public.balance_transactions (tenant_id, contractor_reference, id desc);
create index balance_transactions_account_idx     on public.balance_transactions (tenant_id, provider_account_id, currency) where provider_account_id is not null;
create index balance_transactions_number_idx      on public.balance_transactions (tenant_id, our_number, id desc);

alter table public.balance_transactions enable row level security;
grant select on public.balance_transactions to api, worker;

create policy "A tenant sees its own ledger" on public.balance_transactions
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs see the ledger"     on public.balance_transactions for select to worker using (true);

create trigger balance_transactions_append_only
  before update or delete on public.balance_transactions
  for each row execute function private.refuse_change();
create trigger balance_transactions_no_truncate
  before truncate on public.balance_transactions
  execute function private.refuse_change();

-- Entries of paid invoices and payouts -------------------------------------------------------------------------------

create function private.enter_paid_invoice(invoice public.invoices) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id)
  values
    (invoice.tenant_id, 'charge', invoice.amount, invoice.currency, coalesce(invoice.fee, 0), invoice.amount - coalesce(invoice.fee, 0),
     coalesce(invoice.available_on, private.today(invoice.tenant_id)), invoice.id, invoice.cost_center, invoice.our_number,
     invoice.contractor_reference, invoice.provider, invoice.provider_account_id);
end
$$;

comment on function private.enter_paid_invoice(public.invoices) is 'Writes the entry of an invoice that was paid.';

create function private.enter_paid_payout(payout public.payouts) returns void
language plpgsql
set search_path = ''
as $$
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, payout_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id)
  values
    (payout.tenant_id, 'payout', -payout.amount, payout.currency, coalesce(payout.fee, 0), -payout.amount - coalesce(payout.fee, 0),
     coalesce(payout.available_on, private.today(payout.tenant_id)), payout.id, payout.cost_center, payout.our_number,
     payout.contractor_reference, payout.provider, payout.provider_account_id);
end
$$;

comment on function private.enter_paid_payout(public.payouts) is 'Writes the entry of a payout that was paid.';

-- Stored sums, so that balances do not add up the whole ledger --------------------------------------------------------

create table public.ledger_sums (
  tenant_id      uuid        primary key references public.tenants (id) on delete cascade,
  created_before timestamptz not null,
  available_by   date        not null,
  net            jsonb       not null
);

comment on table  public.ledger_sums is
  'Sums of the entries created before created_before and available by available_by, so that a balance adds only the others.';
comment on column public.ledger_sums.net is 'Sums of net by currency.';

alter table public.ledger_sums enable row level security;
grant select on public.ledger_sums to api;

create policy "A tenant sees its own sums" on public.ledger_sums
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.unsummed_entries(tenant_id uuid, before timestamptz, available_by date)
returns table (currency text, net bigint, available_on date)
language plpgsql stable
set search_path = ''
as $$
declare
  sums public.ledger_sums;
begin
  select s.* into sums from public.ledger_sums s where s.tenant_id = unsummed_entries.tenant_id;
  if not found then
    return query
      select b.currency, b.net, b.available_on from public.balance_transactions b
      where b.tenant_id = unsummed_entries.tenant_id and b.created < before and b.available_on <= unsummed_entries.available_by;
    return;
  end if;
  return query
    select b.currency, b.net, b.available_on from public.balance_transactions b
    where b.tenant_id = unsummed_entries.tenant_id and b.available_on > sums.available_by
      and b.created < before and b.available_on <= unsummed_entries.available_by
    union all
    select b.currency, b.net, b.available_on from public.balance_transactions b
    where b.tenant_id = unsummed_entries.tenant_id and b.created >= sums.created_before and b.available_on <= sums.available_by
      and b.created < before;
end
$$;

comment on function app.unsummed_entries(uuid, timestamptz, date) is
  'Ledger entries created before this time and available by this day that the stored sums do not include.';

grant execute on function app.unsummed_entries(uuid, timestamptz, date) to api;

create function app.sum_up_ledgers(at_most integer default 100, entries integer default 500) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  -- An hour ago, so that no open transaction can insert an older entry.
  cutoff constant timestamptz := now() - interval '1 hour';
  ledger record;
  summed integer := 0;
begin
  for ledger in
    select t.id, (cutoff at time zone t.time_zone)::date - 1 as day
    from public.tenants t
    left join public.ledger_sums s on s.tenant_id = t.id
    where (select count(*) from (
             select from public.balance_transactions b
             where b.tenant_id = t.id and b.created >= coalesce(s.created_before, '-infinity') and b.created < cutoff
             limit entries) as recent) >= entries
    limit at_most
  loop
    insert into public.ledger_sums as s (tenant_id, created_before, available_by, net)
    select ledger.id, cutoff, ledger.day, coalesce(jsonb_object_agg(c.currency, c.net), '{}')
    from (
      select o.currency, sum(o.net)::bigint as net
      from (
        select e.currency, e.net from app.unsummed_entries(ledger.id, cutoff, ledger.day) as e
        union all
        select k.key, k.value::bigint from public.ledger_sums s, jsonb_each_text(s.net) as k where s.tenant_id = ledger.id
      ) as o
      group by o.currency
    ) as c
    on conflict (tenant_id) do update
    set created_before = excluded.created_before, available_by = excluded.available_by, net = excluded.net;
    summed := summed + 1;
  end loop;
  return summed;
end
$$;

comment on function app.sum_up_ledgers(integer, integer) is
  'Updates the stored sums of up to at_most tenants with at least this many new entries; returns the number of tenants (daily maintenance).';

grant execute on function app.sum_up_ledgers(integer, integer) to worker;
create index balance_transactions_refund_idx on public.balance_transactions (tenant_id, refund_id) where refund_id is not null;
create unique index balance_transactions_line_idx on public.balance_transactions (tenant_id, provider_account_id, statement_line) where statement_line is not null;

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

-- Taxes: the taxes of a document, merged from its request and the account's settings, and the missing ones.
--
-- private.pis_cofins_rates lists the rates that a situation requires; shared/payments/tax-documents/taxes.ts has the same table for requests, and a
-- test compares the two.

create function private.pis_cofins_rates(cst text) returns text
language sql immutable
set search_path = ''
as $$
  select case when cst in ('01', '02') then 'above_zero'
              when cst = '06' then 'zero'
              when cst in ('00', '07', '08', '09') then 'none'
              when cst in ('03', '04', '05', '49', '99') then 'any' end
$$;

comment on function private.pis_cofins_rates(text) is
  'PIS and COFINS rates that a situation (CST) requires: above_zero, zero, none or any; null for an unknown CST.';

create function private.tax_fault(member text, message text) returns jsonb
language sql immutable
set search_path = ''
as $$
  select jsonb_build_array(jsonb_build_object('member', member, 'message', message))
$$;

comment on function private.tax_fault(text, text) is 'A list with one fault of a document''s taxes.';

create function private.effective_taxes(regime text, on_day date, settings jsonb, service_code text, requested jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  codes   constant text[] := '{nbs_code,tax_situation_code,tax_classification_code,operation_indicator_code}';
  rates   constant text[] := '{operation_pis,operation_cofins}';
  account constant jsonb  := coalesce(nullif(settings -> 'taxes', 'null'), '{}');
  taxes            jsonb  := jsonb_strip_nulls(
    -- retainIss is the older spelling, which only the account's own taxes may have.
    account - 'retainIss' || jsonb_build_object('retain_iss', coalesce(account -> 'retain_iss', account -> 'retainIss')))
    || jsonb_strip_nulls(coalesce(nullif(settings #> array['services', service_code, 'taxes'], 'null'), '{}'))
    || jsonb_strip_nulls(coalesce(nullif(requested, 'null'), '{}'));
  cst     constant text   := taxes ->> 'pis_cofins_cst';
  faults           jsonb  := '[]';
  since            text;
  needed           text;
  rule             record;
begin
  if private.pis_cofins_rates(cst) in ('zero', 'none') then
    taxes := taxes - rates;
  end if;
  for rule in
    select n.name, effective_taxes.regime = 'unknown' or coalesce(r.sent_from <= on_day, false) as is_sent,
           coalesce(r.required_from <= on_day, false) as is_required, r.required_from
    from unnest('{pis_cofins,ibs_cbs}'::text[]) as n (name)
    left join private.fiscal_rules r on r.regime = effective_taxes.regime and r.rule = n.name
  loop
    since := format('is required since %s for accounts %s Simples Nacional', rule.required_from, case regime when 'simples' then 'in' else 'outside' end);
    if not rule.is_sent then
      taxes := taxes - case rule.name when 'ibs_cbs' then codes else rates || 'pis_cofins_cst'::text end;
    elsif rule.name = 'ibs_cbs' then
      foreach needed in array codes loop
        if rule.is_required and not taxes ? needed then
          faults := faults || private.tax_fault(needed, since);
        end if;
      end loop;
    elsif rule.is_required and cst is null then
      faults := faults || private.tax_fault('pis_cofins_cst', since);
    elsif regime <> 'unknown' and private.pis_cofins_rates(cst) = 'above_zero' then
      foreach needed in array rates loop
        if coalesce((taxes ->> needed)::numeric, 0) <= 0 then
          faults := faults || private.tax_fault(needed, format('must be above 0 with pis_cofins_cst %s', cst));
        end if;
      end loop;
    end if;
  end loop;
  if taxes ? 'nbs_code' then
    taxes := taxes || jsonb_build_object('nbs_code', regexp_replace(taxes ->> 'nbs_code', '\D', '', 'g'));
  end if;
  return jsonb_build_object('taxes', taxes, 'faults', faults);
end
$$;

comment on function private.effective_taxes(text, date, jsonb, text, jsonb) is
  'The taxes to send for a document issued on a day (requested over service over account), and the faults that prevent it.';

create function private.issue_day(time_zone text, at timestamptz) returns date
language sql stable
set search_path = ''
return greatest((at at time zone time_zone)::date, (at at time zone 'America/Sao_Paulo')::date);

comment on function private.issue_day(text, timestamptz) is
  'The day on which a provider issues a document: the tenant''s, or São Paulo''s if it is later, because providers reject past days.';

create function app.tax_order(tenant_id uuid, account_id text, service_code text, requested jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  effective jsonb;
  nbs_code  constant text := regexp_replace(requested ->> 'nbs_code', '\D', '', 'g');
begin
  select private.effective_taxes(
           case when tax_order.account_id is null then coalesce(s.regime, 'simples') else coalesce(a.tax_regime, 'unknown') end,
           case when tax_order.account_id is null then (now() at time zone t.time_zone)::date else private.issue_day(t.time_zone, now()) end,
           a.settings, tax_order.service_code, tax_order.requested)
         || jsonb_build_object('address_required', coalesce(a.settings ->> 'customer_address' = 'required', false))
  into effective
  from public.tenants t
  left join public.provider_accounts a on a.tenant_id = t.id and a.id = tax_order.account_id
  left join private.sandbox_tax_regimes s on s.tenant_id = t.id
  where t.id = tax_order.tenant_id
    and (t.id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'));
  -- The sandbox's document shows the code before any provider would get it.
  return case when account_id is null and nbs_code is not null
              then jsonb_set(effective, '{taxes,nbs_code}', to_jsonb(nbs_code)) else effective end;
end
$$;

comment on function app.tax_order(uuid, text, text, jsonb) is
  'Taxes and faults of a document that an account (null: the sandbox) would issue today, and whether the customer''s address is required.';

grant execute on function app.tax_order(uuid, text, text, jsonb) to api, worker;

-- Warnings ------------------------------------------------------------------------------------------------------------

create function private.missing_tax_settings(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  with scopes as (
    select key as service, count(*) over () as services
    from jsonb_object_keys(coalesce(nullif(account.settings -> 'services', 'null'), '{}')) as key
    union all
    select null, 1 where coalesce(nullif(account.settings -> 'services', 'null'), '{}') = '{}'
  ), lacking as (
    select s.service, s.services, f ->> 'member' as member, f ->> 'message' as message,
           count(*) over (partition by f ->> 'member', f ->> 'message') as lack
    from scopes s
    join public.tenants t on t.id = account.tenant_id
    cross join lateral jsonb_array_elements(private.effective_taxes(
      coalesce(account.tax_regime, 'unknown'), private.issue_day(t.time_zone, now()), account.settings, s.service, null) -> 'faults') as f
  )
  select coalesce(array_agg(distinct
    -- A member that every service lacks is missing in the account's own taxes.
    case when l.lack = l.services then 'settings.taxes.' else format('settings.services.%s.taxes.', l.service) end
    || l.member || ' ' || l.message || '. Set it, or send it with each tax document.'), '{}')
  from lacking l
$$;

comment on function private.missing_tax_settings(public.provider_accounts) is
  'One line per tax that documents need today and an account''s settings lack.';

create function private.unknown_fiscal_codes(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(array_agg(format('%s.%s %s is not in the provider''s list of codes.', s.path, k.kind, s.taxes ->> k.kind) order by s.path, k.kind), '{}')
  from (
    select 'settings.taxes' as path, account.settings -> 'taxes' as taxes
    union all
    select format('settings.services.%s.taxes', key), member -> 'taxes'
    from jsonb_each(coalesce(nullif(account.settings -> 'services', 'null'), '{}')) as m (key, member)
  ) as s
  cross join unnest(account.complete_fiscal_lists) as k (kind)
  where s.taxes ->> k.kind is not null and not exists (
    select from public.provider_fiscal_codes c
    where c.tenant_id = account.tenant_id and c.account_id = account.id and c.kind = k.kind
      -- Providers write codes with or without dots.
      and regexp_replace(c.code, '\D', '', 'g') = regexp_replace(s.taxes ->> k.kind, '\D', '', 'g'))
$$;

comment on function private.unknown_fiscal_codes(public.provider_accounts) is
  'One line per configured code that a complete list of the provider lacks.';

create function private.account_warnings(account public.provider_accounts) returns text[]
language sql stable
set search_path = ''
as $$
  select case when account.status = 'disconnected' then '{}'::text[] else
    case when account.webhook_warning is not null then array[
      format('The provider rejects our webhook with all events, so it has only the core events. It says: %s', account.webhook_warning)
    ] else '{}' end
    || case when account.provider = 'asaas'
            then private.missing_tax_settings(account) || private.unknown_fiscal_codes(account) else '{}' end
  end
$$;

comment on function private.account_warnings(public.provider_accounts) is
  'Warnings about a working account, one per line.';

-- Settings of an Asaas account ----------------------------------------------------------------------------------------

create function private.expect_taxes(argument text, taxes jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  situations constant text[] := '{00,01,02,03,04,05,06,07,08,09,49,99}';
  cst        constant text   := taxes ->> 'pis_cofins_cst';
  wrong      record;
begin
  perform private.expect_object(argument, taxes, allowed);
  select m.key, p.problem into wrong
  from jsonb_each(taxes) as m (key, member)
  cross join lateral (select jsonb_typeof(m.member) as type, m.member #>> '{}' as value) as v
  cross join lateral (
    select case
      when m.key in ('retainIss', 'retain_iss') then case when v.type <> 'boolean' then 'must be true or false' end
      when m.key = 'pis_cofins_cst' then
        case when v.type <> 'string' or v.value <> all (situations) then 'must be one of ' || array_to_string(situations, ', ') end
      when m.key = 'nbs_code' then
        case when v.type <> 'string' or v.value !~ '^(\d{9}|\d\.\d{4}\.\d{2}\.\d{2})$' then 'must be 9 digits, or written like 1.2345.67.89' end
      when m.key ~ '_code$' then
        case when v.type <> 'string' or v.value !~ '^\d{1,10}$' then 'must be a string of 1 to 10 digits' end
      when v.type <> 'number' or v.value::numeric not between 0 and 100 or scale(trim_scale(v.value::numeric)) > 4
        then 'must be a percentage from 0 to 100 with at most 4 decimals'
      when m.key in ('operation_pis', 'operation_cofins') then
        case private.pis_cofins_rates(cst)
          when 'none' then 'must not be set with pis_cofins_cst ' || cst
          when 'zero' then case when v.value::numeric > 0 then 'must be 0 with pis_cofins_cst ' || cst end
          when 'above_zero' then case when v.value::numeric = 0 then 'must be above 0 with pis_cofins_cst ' || cst end
        end
    end as problem
  ) as p
  where p.problem is not null
  limit 1;
  if found then
    perform private.refuse_argument(argument || '.' || wrong.key, wrong.problem);
  elsif taxes ?& '{retainIss,retain_iss}' then
    perform private.refuse_argument(argument || '.retainIss', 'is the old name of retain_iss. Set only retain_iss');
  end if;
end
$$;

comment on function private.expect_taxes(text, jsonb, text[]) is
  'Rejects taxes with unknown members, invalid values, or rates that contradict their own CST.';

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

-- Payments: the settings of an account at each provider.

create function private.expect_object(argument text, value jsonb, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  unknown_member text;
begin
  if jsonb_typeof(value) is distinct from 'object' then
    perform private.refuse_argument(argument, 'must be a JSON object', allowed);
  end if;
  select key into unknown_member from jsonb_object_keys(value) as key where key <> all (allowed) limit 1;
  if found then
    perform private.refuse_argument(argument, format('"%s" is not a known setting', unknown_member), allowed);
  end if;
end
$$;

comment on function private.expect_object(text, jsonb, text[]) is
  'Rejects a value that is not a JSON object or has members other than these.';

create function private.expect_texts(argument text, value jsonb, names text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select key into wrong from jsonb_each(value) as m (key, member)
  where key = any (names) and (jsonb_typeof(member) <> 'string' or btrim(member #>> '{}') = '') limit 1;
  if found then
    perform private.refuse_argument(format('%s.%s', argument, wrong), 'must be a non-empty string');
  end if;
end
$$;

comment on function private.expect_texts(text, jsonb, text[]) is
  'Rejects members with these names that are not non-empty strings.';

create function private.expect_asaas_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  tax constant text[] := '{iss,pis,cofins,csll,inss,ir,retain_iss,pis_cofins_cst,operation_pis,operation_cofins,nbs_code,tax_situation_code,tax_classification_code,operation_indicator_code}';
  service record;
  path    text;
begin
  perform private.expect_object('settings', settings,
            '{municipal_service_code,municipal_service_name,services,taxes,observations,deductions,customer_address,nbs_code_format}'),
          private.expect_texts('settings', settings, '{municipal_service_code,municipal_service_name,observations}');
  if settings ? 'services' then
    if jsonb_typeof(settings -> 'services') <> 'object' then
      perform private.refuse_argument('settings.services', 'must be an object that maps our service codes to the city''s {"code" or "id", "name", "taxes"}');
    end if;
    for service in select key, member from jsonb_each(settings -> 'services') as m (key, member) loop
      path := format('settings.services.%s', service.key);
      perform private.expect_object(path, service.member, '{code,id,name,taxes}'), private.expect_texts(path, service.member, '{code,id,name}');
      if not service.member ?| '{code,id}' then
        perform private.refuse_argument(path, 'must have "code" or "id" of the city''s service');
      end if;
      if service.member ? 'taxes' then
        perform private.expect_taxes(path || '.taxes', service.member -> 'taxes', tax);
      end if;
    end loop;
  end if;
  if settings ? 'taxes' then
    perform private.expect_taxes('settings.taxes', settings -> 'taxes', 'retainIss'::text || tax);
  end if;
  if settings ? 'deductions'
     and (jsonb_typeof(settings -> 'deductions') <> 'number' or (settings ->> 'deductions')::numeric < 0) then
    perform private.refuse_argument('settings.deductions', 'must be an amount in reais, at least 0');
  end if;
  if settings ? 'customer_address' then
    perform private.expect_one_of('settings.customer_address', settings ->> 'customer_address', '{optional,required}');
  end if;
  if settings ? 'nbs_code_format' then
    perform private.expect_one_of('settings.nbs_code_format', settings ->> 'nbs_code_format', '{digits,dotted}');
  end if;
end
$$;

comment on function private.expect_asaas_settings(jsonb) is 'Rejects settings that are invalid for Asaas tax documents.';

create function private.expect_wise_settings(settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_object('settings', settings, '{profile_id,source_currency}');
  if (settings ->> 'profile_id' ~ '^[0-9]{1,19}$') is not true then
    perform private.refuse_argument('settings.profile_id', 'must be the numeric id of a Wise profile');
  elsif (settings ->> 'source_currency' ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('settings.source_currency', 'must be the currency that payouts are paid from, such as EUR');
  end if;
end
$$;

comment on function private.expect_wise_settings(jsonb) is 'Rejects invalid settings of a Wise account.';

-- Payments in Studio: connecting tenants' provider accounts, and routing.
--
-- Postgres logs a failed statement with its arguments. Functions that take API keys therefore keep their own errors out
-- of the log.

create function private.tenant_named(tenant text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found_id uuid;
begin
  select t.id into found_id from public.tenants t where t.slug = tenant or t.id::text = lower(tenant);
  if not found then
    perform private.refuse_argument(
      'tenant', case when tenant is null then 'is required' else format('tenant "%s" does not exist', left(tenant, 100)) end,
      array(select t.slug from public.tenants t order by t.slug));
  end if;
  return found_id;
end
$$;

comment on function private.tenant_named(text) is
  'The tenant with this slug or id; rejects an unknown one and lists the existing tenants.';

-- Supabase permits `set log_min_messages` to postgres, but not set_config(), which does the same.
create function private.keep_errors_out_of_log() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  set local log_min_messages = panic;
  return true;
exception when insufficient_privilege then
  return false;
end
$$;

comment on function private.keep_errors_out_of_log() is
  'Keeps errors, which include the statement, out of the log; returns false if not permitted, and callers must then raise none.';

-- Connecting ----------------------------------------------------------------------------------------------------------

create function private.connect_account(tenant_id uuid, provider text, api_key text, settings jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  hash constant bytea := sha256(convert_to(api_key, 'UTF8'));
  account public.provider_accounts;
  secrets private.provider_secrets;
begin
  -- Serializes concurrent calls.
  perform pg_advisory_xact_lock(hashtextextended('provider-accounts', 0));
  if exists (
    select from private.provider_secrets s
    join public.provider_accounts a on a.id = s.account_id
    where s.api_key_hash = hash and not (a.tenant_id = connect_account.tenant_id and a.provider = connect_account.provider)
  ) then
    perform private.refuse_argument('key', 'is already used by another account. Each account needs its own key.', reason => 'key_taken');
  end if;
  insert into public.provider_accounts as a (tenant_id, provider, settings)
  values (connect_account.tenant_id, connect_account.provider, connect_account.settings)
  on conflict on constraint provider_accounts_tenant_id_provider_key do update
  set status = 'connecting', reason = null, settings = excluded.settings, disconnected_at = null
  returning a.* into account;
  select s.* into secrets from private.provider_secrets s where s.account_id = account.id;
  insert into private.provider_secrets as s (account_id, api_key, api_key_hash, webhook_secret)
  values (
    account.id, private.keep_secret(secrets.api_key, api_key, 'provider_key_' || account.id, 'Key of a payment provider.'), hash,
    case when (select p.accepts_webhook_secret from private.payment_providers p where p.name = provider) then coalesce(
      secrets.webhook_secret,
      private.keep_secret(null, private.random_base62(48), 'provider_webhook_' || account.id, 'Verifies webhooks of a payment provider.'))
    else secrets.webhook_secret end)
  on conflict on constraint provider_secrets_pkey do update
  set api_key = excluded.api_key, api_key_hash = excluded.api_key_hash, webhook_secret = excluded.webhook_secret;
  perform private.check_provider_soon(account);
  return account.id;
end
$$;

comment on function private.connect_account(uuid, text, text, jsonb) is
  'Creates a tenant''s provider account, or replaces its key and settings, and schedules a check.';

create function private.expect_key(value text, live text, test text, what text) returns void
language plpgsql
set search_path = ''
as $$
declare
  production constant boolean := app.environment() = 'production';
begin
  if (value ~ format('^(%s)[[:graph:]]{8,}$', case when production then live else test end)) is true then
    return;
  elsif (value ~ format('^(%s)', case when production then test else live end)) is true then
    perform private.refuse_argument(what, case when production then 'is a test key. Production accepts only live keys'
                                               else 'is a live key. Staging accepts only test keys' end);
  end if;
  perform private.refuse_argument(
    what, 'is not a valid key of this provider', array['a key that begins with ' || replace(replace(case when production then live else test end, '\', ''), '|', ' or ')]);
end
$$;

comment on function private.expect_key(text, text, text, text) is
  'Rejects keys of the other environment and invalid keys, without repeating them in the error.';

create function private.withdrawal_token_hash(token text) returns bytea
language plpgsql
set search_path = ''
as $$
begin
  if token !~ '^[[:graph:]]{32,255}$' then
    perform private.refuse_argument('withdrawal_token', 'must have 32 to 255 characters without spaces');
  end if;
  return sha256(convert_to(token, 'UTF8'));
end
$$;

comment on function private.withdrawal_token_hash(text) is
  'Hash of the token that Asaas sends with withdrawal validation requests.';

create function private.connect_provider(tenant text, provider text, key text, settings jsonb, withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  connected text;
begin
  case provider
    when 'asaas' then
      perform private.expect_key(key, '\$aact_prod_', '\$aact_hmlg_', 'api_key'), private.expect_asaas_settings(settings);
    when 'wise' then
      perform private.expect_wise_settings(settings);
      if (key ~ '^[[:graph:]]{8,255}$') is not true then
        perform private.refuse_argument('token', 'is not a valid Wise API token', array['8 to 255 characters without spaces']);
      end if;
    else
      perform private.expect_key(key, 'sk_live_|rk_live_', 'sk_test_|rk_test_', 'api_key');
  end case;
  connected := private.connect_account(private.tenant_named(tenant), provider, key, settings);
  if withdrawal_token is not null then
    update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(withdrawal_token)
    where s.account_id = connected;
  end if;
  return connected;
end
$$;

comment on function private.connect_provider(text, text, text, jsonb, text) is
  'Connects a tenant (slug or id) to a provider and returns the account id; reconnecting keeps the id. Rejects keys and settings that do not fit.';

create function admin.connect_asaas(tenant text, api_key text, settings jsonb default '{}', withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'asaas', api_key, settings, withdrawal_token);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_asaas(text, text, jsonb, text) is
  'Connects a tenant (slug or id) to Asaas, optionally with withdrawal_token, and returns the account id; reconnecting keeps the id.';

create function admin.connect_wise(tenant text, token text, settings jsonb) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'wise', token, settings);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_wise(text, text, jsonb) is
  'Connects a tenant (slug or id) to Wise (settings: profile_id, source_currency) and returns the account id; reconnecting keeps the id.';

create function admin.connect_stripe(tenant text, api_key text) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_provider(tenant, 'stripe', api_key, '{}');
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_stripe(text, text) is
  'Connects a tenant (slug or id) to Stripe and returns the account id; reconnecting with another key keeps the id.';

-- Accepts settings as text. Invalid JSON would otherwise fail before the function runs, and the statement would be
-- logged.

create function private.settings_of(given text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  return given::jsonb;
exception when invalid_text_representation then
  perform private.refuse_argument('settings', 'is not valid JSON');
  return null;
end
$$;

comment on function private.settings_of(text) is 'Parses account settings and rejects invalid JSON.';

create function admin.connect_asaas(tenant text, api_key text, settings text, withdrawal_token text default null) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return admin.connect_asaas(tenant, api_key, private.settings_of(settings), withdrawal_token);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_asaas(text, text, text, text) is 'admin.connect_asaas with settings as text.';

create function admin.connect_wise(tenant text, token text, settings text) returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return admin.connect_wise(tenant, token, private.settings_of(settings));
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_wise(text, text, text) is 'admin.connect_wise with settings as text.';

create function private.account_with_id(id text) returns public.provider_accounts
language plpgsql stable
set search_path = ''
as $$
declare
  account public.provider_accounts;
begin
  select a.* into account from public.provider_accounts a where a.id = account_with_id.id;
  if not found then
    perform private.refuse_argument(
      'id', case when id is null then 'is required' else format('account %s does not exist', left(id, 100)) end,
      array(select format('%s (%s of %s)', a.id, a.provider, t.slug)
            from public.provider_accounts a join public.tenants t on t.id = a.tenant_id order by t.slug, a.provider));
  end if;
  return account;
end
$$;

comment on function private.account_with_id(text) is
  'The account with this id; rejects an unknown one and lists the existing accounts.';

create function admin.new_withdrawal_token(id text) returns table (address text, token text)
language plpgsql
set search_path = ''
as $$
declare
  account constant public.provider_accounts := private.account_with_id(id);
begin
  if account.provider <> 'asaas' then
    perform private.refuse_argument('id', format('is an account at %s; only Asaas has withdrawal validation', account.provider));
  end if;
  token := private.random_base62(48);
  address := coalesce(account.callback_url, '<URL of the functions>/callbacks/providers/asaas/' || account.id) || '/approvals';
  update private.provider_secrets s set withdrawal_token_hash = private.withdrawal_token_hash(token) where s.account_id = account.id;
  return next;
end
$$;

comment on function admin.new_withdrawal_token(text) is
  'Creates a token for Asaas'' withdrawal validation, replacing the previous one, and returns it with its URL only once: copy it.';

create function admin.disconnect_provider(id text) returns text
language plpgsql
set search_path = ''
as $$
declare
  account constant public.provider_accounts := private.account_with_id(id);
begin
  update public.provider_accounts a
  set status = 'disconnected', reason = null, disconnected_at = coalesce(a.disconnected_at, now())
  where a.id = account.id;
  perform private.rearm_job(account.tenant_id, 'disconnect-provider', account.id, jsonb_build_object('account_id', account.id));
  return 'The account accepts no new orders. Its key and webhook are deleted once its open orders are finished, after 60 days at the latest.';
end
$$;

comment on function admin.disconnect_provider(text) is
  'Stops new orders on an account; when its open orders are finished, its key is deleted from Vault and our webhook is removed.';

create function private.reconcile_provider(account text) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_account constant public.provider_accounts := private.account_with_id(account);
begin
  perform private.rearm_job(found_account.tenant_id, 'reconcile-provider', found_account.id, jsonb_build_object('account_id', found_account.id));
end
$$;

comment on function private.reconcile_provider(text) is
  'Reconciles an account with its provider now: applies missed changes and lists other differences in admin.provider_differences.';

-- The admin API has no unlimited rows: provider routes, approval rules and rotated API keys count. Changes that replace rows are serialized,
-- so that concurrent ones do not violate a unique index.
create function private.set_provider_route(
  tenant text, kind text, region text, currency text, method text default null, providers text[] default '{}'
) returns void
language plpgsql
set search_path = ''
as $$
declare
  own                 constant uuid := private.tenant_named(tenant);
  methods             constant text[] := '{pix,boleto,bolepix,card,ach_debit,sepa_debit,bank_transfer}';
  supported_providers constant text[] := array(
    select p.name from private.payment_providers p where kind = any (p.kinds) order by p.name <> 'sandbox', p.name);
begin
  perform private.expect_one_of('kind', kind, '{charge,payout,tax_document}');
  perform private.expect_one_of('providers', name, supported_providers) from unnest(providers) as name;
  if (region ~ '^([a-z]{2}|\*)$') is not true then
    perform private.refuse_argument('region', 'is not a valid region', array['br', 'us', 'eu', 'a country''s code in lower case (payouts)', '*']);
  elsif (currency ~ '^([A-Z]{3}|\*)$') is not true then
    perform private.refuse_argument('currency', 'is not a valid currency', array['a code of three capital letters, such as BRL', '*']);
  elsif method is not null and (kind <> 'charge' or method <> all (methods)) then
    perform private.refuse_argument('method', case when kind = 'charge' then format('"%s" is not a payment method', method) else 'is only allowed for charges' end,
                                    methods);
  elsif 'sandbox' = any (providers) and app.environment() = 'production' then
    perform private.refuse_argument('providers', 'the sandbox is only available in staging');
  elsif (select count(distinct p) from unnest(providers) as p) < cardinality(providers) then
    perform private.refuse_argument('providers', 'lists a provider twice');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.provider_routes' || own, 0));
  if providers = array(
    select r.provider from public.provider_routes r
    where r.tenant_id = own and r.kind = set_provider_route.kind and r.region = set_provider_route.region
      and r.currency = set_provider_route.currency and r.method is not distinct from set_provider_route.method
    order by r.preference) then
    return;
  end if;
  delete from public.provider_routes r
  where r.tenant_id = own and r.kind = set_provider_route.kind and r.region = set_provider_route.region
    and r.currency = set_provider_route.currency and r.method is not distinct from set_provider_route.method;
  insert into public.provider_routes (tenant_id, kind, region, currency, method, preference, provider, min_amount, max_amount)
  select own, set_provider_route.kind, set_provider_route.region, set_provider_route.currency, set_provider_route.method, p.place, p.name,
         limits.min_amount, limits.max_amount
  from unnest(providers) with ordinality as p (name, place)
  left join lateral (
    select r.min_amount, r.max_amount from public.provider_routes r
    where r.tenant_id is null and r.provider = p.name and r.kind = set_provider_route.kind and r.currency = set_provider_route.currency
    limit 1
  ) as limits on true;
end
$$;

comment on function private.set_provider_route(text, text, text, text, text, text[]) is
  'Sets a tenant''s providers, in order, for a kind, region, currency and method (null: all); an empty list restores the default.';
-- Views ---------------------------------------------------------------------------------------------------------------

create view admin.provider_accounts with (security_invoker = true) as
  select a.id, a.tenant_id, t.slug as tenant, a.provider, a.status, a.reason, a.capabilities, a.webhook_state, a.last_event_at,
         a.rejected_events, (a.balances #>> '{0,amount}')::bigint as balance, a.balances #>> '{0,currency}' as currency,
         a.balance_read_at, a.created_at, a.checked_at, a.reconciled_at, a.disconnected_at,
         case when a.provider = 'asaas' then coalesce(a.tax_regime, 'unknown') end as tax_regime, a.national_portal,
         private.account_warnings(a) as warnings
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id;

comment on view admin.provider_accounts is
  'Provider accounts of all tenants: status and reason, warnings, capabilities, tax regime, balance in minor units and when it was read.';
comment on column admin.provider_accounts.tax_regime is
  'Tax regime according to the provider: simples, normal or unknown; null for accounts that issue no tax documents.';
comment on column admin.provider_accounts.national_portal is
  'Whether the account issues NFS-e on the national portal; null if the provider does not report it.';
comment on column admin.provider_accounts.warnings is
  'Warnings about a working account, such as missing tax settings; empty if there are none.';

create view admin.provider_routes with (security_invoker = true) as
  select r.tenant_id, t.slug as tenant, r.kind, r.region, r.currency, r.method, r.preference, r.provider, r.min_amount, r.max_amount
  from public.provider_routes r
  left join public.tenants t on t.id = r.tenant_id
  order by t.slug nulls first, r.kind, r.region, r.currency, r.method nulls first, r.preference;

comment on view admin.provider_routes is
  'Provider routes in order of preference; rows without a tenant are defaults, which a tenant''s own routes replace.';

-- Payments: allowed status changes and their effects: ledger entries, events with a snapshot of the resource, and jobs.
-- They apply to requests, jobs and admins alike.

-- Status changes ------------------------------------------------------------------------------------------------------

create function private.payment_transitions() returns jsonb
language sql immutable parallel safe
-- A payment for an expired or canceled invoice makes it paid, and a paid transfer that bounces becomes failed.
return '{
  "invoices": {
    "creating": ["open"],
    "open": ["paid", "canceled", "failed"],
    "canceled": ["paid"],
    "failed": ["paid"]
  },
  "tax_documents": {
    "pending": ["issued", "failed", "canceled"],
    "issued": ["canceled"]
  },
  "payouts": {
    "creating": ["created", "processing"],
    "created": ["incoming_payment_waiting", "processing", "paid", "failed", "canceled"],
    "incoming_payment_waiting": ["processing", "paid", "failed", "canceled"],
    "processing": ["paid", "failed"],
    "paid": ["failed"]
  }
}'::jsonb;

comment on function private.payment_transitions() is 'Allowed status changes by table; statuses that are not listed are final.';

create function private.check_transition() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if not coalesce(private.payment_transitions() -> tg_table_name -> old.status ? new.status, false) then
    raise exception '%: % cannot become %', tg_table_name, old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_transition() is
  'Trigger: rejects status changes that private.payment_transitions does not allow.';

create trigger invoices_check_transition before update of status on public.invoices
  for each row when (old.status <> new.status) execute function private.check_transition();
create trigger tax_documents_check_transition before update of status on public.tax_documents
  for each row when (old.status <> new.status) execute function private.check_transition();
create trigger payouts_check_transition before update of status on public.payouts
  for each row when (old.status <> new.status) execute function private.check_transition();

-- Effects -------------------------------------------------------------------------------------------------------------

create function private.add_event(tenant_id uuid, type text, before jsonb, data jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.events (tenant_id, interface, type, changed, data)
  values (tenant_id, 'payments', type, private.changed_members(before, data, '{updated_at}'), data);
end
$$;

comment on function private.add_event(uuid, text, jsonb, jsonb) is
  'Writes a payments event from the resource in stored form before and after the change.';

-- The document gets the taxes of the invoice's request.
create function private.insert_waiting_tax_document(invoice public.invoices) returns void
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

comment on function private.insert_waiting_tax_document(public.invoices) is
  'Creates the pending tax document of an invoice that requested one to be issued on payment.';

create function app.add_waiting_tax_document(invoice_id text) returns void
language sql security definer
set search_path = ''
as $$
  select private.insert_waiting_tax_document(i)
  from public.invoices i
  where i.tenant_id = app.tenant_id() and i.id = invoice_id
    and not exists (select from public.tax_documents d where d.tenant_id = i.tenant_id and d.invoice_id = i.id)
$$;

comment on function app.add_waiting_tax_document(text) is
  'Creates the pending tax document requested with an invoice, when the invoice opens.';

grant execute on function app.add_waiting_tax_document(text) to api, worker;

create function private.schedule_tax_document(tenant_id uuid, tax_document_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs (tenant_id, name, key, payload)
  values (tenant_id, 'issue-tax-document', tax_document_id, jsonb_build_object('tax_document_id', tax_document_id))
  on conflict (name, key) do nothing;
end
$$;

comment on function private.schedule_tax_document(uuid, text) is 'Schedules the issuance of a pending tax document.';

create function private.invoice_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  before jsonb;
begin
  if new.status in ('paid', 'canceled', 'failed') then
    before := app.invoice_snapshot(old);
  end if;
  if new.status = 'open' and new.expires_at is not null then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'expire-invoice', new.id, jsonb_build_object('invoice_id', new.id),
            least(new.expires_at, now() + make_interval(secs => private.add_jitter(600, new.id, 0))));
  end if;

  if new.status = 'paid' then
    perform private.enter_paid_invoice(new);
    perform private.schedule_tax_document(new.tenant_id, d.id)
    from public.tax_documents d
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
    -- The invoice was paid after it failed or was canceled, which also canceled its pending document.
    if old.status in ('failed', 'canceled') and not exists (
      select from public.tax_documents d
      where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status in ('pending', 'issued')
    ) then
      perform private.insert_waiting_tax_document(new);
    end if;
  end if;

  if new.status in ('canceled', 'failed') then
    update public.tax_documents d set status = 'canceled'
    where d.tenant_id = new.tenant_id and d.invoice_id = new.id and d.status = 'pending';
  end if;

  if new.status in ('paid', 'canceled', 'failed') then
    perform private.add_event(new.tenant_id, 'invoice.' || new.status, before, app.invoice_snapshot(new));
  end if;
  return null;
end
$$;

comment on function private.invoice_effects() is
  'Trigger: writes the ledger entry and event and handles the tax document and expiry when an invoice''s status changes.';

create trigger invoices_effects after update of status on public.invoices
  for each row when (old.status <> new.status) execute function private.invoice_effects();

create function private.tax_document_effects() returns trigger
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

comment on function private.tax_document_effects() is
  'Trigger: writes the event and schedules the issuance when a tax document''s status changes.';

create trigger tax_documents_schedule after insert on public.tax_documents
  for each row execute function private.tax_document_effects();
create trigger tax_documents_effects after update of status on public.tax_documents
  for each row when (old.status <> new.status) execute function private.tax_document_effects();

create function private.follow_cancellation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.rearm_job(
    new.tenant_id, 'issue-tax-document', new.id, jsonb_build_object('tax_document_id', new.id));
  return null;
end
$$;

comment on function private.follow_cancellation() is
  'Trigger: schedules checks for the city''s decision on a requested cancellation.';

create trigger tax_documents_follow_cancellation after update of cancel_requested_at on public.tax_documents
  for each row when (old.cancel_requested_at is null and new.cancel_requested_at is not null)
  execute function private.follow_cancellation();

create function private.payout_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.status = 'paid' then
    perform private.enter_paid_payout(new);
  end if;
  -- A payout that waits for approval has not been sent to a provider.
  if old.status = 'creating' and new.approval is distinct from 'waiting' or new.approval = 'approved' and old.status = 'created' then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'follow-payout', new.id, jsonb_build_object('payout_id', new.id),
            now() + make_interval(secs => private.add_jitter(600, new.id, 0)))
    on conflict (name, key) do nothing;
  end if;
  if new.status in ('paid', 'failed', 'canceled') then
    perform private.add_event(new.tenant_id, 'payout.' || new.status, to_jsonb(old), to_jsonb(new));
  end if;
  return null;
end
$$;

comment on function private.payout_effects() is
  'Trigger: writes the ledger entry and event and schedules the follow-up when a payout''s status changes.';

create trigger payouts_effects after update of status on public.payouts
  for each row when (old.status <> new.status) execute function private.payout_effects();

create function private.ledger_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.reason = 'chargeback' then
    -- A report with the dispute itself stores the dispute before its entry.
    insert into public.disputes (tenant_id, invoice_id, kind, amount)
    select new.tenant_id, new.invoice_id, 'chargeback', -new.amount
    where not exists (select from public.disputes d where d.tenant_id = new.tenant_id and d.invoice_id = new.invoice_id);
    return null;
  end if;
  if new.refund_id is null then
    -- A report that contains only the total of an order's refunds.
    insert into public.refunds
      (tenant_id, invoice_id, status, amount, currency, origin, provider, provider_account_id, entry_id, created, settled_at)
    select r.tenant_id, r.invoice_id, 'succeeded', r.amount, r.currency, 'provider', r.provider, r.provider_account_id, r.entry_id, r.created, r.settled_at
    from private.refund_of_entry(new) as r;
  end if;
  -- The invoice itself does not change, so the event lists no changed members; the amount is in the ledger.
  perform private.add_event(i.tenant_id, 'invoice.refunded', snapshot, snapshot)
  from public.invoices i
  cross join lateral (select app.invoice_snapshot(i) as snapshot offset 0) as s
  where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
  return null;
end
$$;

comment on function private.ledger_effects() is
  'Trigger: writes the event of a refund entry, and stores refunds and disputes that a report contained only as totals.';

create trigger balance_transactions_effects after insert on public.balance_transactions
  for each row when (new.invoice_id is not null and new.amount < 0 and new.reason in ('refund', 'chargeback'))
  execute function private.ledger_effects();

-- Checks at the start of the final transaction, because the state may have changed since it was read ------------------

create function app.expect_status(kind text, id text, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  present text;
begin
  execute format('select status from public.%I where tenant_id = app.tenant_id() and id = $1 for update', kind)
  into present using id;
  if present is null or not present = any (allowed) then
    raise exception '% % is %', kind, id, present using errcode = 'PL002';
  end if;
end
$$;

comment on function app.expect_status(text, text, text[]) is
  'Locks a row of the tenant and fails with PL002 unless its status is one of these.';

grant execute on function app.expect_status(text, text, text[]) to api;

create function app.expect_no_issued_document(invoice_id text, except_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  -- The lock waits for a concurrent issuance and blocks others.
  perform from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = expect_no_issued_document.invoice_id
    and d.status in ('pending', 'issued')
  for update;
  perform from public.tax_documents d
  where d.tenant_id = app.tenant_id() and d.invoice_id = expect_no_issued_document.invoice_id
    and d.status = 'issued' and d.id is distinct from except_id;
  if found then
    raise exception 'invoice % has an issued tax document', invoice_id using errcode = 'PL003';
  end if;
end
$$;

comment on function app.expect_no_issued_document(text, text) is
  'Fails with PL003 if the invoice has another issued tax document.';

grant execute on function app.expect_no_issued_document(text, text) to api;

-- Payments: effects of refunds and disputes on invoices, their events and jobs, and the reservation of a refund's amount.

-- Snapshots -----------------------------------------------------------------------------------------------------------

create function app.refund_snapshot(r public.refunds) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(r) || (
    select jsonb_build_object('cost_center', i.cost_center, 'our_number', i.our_number, 'contractor_reference', i.contractor_reference)
    from public.invoices i
    where i.tenant_id = r.tenant_id and i.id = r.invoice_id
  );
end
$$;

comment on function app.refund_snapshot(public.refunds) is 'A refund with the control fields of its invoice.';

grant execute on function app.refund_snapshot(public.refunds) to api, worker;

-- Events and jobs -----------------------------------------------------------------------------------------------------

create function private.check_refund_transition() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  -- A provider may complete a refund that failed here because it took too long.
  allowed constant jsonb := '{"creating": ["pending", "succeeded", "failed"], "pending": ["succeeded", "failed"], "succeeded": ["failed"],
                              "failed": ["succeeded"]}';
begin
  if not allowed -> old.status ? new.status then
    raise exception 'refunds: % cannot become %', old.status, new.status using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_refund_transition() is 'Trigger: rejects status changes of refunds that cannot happen.';

create trigger refunds_check_transition before update of status on public.refunds
  for each row when (old.status <> new.status) execute function private.check_refund_transition();

create function private.refund_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  before   jsonb;
  snapshot jsonb;
begin
  if tg_op = 'INSERT' and new.status in ('creating', 'pending') then
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    values (new.tenant_id, 'follow-refund', new.id, jsonb_build_object('refund_id', new.id), now() + interval '30 seconds')
    on conflict (name, key) do nothing;
  end if;
  if new.status = 'creating' then
    return null;
  end if;
  snapshot := app.refund_snapshot(new);
  if tg_op = 'UPDATE' then
    before := app.refund_snapshot(old);
  end if;
  if tg_op = 'INSERT' or old.status = 'creating' then
    perform private.add_event(new.tenant_id, 'invoice.refund.created', null, snapshot);
  end if;
  if new.status in ('succeeded', 'failed') then
    perform private.add_event(new.tenant_id, 'invoice.refund.' || new.status, before, snapshot);
  end if;
  return null;
end
$$;

comment on function private.refund_effects() is 'Trigger: writes a refund''s events and schedules the job that follows it.';

create trigger refunds_begin after insert on public.refunds
  for each row execute function private.refund_effects();
create trigger refunds_effects after update of status on public.refunds
  for each row when (old.status <> new.status) execute function private.refund_effects();

create function private.dispute_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The dispute is a derived member of the invoice, so the event lists no changed columns.
  perform private.add_event(i.tenant_id, case tg_op when 'INSERT' then 'invoice.disputed' else 'invoice.dispute_closed' end, snapshot, snapshot)
  from public.invoices i
  cross join lateral (select app.invoice_snapshot(i) as snapshot offset 0) as s
  where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
  return null;
end
$$;

comment on function private.dispute_effects() is 'Trigger: writes the event of a dispute that opens or closes.';

create trigger disputes_begin after insert on public.disputes
  for each row execute function private.dispute_effects();
create trigger disputes_effects after update of status on public.disputes
  for each row when (old.status = 'open' and new.status <> 'open') execute function private.dispute_effects();

create function private.refund_of_entry(entry public.balance_transactions) returns public.refunds
language plpgsql stable
set search_path = ''
as $$
declare
  invoice public.invoices;
  refund  public.refunds;
begin
  select i.* into invoice from public.invoices i where i.tenant_id = entry.tenant_id and i.id = entry.invoice_id;
  refund.tenant_id := entry.tenant_id;
  refund.invoice_id := entry.invoice_id;
  -- A charge that was settled in another currency is refunded in that one, at the rate of the charge.
  refund.amount := case when entry.currency = invoice.currency then -entry.amount else greatest(1, least(invoice.amount, (
    select round(-entry.amount * invoice.amount::numeric / nullif(sum(b.amount), 0)) from public.balance_transactions b
    where b.tenant_id = entry.tenant_id and b.invoice_id = entry.invoice_id and b.reason = 'conversion' and b.currency = entry.currency)))
  end;
  refund.currency := invoice.currency;
  refund.provider := invoice.provider;
  refund.provider_account_id := invoice.provider_account_id;
  refund.entry_id := entry.id;
  refund.created := entry.created;
  refund.settled_at := entry.created;
  return refund;
end
$$;

comment on function private.refund_of_entry(public.balance_transactions) is
  'Builds the refund row for a ledger entry that has none: status succeeded, origin provider.';

-- Reserving -----------------------------------------------------------------------------------------------------------

create function private.paid_amount_of(invoice_id text) returns bigint
language sql stable
set search_path = ''
as $$
  select coalesce(sum(b.amount), 0)::bigint
  from public.invoices i
  join public.balance_transactions b on b.tenant_id = i.tenant_id and b.invoice_id = i.id and b.currency = i.currency
  where i.id = paid_amount_of.invoice_id
    and (b.type = 'charge' or b.type = 'adjustment' and b.reason in ('overpaid', 'fine', 'interest', 'discount'))
$$;

comment on function private.paid_amount_of(text) is 'What the payer paid for an invoice, in minor units, from its ledger entries.';

create function private.refundable_amount(invoice public.invoices) returns bigint
language sql stable
set search_path = ''
as $$
  select greatest(0, private.paid_amount_of(invoice.id)
    - coalesce((select sum(r.amount) from public.refunds r
                where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and r.status <> 'failed'), 0)
    - coalesce((select sum(d.lost) from public.disputes d where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id), 0))::bigint
$$;

comment on function private.refundable_amount(public.invoices) is
  'Amount of an invoice that can still be refunded: paid minus refunds that have not failed and lost disputes. Lock the invoice first.';

create function private.refund_problem(invoice public.invoices, amount bigint) returns table (problem text, detail text)
language plpgsql stable
set search_path = ''
as $$
declare
  paid constant bigint := private.paid_amount_of(invoice.id);
  left_ constant bigint := private.refundable_amount(invoice);
  paid_by constant text := coalesce(invoice.paid_by, invoice.payment_method_type);
begin
  if invoice.status <> 'paid' then
    return query values ('not_refundable', format('The invoice is %s. Only a paid invoice can be refunded.', invoice.status));
  elsif (select coalesce(sum(b.net), 0) <> 0 from public.balance_transactions b
         where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.reason = 'received_outside') then
    return query values ('not_refundable', 'The invoice was paid outside the provider, which has no money to return.');
  elsif exists (select from public.disputes d where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.status = 'open') then
    return query values ('not_refundable', 'The invoice is disputed. It can be refunded only after the dispute is won.');
  elsif left_ = 0 then
    return query values ('not_refundable', 'Nothing is left to refund.');
  elsif paid_by = 'pix' and invoice.paid_at < now() - interval '90 days' then
    return query values ('window_expired', 'A PIX payment can be refunded for 90 days after it was paid.');
  elsif (select count(*) >= 100 from public.refunds r where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id) then
    return query values ('not_refundable', 'The invoice already has 100 refunds, which is the maximum.');
  elsif refund_problem.amount > left_ then
    return query values ('amount', format('must be at most %s, which is what is left to refund', left_));
  -- The provider checks each payment of an invoice that was paid more than once.
  elsif paid_by = 'boleto' and coalesce(refund_problem.amount, left_) < paid
        and not exists (select from public.balance_transactions b
                        where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.reason = 'overpaid') then
    return query values ('amount', format('must be the whole paid amount of %s: a boleto cannot be refunded in parts', paid));
  elsif exists (select from public.provider_accounts a
                where a.tenant_id = invoice.tenant_id and a.id = invoice.provider_account_id and a.status = 'failing') then
    return query values ('not_ready', 'its account is failing.');
  -- The API key of a disconnected account is deleted later.
  elsif invoice.provider_account_id is not null and not exists (
    select from private.provider_secrets s where s.account_id = invoice.provider_account_id and s.api_key is not null)
  then
    return query values ('not_configured',
      'The account that charged the invoice was disconnected and its API key is deleted. Refund the payment in the provider''s dashboard.');
  end if;
end
$$;

comment on function private.refund_problem(public.invoices, bigint) is
  'Why an invoice cannot be refunded by this amount (null: all that is left); no row if it can. Lock the invoice first.';

create function app.reserve_refund(key text, attempt_id uuid, invoice_id text, amount bigint, reason text)
returns table (problem text, detail text, is_first boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  claimed public.idempotency_keys;
  invoice public.invoices;
  made    text;
begin
  select k.* into claimed from public.idempotency_keys k
  where k.tenant_id = app.tenant_id() and k.key = reserve_refund.key and k.claimed_by = attempt_id and k.response_status is null;
  if claimed.key is null or claimed.resource_id is not null then
    return;
  end if;
  -- Concurrent requests for the invoice wait here, and then count this refund.
  select i.* into invoice from public.invoices i
  where i.tenant_id = claimed.tenant_id and i.id = reserve_refund.invoice_id and i.status <> 'creating'
  for no key update;
  if invoice.id is null then
    return query values ('not_found', null::text, false);
    return;
  end if;
  return query select p.problem, p.detail, false from private.refund_problem(invoice, reserve_refund.amount) as p;
  if found then
    return;
  end if;
  insert into public.refunds as r (tenant_id, invoice_id, amount, currency, reason, provider, provider_account_id)
  values (invoice.tenant_id, invoice.id, coalesce(reserve_refund.amount, private.refundable_amount(invoice)), invoice.currency,
          reserve_refund.reason, invoice.provider, invoice.provider_account_id)
  returning r.id into made;
  update public.idempotency_keys k set resource_id = made where k.tenant_id = claimed.tenant_id and k.key = claimed.key;
  return query values (null::text, null::text, true);
end
$$;

comment on function app.reserve_refund(text, uuid, text, bigint, text) is
  'Reserves a refund for the request of a key (amount null: all that is left), or returns why not; no row if the key has one.';

grant execute on function app.reserve_refund(text, uuid, text, bigint, text) to payments;

create function app.discard_refund(id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.refunds r
  where r.tenant_id = app.tenant_id() and r.id = discard_refund.id and r.status = 'creating' and r.provider_refunds = '{}';
  if found then
    update public.idempotency_keys k set resource_id = null
    where k.tenant_id = app.tenant_id() and k.resource_id = discard_refund.id and k.response_status is null;
  end if;
end
$$;

comment on function app.discard_refund(text) is
  'Deletes a refund that the provider rejected, so that its amount is free again, and lets a retry of its request start over.';

grant execute on function app.discard_refund(text) to payments, worker;

create function app.schedule_refund_lookup(id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs as j (tenant_id, name, key, payload)
  select r.tenant_id, 'follow-refund', r.id, jsonb_build_object('refund_id', r.id)
  from public.refunds r
  where r.tenant_id = app.tenant_id() and r.id = schedule_refund_lookup.id and r.status = 'creating'
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;

comment on function app.schedule_refund_lookup(text) is 'Schedules an immediate lookup of a refund whose outcome is unknown.';

grant execute on function app.schedule_refund_lookup(text) to payments;

-- Payments: applying providers' reports about orders.
--
-- A report is the complete state of an order at one time: status, fee, and totals of money moved by reason. Applying it
-- twice or late has the same result; a report read before the last applied one is ignored.

create function private.add_adjustment(
  account_id text, tenant_id uuid, provider text, invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  amount := private.amount_beyond_entered_lines(invoice, payout, reason, currency, amount);
  if amount = 0 then
    return;
  end if;
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, cost_center, our_number,
     contractor_reference, provider, provider_account_id, reason)
  values
    (add_adjustment.tenant_id, 'adjustment', amount, add_adjustment.currency, 0, amount, private.today(add_adjustment.tenant_id),
     invoice.id, payout.id, coalesce(invoice.cost_center, payout.cost_center), coalesce(invoice.our_number, payout.our_number),
     coalesce(invoice.contractor_reference, payout.contractor_reference), add_adjustment.provider, account_id, add_adjustment.reason);
end
$$;

comment on function private.add_adjustment(text, uuid, text, public.invoices, public.payouts, text, text, bigint) is
  'Adds a provider''s adjustment to the ledger, for an invoice, a payout or neither.';

create function private.adjustments_due(invoice public.invoices, payout public.payouts, report jsonb)
returns table (reason text, currency text, amount bigint)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  own_tenant constant uuid := coalesce(invoice.tenant_id, payout.tenant_id);
begin
  return query
    select t.reason, t.currency, (t.amount - coalesce((
      select sum(b.net) from public.balance_transactions b
      where b.tenant_id = own_tenant and b.type = 'adjustment' and b.currency = t.currency
        and (b.reason = t.reason or t.reason = 'refund' and b.reason = 'refund_reversed')
        and (b.invoice_id = invoice.id or b.payout_id = payout.id)), 0)
      -- The losses of PIX infractions are chargebacks that no report contains.
      - coalesce((
        select sum(d.lost) from public.disputes d
        where t.reason = 'chargeback' and d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction'), 0))::bigint
    from (
      select a ->> 'reason' as reason, a ->> 'currency' as currency, (a ->> 'amountMinor')::bigint as amount
      from jsonb_array_elements(coalesce(report -> 'adjustments', '[]')) as a
      -- Money returned from a payout that was never entered as paid needs no entry.
      where payout.id is null or exists (
        select from public.balance_transactions b where b.tenant_id = own_tenant and b.payout_id = payout.id and b.type = 'payout')
      union all
      select 'provider_fee', report #>> '{kept,currency}', -(report #>> '{kept,amountMinor}')::bigint
      where report #>> '{kept,currency}' is not null and not exists (
        select from public.balance_transactions b where b.tenant_id = own_tenant and b.payout_id = payout.id and b.type = 'payout')
    ) as t;
  -- A charge or payout entry keeps its fee; a different fee is corrected by an adjustment.
  return query
    select 'fee_correction', coalesce(invoice.currency, payout.currency),
           (sum(b.fee) - coalesce(sum(b.net) filter (where b.reason = 'fee_correction'), 0) - (report #>> '{state,feeMinor}')::bigint)::bigint
    from public.balance_transactions b
    where b.tenant_id = own_tenant and (b.invoice_id = invoice.id or b.payout_id = payout.id)
      and report #>> '{state,feeMinor}' is not null
    having bool_or(b.type in ('charge', 'payout'));
end
$$;

comment on function private.adjustments_due(public.invoices, public.payouts, jsonb) is
  'Adjustments by reason that make an order''s ledger entries match its provider''s report; amounts can be 0.';

create function private.settle_adjustments(invoice public.invoices, payout public.payouts, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  due record;
begin
  if invoice.id is not null then
    update public.invoices i set paid_by = report #>> '{state,paidBy}'
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id and i.paid_by is distinct from coalesce(report #>> '{state,paidBy}', i.paid_by);
    perform private.apply_chargebacks(invoice, report);
    perform private.apply_infraction(invoice, report);
    perform private.apply_refunds(invoice, report);
  end if;
  for due in select * from private.adjustments_due(invoice, payout, report) loop
    perform private.add_adjustment(
      coalesce(invoice.provider_account_id, payout.provider_account_id), coalesce(invoice.tenant_id, payout.tenant_id),
      coalesce(invoice.provider, payout.provider), invoice, payout, due.reason, due.currency, due.amount);
  end loop;
end
$$;

comment on function private.settle_adjustments(public.invoices, public.payouts, jsonb) is
  'Applies an order''s refunds and disputes and adds the adjustments that make its ledger match its provider''s report.';

create function app.apply_order_report(kind text, id text, account_id text, looked_at timestamptz, report jsonb) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  reported constant text        := report #>> '{state,status}';
  at       constant timestamptz := report #>> '{state,at}';
  fee_now  constant bigint      := report #>> '{state,feeMinor}';
  day      constant date        := report #>> '{state,availableOn}';
  reason   constant text        := case when reported = 'failed' then coalesce(report #>> '{state,reason}', 'The provider gave no reason.') end;
  invoice  public.invoices;
  payout   public.payouts;
  moves    boolean;
  paid     record;
begin
  if kind = 'invoices' then
    select i.* into invoice from public.invoices i
    where i.id = apply_order_report.id and i.provider_account_id is not distinct from apply_order_report.account_id
      and (i.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker')) for update;
  else
    select p.* into payout from public.payouts p
    where p.id = apply_order_report.id and p.provider_account_id is not distinct from apply_order_report.account_id
      and (p.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker')) for update;
  end if;
  if coalesce(invoice.id, payout.id) is null then
    return 'unknown';
  elsif coalesce(invoice.status, payout.status) = 'creating' then
    return 'too_early';
  elsif coalesce(invoice.looked_at, payout.looked_at) > apply_order_report.looked_at then
    return 'older';
  elsif coalesce(invoice.provider_reference, payout.provider_reference) <> report ->> 'providerReference' then
    -- Another object at the provider has our reference, such as a second payment; looking up the order itself
    -- includes it.
    return 'other';
  end if;
  moves := coalesce(private.payment_transitions() -> kind -> coalesce(invoice.status, payout.status) ? reported, false);
  -- Other amounts at the provider may already be in the ledger; applying only this part would reverse them.
  if (report ->> 'isPartial')::boolean
    and exists (select from public.balance_transactions b where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id)
    and (moves or exists (
      select from private.adjustments_due(invoice, payout, report) as due
      where private.amount_beyond_entered_lines(invoice, payout, due.reason, due.currency, due.amount) <> 0))
  then
    return 'in_part';
  end if;
  if kind = 'invoices' then
    paid := private.paid_members(invoice, report);
    update public.invoices i
    set looked_at = apply_order_report.looked_at,
        provider_reference = coalesce(i.provider_reference, report ->> 'providerReference'),
        fee = coalesce(fee_now, i.fee), available_on = coalesce(day, i.available_on),
        status = case when moves then reported else i.status end,
        state_at = case when moves then at else i.state_at end,
        paid_at = case when moves then case when reported = 'paid' then at end else i.paid_at end,
        failure_reason = case when moves then reason else i.failure_reason end,
        paid_amount = paid.paid_amount, paid_on = paid.paid_on, fine = paid.fine, interest = paid.interest, discount = paid.discount
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id
    returning i.* into invoice;
  else
    update public.payouts p
    set looked_at = apply_order_report.looked_at,
        provider_reference = coalesce(p.provider_reference, report ->> 'providerReference'),
        fee = coalesce(fee_now, p.fee), available_on = coalesce(day, p.available_on),
        status = case when moves then reported else p.status end,
        state_at = case when moves then at else p.state_at end,
        failure_reason = case when moves then reason else p.failure_reason end,
        funding = report -> 'funding'
    where p.tenant_id = payout.tenant_id and p.id = payout.id
    returning p.* into payout;
  end if;
  perform private.settle_adjustments(invoice, payout, report);
  return case when moves then 'applied' else 'known' end;
end
$$;

comment on function app.apply_order_report(text, text, text, timestamptz, jsonb) is
  'Applies a provider''s report of an order and returns applied, known, older, other (different object), in_part (not applied), too_early or unknown.';

grant execute on function app.apply_order_report(text, text, text, timestamptz, jsonb) to payments, worker;

create function app.discard_order(kind text, id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  execute format('delete from public.%I where tenant_id = app.tenant_id() and id = $1 and status = ''creating''',
                 case kind when 'invoices' then 'invoices' else 'payouts' end)
  using id;
end
$$;

comment on function app.discard_order(text, text) is
  'Deletes an order that a request created but that turned out to be invalid and was never sent to a provider.';

grant execute on function app.discard_order(text, text) to api;

-- Callers that retry while their provider is unreachable do not pile up lookups of the same order.
create function app.recover_order_soon(kind text, id text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- One job per attempt, as in the sweep, because each attempt may have reached the provider.
  insert into public.jobs as j (tenant_id, name, key, payload)
  select k.tenant_id, 'recover-order', concat_ws(':', k.resource_id, k.claimed_by),
         jsonb_build_object('table', recover_order_soon.kind, 'id', k.resource_id)
  from public.idempotency_keys k
  where k.tenant_id = app.tenant_id() and k.resource_id = recover_order_soon.id and k.response_status is null
    -- A lookup that waits to run again covers this attempt, too.
    and not exists (
      select from public.jobs w
      where w.tenant_id = k.tenant_id and w.name = 'recover-order' and w.payload ->> 'id' = k.resource_id
        and w.finished_at is null and w.failed_at is null and w.attempts > 0 and coalesce(w.locked_until <= now(), true))
  on conflict (name, key) do update set due_at = now()
  where j.attempts = 0 and j.due_at > now();
end
$$;

comment on function app.recover_order_soon(text, text) is
  'Schedules an immediate lookup of an order of the transaction''s tenant whose outcome is unknown (kind: the table).';

grant execute on function app.recover_order_soon(text, text) to api;

-- Payments: applying providers' reports about refunds and disputes.
--
-- A report lists an order's refunds and disputes. Each reported refund has a key that is unique within the order. It
-- belongs to the row with that key, else to the row that it names by our id, else it was made at the provider.

create function private.add_refund_entry(invoice public.invoices, refund public.refunds, reason text, currency text, amount bigint, available_on date)
returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  entry_id text;
begin
  insert into public.balance_transactions
    (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, cost_center, our_number, contractor_reference, provider,
     provider_account_id, reason, refund_id)
  values
    (invoice.tenant_id, 'adjustment', amount, add_refund_entry.currency, 0, amount,
     coalesce(add_refund_entry.available_on, private.today(invoice.tenant_id)), invoice.id, invoice.cost_center, invoice.our_number,
     invoice.contractor_reference, invoice.provider, invoice.provider_account_id, add_refund_entry.reason, refund.id)
  returning id into entry_id;
  return entry_id;
end
$$;

comment on function private.add_refund_entry(public.invoices, public.refunds, text, text, bigint, date) is
  'Adds the ledger entry of a refund (refund, or refund_reversed if the money came back) and returns its id.';

create function private.apply_refund(invoice public.invoices, refund public.refunds, reported jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  said     constant text   := reported ->> 'status';
  moved    constant bigint := reported #>> '{moved,amountMinor}';
  returned constant bigint := reported #>> '{returned,amountMinor}';
  day      constant date   := reported ->> 'availableOn';
  ended    constant timestamptz := reported ->> 'settledAt';
  next_    text;
  current_ public.refunds;
  entry    text;
begin
  next_ := case
    when refund.status = 'succeeded' and said = 'pending' then 'succeeded'
    when refund.status = 'failed' and said = 'pending' then 'failed'
    -- A reversed refund stays reversed, even if an older report arrives later.
    when refund.reversal_entry_id is not null then 'failed'
    else said
  end;
  update public.refunds r
  set status = next_,
      provider_refunds = r.provider_refunds
        || case when reported ? 'key' then jsonb_build_object(reported ->> 'key', reported -> 'amountMinor') else '{}' end,
      pending_reason = case when next_ = 'pending' then coalesce(reported ->> 'pendingReason', r.pending_reason) end,
      action_url = coalesce(reported ->> 'actionUrl', r.action_url),
      failure_reason = case when next_ = 'failed' then coalesce(reported ->> 'failureReason', r.failure_reason, 'The provider gave no reason.') end,
      settled_at = case when next_ = r.status then r.settled_at when next_ in ('succeeded', 'failed') then greatest(coalesce(ended, now()), r.created) end
  where r.tenant_id = refund.tenant_id and r.id = refund.id
  returning r.* into current_;

  if current_.entry_id is null and moved <> 0 then
    entry := private.add_refund_entry(invoice, current_, 'refund', reported #>> '{moved,currency}', moved, day);
    update public.refunds r set entry_id = entry where r.tenant_id = refund.tenant_id and r.id = refund.id returning r.* into current_;
  end if;
  if current_.status = 'failed' and current_.entry_id is not null and current_.reversal_entry_id is null then
    select private.add_refund_entry(invoice, current_, 'refund_reversed', coalesce(reported #>> '{returned,currency}', b.currency),
                                    coalesce(returned, -b.amount), null)
    into entry
    from public.balance_transactions b where b.tenant_id = current_.tenant_id and b.id = current_.entry_id;
    update public.refunds r set reversal_entry_id = entry where r.tenant_id = refund.tenant_id and r.id = refund.id;
  end if;
end
$$;

comment on function private.apply_refund(public.invoices, public.refunds, jsonb) is
  'Applies a reported refund to its row and adds its ledger entries, each once. Lock the invoice first.';

create function private.find_refund(invoice public.invoices, reported jsonb) returns public.refunds
language sql stable
set search_path = ''
as $$
  select r.*
  from public.refunds r
  cross join lateral (
    select coalesce(sum(v.value::bigint) filter (where v.key not like '%|rest'), 0) as covered from jsonb_each_text(r.provider_refunds) as v
  ) as c
  cross join lateral (
    select case
      when r.provider_refunds ? (reported ->> 'key') then 1
      when r.origin = 'api' and r.provider_refunds = '{}' and r.id = reported ->> 'reference' then 2
      -- A refund that cannot contain our id, or the rest of a payment whose refunds the provider does not list.
      when r.origin = 'api' and r.provider_refunds = '{}' and r.status in ('creating', 'pending') and r.amount = (reported ->> 'amountMinor')::bigint
           and (reported ->> 'isAnonymous')::boolean then 3
      -- An entry from a total, which may cover several refunds.
      when r.origin = 'provider' and r.status = 'succeeded' and reported ->> 'status' = 'succeeded'
           and r.amount - c.covered = (reported ->> 'amountMinor')::bigint then 4
      when r.origin = 'provider' and r.status = 'succeeded' and reported ->> 'status' = 'succeeded'
           and r.amount - c.covered > (reported ->> 'amountMinor')::bigint then 5
    end as rank
  ) as m
  where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and m.rank is not null
  order by m.rank, r.id
  limit 1
$$;

comment on function private.find_refund(public.invoices, jsonb) is 'The row that a reported refund belongs to; null if it was made at the provider.';

create function private.can_be_infraction_loss(dispute public.disputes, reported jsonb) returns boolean
language sql immutable
set search_path = ''
as $$
  -- The keys of a payment's refunds begin with its id. A refund of another amount was made before the balance was blocked.
  select dispute.kind = 'pix_infraction' and dispute.status = 'open' and split_part(reported ->> 'key', '|', 1) = dispute.provider_reference
    and (reported ->> 'amountMinor')::bigint in (dispute.amount, dispute.amount - dispute.released)
$$;

comment on function private.can_be_infraction_loss(public.disputes, jsonb) is
  'Whether an unknown reported refund can be the loss of an open PIX infraction.';

create function private.apply_refunds(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  reported jsonb;
  refund   public.refunds;
begin
  for reported in select r from jsonb_array_elements(report -> 'refunds') as r loop
    refund := private.find_refund(invoice, reported);
    if refund.id is null then
      -- While a PIX infraction is open, its loss can look like a refund (private.apply_infraction).
      continue when exists (
        select from public.disputes d
        where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id
          and (d.provider_refunds ? (reported ->> 'key') or private.can_be_infraction_loss(d, reported)));
      -- A refund that failed before it was ever seen moved no money.
      continue when reported ->> 'status' = 'failed' and not reported ? 'moved';
      insert into public.refunds as r
        (tenant_id, invoice_id, status, amount, currency, reason, origin, provider, provider_account_id, provider_refunds, pending_reason, action_url,
         settled_at)
      values
        (invoice.tenant_id, invoice.id, case reported ->> 'status' when 'failed' then 'succeeded' else reported ->> 'status' end,
         (reported ->> 'amountMinor')::bigint, invoice.currency, left(reported ->> 'description', 500), 'provider', invoice.provider,
         invoice.provider_account_id, jsonb_build_object(reported ->> 'key', reported -> 'amountMinor'), reported ->> 'pendingReason',
         reported ->> 'actionUrl', case when reported ->> 'status' <> 'pending' then coalesce((reported ->> 'settledAt')::timestamptz, now()) end)
      returning r.* into refund;
    end if;
    perform private.apply_refund(invoice, refund, reported);
  end loop;
end
$$;

comment on function private.apply_refunds(public.invoices, jsonb) is
  'Applies the refunds of an order''s report, and stores those made at the provider. Lock the invoice first.';

create function app.apply_refund_report(id text, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  refund  public.refunds;
begin
  select i.* into invoice from public.invoices i
  join public.refunds r on r.tenant_id = i.tenant_id and r.invoice_id = i.id
  where r.tenant_id = app.tenant_id() and r.id = apply_refund_report.id
  for update of i;
  -- A separate statement, because the row may have changed while the one above waited.
  select r.* into refund from public.refunds r where r.tenant_id = invoice.tenant_id and r.id = apply_refund_report.id;
  if refund.id is not null then
    perform private.apply_refund(invoice, refund, report);
  end if;
end
$$;

comment on function app.apply_refund_report(text, jsonb) is 'Applies a provider''s answer to a refund of the transaction''s tenant.';

grant execute on function app.apply_refund_report(text, jsonb) to payments, worker;

create function app.end_refund(id text, failure_reason text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.refunds r set status = 'failed', failure_reason = end_refund.failure_reason, settled_at = now(), pending_reason = null
  where r.tenant_id = app.tenant_id() and r.id = end_refund.id and r.status = 'pending' and r.entry_id is null;
  return found;
end
$$;

comment on function app.end_refund(text, text) is 'Fails a pending refund that moved no money, so that its amount can be refunded again; false if there is none.';

grant execute on function app.end_refund(text, text) to worker;

-- Disputes ------------------------------------------------------------------------------------------------------------

create function private.apply_chargebacks(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  reported jsonb;
  dispute  public.disputes;
begin
  for reported in select d from jsonb_array_elements(report -> 'disputes') as d loop
    select d.* into dispute from public.disputes d
    where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'chargeback'
      and (d.provider_reference = reported ->> 'providerReference' or d.provider_reference is null)
    order by d.provider_reference nulls last, d.id
    limit 1;
    if dispute.id is null then
      insert into public.disputes as d (tenant_id, invoice_id, kind, amount, provider_reference, opened_at)
      values (invoice.tenant_id, invoice.id, 'chargeback', (reported ->> 'amountMinor')::bigint, reported ->> 'providerReference',
              coalesce((reported ->> 'openedAt')::timestamptz, now()))
      returning d.* into dispute;
    end if;
    update public.disputes d
    set status = reported ->> 'status', provider_reference = reported ->> 'providerReference',
        lost = case reported ->> 'status' when 'lost' then d.amount else 0 end,
        closed_at = case when reported ->> 'status' <> 'open' then coalesce(d.closed_at, now()) end
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
      and (d.status = 'open' and reported ->> 'status' <> 'open' or d.provider_reference is null);
  end loop;
end
$$;

comment on function private.apply_chargebacks(public.invoices, jsonb) is 'Stores the chargebacks of an order''s report and closes decided ones.';

create function private.apply_infraction(invoice public.invoices, report jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  dispute  public.disputes;
  reported jsonb;
  waiting  boolean := false;
  loss     bigint;
  blocked  bigint;
begin
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction' and d.status = 'open';
  if dispute.id is null then
    return;
  end if;
  -- While the dispute is open, the API accepts no refunds, so an unknown refund of the payment took the disputed money.
  for reported in select r from jsonb_array_elements(coalesce(report -> 'refunds', '[]')) as r loop
    continue when not coalesce(private.can_be_infraction_loss(dispute, reported), false)
               or (private.find_refund(invoice, reported)).id is not null or dispute.provider_refunds ? (reported ->> 'key');
    waiting := waiting or reported ->> 'status' = 'pending';
    continue when reported ->> 'status' <> 'succeeded';
    loss := (reported ->> 'amountMinor')::bigint;
    blocked := least(dispute.amount - dispute.released, loss);
    perform private.add_adjustment(
      invoice.provider_account_id, invoice.tenant_id, invoice.provider, invoice, null, 'balance_released', invoice.currency, blocked);
    perform private.add_adjustment(
      invoice.provider_account_id, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback', invoice.currency, -loss);
    update public.disputes d
    set lost = d.lost + loss, released = d.released + blocked, released_unstated = d.released_unstated + blocked,
        released_at = coalesce(d.released_at, now()),
        provider_refunds = d.provider_refunds || jsonb_build_object(reported ->> 'key', reported -> 'amountMinor')
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
    returning d.* into dispute;
  end loop;
  update public.disputes d
  set status = case when d.lost > 0 then 'lost' else 'won' end, closed_at = now()
  where d.tenant_id = dispute.tenant_id and d.id = dispute.id and d.released = d.amount
    -- Asaas unblocks the money of a lost dispute shortly before it refunds the payment.
    and (d.lost > 0 or not waiting and report #>> '{state,status}' = 'paid' and invoice.looked_at >= d.released_at + interval '10 seconds');
end
$$;

comment on function private.apply_infraction(public.invoices, jsonb) is
  'Closes an open PIX infraction: lost if its payment was refunded, won if it is still received 10 s after the balance was released.';

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


-- Payments: comparing an account with its provider.

-- Reconciliation ------------------------------------------------------------------------------------------------------

create table public.provider_statement_lines (
  account_id         text        not null,
  line_id            text        not null,
  tenant_id          uuid        not null,
  at                 timestamptz not null,
  currency           text        not null,
  amount             bigint      not null,
  order_kind         text        check (order_kind in ('charge', 'payout')),
  provider_reference text,
  description        text        not null,
  type text,
  named_reference text,
  claimed_by text,
  reason text,
  primary key (account_id, line_id),
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_statement_lines is 'Statement lines from providers since their accounts were connected.';
comment on column public.provider_statement_lines.amount is 'Signed change of the balance in minor units.';
comment on column public.provider_statement_lines.provider_reference is
  'The provider''s id of the charge or payout; lines without one become adjustments in the ledger.';
comment on column public.provider_statement_lines.reason is
  'Reason of the ledger entry if the order''s report does not cover the line; null if reports always cover such lines.';
comment on column public.provider_statement_lines.type is 'The provider''s type of the line, for lines that may block or unblock balance.';
comment on column public.provider_statement_lines.named_reference is 'The charge that a line of the account names, in the provider''s ids.';
comment on column public.provider_statement_lines.claimed_by is 'The balance event that this line belongs to.';

create index provider_statement_lines_order_idx on public.provider_statement_lines (tenant_id, account_id, provider_reference);

alter table public.provider_statement_lines enable row level security;
grant select on public.provider_statement_lines to worker;

create policy "Jobs compare statements" on public.provider_statement_lines for select to worker using (true);

create table public.provider_differences (
  id          bigint      generated always as identity primary key,
  tenant_id   uuid        not null,
  account_id  text        not null,
  kind        text        not null check (kind in ('unknown_order', 'missing_order', 'amount', 'second_transfer', 'refused_refund')),
  subject     text        not null,
  ours        jsonb,
  theirs      jsonb,
  found_at    timestamptz not null default now(),
  resolved_at timestamptz,
  foreign key (tenant_id, account_id) references public.provider_accounts (tenant_id, id) on delete cascade
);

comment on table  public.provider_differences is 'Unexplained differences found by reconciliation with a provider.';

comment on column public.provider_differences.kind is
  'unknown_order, missing_order: only one side has it; amount: amounts differ; second_transfer, refused_refund: Placar did not approve it.';
comment on column public.provider_differences.subject is 'Our id of the order, or the provider''s.';
comment on column public.provider_differences.resolved_at is 'When a later reconciliation no longer found the difference.';

create unique index provider_differences_open_idx on public.provider_differences (account_id, kind, subject) where resolved_at is null;
create index provider_differences_account_idx on public.provider_differences (tenant_id, account_id);

alter table public.provider_differences enable row level security;
grant select, insert, update on public.provider_differences to worker;

create policy "Jobs record differences" on public.provider_differences for all to worker using (true) with check (true);

create function app.enter_statement_lines(account_id text, lines jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  line    record;
  event   public.provider_balance_events;
  stored  public.provider_statement_lines;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_statement_lines.account_id for no key update;
  for line in
    with made as (
      insert into public.provider_statement_lines as s
        (account_id, line_id, tenant_id, at, currency, amount, order_kind, provider_reference, description, type, named_reference, reason)
      select account.id, l ->> 'id', account.tenant_id, (l ->> 'at')::timestamptz, l ->> 'currency', (l ->> 'amountMinor')::bigint,
             l #>> '{order,kind}', coalesce(i.provider_reference, p.provider_reference, l #>> '{order,providerReference}'),
             l ->> 'description', l ->> 'type', l ->> 'namedReference', l ->> 'orderReason'
      from jsonb_array_elements(lines) as l
      left join public.invoices i on i.tenant_id = account.tenant_id and i.id = l ->> 'ourId' and i.provider_account_id = account.id
      left join public.payouts p  on p.tenant_id = account.tenant_id and p.id = l ->> 'ourId' and p.provider_account_id = account.id
      -- Lines from before the account was connected are ignored.
      where (l ->> 'at')::timestamptz >= account.created_at - interval '1 day'
      on conflict on constraint provider_statement_lines_pkey do nothing
      returning s.line_id, s.currency, s.amount, s.order_kind, s.provider_reference, s.reason as order_reason
    ), noted as (
      insert into private.provider_orders_to_compare (account_id, kind, provider_reference)
      select distinct account.id, m.order_kind, m.provider_reference from made m
      where m.provider_reference is not null and m.order_kind is not null
    )
    select m.*, l ->> 'reason' as reason
    from made m join jsonb_array_elements(lines) with ordinality as e (l, place) on l ->> 'id' = m.line_id
    where m.provider_reference is null or m.order_reason in ('balance_blocked', 'balance_released')
    order by place
  loop
    select l.* into stored from public.provider_statement_lines l where l.account_id = account.id and l.line_id = line.line_id;
    select e.* into event from public.provider_balance_events e
    where e.tenant_id = account.tenant_id and e.account_id = account.id and e.line_id is null
      and e.received_at > now() - interval '7 days' and private.can_match_line(e, stored) and private.is_applicable_now(e)
    order by e.provider_reference = stored.named_reference desc nulls last, e.received_at
    limit 1;
    if event.event_id is not null then
      perform private.assign_statement_line(event, stored, false);
      continue;
    end if;
    continue when line.provider_reference is not null;
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null, line.reason, line.currency, line.amount);
    entered := entered + 1;
  end loop;
  return entered;
end
$$;

comment on function app.enter_statement_lines(text, jsonb) is
  'Stores statement lines, each once, turns lines without an order into adjustments and returns the number of adjustments.';

grant execute on function app.enter_statement_lines(text, jsonb) to worker;

-- Changes since the last reconciliation -------------------------------------------------------------------------------
-- Comparing all orders of an account would take longer every day. Each new statement line and ledger entry therefore
-- notes its order here. A comparison processes a limited number of notes and deletes those whose orders match. Writers
-- only insert notes, so they wait neither for each other nor for a comparison.

create table private.provider_orders_to_compare (
  id                 bigint generated always as identity primary key,
  account_id         text   not null references public.provider_accounts (id) on delete cascade,
  kind               text   not null check (kind in ('charge', 'payout')),
  order_id           text,
  provider_reference text,
  compared_at        timestamptz,
  check (num_nonnulls(order_id, provider_reference) = 1)
);

comment on table  private.provider_orders_to_compare is 'Orders whose statement or ledger changed since they last matched.';
comment on column private.provider_orders_to_compare.order_id is 'Our order id, from a ledger entry.';
comment on column private.provider_orders_to_compare.provider_reference is 'The provider''s order id, from a statement line.';
comment on column private.provider_orders_to_compare.compared_at is
  'When the order was last found to differ; null if not compared yet.';

create index provider_orders_to_compare_account_idx on private.provider_orders_to_compare (account_id, compared_at nulls first, id);

alter table private.provider_orders_to_compare enable row level security;

create function private.note_order_to_compare() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.provider_orders_to_compare (account_id, kind, order_id)
  values (new.provider_account_id, case when new.invoice_id is null then 'payout' else 'charge' end, coalesce(new.invoice_id, new.payout_id));
  return null;
end
$$;

comment on function private.note_order_to_compare() is
  'Trigger: notes an order for comparison with its provider''s statement when its ledger changes.';

create trigger balance_transactions_compare after insert on public.balance_transactions
  for each row when (new.provider_account_id is not null and (new.invoice_id is not null or new.payout_id is not null))
  execute function private.note_order_to_compare();

create function private.uneven_among(account public.provider_accounts, orders jsonb)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language sql stable security definer
set search_path = ''
as $$
  -- Sums each order by index instead of scanning the whole account.
  select n.kind, o.id, n.provider_reference, m.currency, sum(m.ours)::bigint, sum(m.theirs)::bigint, coalesce(o.under_way, false)
  from (select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text)) as n
  left join lateral (
    select i.id, i.status in ('creating', 'open') or coalesce(i.available_on >= current_date, false)
           -- The provider may take the money when a refund begins.
           or exists (select from public.refunds r
                      where r.tenant_id = i.tenant_id and r.invoice_id = i.id and r.status in ('creating', 'pending')) as under_way
    from public.invoices i
    where n.kind = 'charge' and i.tenant_id = account.tenant_id and i.provider_account_id = account.id
      and i.provider_reference = n.provider_reference
    union all
    select p.id, p.status in ('creating', 'created', 'incoming_payment_waiting', 'processing')
    from public.payouts p
    where n.kind = 'payout' and p.tenant_id = account.tenant_id and p.provider_account_id = account.id
      and p.provider_reference = n.provider_reference
  ) as o on true
  cross join lateral (
    select l.currency, 0 as ours, l.amount as theirs
    from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = n.provider_reference
      and l.order_kind = n.kind
    union all
    select b.currency, b.net, 0 from public.balance_transactions b
    where n.kind = 'charge' and b.tenant_id = account.tenant_id and b.invoice_id = o.id
    union all
    select b.currency, b.net, 0 from public.balance_transactions b
    where n.kind = 'payout' and b.tenant_id = account.tenant_id and b.payout_id = o.id
  ) as m
  -- An order that is not on the statement yet is not a difference.
  where exists (
    select from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = n.provider_reference
      and l.order_kind = n.kind)
  group by n.kind, o.id, n.provider_reference, m.currency, o.under_way
  having sum(m.ours) <> sum(m.theirs)
$$;

comment on function private.uneven_among(public.provider_accounts, jsonb) is
  'The given orders (kind, provider_reference) whose ledger sum differs from the statement, by currency.';

-- under_way: whether a difference may be temporary, because the statement can show the money before the order is paid
-- or only on the day on which it becomes available.
create function app.uneven_orders(account_id text, at_most integer)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account public.provider_accounts;
begin
  select a.* into account from public.provider_accounts a where a.id = uneven_orders.account_id;
  -- Use a single statement: none of its parts sees notes inserted concurrently, which remain for the next comparison.
  return query
    with noted as materialized (
      select n.id, n.kind, coalesce(n.provider_reference, i.provider_reference, p.provider_reference) as provider_reference
      from (
        select c.* from private.provider_orders_to_compare c
        where c.account_id = uneven_orders.account_id
        order by c.compared_at nulls first, c.id
        limit at_most
      ) as n
      left join public.invoices i on n.kind = 'charge' and i.tenant_id = account.tenant_id and i.id = n.order_id
      left join public.payouts p  on n.kind = 'payout' and p.tenant_id = account.tenant_id and p.id = n.order_id
    ), mismatched as materialized (
      select u.*
      from private.uneven_among(account, (
        select coalesce(jsonb_agg(jsonb_build_object('kind', n.kind, 'provider_reference', n.provider_reference)), '[]')
        from noted n where n.provider_reference is not null)) as u
    ), differing as (
      select n.id from noted n
      where n.provider_reference is null
         or exists (select from mismatched u where u.kind = n.kind and u.provider_reference = n.provider_reference)
    ), kept as (
      update private.provider_orders_to_compare k set compared_at = now() where k.id in (select d.id from differing d)
    ), even as (
      delete from private.provider_orders_to_compare e
      where e.id in (select n.id from noted n except select d.id from differing d)
    )
    select u.kind, u.id, u.provider_reference, u.currency, u.ours, u.theirs, u.under_way from mismatched u;
end
$$;

comment on function app.uneven_orders(text, integer) is
  'Compares at_most noted orders with the statement, deletes the notes of matching ones and returns the rest; id is null if not ours.';

grant execute on function app.uneven_orders(text, integer) to worker;

create function app.uneven_again(account_id text, orders jsonb)
returns table (kind text, id text, provider_reference text, currency text, ours bigint, theirs bigint, under_way boolean)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query
    select u.*
    from public.provider_accounts a
    cross join lateral private.uneven_among(a, (
      select coalesce(jsonb_agg(o), '[]')
      from (
        select r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text)
        union
        select d.theirs ->> 'kind', d.theirs ->> 'id' from public.provider_differences d
        where d.tenant_id = a.tenant_id and d.account_id = a.id and d.resolved_at is null and d.theirs is not null
      ) as o)) as u
    where a.id = uneven_again.account_id;
end
$$;

comment on function app.uneven_again(text, jsonb) is
  'The orders that still differ among these (kind, provider_reference) and an account''s unresolved differences.';

grant execute on function app.uneven_again(text, jsonb) to worker;

create function app.has_orders_to_compare(account_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.provider_orders_to_compare n
    where n.account_id = has_orders_to_compare.account_id and n.compared_at is null)
$$;

comment on function app.has_orders_to_compare(text) is 'Whether an account has changed orders that were never compared.';

grant execute on function app.has_orders_to_compare(text) to worker;

create view admin.provider_differences with (security_invoker = true) as
  select id, tenant_id, account_id, kind, subject, ours, theirs, found_at, resolved_at
  from public.provider_differences;

comment on view admin.provider_differences is
  'Unexplained differences with providers, with both sides; investigate those without resolved_at.';

create view admin.provider_balances with (security_invoker = true) as
  select a.id as account_id, a.tenant_id, t.slug as tenant, a.provider, b ->> 'currency' as currency, (b ->> 'amount')::bigint as balance,
         a.balance_read_at,
         coalesce((select sum(l.net) from public.balance_transactions l
                   where l.tenant_id = a.tenant_id and l.provider_account_id = a.id and l.currency = b ->> 'currency'), 0)::bigint as in_ledger
  from public.provider_accounts a
  join public.tenants t on t.id = a.tenant_id
  cross join lateral jsonb_array_elements(a.balances) as b;

comment on view admin.provider_balances is
  'Provider account balances compared with the sum of ledger entries since the account was connected, in minor units.';

create view admin.provider_events with (security_invoker = true) as
  select account_id, event_id, tenant_id, type, about, received_at, applied_at
  from public.provider_account_events;

comment on view admin.provider_events is 'Webhook events received from providers, and when they were applied.';
-- The comparison with a provider runs in a job, so its function says that it begins instead of that nothing changed.

create function admin.reconcile_provider(account text) returns text
language plpgsql
set search_path = ''
as $$
begin
  perform private.reconcile_provider(account);
  return 'Comparing the account with its provider. It is done when reconciled_at in admin.provider_accounts is later than now.';
end
$$;

comment on function admin.reconcile_provider(text) is
  'Reconciles an account with its provider now: applies missed changes and lists other differences in admin.provider_differences.';

-- Payments: balance that a provider blocks or unblocks because of a charge.
--
-- A statement line moves the money; an event names the charge. Each event is matched once with the statement line of its
-- amount, in whichever order they arrive. Matching locks the account's row.

create function private.assign_statement_line(event public.provider_balance_events, line public.provider_statement_lines, is_booked boolean)
returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  dispute public.disputes;
  stated  bigint;
  entered bigint;
begin
  select i.* into invoice from public.invoices i
  where i.tenant_id = event.tenant_id and i.provider_account_id = event.account_id and i.provider_reference = event.provider_reference
  for update;
  -- A comparison may have entered the line for the charge already.
  entered := coalesce((
    select sum(b.amount) from public.balance_transactions b
    where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.statement_line = line.line_id), 0);
  update public.provider_statement_lines l
  set claimed_by = event.event_id, order_kind = 'charge', provider_reference = event.provider_reference
  where l.account_id = line.account_id and l.line_id = line.line_id;
  update public.provider_balance_events e set line_id = line.line_id where e.account_id = event.account_id and e.event_id = event.event_id;
  if is_booked then
    perform private.add_adjustment(
      event.account_id, event.tenant_id, invoice.provider, null, null,
      case when line.amount < 0 then 'balance_released' else 'balance_blocked' end, line.currency, -line.amount);
  end if;
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id and d.kind = 'pix_infraction'
  order by d.id desc limit 1;
  stated := line.amount;
  if event.type = 'PIX_INFRACTION' and event.change = 'blocked' then
    if dispute.status = 'open' then
      update public.disputes d set amount = d.amount - line.amount where d.tenant_id = dispute.tenant_id and d.id = dispute.id;
    else
      insert into public.disputes (tenant_id, invoice_id, kind, amount, provider_reference)
      values (invoice.tenant_id, invoice.id, 'pix_infraction', -line.amount, event.provider_reference);
    end if;
  elsif event.type = 'PIX_INFRACTION' then
    -- A lost dispute was released in the ledger when its payment was refunded.
    stated := line.amount - least(line.amount, dispute.released_unstated);
    update public.disputes d
    set released_unstated = d.released_unstated - (line.amount - stated), released = d.released + stated,
        released_at = case when stated > 0 then now() else d.released_at end
    where d.tenant_id = dispute.tenant_id and d.id = dispute.id
    returning d.* into dispute;
    if dispute.status = 'open' and dispute.released = dispute.amount then
      insert into public.jobs (tenant_id, name, key, payload, due_at)
      values (event.tenant_id, 'close-dispute', event.account_id || ':' || event.event_id, jsonb_build_object('invoice_id', invoice.id),
              now() + interval '10 seconds')
      on conflict (name, key) do nothing;
    end if;
  end if;
  -- An amount entered in excess of the line is reversed under the opposite reason.
  perform private.add_adjustment(
    event.account_id, event.tenant_id, invoice.provider, invoice, null,
    case when stated - entered < 0 then 'balance_blocked' else 'balance_released' end, line.currency, stated - entered);
end
$$;

comment on function private.assign_statement_line(public.provider_balance_events, public.provider_statement_lines, boolean) is
  'Enters a statement line for the charge that an event names; is_booked: it is already entered as the account''s own.';

create function private.may_block(type text) returns boolean
language sql immutable parallel safe
return type ~ '^(DEBIT|DEBIT_REVERSAL|CONTRACTUAL_EFFECT_SETTLEMENT|CONTRACTUAL_EFFECT_SETTLEMENT_REVERSAL)$|_BLOCK$|_BLOCK_REVERSAL$';

comment on function private.may_block(text) is 'Whether a statement line of this type may block or unblock balance.';

create function private.can_match_line(event public.provider_balance_events, line public.provider_statement_lines) returns boolean
language sql immutable
set search_path = ''
as $$
  select line.claimed_by is null and line.currency = event.currency
    and line.amount = case event.change when 'blocked' then -event.amount else event.amount end
    and case
      when line.provider_reference is not null then
        line.order_kind = 'charge' and line.provider_reference = event.provider_reference and line.reason in ('balance_blocked', 'balance_released')
      when line.named_reference is not null then line.named_reference = event.provider_reference and line.type !~ '_FEE(_|$)'
      else private.may_block(line.type) and abs((line.at at time zone 'America/Sao_Paulo')::date - event.on_day) <= 3
    end
$$;

comment on function private.can_match_line(public.provider_balance_events, public.provider_statement_lines) is
  'Whether a statement line can be the movement of a balance event.';

create function private.is_applicable_now(event public.provider_balance_events) returns boolean
language sql stable
set search_path = ''
as $$
  select (event.change = 'blocked' or event.amount <= (
      select coalesce(sum(case e.change when 'blocked' then e.amount else -e.amount end), 0)
      from public.provider_balance_events e
      where e.tenant_id = event.tenant_id and e.account_id = event.account_id and e.provider_reference = event.provider_reference
        and e.type = event.type and e.line_id is not null))
    and exists (
      select from public.invoices i
      where i.tenant_id = event.tenant_id and i.provider_account_id = event.account_id and i.provider_reference = event.provider_reference
        and i.status = 'paid')
$$;

comment on function private.is_applicable_now(public.provider_balance_events) is
  'Whether a balance event can be applied now: its charge is paid and, if it unblocks balance, that balance is blocked.';

create function app.match_balance_event(account_id text, event_id text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  event public.provider_balance_events;
  line  public.provider_statement_lines;
  later text;
begin
  perform from public.provider_accounts a where a.id = match_balance_event.account_id for no key update;
  select e.* into event from public.provider_balance_events e
  where e.account_id = match_balance_event.account_id and e.event_id = match_balance_event.event_id;
  if event.event_id is null or event.line_id is not null then
    return true;
  elsif not private.is_applicable_now(event) then
    return false;
  end if;
  select l.* into line from public.provider_statement_lines l
  where l.tenant_id = event.tenant_id and l.account_id = event.account_id and l.at > event.on_day - interval '5 days'
    and private.can_match_line(event, l)
  order by coalesce(l.provider_reference, l.named_reference) nulls last, l.at, l.line_id
  limit 1;
  if line.line_id is null then
    return false;
  end if;
  -- A line without an order is already recorded as an adjustment of the account.
  perform private.assign_statement_line(event, line, line.provider_reference is null);
  for later in
    select e.event_id from public.provider_balance_events e
    where event.change = 'blocked' and e.tenant_id = event.tenant_id and e.account_id = event.account_id
      and e.provider_reference = event.provider_reference and e.change = 'unblocked' and e.line_id is null
      and e.received_at > now() - interval '7 days'
    order by e.received_at
  loop
    perform app.match_balance_event(event.account_id, later);
  end loop;
  return true;
end
$$;

comment on function app.match_balance_event(text, text) is
  'Enters the stored statement line of a balance event for its charge; false if the line is not there yet.';

grant execute on function app.match_balance_event(text, text) to worker;

create function app.store_balance_event(account_id text, event_id text, about jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  if about ->> 'type' not in ('PIX_INFRACTION', 'CONTRACTUAL_EFFECT') then
    return false;
  end if;
  insert into public.provider_balance_events (account_id, event_id, tenant_id, change, type, amount, currency, provider_reference, on_day)
  select a.id, store_balance_event.event_id, a.tenant_id, about ->> 'change', about ->> 'type', (about ->> 'amountMinor')::bigint,
         about ->> 'currency', about ->> 'providerReference', (about ->> 'day')::date
  from public.provider_accounts a
  join public.invoices i on i.tenant_id = a.tenant_id and i.provider_account_id = a.id and i.provider_reference = about ->> 'providerReference'
  where a.id = store_balance_event.account_id
  on conflict on constraint provider_balance_events_pkey do nothing;
  return exists (
    select from public.provider_balance_events e where e.account_id = store_balance_event.account_id and e.event_id = store_balance_event.event_id);
end
$$;

comment on function app.store_balance_event(text, text, jsonb) is
  'Stores a balance event that concerns a charge of ours; false if it concerns only the account.';

grant execute on function app.store_balance_event(text, text, jsonb) to worker;

create function app.unmatched_balance_events(account_id text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  select e.event_id from public.provider_balance_events e
  join public.provider_accounts a on a.tenant_id = e.tenant_id and a.id = e.account_id
  where a.id = unmatched_balance_events.account_id and e.line_id is null and e.received_at > now() - interval '7 days'
  order by e.received_at
$$;

comment on function app.unmatched_balance_events(text) is 'Balance events of an account whose statement lines have not been found for less than 7 days.';

grant execute on function app.unmatched_balance_events(text) to worker;

create function app.assign_unmatched_lines(account_id text, orders jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  mismatched  record;
  line    public.provider_statement_lines;
  dispute public.disputes;
  claimed integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = assign_unmatched_lines.account_id for no key update;
  for mismatched in
    select u.id, u.provider_reference, u.currency, u.ours - u.theirs as missing from private.uneven_among(account, orders) as u
    where u.kind = 'charge' and u.id is not null
  loop
    select d.* into dispute from public.disputes d
    where d.tenant_id = account.tenant_id and d.invoice_id = mismatched.id and d.kind = 'pix_infraction' order by d.id desc limit 1;
    -- Only a payment that its provider refunded can owe its difference to blocked balance whose event was lost.
    continue when coalesce(dispute.lost, 0) = 0 and not exists (
      select from public.refunds r
      where r.tenant_id = account.tenant_id and r.invoice_id = mismatched.id and r.origin = 'provider' and r.status = 'succeeded');
    select l.* into line from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference is null and l.claimed_by is null
      and l.currency = mismatched.currency and l.amount = mismatched.missing and private.may_block(l.type)
      and coalesce(l.named_reference, mismatched.provider_reference) = mismatched.provider_reference
    order by l.named_reference nulls last, l.at, l.line_id
    limit 1;
    continue when line.line_id is null;
    update public.provider_statement_lines l
    set claimed_by = mismatched.id, order_kind = 'charge', provider_reference = mismatched.provider_reference
    where l.account_id = line.account_id and l.line_id = line.line_id;
    update public.disputes d set released_unstated = greatest(0, d.released_unstated - line.amount)
    where d.tenant_id = account.tenant_id and d.id = dispute.id and line.amount > 0;
    perform private.add_adjustment(
      account.id, account.tenant_id, account.provider, null, null,
      case when line.amount < 0 then 'balance_released' else 'balance_blocked' end, line.currency, -line.amount);
    claimed := claimed + 1;
  end loop;
  return claimed;
end
$$;

comment on function app.assign_unmatched_lines(text, jsonb) is
  'Assigns lines of blocked balance to refunded charges (kind, provider_reference) whose mismatch they explain; returns the number of lines.';

grant execute on function app.assign_unmatched_lines(text, jsonb) to worker;

-- Payments: lines of a provider's statement that belong to an order.

create function private.amount_beyond_lines(change numeric, lines numeric) returns bigint
language sql immutable parallel safe
return (change - case when sign(change) = sign(lines) then sign(change) * least(abs(change), abs(lines)) else 0 end)::bigint;

comment on function private.amount_beyond_lines(numeric, numeric) is
  'The part of a reported change that is not yet in the ledger through entries for statement lines.';

create function private.amount_beyond_entered_lines(invoice public.invoices, payout public.payouts, reason text, currency text, amount bigint)
returns bigint
language sql stable
set search_path = ''
as $$
  select private.amount_beyond_lines(amount_beyond_entered_lines.amount + l.total, l.total)
  from (
    select coalesce(sum(b.net), 0) as total
    from public.balance_transactions b
    where b.tenant_id = coalesce(invoice.tenant_id, payout.tenant_id) and b.statement_line is not null
      and b.reason = amount_beyond_entered_lines.reason and b.currency = amount_beyond_entered_lines.currency
      and (b.invoice_id = invoice.id or b.payout_id = payout.id)
  ) as l
$$;

comment on function private.amount_beyond_entered_lines(public.invoices, public.payouts, text, text, bigint) is
  'The part of an order''s change that is not yet in the ledger through entries for its statement lines.';

create function app.record_line_reasons(account_id text, lines jsonb) returns void
language sql security definer
set search_path = ''
as $$
  update public.provider_statement_lines s
  set reason = l.reason
  from jsonb_to_recordset(lines) as l (id text, reason text)
  where s.account_id = record_line_reasons.account_id and s.line_id = l.id and s.reason is null and l.reason is not null
$$;

comment on function app.record_line_reasons(text, jsonb) is
  'Records the reasons (id, reason) under which statement lines of orders are entered if reports do not cover them.';

grant execute on function app.record_line_reasons(text, jsonb) to worker;

create function private.uncovered_lines(
  account public.provider_accounts, kind text, order_id text, provider_reference text, currency text, difference bigint
) returns setof public.provider_statement_lines
language sql stable security definer
set search_path = ''
as $$
  with recursive entries as (
    select b.* from public.balance_transactions b
    where b.tenant_id = account.tenant_id and b.currency = uncovered_lines.currency
      and case when kind = 'charge' then b.invoice_id else b.payout_id end = order_id
  ), covered as (
    select m.amount, count(*) as times
    from entries e
    cross join lateral (
      select e.amount union all select parts.amount from (values (-e.fee), (e.net)) as parts (amount) where e.fee <> 0
    ) as m
    where e.statement_line is null
    group by m.amount
  ), candidates as (
    select l.*, row_number() over (partition by l.amount order by l.at, l.line_id) as nth
    from public.provider_statement_lines l
    where l.tenant_id = account.tenant_id and l.account_id = account.id and l.provider_reference = uncovered_lines.provider_reference
      and l.order_kind = kind and l.currency = uncovered_lines.currency and l.reason is not null
      and not exists (select from entries e where e.statement_line = l.line_id)
  ), newest as (
    -- A line with the same amount as an entry belongs to that entry. Twelve lines have 4095 combinations.
    select c.line_id, c.amount, row_number() over (order by c.at desc, c.line_id desc) as place
    from candidates c left join covered v on v.amount = c.amount
    where c.nth > coalesce(v.times, 0)
    order by c.at desc, c.line_id desc
    limit 12
  ), combinations (place, ids, total) as (
    select n.place, array[n.line_id], n.amount from newest n
    union all
    select n.place, c.ids || n.line_id, c.total + n.amount from combinations c join newest n on n.place > c.place
  ), fitting as (
    select c.ids from combinations c where c.total = difference order by cardinality(c.ids), c.ids limit 1
  )
  select l.* from public.provider_statement_lines l, fitting f
  where l.tenant_id = account.tenant_id and l.account_id = account.id and l.line_id = any (f.ids)
$$;

comment on function private.uncovered_lines(public.provider_accounts, text, text, text, text, bigint) is
  'The fewest statement lines without a ledger entry that explain by how much an order''s statement exceeds its ledger.';

create function app.enter_uncovered_lines(account_id text, orders jsonb) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
  one     record;
  line    record;
  invoice public.invoices;
  payout  public.payouts;
  entered integer := 0;
begin
  select a.* into account from public.provider_accounts a where a.id = enter_uncovered_lines.account_id;
  for one in select distinct r.kind, r.provider_reference from jsonb_to_recordset(orders) as r (kind text, provider_reference text) loop
    -- The lock prevents reports from changing the order's entries. A report may still cover an order in progress.
    select i.* into invoice from public.invoices i
    where one.kind = 'charge' and i.tenant_id = account.tenant_id and i.provider_account_id = account.id
      and i.provider_reference = one.provider_reference and i.status not in ('creating', 'open')
    for update;
    select p.* into payout from public.payouts p
    where one.kind = 'payout' and p.tenant_id = account.tenant_id and p.provider_account_id = account.id
      and p.provider_reference = one.provider_reference and p.status not in ('creating', 'created', 'incoming_payment_waiting', 'processing')
    for update;
    continue when coalesce(invoice.id, payout.id) is null;
    -- A refund in progress may explain the line once it has ended.
    continue when exists (
      select from public.refunds r
      where r.tenant_id = invoice.tenant_id and r.invoice_id = invoice.id and r.status in ('creating', 'pending'));
    for line in
      select l.line_id, l.currency, l.amount, l.reason
      from private.uneven_among(account, jsonb_build_array(to_jsonb(one))) as u
      cross join lateral private.uncovered_lines(account, one.kind, u.id, one.provider_reference, u.currency, u.theirs - u.ours) as l
    loop
      insert into public.balance_transactions
        (tenant_id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, cost_center, our_number,
         contractor_reference, provider, provider_account_id, reason, statement_line)
      values
        (account.tenant_id, 'adjustment', line.amount, line.currency, 0, line.amount, private.today(account.tenant_id), invoice.id, payout.id,
         coalesce(invoice.cost_center, payout.cost_center), coalesce(invoice.our_number, payout.our_number),
         coalesce(invoice.contractor_reference, payout.contractor_reference), account.provider, account.id, line.reason, line.line_id);
      entered := entered + 1;
    end loop;
  end loop;
  return entered;
end
$$;

comment on function app.enter_uncovered_lines(text, jsonb) is
  'Enters the statement lines of completed orders (kind, provider_reference) that reports do not cover, each once; returns their number.';

grant execute on function app.enter_uncovered_lines(text, jsonb) to worker;

-- Payments: approval of payouts before they are sent. A payout that waits for approval has no order at its provider yet; once approved, a job
-- (order-payout) sends it.
--
-- Which payouts wait: those above the amount of a rule, and at any amount those of clients, of persons without manage:payments and of
-- persons by MCP (app.payout_approval). The latter three are rejected while 20 payouts of clients and persons of the tenant wait.
--
-- Who may approve or reject, whatever the amount: callers with the scope approve:payouts, both in their token and when they decide (the
-- endpoint: functions/v1/admin/payments.ts). Persons with the preset finance or admin have it (access/user-access.sql); the scope admin
-- does not include it. Not the caller that requested the payout, nor one that may be the same person (private.is_same_person,
-- access/credential-holders.sql); but persons may reject any, also their own (app.decide_payout). Studio has all rights: admin.approve_payout and
-- admin.reject_payout check none of this. Canceling needs no approver: functions/payments/payouts.ts.
--
-- Who may change a rule: callers with manage:payments; to raise or remove one, they also need approve:payouts, and persons manage:access
-- (app.set_payout_approval_rule).

create table public.payout_approval_rules (
  tenant_id    uuid   not null references public.tenants (id) on delete cascade,
  currency     text   not null check (currency ~ '^[A-Z]{3}$'),
  above_amount bigint not null check (above_amount >= 0),
  primary key (tenant_id, currency)
);

comment on table  public.payout_approval_rules is 'Rules for which payouts require manual approval before they are sent.';
comment on column public.payout_approval_rules.above_amount is 'Payouts above this amount require approval, in minor units.';

alter table public.payout_approval_rules enable row level security;
grant select on public.payout_approval_rules to api;

create policy "A tenant sees its own rules" on public.payout_approval_rules
  for select to api using (tenant_id = (select app.tenant_id()));

-- Which payouts wait --------------------------------------------------------------------------------------------------

create function app.only_requests_payouts() returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(case app.current_caller() ->> 'kind'
    when 'client' then true
    -- The tool of mcp requests payouts, whatever else the person may do.
    when 'person' then not app.caller_has('{manage:payments}') or nullif(current_setting('app.actor', true), '')::jsonb ->> 'via' = 'mcp'
  end, false);
end
$$;

comment on function app.only_requests_payouts() is 'Whether the payouts of the caller of the request wait for approval, whatever their amount.';

grant execute on function app.only_requests_payouts() to api;

create function app.payout_approval(currency text, amount bigint) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  if app.only_requests_payouts() then
    return 'waiting';
  end if;
  return (
    select 'waiting' from public.payout_approval_rules r
    where r.tenant_id = app.tenant_id() and r.currency = payout_approval.currency and r.above_amount < amount
  );
end
$$;

comment on function app.payout_approval(text, bigint) is
  'Returns waiting if a payout of this amount requires manual approval, or if its caller may only request it; otherwise null.';

grant execute on function app.payout_approval(text, bigint) to api;

create function private.check_requested_payout_limit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  allowed constant integer := 20;
begin
  -- Serializes concurrent requests, so that each counts the payouts of the others.
  perform pg_advisory_xact_lock(hashtextextended('requested payouts ' || new.tenant_id, 0));
  if allowed <= (
    select count(*) from public.payouts p
    where p.tenant_id = new.tenant_id and p.status in ('creating', 'created') and p.approval = 'waiting'
      and p.requested_by ->> 'kind' in ('client', 'person')
  ) and app.only_requests_payouts() then
    raise exception 'requested_payouts_waiting' using errcode = 'PL435', detail = allowed;
  end if;
  return new;
end
$$;

comment on function private.check_requested_payout_limit() is 'Raises PL435 if too many payouts that clients and persons requested wait for approval.';

create trigger limit_requested_payouts before insert on public.payouts for each row
  when (new.approval = 'waiting' and new.requested_by ->> 'kind' in ('client', 'person'))
  execute function private.check_requested_payout_limit();

-- Rules -----------------------------------------------------------------------------------------------------------------

create function private.require_payout_approval(tenant text, above_minor bigint, currency text default 'BRL') returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  if (currency ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('currency', format('"%s" is not a valid currency', currency), array['a code of three capital letters, such as BRL']);
  end if;
  if above_minor is null then
    delete from public.payout_approval_rules r where r.tenant_id = own and r.currency = require_payout_approval.currency;
    return;
  end if;
  perform private.expect_number('above_minor', above_minor, 0);
  insert into public.payout_approval_rules as r (tenant_id, currency, above_amount) values (own, currency, above_minor)
  on conflict on constraint payout_approval_rules_pkey do update set above_amount = excluded.above_amount;
end
$$;

comment on function private.require_payout_approval(text, bigint, text) is
  'Requires approval, from now on, for payouts of a tenant (slug or id) above an amount in minor units; null removes the requirement.';

create function app.set_payout_approval_rule(rule_currency text, above bigint) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  current bigint;
begin
  -- Also if there is no rule yet: another request may be creating the one that this one would raise.
  perform pg_advisory_xact_lock(hashtextextended('room public.payout_approval_rules' || app.tenant_id(), 0));
  select r.above_amount into current from public.payout_approval_rules r
  where r.tenant_id = app.tenant_id() and r.currency = rule_currency for update;
  if current is not null and (above is null or above > current) then
    -- A caller that can order payouts must not be able to disable their approval.
    perform app.expect_own_scopes(
      case app.current_caller() ->> 'kind' when 'person' then array['approve:payouts', 'manage:access'] else array['approve:payouts'] end,
      'approval_rule_protected');
  end if;
  perform private.require_payout_approval(app.tenant_id()::text, above, rule_currency);
end
$$;

comment on function app.set_payout_approval_rule(text, bigint) is 'Sets the amount above which payouts of the tenant require approval; null removes the rule.';

-- Decisions -------------------------------------------------------------------------------------------------------------

create function private.waiting_payout(id text) returns public.payouts
language plpgsql
set search_path = ''
as $$
declare
  payout public.payouts;
begin
  select p.* into payout from public.payouts p where p.id = waiting_payout.id for update;
  if not found then
    perform private.refuse_argument('id', format('payout %s does not exist', left(id, 100)));
  elsif payout.approval is null then
    perform private.refuse_argument('id', 'this payout does not require approval');
  elsif payout.approval <> 'waiting' or payout.status <> 'created' then
    perform private.refuse_argument(
      'id', format('this payout is not waiting for approval: it is %s', case when payout.approval = 'waiting' then payout.status else payout.approval end));
  end if;
  return payout;
end
$$;

comment on function private.waiting_payout(text) is 'Locks and returns a payout that waits for approval; rejects all others.';

create function private.approve_payout(id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  payout constant public.payouts := private.waiting_payout(id);
begin
  update public.payouts p set approval = 'approved' where p.tenant_id = payout.tenant_id and p.id = payout.id;
  insert into public.jobs (tenant_id, name, key, payload)
  values (payout.tenant_id, 'order-payout', payout.id, jsonb_build_object('payout_id', payout.id));
end
$$;

comment on function private.approve_payout(text) is 'Approves a payout that waits for approval and queues it for sending.';

create function private.reject_payout(id text, reason text) returns void
language plpgsql
set search_path = ''
as $$
declare
  payout constant public.payouts := private.waiting_payout(id);
begin
  perform private.expect_filled('reason', reason);
  update public.payouts p set approval = 'rejected', status = 'failed', failure_reason = reject_payout.reason, state_at = now()
  where p.tenant_id = payout.tenant_id and p.id = payout.id;
end
$$;

comment on function private.reject_payout(text, text) is 'Rejects a payout that waits for approval; the API shows the reason.';

create function app.decide_payout(payout_id text, reason text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  decider constant jsonb := app.current_caller();
  -- Persons may take back what they requested.
  decides constant boolean := reason is null or decider ->> 'kind' <> 'person';
  payout  public.payouts;
begin
  select * into payout from public.payouts p where p.tenant_id = app.tenant_id() and p.id = payout_id for update;
  if decides and payout.requested_by ->> 'id' = decider ->> 'id' then
    perform app.raise_domain_error('own_payout');
  elsif decides and private.is_same_person(payout.requested_by, decider) then
    perform app.raise_domain_error('requester_known');
  elsif payout.approval is distinct from 'waiting' or payout.status <> 'created' then
    perform app.raise_domain_error('payout_not_waiting', jsonb_build_object(
      'state', case when payout.approval in ('approved', 'rejected') then payout.approval else payout.status end));
  elsif reason is null and payout.beneficiary ->> 'document' = 'erased' then
    perform app.raise_domain_error('beneficiary_erased');
  elsif reason is null then
    perform private.approve_payout(payout_id);
  else
    perform private.reject_payout(payout_id, reason);
  end if;
end
$$;

comment on function app.decide_payout(text, text) is
  'Approves a payout of the tenant that waits for approval, or rejects it with a reason. Who requested it, or can act as that caller, may not; but persons may reject, and so take back their own.';

create function app.expect_approval(id text, approval text, ordered_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.payouts p
  where p.tenant_id = app.tenant_id() and p.id = expect_approval.id and p.approval is not distinct from expect_approval.approval
    and p.ordered_at is not distinct from expect_approval.ordered_at;
  if not found then
    raise exception 'the approval of payout % changed', id using errcode = 'PL002';
  end if;
end
$$;

comment on function app.expect_approval(text, text, timestamptz) is
  'Fails with PL002 unless a payout still has this approval and ordered_at; call it after app.expect_status, which locks the row.';

grant execute on function app.expect_approval(text, text, timestamptz) to api;

create view admin.payouts_to_approve with (security_invoker = true) as
  select p.id as payout_id, p.tenant_id, t.slug as tenant, p.amount, p.currency, p.beneficiary ->> 'name' as beneficiary_name, p.purpose,
         p.our_number, p.contractor_reference, p.created
  from public.payouts p
  join public.tenants t on t.id = p.tenant_id
  where p.approval = 'waiting' and p.status = 'created';

comment on view admin.payouts_to_approve is 'Payouts that wait for admin.approve_payout or admin.reject_payout.';

create view admin.payouts_to_fund with (security_invoker = true) as
  select p.id as payout_id, p.tenant_id, p.amount, p.currency, (p.funding ->> 'sourceAmountMinor')::bigint as source_amount,
         p.funding ->> 'sourceCurrency' as source_currency, p.funding ->> 'reference' as reference,
         (p.funding ->> 'fundBy')::timestamptz as fund_by
  from public.payouts p
  where p.status = 'incoming_payment_waiting' and p.funding is not null;

comment on view admin.payouts_to_fund is
  'Payouts that wait for manual funding at their provider: amount, payment reference and deadline.';

-- Payments: Asaas asks before it sends money (withdrawal validation). Its question has a token of ours and names a transfer or a refund.

create function app.withdrawal_token_fits(account_id text, token_hash bytea) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce((
    select s.withdrawal_token_hash = token_hash from private.provider_secrets s where s.account_id = withdrawal_token_fits.account_id
  ), false);
end
$$;

comment on function app.withdrawal_token_fits(text, bytea) is
  'Whether this is the SHA-256 of an account''s token for Asaas withdrawal validation.';

grant execute on function app.withdrawal_token_fits(text, bytea) to worker;

-- Asaas cancels a transfer if its question stays unanswered, so it is answered while the tenant is closed for a move, too.
create function app.approve_transfer(payout_id text, transfer_id text, matches boolean, details jsonb) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  payout  public.payouts;
  known   text;
  move_id uuid;
begin
  select p.* into payout from public.payouts p where p.id = payout_id for no key update;
  select m.id into move_id from private.tenant_moves m
  where m.tenant_id = payout.tenant_id and m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp() and not m.closed;
  known := coalesce(payout.provider_reference, payout.approved_transfer,
                    (select a.transfer_id from private.approvals_while_moving a where a.order_id = payout.id));
  if known <> transfer_id then
    if move_id is not null then
      return false;
    end if;
    insert into public.provider_differences (tenant_id, account_id, kind, subject, ours, theirs)
    values (payout.tenant_id, payout.provider_account_id, 'second_transfer', transfer_id,
            jsonb_build_object('payout', payout.id, 'transfer', known, 'amount', payout.amount), details)
    on conflict (account_id, kind, subject) where resolved_at is null do nothing;
    perform private.mail_owner(
      payout.tenant_id, format('second-transfer:%s', transfer_id), 'second_transfer',
      jsonb_build_object(
        'provider', initcap(payout.provider), 'transfer', transfer_id, 'payout', payout.our_number, 'known', known));
    return false;
  elsif not matches or payout.ordered_at is null or payout.status not in ('creating', 'created', 'processing') then
    return false;
  elsif move_id is not null then
    insert into private.approvals_while_moving (order_id, move_id, transfer_id) values (payout.id, move_id, approve_transfer.transfer_id)
    on conflict on constraint approvals_while_moving_pkey do nothing;
    return true;
  end if;
  update public.payouts p set approved_transfer = transfer_id
  where p.tenant_id = payout.tenant_id and p.id = payout.id and p.approved_transfer is null;
  return payout.id is not null;
end
$$;

comment on function app.approve_transfer(text, text, boolean, jsonb) is
  'Approves the first transfer that matches a payout in progress; rejects any other, records it and emails the owner (worker only).';

grant execute on function app.approve_transfer(text, text, boolean, jsonb) to worker;

-- Asaas identifies a PIX refund by its payment, by our id in the description, or by neither. Then the amount is enough if exactly one
-- refund that is being sent has it.
create function app.approve_refund(account_id text, provider_id text, amount bigint, payment text, reference text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  account    public.provider_accounts;
  approved   public.refunds;
  move_id    uuid;
  candidates text[];
begin
  -- The account's row is locked, so that two requests do not approve the same refund.
  select a.* into account from public.provider_accounts a where a.id = approve_refund.account_id for no key update;
  -- Asaas cancels a refund if it gets no answer, so Placar answers even while the tenant cannot write.
  select m.id into move_id from private.tenant_moves m
  where m.tenant_id = account.tenant_id and m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp() and not m.closed;
  select r.* into approved from public.refunds r
  left join private.approvals_while_moving w on w.order_id = r.id
  where r.tenant_id = account.tenant_id and r.provider_account_id = account.id
    and coalesce(r.approved_for, w.transfer_id) = approve_refund.provider_id;
  if approved.id is not null then
    return approved.amount = approve_refund.amount;
  end if;
  candidates := array(
    select r.id
    from public.refunds r
    join public.invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
    where r.tenant_id = account.tenant_id and r.provider_account_id = account.id
      and r.origin = 'api' and r.status in ('creating', 'pending') and r.approved_for is null
      and not exists (select from private.approvals_while_moving w where w.order_id = r.id)
      and r.amount = approve_refund.amount and (payment is null or i.provider_reference = payment)
      and (reference is null or r.id = reference)
    order by r.created
    limit 2);
  -- A question that names neither the payment nor our id must leave no choice.
  if payment is null and reference is null and cardinality(candidates) <> 1 then
    if move_id is null then
      insert into public.provider_differences (tenant_id, account_id, kind, subject, theirs)
      select account.tenant_id, account.id, 'refused_refund', approve_refund.provider_id,
             jsonb_build_object('refund', approve_refund.provider_id, 'amount', approve_refund.amount)
      where account.id is not null
      on conflict do nothing;
    end if;
    return false;
  elsif move_id is not null and candidates <> '{}' then
    insert into private.approvals_while_moving (order_id, move_id, transfer_id)
    values (candidates[1], move_id, approve_refund.provider_id);
    return true;
  end if;
  update public.refunds r set approved_for = approve_refund.provider_id where r.tenant_id = account.tenant_id and r.id = candidates[1];
  return found;
end
$$;

comment on function app.approve_refund(text, text, bigint, text, text) is
  'Approves a PIX refund in progress that is not approved yet, by payment or our refund id, or as the only one of its amount (worker only).';

grant execute on function app.approve_refund(text, text, bigint, text, text) to worker;

create function private.forget_approved_transfer() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.approved_transfer := null;
  return new;
end
$$;

comment on function private.forget_approved_transfer() is
  'Trigger: clears the approved transfer of a payout that is sent again, because that may create another transfer.';

create trigger payouts_forget_approved_transfer
  before update of ordered_at on public.payouts
  for each row when (new.ordered_at is distinct from old.ordered_at)
  execute function private.forget_approved_transfer();

-- Payments: refunds in Studio.

-- Studio --------------------------------------------------------------------------------------------------------------

create view admin.refunds with (security_invoker = true) as
  select r.id, r.tenant_id, t.slug as tenant, r.invoice_id, r.amount, r.currency, r.status, r.origin, r.reason, r.failure_reason, r.provider,
         r.created, r.settled_at
  from public.refunds r
  join public.tenants t on t.id = r.tenant_id;

comment on view admin.refunds is 'Refunds of all tenants; creating: the provider has not accepted the refund yet.';
comment on column admin.refunds.id is 'The refund.';
comment on column admin.refunds.tenant_id is 'The tenant.';
comment on column admin.refunds.tenant is 'Slug of the tenant.';
comment on column admin.refunds.invoice_id is 'The invoice.';
comment on column admin.refunds.amount is 'Refunded amount in minor units.';
comment on column admin.refunds.currency is 'Currency of the amount.';
comment on column admin.refunds.status is 'creating, pending, succeeded or failed.';
comment on column admin.refunds.origin is 'api if a caller ordered it, provider if it was made at the provider.';
comment on column admin.refunds.reason is 'The caller''s reason, or the provider''s description.';
comment on column admin.refunds.failure_reason is 'Why it failed.';
comment on column admin.refunds.provider is 'The provider that charged the invoice.';
comment on column admin.refunds.created is 'When it was ordered or first seen.';
comment on column admin.refunds.settled_at is 'When it succeeded or failed.';

-- Payments: due dates with fine, interest and discount: what a payer paid, and the limits of a tenant.

create function private.reported_total(report jsonb, reason text) returns bigint
language sql immutable parallel safe
return (
  select sum((a ->> 'amountMinor')::bigint)::bigint from jsonb_array_elements(coalesce(report -> 'adjustments', '[]')) as a
  where a ->> 'reason' = reported_total.reason
);

comment on function private.reported_total(jsonb, text) is
  'Total of an order''s adjustments for a reason in a provider''s report; null if the report omits the reason.';

create function private.payer_day(invoice public.invoices, at timestamptz) returns date
language sql stable
set search_path = ''
return (
  select (at at time zone case invoice.region when 'br' then 'America/Sao_Paulo' else t.time_zone end)::date
  from public.tenants t where t.id = invoice.tenant_id
);

comment on function private.payer_day(public.invoices, timestamptz) is
  'The day of a time for an invoice''s payer: in Brazil that of São Paulo, otherwise that of the tenant.';

create function private.paid_members(invoice public.invoices, report jsonb) returns public.invoices
language plpgsql stable security definer
set search_path = ''
as $$
declare
  overpaid bigint := private.reported_total(report, 'overpaid');
begin
  if invoice.status <> 'paid' and (report #>> '{state,status}' is distinct from 'paid'
     or not private.payment_transitions() -> 'invoices' -> invoice.status ? 'paid') then
    return invoice;
  end if;
  -- Members that a report omits stay unchanged. For invoices paid before these columns existed, the ledger has the values.
  if overpaid is null and invoice.paid_amount is null then
    overpaid := (
      select sum(b.net) from public.balance_transactions b
      where b.tenant_id = invoice.tenant_id and b.invoice_id = invoice.id and b.type = 'adjustment' and b.reason = 'overpaid');
  elsif overpaid is null then
    overpaid := invoice.paid_amount - invoice.amount - invoice.fine - invoice.interest + invoice.discount;
  end if;
  invoice.fine := coalesce(private.reported_total(report, 'fine'), invoice.fine, 0);
  invoice.interest := coalesce(private.reported_total(report, 'interest'), invoice.interest, 0);
  invoice.discount := coalesce(-private.reported_total(report, 'discount'), invoice.discount, 0);
  invoice.paid_amount := invoice.amount - invoice.discount + invoice.fine + invoice.interest + coalesce(overpaid, 0);
  invoice.paid_on := coalesce(
    (report #>> '{state,paidOn}')::date, invoice.paid_on,
    private.payer_day(invoice, coalesce(invoice.paid_at, (report #>> '{state,at}')::timestamptz, now())));
  return invoice;
end
$$;

comment on function private.paid_members(public.invoices, jsonb) is
  'The invoice with paid_amount, paid_on, fine, interest and discount as a provider''s report gives them, if it is paid by the report.';

create function private.set_paid_amounts() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  new.paid_amount := new.amount;
  new.paid_on := private.payer_day(new, coalesce(new.paid_at, now()));
  new.fine := 0;
  new.interest := 0;
  new.discount := 0;
  return new;
end
$$;

comment on function private.set_paid_amounts() is 'Trigger: an invoice that becomes paid without a report was paid in full today.';

create trigger invoices_fill_paid_members before update of status on public.invoices
  for each row when (new.status = 'paid' and new.paid_amount is null) execute function private.set_paid_amounts();

-- Limits --------------------------------------------------------------------------------------------------------------

create table public.due_limits (
  tenant_id              uuid    primary key references public.tenants (id) on delete cascade,
  fine_percent           numeric not null check (fine_percent between 0 and 20),
  interest_percent_month numeric not null check (interest_percent_month between 0 and 20)
);

comment on table  public.due_limits is 'How much a tenant may charge companies for late payment. Without a row, 2 and 1 as for consumers.';
comment on column public.due_limits.fine_percent is 'Maximum fine in percent of the invoice.';
comment on column public.due_limits.interest_percent_month is 'Maximum interest in percent per month.';

alter table public.due_limits enable row level security;
grant select on public.due_limits to api;

create policy "A tenant sees its own limits" on public.due_limits
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.set_due_limits(tenant text, fine_percent numeric, interest_percent_month numeric) returns void
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  perform private.expect_number('fine_percent', coalesce(fine_percent, 2), 0, 20),
          private.expect_number('interest_percent_month', coalesce(interest_percent_month, 1), 0, 20);
  insert into public.due_limits as l (tenant_id, fine_percent, interest_percent_month)
  values (own, coalesce(set_due_limits.fine_percent, 2), coalesce(set_due_limits.interest_percent_month, 1))
  on conflict on constraint due_limits_pkey do update
  set fine_percent = excluded.fine_percent, interest_percent_month = excluded.interest_percent_month;
end
$$;

comment on function private.set_due_limits(text, numeric, numeric) is
  'Sets a tenant''s (slug or id) maximum fine and monthly interest for customers with a CNPJ, up to 20 % each; null: back to 2 and 1.';

create function private.routes_for(own uuid, kind text, region text, currency text, method text) returns setof public.provider_routes
language sql stable security definer
set search_path = ''
as $$
  select (m.route).*
  from (
    select r as route, rank() over (order by r.tenant_id is null, r.method is null, r.region = '*', r.currency = '*') as place
    from public.provider_routes r
    where (r.tenant_id = own or r.tenant_id is null) and r.kind = routes_for.kind
      and r.region in (routes_for.region, '*') and r.currency in (routes_for.currency, '*')
      and (r.method is null or r.method = routes_for.method)
  ) as m
  where m.place = 1
  order by (m.route).preference
$$;

comment on function private.routes_for(uuid, text, text, text, text) is
  'The routes that private.choose_provider considers for an order of a tenant, in order of preference.';

create function app.due_term_faults(region text, currency text, method text, terms jsonb, is_company boolean) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  providers constant text[] := array(
    select r.provider from private.routes_for(app.tenant_id(), 'charge', region, currency, method) as r);
  maximum   public.due_limits;
begin
  if terms is null then
    return null;
  elsif providers <> '{}' and not providers && array(select p.name from private.payment_providers p where p.has_due_terms) then
    return (
      select jsonb_agg(jsonb_build_object('field', 'payment_method.' || k, 'message', 'is not supported by the provider of this payment method'))
      from jsonb_object_keys(terms) as k);
  elsif is_company then
    select l.* into maximum from public.due_limits l where l.tenant_id = app.tenant_id();
  end if;
  return (
    select jsonb_agg(jsonb_build_object('field', 'payment_method.' || m.member, 'message', format('must be at most %s', m.maximum)))
    from (values ('fine_percent', coalesce(maximum.fine_percent, 2)),
                 ('interest_percent_month', coalesce(maximum.interest_percent_month, 1))) as m (member, maximum)
    where (terms ->> m.member)::numeric > m.maximum);
end
$$;

comment on function app.due_term_faults(text, text, text, jsonb, boolean) is
  'Faults (field, message) of an invoice''s due terms: unsupported by its routes, or above the limits for a consumer or company; null if none.';

grant execute on function app.due_term_faults(text, text, text, jsonb, boolean) to api, worker;

create function app.sandbox_note_payment(reference text, amount bigint, paid_on date) returns void
language sql security definer
set search_path = ''
as $$
  update private.sandbox_orders o
  set paid_amount = sandbox_note_payment.amount, paid_on = sandbox_note_payment.paid_on
  where o.kind = 'charge' and o.reference = sandbox_note_payment.reference and o.status = 'open'
$$;

comment on function app.sandbox_note_payment(text, bigint, date) is
  'Records how much the payer of an open sandbox charge pays, and on which day.';

grant execute on function app.sandbox_note_payment(text, bigint, date) to worker;

-- Payments: further payment pages of an open invoice, at providers whose pages expire before it.

create function app.claim_checkout_session(invoice_id text, n integer, lease_seconds integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
  last    jsonb;
  until   constant timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
begin
  select i.* into invoice from public.invoices i where i.tenant_id = app.tenant_id() and i.id = invoice_id for update;
  if invoice.status is distinct from 'open' or invoice.expires_at <= now() then
    return '{"state": "over"}';
  end if;
  last := invoice.checkout_sessions -> -1;
  if coalesce((last ->> 'n')::integer, 1) = n - 1 and last ->> 'claimed_until' is null then
    last := jsonb_build_object('n', n, 'made_at', clock_timestamp(), 'claimed_until', until);
    update public.invoices i set checkout_sessions = coalesce(i.checkout_sessions, '[]') || last
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  elsif (last ->> 'n')::integer = n and last ->> 'url' is not null then
    return jsonb_build_object('state', 'made', 'url', last ->> 'url');
  elsif (last ->> 'n')::integer is distinct from n or (last ->> 'claimed_until')::timestamptz > clock_timestamp() then
    return '{"state": "waiting"}';
  else
    -- The request that was creating it died. Another request creates the same page.
    update public.invoices i
    set checkout_sessions = jsonb_set(i.checkout_sessions, '{-1,claimed_until}', to_jsonb(until))
    where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  end if;
  return jsonb_build_object('state', 'claimed', 'madeAt', last -> 'made_at');
end
$$;

comment on function app.claim_checkout_session(text, integer, integer) is
  'Claims the n-th payment page of an invoice: claimed, made (with url), waiting (for another request) or over (the invoice is not open).';

grant execute on function app.claim_checkout_session(text, integer, integer) to worker;

create function app.store_checkout_session(invoice_id text, n integer, reference text, url text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice public.invoices;
begin
  select i.* into invoice from public.invoices i where i.tenant_id = app.tenant_id() and i.id = invoice_id for update;
  update public.invoices i
  set checkout_sessions = (
    select jsonb_agg(case when (s ->> 'n')::integer = n then (s - 'claimed_until') || jsonb_build_object('reference', reference, 'url', url)
                          else s end order by (s ->> 'n')::integer)
    from jsonb_array_elements(i.checkout_sessions) as s)
  where i.tenant_id = invoice.tenant_id and i.id = invoice.id;
  return coalesce(invoice.status = 'open', false);
end
$$;

comment on function app.store_checkout_session(text, integer, text, text) is
  'Stores a payment page, or nulls if the provider rejected it; returns whether the invoice is still open.';

grant execute on function app.store_checkout_session(text, integer, text, text) to worker;

create function private.close_checkout() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- A page may have been created while the invoice ended.
  insert into public.jobs (tenant_id, name, key, payload)
  values (new.tenant_id, 'close-checkout', new.id, jsonb_build_object('invoice_id', new.id))
  on conflict (name, key) do nothing;
  return null;
end
$$;

comment on function private.close_checkout() is 'Trigger: closes the payment pages of an invoice that was canceled or failed.';

create trigger invoices_close_checkout after update of status on public.invoices
  for each row when (new.status in ('canceled', 'failed') and old.status <> new.status and new.checkout_sessions is not null)
  execute function private.close_checkout();

-- Payments: the orders available to a tenant, for GET /capabilities.

create function app.payment_capabilities(methods jsonb)
returns table (
  kind text, region text, currency text, method text, provider text, problem text, missing text, settings jsonb, min_amount bigint, max_amount bigint,
  tax_faults jsonb
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own constant uuid := app.tenant_id();
begin
  return query
    with rows as (
      select distinct r.kind, r.region, r.currency, m.method
      from public.provider_routes r
      -- A route without a method is for all methods of its region.
      cross join lateral (
        select r.method where r.kind <> 'charge' or r.method is not null
        union
        select l.method from jsonb_each(methods) as e (region, methods), jsonb_array_elements_text(e.methods) as l (method)
        where r.kind = 'charge' and r.method is null and r.region in (e.region, '*')
      ) as m (method)
      where r.tenant_id = own or r.tenant_id is null
    )
    select w.kind, w.region, w.currency, w.method, coalesce(c.provider, f.provider), c.problem, c.missing, coalesce(a.settings, '{}'),
           f.min_amount, f.max_amount,
           case when w.kind = 'tax_document' and c.provider is not null then app.tax_order(own, c.account_id, '', null) -> 'faults' end
    from rows w
    cross join lateral private.choose_provider(own, w.kind, w.region, w.currency, w.method, null) as c
    -- The limits of the provider that accepts the order, or else of the first one that could.
    left join lateral (
      select r.provider, r.min_amount, r.max_amount
      from private.routes_for(own, w.kind, w.region, w.currency, w.method) as r
      order by r.provider is distinct from c.provider, r.preference
      limit 1
    ) as f on true
    left join public.provider_accounts a on a.tenant_id = own and a.id = c.account_id
    order by w.kind, w.region, w.currency, w.method;
end
$$;

comment on function app.payment_capabilities(jsonb) is
  'What the transaction''s tenant can order by its routes, with the provider or the problem (methods: payment methods by region).';

grant execute on function app.payment_capabilities(jsonb) to api;

-- Payments: idempotency keys, the progress of their requests and the stored responses.
--
-- A request claims its key with an id that it generates (`claimed_by`). In the same transaction it starts its work if
-- the key is its own and has neither a resource nor a response:
--
--   where k.tenant_id = ... and k.key = ... and k.claimed_by = <its id> and k.resource_id is null and k.response_status is null
--
-- It then calls the provider outside any transaction. In a second transaction it locks the claimed key, writes the
-- effect and stores the response. A request that claims the key after the lease expires resumes the work; the earlier
-- attempt can no longer store anything, because the key now has another id.

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.idempotency_keys (
  tenant_id       uuid        not null references public.tenants (id) on delete cascade,
  key             text        not null check (char_length(key) between 1 and 255),
  fingerprint     text        not null,
  claimed_by      uuid        not null,
  locked_until    timestamptz not null,
  resource_id     text,
  response_status smallint,
  response_body   jsonb,
  snapshot        jsonb,
  snapshot_kind   text,
  created_at      timestamptz not null default now(),
  primary key (tenant_id, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.idempotency_keys is
  'One row per Idempotency-Key of a tenant, kept for 24 hours, or for 90 days if its request created a payout.';
comment on column public.idempotency_keys.fingerprint is 'SHA-256 of the method, path and body with sorted members.';
comment on column public.idempotency_keys.claimed_by is
  'Id of the latest attempt, which is also the fencing token: only this attempt may finish the request.';
comment on column public.idempotency_keys.locked_until is 'When the running request''s lease on the key expires.';
comment on column public.idempotency_keys.resource_id is 'The resource that the request creates; a retry resumes it.';
comment on column public.idempotency_keys.response_status is 'HTTP status of the response; null until the response is stored.';
comment on column public.idempotency_keys.snapshot is
  'Stored form of a successful response, rendered into the body; failures have response_body instead.';
comment on column public.idempotency_keys.snapshot_kind is 'Kind of resource in the snapshot.';

create index idempotency_keys_created_idx  on public.idempotency_keys ((coalesce(resource_id, '') like 'po\_%'), created_at);
create index idempotency_keys_resource_idx on public.idempotency_keys (tenant_id, resource_id);

alter table public.idempotency_keys enable row level security;
grant select, insert, update on public.idempotency_keys to api;
grant select, update, delete on public.idempotency_keys to worker;

create policy "A tenant manages its own keys" on public.idempotency_keys
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs complete and delete keys" on public.idempotency_keys
  for all to worker using (true) with check (true);

create function app.claim_key(key text, fingerprint text, attempt_id uuid, lease_seconds double precision)
returns table (
  outcome text, again boolean, response_status smallint, response_body jsonb, snapshot jsonb, snapshot_kind text
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  lease constant timestamptz := now() + make_interval(secs => lease_seconds);
  k     public.idempotency_keys;
begin
  again := false;
  loop
    insert into public.idempotency_keys as i (tenant_id, key, fingerprint, claimed_by, locked_until)
    values (app.tenant_id(), claim_key.key, claim_key.fingerprint, attempt_id, lease)
    on conflict (tenant_id, key) do nothing
    returning i.* into k;
    if found then
      outcome := 'claimed';
      exit;
    end if;
    select i.* into k from public.idempotency_keys i
    where i.tenant_id = app.tenant_id() and i.key = claim_key.key
    for update;
    exit when found; -- otherwise the row was deleted in between
  end loop;

  if outcome is null then
    -- A payout that is sent again by mistake, days later, must not be paid twice.
    if k.created_at <= now() - (case when k.resource_id like 'po\_%' then interval '90 days' else interval '24 hours' end)
       and (k.response_status is not null or k.locked_until <= clock_timestamp()) then
      outcome := 'claimed';
      k.created_at := now();
      k.resource_id := null;
    elsif k.fingerprint <> claim_key.fingerprint then
      outcome := 'reused';
    elsif k.response_status is not null then
      outcome := 'replay';
    elsif k.locked_until > clock_timestamp() then
      outcome := 'in_use';
    else
      outcome := 'claimed';
      again := true;
    end if;
    if outcome = 'claimed' then
      update public.idempotency_keys i
      set fingerprint = claim_key.fingerprint, claimed_by = attempt_id, locked_until = lease, created_at = k.created_at,
          resource_id = k.resource_id, response_status = null, response_body = null, snapshot = null, snapshot_kind = null
      where i.tenant_id = k.tenant_id and i.key = k.key
      returning i.* into k;
    end if;
  end if;
  return query select outcome, again, k.response_status, k.response_body, k.snapshot, k.snapshot_kind;
end
$$;

comment on function app.claim_key(text, text, uuid, double precision) is
  'Claims a key for an attempt; returns claimed (also after an attempt without a response), replay, reused (different request) or in_use.';

grant execute on function app.claim_key(text, text, uuid, double precision) to api;

create function app.set_key_resource(key text, resource_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.idempotency_keys i set resource_id = set_key_resource.resource_id
  where i.tenant_id = app.tenant_id() and i.key = set_key_resource.key;
end
$$;

comment on function app.set_key_resource(text, text) is 'Records the resource that the request of a key creates.';

grant execute on function app.set_key_resource(text, text) to api;

create function app.lock_claimed_key(key text, attempt_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.idempotency_keys i
  where i.tenant_id = app.tenant_id() and i.key = lock_claimed_key.key
    and i.claimed_by = attempt_id and i.response_status is null
  for update;
  if not found then
    raise exception 'this attempt no longer holds the key' using errcode = 'PL001';
  end if;
end
$$;

comment on function app.lock_claimed_key(text, uuid) is
  'First statement of the final transaction: fails with PL001 unless this is the latest attempt and there is no response yet.';

grant execute on function app.lock_claimed_key(text, uuid) to api;

create function app.store_response(
  key text, status integer, body jsonb default null, snapshot jsonb default null, snapshot_kind text default null
) returns jsonb
language sql
set search_path = ''
as $$
  update public.idempotency_keys i
  set response_status = status, response_body = body, snapshot = store_response.snapshot,
      snapshot_kind = store_response.snapshot_kind
  where i.tenant_id = app.tenant_id() and i.key = store_response.key
  returning i.snapshot
$$;

comment on function app.store_response(text, integer, jsonb, jsonb, text) is
  'Stores the response to a request in the transaction of its effect.';

grant execute on function app.store_response(text, integer, jsonb, jsonb, text) to api;

create function app.release_key(key text, attempt_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.idempotency_keys i set locked_until = now()
  where i.tenant_id = app.tenant_id() and i.key = release_key.key and i.claimed_by = attempt_id;
end
$$;

comment on function app.release_key(text, uuid) is
  'Ends the lease after an attempt without a response to store, so that a retry can start immediately.';

grant execute on function app.release_key(text, uuid) to api;

-- Payments: state of the sandbox provider.
--
-- The sandbox is a built-in provider that works offline. Its rows simulate another company's database, so nothing else
-- reads them.

create table private.sandbox_orders (
  kind        text        not null check (kind in ('charge', 'payout', 'tax_document')),
  reference   text        not null,
  provider_id text        not null,
  status      text        not null,
  amount      bigint,
  method      text,
  fee         bigint      not null default 0,
  available_on date,
  reason      text,
  number      bigint,
  answered    boolean     not null default false,
  changed_at  timestamptz not null default clock_timestamp(),
  paid_amount bigint,
  paid_on date,
  primary key (kind, reference)
);

comment on table  private.sandbox_orders is 'Orders at the sandbox provider, by our reference.';
comment on column private.sandbox_orders.available_on is 'When the order''s money settles; null means on the day of payment.';
comment on column private.sandbox_orders.reason is 'Why the order failed.';
comment on column private.sandbox_orders.number is 'Number of an issued tax document.';
comment on column private.sandbox_orders.answered is 'Whether the caller received a response; false after a simulated timeout.';
comment on column private.sandbox_orders.paid_amount is 'What the payer paid; null means the amount.';
comment on column private.sandbox_orders.paid_on is 'The day on which the payer paid; null means the day of the change.';

create unique index sandbox_orders_provider_id_idx on private.sandbox_orders (provider_id);

alter table private.sandbox_orders enable row level security;

create function app.sandbox_accept(kind text, reference text, amount bigint, method text, status text, fee bigint, reason text)
returns table (sandbox_order jsonb, is_new boolean)
language sql security definer
set search_path = ''
as $$
  insert into private.sandbox_orders as o (kind, reference, provider_id, status, amount, method, fee, reason)
  values (kind, reference, 'sbx_' || private.random_base62(16), status, amount, method, fee, reason)
  on conflict on constraint sandbox_orders_pkey do update set answered = true
  returning to_jsonb(o), not o.answered
$$;

comment on function app.sandbox_accept(text, text, bigint, text, text, bigint, text) is
  'Creates an order in the sandbox, or returns the existing one with this reference.';

grant execute on function app.sandbox_accept(text, text, bigint, text, text, bigint, text) to worker;

create function app.sandbox_number(reference text) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  issued private.sandbox_orders;
begin
  select o.* into issued from private.sandbox_orders o
  where o.kind = 'tax_document' and o.reference = sandbox_number.reference
  for update;
  if issued.number is null and issued.status = 'issued' then
    issued.number := app.next_document_number(app.tenant_id(), 'NFSE');
    update private.sandbox_orders o set number = issued.number where o.kind = issued.kind and o.reference = issued.reference;
  end if;
  return issued.number;
end
$$;

comment on function app.sandbox_number(text) is
  'Number of an issued tax document; assigns the next one of the transaction''s tenant if it has none.';

grant execute on function app.sandbox_number(text) to worker;

create function app.sandbox_find(kind text, reference text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select to_jsonb(o) from private.sandbox_orders o
  where o.kind = sandbox_find.kind and o.reference = sandbox_find.reference
$$;

comment on function app.sandbox_find(text, text) is 'An order in the sandbox; null if it does not exist.';

grant execute on function app.sandbox_find(text, text) to worker;

create function app.sandbox_change(
  kind text, reference text, from_states text[], to_state text, at timestamptz, fee bigint, available_on date, reason text
) returns setof jsonb
language sql security definer
set search_path = ''
as $$
  update private.sandbox_orders o
  set status = to_state, changed_at = coalesce(at, clock_timestamp()), fee = coalesce(sandbox_change.fee, o.fee),
      available_on = coalesce(sandbox_change.available_on, o.available_on), reason = sandbox_change.reason
  where o.kind = sandbox_change.kind and o.reference = sandbox_change.reference and o.status = any (from_states)
    -- A payment counts even if it is reported late.
    and (at is null or at >= o.changed_at or (o.kind = 'charge' and to_state = 'paid'))
  returning to_jsonb(o)
$$;

comment on function app.sandbox_change(text, text, text[], text, timestamptz, bigint, date, text) is
  'Moves a sandbox order from one of these statuses to another, unless the change (at; null means now) is older than the last one.';

grant execute on function app.sandbox_change(text, text, text[], text, timestamptz, bigint, date, text) to worker;

create function app.sandbox_has_checkout(provider_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.sandbox_orders o
    where o.provider_id = sandbox_has_checkout.provider_id and o.kind = 'charge' and o.method = 'card'
  )
$$;

comment on function app.sandbox_has_checkout(text) is 'Whether the sandbox has a card charge with this sandbox id.';

grant execute on function app.sandbox_has_checkout(text) to worker;


-- Payments: refunds and disputes of the sandbox provider.

create table private.sandbox_refunds (
  reference   text        primary key,
  charge      text        not null,
  provider_id text        not null unique default 'sbx_' || private.random_base62(16),
  amount      bigint      not null,
  ends_as     text        not null check (ends_as in ('succeeded', 'failed')),
  ends_at     timestamptz,
  answered    boolean     not null default false,
  created_at  timestamptz not null default clock_timestamp()
);

comment on table  private.sandbox_refunds is 'Refunds at the sandbox provider, by our reference.';
comment on column private.sandbox_refunds.charge is 'Our reference of the charge.';
comment on column private.sandbox_refunds.ends_at is 'When the refund ends; null if it waits for the payer of a boleto.';
comment on column private.sandbox_refunds.answered is 'Whether the caller received a response; false after a simulated timeout.';

create index sandbox_refunds_charge_idx on private.sandbox_refunds (charge);

alter table private.sandbox_refunds enable row level security;

create function private.sandbox_refund_json(refund private.sandbox_refunds) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(refund) || jsonb_build_object('status', case when refund.ends_at <= clock_timestamp() then refund.ends_as else 'pending' end)
$$;

comment on function private.sandbox_refund_json(private.sandbox_refunds) is 'A sandbox refund with its current status.';

create function app.sandbox_refund(reference text, charge text, amount bigint, ends_as text, ends_in_seconds double precision, times integer)
returns table (sandbox_refund jsonb, is_new boolean)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  accepted private.sandbox_refunds;
begin
  insert into private.sandbox_refunds as r (reference, charge, amount, ends_as, ends_at)
  values (sandbox_refund.reference, sandbox_refund.charge, sandbox_refund.amount, sandbox_refund.ends_as,
          clock_timestamp() + make_interval(secs => ends_in_seconds))
  on conflict on constraint sandbox_refunds_pkey do update set answered = true
  returning r.* into accepted;
  if not accepted.answered and ends_in_seconds is not null then
    -- The sandbox's notifications about the end of the refund.
    insert into public.jobs (tenant_id, name, key, payload, due_at)
    select f.tenant_id, 'follow-refund', format('%s:%s', f.id, n), jsonb_build_object('refund_id', f.id), accepted.ends_at
    from public.refunds f, generate_series(1, times) as n
    where f.id = sandbox_refund.reference
    on conflict (name, key) do nothing;
  end if;
  return query select private.sandbox_refund_json(accepted), not accepted.answered;
end
$$;

comment on function app.sandbox_refund(text, text, bigint, text, double precision, integer) is
  'Creates a refund in the sandbox, or returns the existing one with this reference; times: how often its end is notified.';

grant execute on function app.sandbox_refund(text, text, bigint, text, double precision, integer) to worker;

create function app.sandbox_refunds(charge text) returns setof jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.sandbox_refund_json(r) from private.sandbox_refunds r where r.charge = sandbox_refunds.charge order by r.created_at
$$;

comment on function app.sandbox_refunds(text) is 'Refunds of a charge in the sandbox, oldest first.';

grant execute on function app.sandbox_refunds(text) to worker;

create function app.settle_sandbox_refund(reference text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  update private.sandbox_refunds r set ends_at = coalesce(r.ends_at, clock_timestamp())
  where r.reference = settle_sandbox_refund.reference;
  return found;
end
$$;

comment on function app.settle_sandbox_refund(text) is 'Ends a sandbox refund that waits for the payer; false if it does not exist.';

grant execute on function app.settle_sandbox_refund(text) to worker;

create function app.sandbox_has_refund(provider_id text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (select from private.sandbox_refunds r where r.provider_id = sandbox_has_refund.provider_id and r.ends_at is null)
$$;

comment on function app.sandbox_has_refund(text) is 'Whether the sandbox has a refund with this sandbox id that waits for the payer.';

grant execute on function app.sandbox_has_refund(text) to worker;

create function app.simulate_dispute(invoice_id text, outcome text) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  invoice  public.invoices;
  dispute  public.disputes;
  infraction boolean;
begin
  select i.* into invoice from public.invoices i
  where i.tenant_id = app.tenant_id() and i.id = simulate_dispute.invoice_id and i.provider = 'sandbox' for update;
  select d.* into dispute from public.disputes d
  where d.tenant_id = invoice.tenant_id and d.invoice_id = invoice.id order by d.id desc limit 1;
  infraction := invoice.payment_method_type in ('pix', 'bolepix');
  if invoice.id is null or invoice.status <> 'paid' then
    return 'not_paid';
  elsif dispute.status <> 'open' then
    return 'ended';
  elsif dispute.id is null then
    if private.refundable_amount(invoice) = 0 then
      return 'refunded';
    end if;
    insert into public.disputes as d (tenant_id, invoice_id, kind, amount)
    values (invoice.tenant_id, invoice.id, case when infraction then 'pix_infraction' else 'chargeback' end, private.refundable_amount(invoice))
    returning d.* into dispute;
    perform private.add_adjustment(
      null, invoice.tenant_id, invoice.provider, invoice, null, case when infraction then 'balance_blocked' else 'chargeback' end,
      invoice.currency, -dispute.amount);
  end if;
  if outcome is null then
    return 'open';
  end if;
  if infraction then
    perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'balance_released', invoice.currency, dispute.amount);
    if outcome = 'lost' then
      perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback', invoice.currency, -dispute.amount);
    end if;
  elsif outcome = 'won' then
    perform private.add_adjustment(null, invoice.tenant_id, invoice.provider, invoice, null, 'chargeback_won', invoice.currency, dispute.amount);
  end if;
  update public.disputes d
  set status = outcome, closed_at = now(), released = case when infraction then d.amount else 0 end,
      lost = case outcome when 'lost' then d.amount else 0 end
  where d.tenant_id = dispute.tenant_id and d.id = dispute.id;
  return outcome;
end
$$;

comment on function app.simulate_dispute(text, text) is
  'Opens a dispute of a sandbox invoice or ends it with an outcome (won, lost; null: open); returns its state or why it cannot.';

grant execute on function app.simulate_dispute(text, text) to payments;

-- Payments: exports of the ledger that are running, to limit them per tenant.

create table private.ledger_exports (
  tenant_id uuid        not null references public.tenants (id) on delete cascade,
  id        uuid        not null,
  until     timestamptz not null,
  primary key (tenant_id, id)
);

comment on table  private.ledger_exports is 'Running exports of ledgers, to limit them per tenant.';
comment on column private.ledger_exports.until is 'When the lease of the export ends, if the worker that runs it dies.';

alter table private.ledger_exports enable row level security;

create function app.claim_ledger_export(id uuid, at_most integer, lease_seconds integer) returns boolean
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('ledger-export:' || app.tenant_id(), 0));
  delete from private.ledger_exports e where e.tenant_id = app.tenant_id() and e.until <= now();
  if (select count(*) from private.ledger_exports e where e.tenant_id = app.tenant_id()) >= at_most then
    return false;
  end if;
  insert into private.ledger_exports (tenant_id, id, until)
  values (app.tenant_id(), claim_ledger_export.id, now() + make_interval(secs => lease_seconds));
  return true;
end
$$;

comment on function app.claim_ledger_export(uuid, integer, integer) is
  'Starts an export of the transaction''s tenant; false if at_most others are running.';

grant execute on function app.claim_ledger_export(uuid, integer, integer) to api;

create function app.renew_ledger_export(id uuid, lease_seconds integer) returns void
language sql security definer
set search_path = ''
as $$
  update private.ledger_exports e set until = now() + make_interval(secs => lease_seconds)
  where e.tenant_id = app.tenant_id() and e.id = renew_ledger_export.id
$$;

comment on function app.renew_ledger_export(uuid, integer) is 'Extends the lease of a running export of the transaction''s tenant.';

grant execute on function app.renew_ledger_export(uuid, integer) to api;

create function app.end_ledger_export(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  delete from private.ledger_exports e where e.tenant_id = app.tenant_id() and e.id = end_ledger_export.id
$$;

comment on function app.end_ledger_export(uuid) is 'Ends an export of the transaction''s tenant.';

grant execute on function app.end_ledger_export(uuid) to api;

-- Payments in Studio: functions and views for admins.

create function private.register_cost_center(tenant_id uuid, code text, name text, is_default boolean default false) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('code', code), private.expect_filled('name', name);
  if char_length(code) > 64 then
    perform private.refuse_argument('code', 'is too long', array['1 to 64 characters']);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.cost_centers' || register_cost_center.tenant_id, 0));
  if is_default then
    update public.cost_centers c set is_default = false
    where c.tenant_id = register_cost_center.tenant_id and c.is_default and c.code <> register_cost_center.code;
  end if;
  insert into public.cost_centers (tenant_id, code, name, is_default) values (tenant_id, code, name, is_default)
  on conflict on constraint cost_centers_pkey do update set name = excluded.name, is_default = excluded.is_default;
end
$$;

comment on function private.register_cost_center(uuid, text, text, boolean) is
  'Creates or updates a cost center for invoices and payouts; a new default replaces the previous one.';

create function admin.adjust_balance(tenant_id uuid, amount bigint, currency text, reason text) returns text
language plpgsql
set search_path = ''
as $$
declare
  entry_id text;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('reason', reason);
  if coalesce(amount, 0) = 0 then
    perform private.refuse_argument('amount', 'must be a number other than 0 in minor units of the currency');
  end if;
  if (currency ~ '^[A-Z]{3}$') is not true then
    perform private.refuse_argument('currency', format('"%s" is not a valid currency', currency), array['a code of three capital letters, such as BRL']);
  end if;
  insert into public.balance_transactions (tenant_id, type, amount, currency, fee, net, available_on, reason)
  select t.id, 'adjustment', adjust_balance.amount, adjust_balance.currency, 0, adjust_balance.amount,
         (now() at time zone t.time_zone)::date, adjust_balance.reason
  from public.tenants t where t.id = adjust_balance.tenant_id
  returning id into strict entry_id;
  return entry_id;
end
$$;

comment on function admin.adjust_balance(uuid, bigint, text, text) is
  'Adds a permanent ledger adjustment in minor units (negative to deduct) and returns its id.';

create view admin.invoices with (security_invoker = true) as
  select id, tenant_id, status, amount, currency, payment_method_type, customer ->> 'name' as customer_name, our_number,
         cost_center, contractor_reference, provider, provider_reference, fee, paid_at, failure_reason, expires_at, created,
         updated_at
  from public.invoices;

comment on view admin.invoices is 'Invoices of all tenants; admin.unfinished_orders explains those that are still creating.';

create view admin.payouts with (security_invoker = true) as
  select id, tenant_id, status, amount, currency, beneficiary ->> 'name' as beneficiary_name, purpose, our_number,
         cost_center, contractor_reference, provider, provider_reference, fee, failure_reason, created, updated_at
  from public.payouts;

comment on view admin.payouts is 'Payouts of all tenants; admin.unfinished_orders explains those that are still creating.';

create view admin.unfinished_orders with (security_invoker = true) as
  select o.kind, o.id, o.tenant_id, t.slug as tenant, o.provider, o.amount, o.currency, o.contractor_reference, o.created,
         case when o.sent then 'unknown' else 'not_taken' end as outcome
  from (
    select 'invoice' as kind, i.id, i.tenant_id, i.provider, i.amount, i.currency, i.contractor_reference, i.created, true as sent
    from public.invoices i where i.status = 'creating'
    union all
    select 'payout', p.id, p.tenant_id, p.provider, p.amount, p.currency, p.contractor_reference, p.created, p.ordered_at is not null
    from public.payouts p where p.status = 'creating'
    union all
    select 'refund', r.id, r.tenant_id, r.provider, r.amount, r.currency, null, r.created, true
    from public.refunds r where r.status = 'creating'
  ) as o
  join public.tenants t on t.id = o.tenant_id
  where o.created < now() - interval '1 minute';

comment on view admin.unfinished_orders is
  'Invoices, payouts and refunds created over a minute ago that never opened: rejected, or with an unknown outcome.';

create view admin.balances with (security_invoker = true) as
  select tenant_id, currency, sum(net) as net, count(*) as entries, max(created) as last_entry_at
  from public.balance_transactions
  group by tenant_id, currency;

comment on view admin.balances is 'Balance per tenant and currency: the sum of the ledger, in minor units.';

create view admin.ledger with (security_invoker = true) as
  select tenant_id, id, type, amount, currency, fee, net, available_on, invoice_id, payout_id, our_number, contractor_reference,
         cost_center, provider, reason, created
  from public.balance_transactions;

comment on view admin.ledger is 'All entries of the append-only payments ledger.';

create view admin.tax_documents with (security_invoker = true) as
  select tenant_id, id, invoice_id, type, status, service_code, document_number, access_key, provider, failure_reason, cancel_reason,
         issued_at, created, updated_at
  from public.tax_documents;

comment on view admin.tax_documents is 'Tax documents of invoices, with the reason of a failure or cancellation.';
