-- Payments: the accounts that tenants have at payment providers, and who takes what.
--
--   provider_accounts         a tenant's account at a provider, and how it does
--   private.provider_secrets  where its keys are in Vault
--   provider_routes           who takes a charge, payout or tax document, in order of preference
--
-- An account is connected in Studio. A job (check-provider) tries its key, reads what it can do, registers our webhook there, and
-- writes what came of it; it goes on looking every now and then. Keys are in Vault and nowhere else.

-- Accounts ------------------------------------------------------------------------------------------------------------

create table public.provider_accounts (
  id              text        not null default app.typeid('pacc'),
  tenant_id       uuid        not null references public.tenants (id) on delete cascade,
  provider        text        not null check (provider in ('asaas', 'wise', 'stripe')),
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
  primary key (tenant_id, id),
  unique (tenant_id, provider)
);

comment on table  public.provider_accounts is 'Accounts of tenants at payment providers. Their keys are in Vault.';
comment on column public.provider_accounts.status is
  'connecting until the key was tried; failing while key or webhook do not work; disconnected takes no new orders.';
comment on column public.provider_accounts.reason is 'Why it is failing, in plain words.';
comment on column public.provider_accounts.capabilities is
  'By method or kind: null where the account can do it, else what to set up. A missing one does not make the account failing.';
comment on column public.provider_accounts.settings is 'As the connect function took them.';
comment on column public.provider_accounts.webhook_state is 'Whether the provider tells us what happens: missing, active or paused.';
comment on column public.provider_accounts.callback_url is 'Where it tells us.';
comment on column public.provider_accounts.last_event_at is 'When it last did.';
comment on column public.provider_accounts.rejected_events is 'Deliveries to our address that could not be proved, ten a minute at most.';
comment on column public.provider_accounts.rejected_since is 'When the minute began in which they were last counted.';
comment on column public.provider_accounts.rejected_lately is 'How many were counted in that minute: anybody may send them, and none is a write beyond the tenth.';
comment on column public.provider_accounts.balances is 'As the provider last gave them: currency and amount in minor units.';
comment on column public.provider_accounts.checked_at is 'When key, webhook and balance were last looked at.';
comment on column public.provider_accounts.reconciled_at is 'When everything there was last compared with what is here.';
comment on column public.provider_accounts.disconnected_at is 'Since when it takes no new orders.';

create unique index provider_accounts_id_idx on public.provider_accounts (id); -- callbacks name nothing else

alter table public.provider_accounts enable row level security;
grant select on public.provider_accounts to api;
grant select, update on public.provider_accounts to worker;

create policy "A tenant sees its own accounts" on public.provider_accounts
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "Jobs look after accounts" on public.provider_accounts
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

comment on table  private.provider_secrets is 'Where the keys of accounts are in Vault.';
comment on column private.provider_secrets.api_key is 'The secret in Vault by which the provider knows us; null once it was forgotten.';
comment on column private.provider_secrets.api_key_hash is 'SHA-256 of the key, so that no two tenants have the same.';
comment on column private.provider_secrets.webhook_secret is 'The secret in Vault that proves what the provider tells us.';
comment on column private.provider_secrets.webhook_reference is 'The provider''s id of our webhook there.';
comment on column private.provider_secrets.withdrawal_token_hash is
  'SHA-256 of the token with which Asaas asks whether a transfer is ours.';

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

comment on function private.forget_provider_secrets() is 'Trigger: keys leave Vault with their account.';

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

comment on function private.keep_secret(uuid, text, text, text) is 'Puts a value into Vault, in the place of the one that is there, and gives its id there.';

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
  'An account with its keys, as the code that calls its provider needs it: of the transaction''s tenant alone, or for jobs of any. Null for what is not there or was forgotten.';

grant execute on function app.provider_account(text) to payments, worker;

-- How an account does -------------------------------------------------------------------------------------------------

