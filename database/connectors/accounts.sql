-- Connectors: tenants' accounts at CRMs.
--
--   private.crms         the CRMs and the credentials that each accepts
--   crm_accounts         a tenant's account at a CRM and its state
--   private.crm_secrets  Vault ids of its credentials, and what is needed to remove our webhooks
--
-- One job for each account (sync-crm, connectors/queue.sql) checks it, reads what changed on either side, and applies it.

create table private.crms (
  name        text  primary key check (name ~ '^[a-z]+(_[a-z]+)*$'),
  title       text  not null,
  credentials jsonb not null check (jsonb_typeof(credentials) = 'array'),
  is_authorized_in_browser boolean not null default false
);

comment on table  private.crms is 'CRMs that tenants can connect; one for each folder of shared/connectors/crms.';
comment on column private.crms.title is 'Its name in sentences.';
comment on column private.crms.credentials is
  'The forms of credentials: members with their patterns; a member in "optional" may be missing.';
comment on column private.crms.is_authorized_in_browser is
  'Whether a person agrees in the CRM, unless the credentials have a refresh_token.';

alter table private.crms enable row level security;

insert into private.crms (name, title, is_authorized_in_browser, credentials) values
('rd_station', 'RD Station CRM', true,
 '[{"client_id": "^[!-~]{1,255}$", "client_secret": "^[!-~]{1,255}$", "refresh_token": "^[!-~]+$", "optional": ["refresh_token"]}]'),
('pipedrive', 'Pipedrive', false,
 '[{"domain": "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", "api_token": "^[0-9a-f]{40}$"}]'),
('hubspot', 'HubSpot', false,
 '[{"access_token": "^[!-~]{1,255}$", "client_secret": "^[!-~]{1,255}$"}, {"service_key": "^[!-~]{1,255}$"}]');

create table public.crm_accounts (
  id                 text        not null default app.typeid('crm'),
  tenant_id          uuid        not null references public.tenants (id) on delete cascade,
  crm                text        not null references private.crms (name),
  status             text        not null default 'connecting'
                                 check (status in ('authorizing', 'connecting', 'active', 'failing', 'paused', 'disconnected')),
  reason             text,
  settings           jsonb       not null default '{}',
  vendor_id          text,
  webhook_state      text        not null default 'missing' check (webhook_state in ('missing', 'active', 'by_hand', 'polling')),
  callback_url       text,
  former_urls        text[]      not null default '{}',
  webhook_setup      text,
  last_event_at      timestamptz,
  rejected_events    bigint      not null default 0,
  rejected_since     timestamptz,
  rejected_lately    smallint    not null default 0,
  counts_since       timestamptz,
  imported_at        timestamptz,
  reconciled_to      timestamptz,
  last_reconciled_at timestamptz,
  last_compared_at   timestamptz,
  checked_at         timestamptz,
  unknown_ids        text[]      not null default '{}',
  waiting_until      timestamptz,
  mailed_at          timestamptz,
  failures           integer     not null default 0,
  requests_free_at   timestamptz,
  disconnected_at    timestamptz,
  forgotten_at       timestamptz,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, crm)
);

comment on table  public.crm_accounts is 'Tenants'' accounts at CRMs, whose credentials are stored in Vault.';
comment on column public.crm_accounts.crm is 'rd_station, pipedrive or hubspot.';
comment on column public.crm_accounts.status is
  'authorizing until a person agreed at the CRM; connecting until the credentials are verified; failing while they or a webhook do not work.';
comment on column public.crm_accounts.reason is 'Why the account is failing, or why a connecting one waits, in plain language.';
comment on column public.crm_accounts.settings is 'Settings given to admin.connect_crm.';
comment on column public.crm_accounts.vendor_id is 'Id of the company at the CRM; two tenants cannot connect the same one.';
comment on column public.crm_accounts.webhook_state is
  'How changes are told: active webhooks, those that a person sets up in the CRM (by_hand), or none, so that changes are polled.';
comment on column public.crm_accounts.callback_url is 'URL that the CRM sends webhooks to, without the secret.';
comment on column public.crm_accounts.former_urls is
  'Earlier values of callback_url: webhooks that a person set up still come from there, and are signed over it.';
