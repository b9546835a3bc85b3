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