create function private.rearm_job(tenant_id uuid, name text, key text, payload jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs as j (tenant_id, name, key, payload)
  values (rearm_job.tenant_id, rearm_job.name, rearm_job.key, rearm_job.payload)
  on conflict on constraint jobs_name_key_key do update
  set due_at = now(), published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null,
      -- What is under way began before: its end says nothing of this one.
      attempts = j.attempts + 1;
end
$$;

comment on function private.rearm_job(uuid, text, text, jsonb) is 'Has a job done now that may have been done, or given up, before.';

create function private.check_provider_soon(account public.provider_accounts) returns void
language sql
set search_path = ''
as $$
  select private.rearm_job(account.tenant_id, 'check-provider', account.id, jsonb_build_object('account_id', account.id))
$$;

comment on function private.check_provider_soon(public.provider_accounts) is 'Has an account looked at now.';

create function private.mail_about_account() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.jobs (tenant_id, name, key, payload)
  select t.id, 'send-mail', format('provider-failing:%s:%s', new.id, to_char(now(), 'YYYY-MM-DD HH24')),
         jsonb_build_object(
           'to', t.owner_email,
           'subject', format('Your %s account does not work with Placar', initcap(new.provider)),
           'text', format(E'The %s account of %s does not work: %s\n\nNew orders to it are answered with an error until it does. It is tried again every minute.\n',
                          initcap(new.provider), t.name, new.reason))
  from public.tenants t
  where t.id = new.tenant_id and btrim(t.owner_email) <> ''
  on conflict (name, key) do nothing;
  return null;
end
$$;

comment on function private.mail_about_account() is
  'Trigger: the owner of a tenant hears once that an account began to fail, and of one that comes and goes once an hour.';

create trigger provider_accounts_mail_failing after update of status on public.provider_accounts
  for each row when (new.status = 'failing' and old.status <> 'failing')
  execute function private.mail_about_account();

create function app.record_provider_check(account_id text, result jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  secrets private.provider_secrets;
begin
  -- Accounts are locked before their secrets, as by private.connect_account.
  perform from public.provider_accounts a where a.id = record_provider_check.account_id for update;
  select s.* into secrets from private.provider_secrets s
  where s.account_id = record_provider_check.account_id and s.api_key_hash = decode(result ->> 'key_hash', 'hex')
  for update;
  if not found then
    return;
  end if;
  if result ->> 'webhook_secret' is not null then
    secrets.webhook_secret := private.keep_secret(
      secrets.webhook_secret, result ->> 'webhook_secret', 'provider_webhook_' || secrets.account_id, 'Proves what a payment provider tells us.');
  end if;
  update private.provider_secrets s
  set webhook_secret = secrets.webhook_secret,
      webhook_reference = coalesce(result ->> 'webhook_reference', s.webhook_reference)
  where s.account_id = secrets.account_id;
  update public.provider_accounts a
  set status = case when a.status = 'disconnected' then a.status else result ->> 'status' end,
      reason = result ->> 'reason',
      capabilities = coalesce(result -> 'capabilities', a.capabilities),
      balances = coalesce(result -> 'balances', a.balances),
      balance_read_at = case when result ? 'balances' then now() else a.balance_read_at end,
      webhook_state = coalesce(result ->> 'webhook_state', a.webhook_state),
      callback_url = coalesce(result ->> 'callback_url', a.callback_url),
      checked_at = now()
  where a.id = secrets.account_id;
end
$$;

comment on function app.record_provider_check(text, jsonb) is
  'Writes what a look at an account with the key of this key_hash (SHA-256 in hex) found, unless it has another by now: status, reason, and what was learnt of capabilities, balances, webhook_state, webhook_reference, webhook_secret, callback_url.';

grant execute on function app.record_provider_check(text, jsonb) to worker;

create function app.report_refused_key(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.provider_accounts;
begin
  update public.provider_accounts a
  set status = 'failing', reason = initcap(a.provider) || ' does not take the key any more.'
  where a.id = report_refused_key.account_id and a.status in ('connecting', 'active')
    and (a.tenant_id = app.tenant_id() or (app.tenant_id() is null and current_setting('role') = 'worker'))
  returning a.* into account;
  if found then
    perform private.check_provider_soon(account);
  end if;
end
$$;

comment on function app.report_refused_key(text) is 'Notes that a provider refused an account''s key, and has the account looked at.';

grant execute on function app.report_refused_key(text) to payments, worker;

create function app.check_provider_soon(account_id text) returns void
language sql security definer
set search_path = ''
as $$
  select private.check_provider_soon(a) from public.provider_accounts a where a.id = check_provider_soon.account_id
$$;

comment on function app.check_provider_soon(text) is 'Has an account looked at now: its provider told of a change.';

grant execute on function app.check_provider_soon(text) to worker;

create function app.forget_provider_account(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  secrets private.provider_secrets;
begin
  -- Locked as private.connect_account locks it: one that is connected again keeps its new key.
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

comment on function app.forget_provider_account(text) is 'Takes the keys of a disconnected account out of Vault.';

grant execute on function app.forget_provider_account(text) to worker;

-- Who takes what ------------------------------------------------------------------------------------------------------

create table public.provider_routes (
  tenant_id  uuid     references public.tenants (id) on delete cascade,
  kind       text     not null check (kind in ('charge', 'payout', 'tax_document')),
  region     text     not null,
  currency   text     not null check (currency ~ '^([A-Z]{3}|\*)$'),
  method     text     check (kind = 'charge' or method is null),
  preference smallint not null,
  provider   text     not null check (provider in ('sandbox', 'asaas', 'wise', 'stripe')),
  min_amount bigint,
  max_amount bigint,
  unique nulls not distinct (tenant_id, kind, region, currency, method, preference)
);

comment on table  public.provider_routes is
  'Who takes what: the first whose account the tenant has, that is active and can do it. A tenant''s own routes go before those of everybody, one with a method before one without.';
comment on column public.provider_routes.tenant_id is 'Null for everybody.';
comment on column public.provider_routes.region is 'Such as br; * for any.';
comment on column public.provider_routes.currency is '* for any.';
comment on column public.provider_routes.method is 'Of a charge; null for all.';
comment on column public.provider_routes.preference is 'The lowest first.';
comment on column public.provider_routes.min_amount is 'The least that this provider takes, in minor units.';
comment on column public.provider_routes.max_amount is 'The most that this provider takes, in minor units.';

alter table public.provider_routes enable row level security;
grant select on public.provider_routes to api, worker;

create policy "Routes of everybody, and a tenant's own" on public.provider_routes
  for select to api using (tenant_id is null or tenant_id = (select app.tenant_id()));
create policy "Jobs see routes" on public.provider_routes for select to worker using (true);

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

comment on function private.missing_capability(jsonb, text, text) is 'Why an account cannot do something, if it cannot.';

create function private.choose_provider(own uuid, kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  what    constant text := case kind when 'charge' then format('%s charges in %s', method, currency)
                                     when 'payout' then format('payouts in %s', currency) else 'tax documents' end;
  route   record;
  missing text;
  known   boolean := false;
  wanted  text[] := '{}';
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
      wanted := wanted || route.provider;
      continue;
    else
      known := true;
      missing := private.missing_capability(route.capabilities, kind, method);
      if route.status <> 'active' then
        -- Another one that works goes before it; else it is to be asked again.
        problem := 'not_ready';
        detail := coalesce(route.reason, format('The account at %s is being connected.', route.provider));
        continue;
      elsif missing is not null then
        problem := coalesce(problem, 'not_configured');
        detail := coalesce(detail, format('%s: %s', route.provider, missing));
        continue;
      end if;
      provider := route.provider;
      account_id := route.id;
    end if;
    problem := null;
    detail := null;
    if amount < route.min_amount then
      problem := 'amount';
      detail := format('must be at least %s for %s', route.min_amount, what);
    elsif amount > route.max_amount then
      problem := 'amount';
      detail := format('must be at most %s for %s', route.max_amount, what);
    end if;
    return next;
    return;
  end loop;
  if not known and app.environment() = 'staging' and (kind <> 'charge' or region = 'br') then
    provider := 'sandbox';
  elsif not known then
    problem := 'not_configured';
    detail := case when wanted = '{}' then format('No provider takes %s in this region.', what)
                   else format('No provider is connected for %s. Connect %s.', what, array_to_string(wanted, ' or ')) end;
  end if;
  return next;
end
$$;

comment on function private.choose_provider(uuid, text, text, text, text, bigint) is
  'Who takes an order of a tenant: provider and account, or the problem (not_configured, not_ready, amount) and its detail. The sandbox serves staging alone, where the tenant has no account for it.';

create function app.choose_provider(kind text, region text, currency text, method text, amount bigint)
returns table (provider text, account_id text, problem text, detail text)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return query select * from private.choose_provider(app.tenant_id(), kind, region, currency, method, amount);
end
$$;

comment on function app.choose_provider(text, text, text, text, bigint) is
  'Who takes an order of the transaction''s tenant, or why nobody does (private.choose_provider).';

grant execute on function app.choose_provider(text, text, text, text, bigint) to api, worker;