comment on column public.crm_accounts.webhook_setup is 'With by_hand: the text with which a person sets webhooks up in the CRM.';
comment on column public.crm_accounts.last_event_at is 'When the last webhook arrived.';
comment on column public.crm_accounts.rejected_events is 'Webhooks without a valid proof; counts at most ten per minute.';
comment on column public.crm_accounts.rejected_since is 'Start of the minute in which rejected webhooks were last counted.';
comment on column public.crm_accounts.rejected_lately is 'Number counted in the minute from rejected_since.';
comment on column public.crm_accounts.counts_since is 'Start of the first import; activities that were done before do not count.';
comment on column public.crm_accounts.imported_at is 'End of the first import; until then, webhooks are kept and nothing else is read.';
comment on column public.crm_accounts.reconciled_to is 'Changes at the CRM until this time were read.';
comment on column public.crm_accounts.last_reconciled_at is 'When changes were last read without a webhook.';
comment on column public.crm_accounts.checked_at is 'When credentials, users, stages and webhooks were last read.';
comment on column public.crm_accounts.unknown_ids is
  'Owners (owner:7) and stages (stage:7) of records that the CRM did not list when it was last asked for them; empty after each check.';
comment on column public.crm_accounts.waiting_until is 'No requests are sent to the CRM until then; null if they may be.';
comment on column public.crm_accounts.mailed_at is 'When the tenant''s owner was told that it is failing; null once it worked again.';
comment on column public.crm_accounts.forgotten_at is
  'When an admin deleted the account; its row is kept until its webhooks at the CRM are removed.';
comment on column public.crm_accounts.requests_free_at is 'When the CRM''s limit allows several requests at once again.';
comment on column public.crm_accounts.failures is 'Consecutive requests without a response or with a limit that has no time.';

create unique index crm_accounts_id_idx on public.crm_accounts (id); -- callbacks contain only the id
create unique index crm_accounts_vendor_idx on public.crm_accounts (crm, vendor_id) where status <> 'disconnected';

alter table public.crm_accounts enable row level security;
grant select, update on public.crm_accounts to worker;

create policy "Jobs manage accounts of CRMs" on public.crm_accounts
  for all to worker using (true) with check (true);

create trigger crm_accounts_set_updated_at
  before update on public.crm_accounts
  for each row execute function private.set_updated_at();

create table private.crm_secrets (
  account_id        text        primary key references public.crm_accounts (id) on delete cascade,
  credentials       uuid,
  webhook_secret    uuid,
  webhook_reference text,
  refreshing_until  timestamptz,
  state_hash        bytea       check (length(state_hash) = 32),
  state_expires_at  timestamptz
);

comment on table  private.crm_secrets is 'Vault ids of the credentials of accounts at CRMs.';
comment on column private.crm_secrets.credentials is 'Vault id of the credentials and OAuth tokens, as JSON; null after they are deleted.';
comment on column private.crm_secrets.webhook_secret is 'Vault id of the secret that proves the CRM''s webhooks.';
comment on column private.crm_secrets.webhook_reference is 'What removes our webhooks at the CRM.';
comment on column private.crm_secrets.refreshing_until is 'Until then, one worker exchanges the refresh token, which can be used once.';
comment on column private.crm_secrets.state_hash is 'SHA-256 of the state of an authorization in progress.';

alter table private.crm_secrets enable row level security;

create function private.forget_crm_secrets() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from vault.secrets s where s.id in (old.credentials, old.webhook_secret);
  return null;
end
$$;

comment on function private.forget_crm_secrets() is 'Trigger: deletes an account''s credentials from Vault when the account is deleted.';

create trigger crm_secrets_forget after delete on private.crm_secrets
  for each row execute function private.forget_crm_secrets();

create function private.mail_about_crm() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.mail_owner(
    new.tenant_id, format('crm-failing:%s:%s', new.id, extract(epoch from now())), 'crm_failing',
    jsonb_build_object('crm', (select c.title from private.crms c where c.name = new.crm), 'reason', new.reason));
  new.mailed_at := now();
  return new;
end
$$;

comment on function private.mail_about_crm() is
  'Trigger: emails the tenant''s owner when an account at a CRM starts failing, once until it works again.';

-- Each try makes the account active before it reads records, and may fail there.
create trigger crm_accounts_mail_failing before update of status on public.crm_accounts
  for each row when (new.status = 'failing' and old.status <> 'failing' and old.mailed_at is null)
  execute function private.mail_about_crm();

-- What the account has in the CRM ------------------------------------------------------------------------------------------------

