-- Tables of Supabase Auth for sessions, second factors and one-time tokens, with the columns, owners and grants of a hosted
-- project. Run by the superuser, after auth-storage.sql, in databases that do not have them.

create type auth.aal_level             as enum ('aal1', 'aal2', 'aal3');
create type auth.factor_type           as enum ('totp', 'webauthn', 'phone');
create type auth.factor_status         as enum ('unverified', 'verified');
create type auth.code_challenge_method as enum ('s256', 'plain');
create type auth.one_time_token_type   as enum (
  'confirmation_token', 'reauthentication_token', 'recovery_token',
  'email_change_token_new', 'email_change_token_current', 'phone_change_token');

alter type auth.aal_level             owner to supabase_auth_admin;
alter type auth.factor_type           owner to supabase_auth_admin;
alter type auth.factor_status         owner to supabase_auth_admin;
alter type auth.code_challenge_method owner to supabase_auth_admin;
alter type auth.one_time_token_type   owner to supabase_auth_admin;

create table auth.sessions (
  id                     uuid not null primary key,
  user_id                uuid not null references auth.users (id) on delete cascade,
  created_at             timestamptz,
  updated_at             timestamptz,
  factor_id              uuid,
  aal                    auth.aal_level,
  not_after              timestamptz,
  refreshed_at           timestamp without time zone,
  user_agent             text,
  ip                     inet,
  tag                    text,
  -- Refers to auth.oauth_clients, which this project does not use.
  oauth_client_id        uuid,
  refresh_token_hmac_key text,
  refresh_token_counter  bigint,
  scopes                 text check (char_length(scopes) <= 4096)
);
comment on table auth.sessions is 'Auth: Stores session data associated to a user.';
create index sessions_user_id_idx on auth.sessions (user_id);
create index sessions_not_after_idx on auth.sessions (not_after desc);
create index user_id_created_at_idx on auth.sessions (user_id, created_at);
create index sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);

create table auth.refresh_tokens (
  instance_id uuid,
  id          bigserial not null primary key,
  token       character varying(255) unique,
  user_id     character varying(255),
  revoked     boolean,
  created_at  timestamptz,
  updated_at  timestamptz,
  parent      character varying(255),
  session_id  uuid references auth.sessions (id) on delete cascade
);
comment on table auth.refresh_tokens is 'Auth: Store of tokens used to refresh JWT tokens once they expire.';
create index refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

create table auth.mfa_amr_claims (
  session_id            uuid        not null references auth.sessions (id) on delete cascade,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  authentication_method text        not null,
  id                    uuid        not null constraint amr_id_pk primary key,
  constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method)
);
comment on table auth.mfa_amr_claims is 'auth: stores authenticator method reference claims for multi factor authentication';

create table auth.mfa_factors (
  id                          uuid               not null primary key,
  user_id                     uuid               not null references auth.users (id) on delete cascade,
  friendly_name               text,
  factor_type                 auth.factor_type   not null,
  status                      auth.factor_status not null,
  created_at                  timestamptz        not null,
  updated_at                  timestamptz        not null,
  secret                      text,
  phone                       text,
  last_challenged_at          timestamptz        unique,
  web_authn_credential        jsonb,
  web_authn_aaguid            uuid,
  last_webauthn_challenge_data jsonb
);
comment on table auth.mfa_factors is 'auth: stores metadata about factors';
create unique index mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id)
  where (trim(friendly_name) <> '');
create index factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create unique index unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);

create table auth.mfa_challenges (
  id                     uuid        not null primary key,
  factor_id              uuid        not null references auth.mfa_factors (id) on delete cascade,
  created_at             timestamptz not null,
  verified_at            timestamptz,
  ip_address             inet        not null,
  otp_code               text,
  web_authn_session_data jsonb
);
comment on table auth.mfa_challenges is 'auth: stores metadata about challenge requests made';
create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

create table auth.flow_state (
  id                     uuid not null primary key,
  user_id                uuid,
  auth_code              text,
  code_challenge_method  auth.code_challenge_method,
  code_challenge         text,
  provider_type          text not null,
  provider_access_token  text,
  provider_refresh_token text,
  created_at             timestamptz,
  updated_at             timestamptz,
  authentication_method  text not null,
  auth_code_issued_at    timestamptz,
  invite_token           text,
  referrer               text,
  oauth_client_state_id  uuid,
  linking_target_id      uuid,
  email_optional         boolean not null default false
);
comment on table auth.flow_state is 'Stores metadata for all OAuth/SSO login flows';
create index idx_auth_code on auth.flow_state (auth_code);
create index idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);
create index flow_state_created_at_idx on auth.flow_state (created_at desc);

create table auth.one_time_tokens (
  id         uuid                     not null primary key,
  user_id    uuid                     not null references auth.users (id) on delete cascade,
  token_type auth.one_time_token_type not null,
  token_hash text                     not null check (char_length(token_hash) > 0),
  relates_to text                     not null,
  created_at timestamp without time zone not null default now(),
  updated_at timestamp without time zone not null default now()
);
create index one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create index one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create unique index one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);

do $$
declare
  name text;
begin
  foreach name in array array['sessions', 'refresh_tokens', 'mfa_amr_claims', 'mfa_factors', 'mfa_challenges', 'flow_state',
    'one_time_tokens']
  loop
    execute format('alter table auth.%I owner to supabase_auth_admin', name);
    execute format('alter table auth.%I enable row level security', name);
    execute format('grant all on auth.%I to postgres, dashboard_user', name);
  end loop;
end
$$;

grant all on sequence auth.refresh_tokens_id_seq to postgres, dashboard_user;