create table public.crm_users (
  tenant_id  uuid not null,
  account_id text not null,
  crm_id     text not null,
  email      text not null check (email = lower(btrim(email))),
  name       text,
  place      integer,
  primary key (account_id, crm_id),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on column public.crm_users.place is
  'Its place in the CRM''s list of users, several of which may have one address; null if it is not listed any more.';
comment on table public.crm_users is 'Users of a CRM; each is the user here who has its email address.';
create index crm_users_email_idx on public.crm_users (account_id, email);

create table public.crm_stages (
  tenant_id     uuid not null,
  account_id    text not null,
  crm_id        text not null,
  name          text not null,
  pipeline      text not null,
  pipeline_name text not null,
  place         integer,
  closes        text check (closes in ('won', 'lost')),
  is_present    boolean not null default true,
  read_at       timestamptz,
  stage_id      uuid,
  primary key (account_id, crm_id),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade,
  foreign key (tenant_id, stage_id)   references public.pipeline_stages (tenant_id, id) on delete set null (stage_id)
);

comment on table  public.crm_stages is 'Stages of a CRM, and the stages here that they are mapped to.';
comment on column public.crm_stages.crm_id is 'Id of the stage in the CRM.';
comment on column public.crm_stages.name is 'Name in the CRM.';
comment on column public.crm_stages.pipeline_name is 'Name of the pipeline in the CRM.';
comment on column public.crm_stages.place is 'Its place in the CRM''s list of stages.';
comment on column public.crm_stages.pipeline is 'Id of the pipeline in the CRM.';
comment on column public.crm_stages.closes is 'What a deal in this stage is; null for open ones.';
comment on column public.crm_stages.is_present is 'Whether the CRM still has the stage.';
comment on column public.crm_stages.read_at is 'When it was read since the last complete check; null otherwise.';
comment on column public.crm_stages.stage_id is 'Set by admin.map_crm_stage; otherwise, the stage of the same name is used.';

create table public.crm_activity_types (
  tenant_id  uuid not null,
  account_id text not null,
  crm_type   text not null,
  code       text check (code ~ '^[0-9]{3}$' and code <> '000'),
  primary key (account_id, crm_type),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  public.crm_activity_types is 'Types of activities in a CRM, and the codes of activity sync that they are mapped to.';
comment on column public.crm_activity_types.crm_type is 'Type in the CRM, such as call, meetings or task:email.';
comment on column public.crm_activity_types.code is '001 to 999; null if activities of this type are not read.';

create index crm_users_account_idx on public.crm_users (tenant_id, account_id);
create index crm_stages_account_idx on public.crm_stages (tenant_id, account_id);
create index crm_stages_stage_idx on public.crm_stages (tenant_id, stage_id) where stage_id is not null;
create index crm_activity_types_account_idx on public.crm_activity_types (tenant_id, account_id);

alter table public.crm_users enable row level security;
alter table public.crm_stages enable row level security;
alter table public.crm_activity_types enable row level security;

-- Authorizing in a browser: the state is good once.

create function app.take_crm_state(account_id text, state text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  update private.crm_secrets s set state_hash = null, state_expires_at = null
  where s.account_id = account_id and s.state_hash = sha256(convert_to(state, 'UTF8')) and s.state_expires_at > now();
  return found;
end
$$;

comment on function app.take_crm_state(text, text) is 'Uses up the state of an authorization; false if it is not the last one or too old.';

create function app.end_crm_authorization(account_id text) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  update public.crm_accounts a set status = 'connecting', reason = null where a.id = account_id and a.status in ('authorizing', 'failing', 'active');
  perform private.wake_crm(account_id);
end
$$;

comment on function app.end_crm_authorization(text) is 'Goes on with an account after a person agreed in the CRM.';

grant execute on function app.take_crm_state(text, text), app.end_crm_authorization(text) to worker;

create function private.crm_account_with_id(account_id text) returns public.crm_accounts
language plpgsql stable
set search_path = ''
as $$
declare
  account public.crm_accounts;
begin
  select a.* into account from public.crm_accounts a where a.id = crm_account_with_id.account_id and a.forgotten_at is null;
  if not found then
    perform private.refuse_argument('account_id', 'no such CRM account');
  end if;
  return account;
end
$$;

comment on function private.crm_account_with_id(text) is 'The account at a CRM with this id; rejects an unknown one.';
