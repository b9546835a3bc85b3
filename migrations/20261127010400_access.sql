set local check_function_bodies = off;

-- Access: API keys of activity sync and payments. Only their hashes are stored.
--
-- Credentials are looked up before the tenant is known, by functions that only the login role may call
-- (app.find_caller_key in moves/callers.sql, since a tenant may have moved); the caller decides whether they are valid.
-- Revocation applies from the next request.

create function private.api_key_scopes() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$ select array['default:sync', 'payments:read', 'payments:write'] $$;

comment on function private.api_key_scopes() is 'Scopes available to API keys.';

create function app.current_caller() returns jsonb
language sql stable
set search_path = ''
as $$
  select case when g.given ? 'kind' then jsonb_build_object('kind', g.given ->> 'kind', 'id', g.given ->> 'id') end
  from (select nullif(current_setting('app.actor', true), '')::jsonb as given) as g
$$;

comment on function app.current_caller() is 'The caller of the request: kind (client, api_key or person) and id; null outside of requests.';

grant execute on function app.current_caller() to api;

create table public.api_keys (
  id                uuid        primary key default gen_random_uuid(),
  tenant_id         uuid        not null references public.tenants (id) on delete cascade,
  label             text        not null check (btrim(label) <> ''),
  key_hash          bytea       not null unique check (length(key_hash) = 32),
  key_start         text        not null,
  scopes            text[]      not null,
  requests_per_hour integer     not null default 1000 check (requests_per_hour > 0),
  ip_allowlist      cidr[]      not null default '{}',
  expires_at        timestamptz,
  revoked_at        timestamptz,
  last_used_at      timestamptz,
  created_at        timestamptz not null default now(),
  unique (tenant_id, id),
  constraint api_keys_scopes_known check (scopes <@ private.api_key_scopes() and cardinality(scopes) > 0)
);

comment on table  public.api_keys is 'API keys of the activity sync and payments interfaces.';
comment on column public.api_keys.key_hash is 'SHA-256 of the whole key, which is shown once at creation and never stored.';
comment on column public.api_keys.key_start is 'The first 12 characters, to tell keys apart.';
comment on column public.api_keys.requests_per_hour is 'Requests allowed per clock hour.';
comment on column public.api_keys.ip_allowlist is 'Networks that may use the key; empty means any.';
comment on column public.api_keys.last_used_at is 'When the key was last used, accurate to the minute.';

alter table public.api_keys enable row level security;
grant select (id, tenant_id, label, scopes, expires_at, revoked_at, last_used_at) on public.api_keys to api;

create policy "A tenant sees its own keys" on public.api_keys
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.find_api_key(key_hash bytea, address text)
returns table (
  id                uuid,
  tenant_id         uuid,
  scopes            text[],
  requests_per_hour integer,
  expired           boolean,
  revoked           boolean,
  address_allowed   boolean,
  touch_due         boolean
)
language sql stable security definer
set search_path = ''
as $$
  select k.id, k.tenant_id, k.scopes, k.requests_per_hour,
         coalesce(k.expires_at <= now(), false), k.revoked_at is not null,
         cardinality(k.ip_allowlist) = 0
           or case when pg_input_is_valid(address, 'inet') then address::inet <<= any (k.ip_allowlist) else false end,
         k.last_used_at is null or k.last_used_at < now() - interval '1 minute'
  from public.api_keys k
  where k.key_hash = find_api_key.key_hash
$$;

comment on function app.find_api_key(bytea, text) is
  'Finds an API key by its SHA-256 in any tenant and state, and whether this IP address may use it; the caller '
  'decides on access (login role only).';

-- Security definer, because the check constraint on scopes calls a function that request roles may not execute.
create function app.touch_api_key(id uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.api_keys k set last_used_at = now()
  where k.id = touch_api_key.id and k.tenant_id = app.tenant_id()
    and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
end
$$;

comment on function app.touch_api_key(uuid) is
  'Records the use of an API key of the transaction''s tenant, at most once a minute.';

grant execute on function app.touch_api_key(uuid) to api;

-- Access: OAuth clients of records and administration and their tokens. Only hashes of the secrets are stored.
--
-- Triggers defined in other files: revoking a client deactivates its webhooks (webhooks/limits.sql); who is admitted is derived from clients
-- and revoked tokens (access/admission.sql).

create function private.oauth_scopes() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks', 'read:standings', 'admin',
    'read:settings', 'read:audit', 'manage:gamification', 'manage:automations', 'manage:workspace',
    'read:payments', 'manage:payments', 'approve:payouts', 'request:payouts', 'manage:access', 'manage:persons'
  ]
$$;

comment on function private.oauth_scopes() is 'Scopes available to OAuth clients.';

create table public.oauth_clients (
  id         uuid        primary key default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  client_id  text        not null unique,
  label      text        not null check (btrim(label) <> ''),
  scopes     text[]      not null,
  variant    text        not null default 'a' check (variant in ('a', 'b', 'c')),
  user_id    uuid,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  unique (tenant_id, id),
  unique (tenant_id, client_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete set null (user_id),
  constraint oauth_clients_scopes_known check (scopes <@ private.oauth_scopes() and cardinality(scopes) > 0)
);

comment on table  public.oauth_clients is 'OAuth clients of the records interface.';
comment on column public.oauth_clients.client_id is 'Public client id sent to the token endpoint.';
comment on column public.oauth_clients.variant is 'Naming variant that the client uses unless a request specifies another one.';
comment on column public.oauth_clients.user_id is 'The user that the client acts for, if any.';

create index oauth_clients_user_idx on public.oauth_clients (tenant_id, user_id);

alter table public.oauth_clients enable row level security;
grant select on public.oauth_clients to api;

create policy "A tenant sees its own clients" on public.oauth_clients
  for select to api using (tenant_id = (select app.tenant_id()));

create table private.oauth_client_secrets (
  id              bigint      generated always as identity primary key,
  oauth_client_id uuid        not null references public.oauth_clients (id) on delete cascade,
  secret_hash     bytea       not null check (length(secret_hash) = 32),
  created_at      timestamptz not null default clock_timestamp(),
  expires_at      timestamptz
);

comment on table  private.oauth_client_secrets is
  'SHA-256 of client secrets (40 random characters, shown once); the current one has no expiry, the previous one expires after 24 hours.';
comment on column private.oauth_client_secrets.expires_at is 'When a rotated secret expires; null for the current one.';

create unique index oauth_client_secrets_present_idx on private.oauth_client_secrets (oauth_client_id) where expires_at is null;
create index oauth_client_secrets_client_idx on private.oauth_client_secrets (oauth_client_id);

alter table private.oauth_client_secrets enable row level security;

create function app.find_oauth_client(client_id text)
returns table (
  tenant_id           uuid,
  client_id           text,
  scopes              text[],
  variant             text,
  plan                text,
  requests_per_minute integer,
  revoked             boolean,
  secret_hashes       text[]
)
language sql stable security definer
set search_path = ''
as $$
  select c.tenant_id, c.client_id, c.scopes, c.variant, t.plan, p.requests_per_minute, c.revoked_at is not null,
         array(
           select encode(s.secret_hash, 'hex') from private.oauth_client_secrets s
           where s.oauth_client_id = c.id and coalesce(s.expires_at > now(), true)
           order by s.id desc
         )
  from public.oauth_clients c
  join public.tenants t on t.id = c.tenant_id
  join public.plans p   on p.name = t.plan
  where c.client_id = find_oauth_client.client_id
$$;

comment on function app.find_oauth_client(text) is
  'Finds an OAuth client with its plan and the hex SHA-256 of its valid secrets; the caller decides on access (login role only).';

create table private.revoked_tokens (
  token_id        uuid        primary key,
  oauth_client_id uuid        not null references public.oauth_clients (id) on delete cascade,
  expires_at      timestamptz not null
);

comment on table  private.revoked_tokens is
  'Access tokens revoked before they expired, by jti; expired rows are deleted when their client revokes another token.';
comment on column private.revoked_tokens.expires_at is 'When the token expires; the row can be deleted afterwards.';

create index revoked_tokens_client_idx on private.revoked_tokens (oauth_client_id, expires_at);

alter table private.revoked_tokens enable row level security;

create function app.revoke_token(client_id text, token_id uuid, expires_at timestamptz) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  client uuid;
begin
  select c.id into client from public.oauth_clients c where c.client_id = revoke_token.client_id for key share;
  -- Each revocation deletes the client's expired rows, so that no cleanup job is needed.
  delete from private.revoked_tokens r where r.oauth_client_id = client and r.expires_at < now();
  insert into private.revoked_tokens (token_id, oauth_client_id, expires_at)
  select revoke_token.token_id, client, revoke_token.expires_at
  where revoke_token.token_id is not null and client is not null
  on conflict do nothing;
end
$$;

comment on function app.revoke_token(text, uuid, timestamptz) is
  'Revokes an access token that the caller has verified, from the next request; a null id revokes nothing (login role only).';


-- Access: creating and revoking credentials in Studio.

create function admin.create_api_key(
  tenant_id         uuid,
  label             text,
  scopes            text[],
  requests_per_hour integer default 1000,
  ip_allowlist      cidr[] default '{}',
  expires_at        timestamptz default null
) returns table (id uuid, api_key text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  new_key text;
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('label', label),
          private.expect_all_of('scopes', scopes, private.api_key_scopes()),
          private.expect_number('requests_per_hour', requests_per_hour, 1);
  select case environment when 'production' then 'sk_live_' else 'sk_test_' end || private.random_base62(32)
  into strict new_key
  from private.deployment;

  return query
    insert into public.api_keys as k
      (tenant_id, label, key_hash, key_start, scopes, requests_per_hour, ip_allowlist, expires_at)
    values (
      create_api_key.tenant_id, create_api_key.label, sha256(convert_to(new_key, 'UTF8')), left(new_key, 12),
      create_api_key.scopes, create_api_key.requests_per_hour, coalesce(create_api_key.ip_allowlist, '{}'),
      create_api_key.expires_at
    )
    returning k.id, new_key;
end
$$;

comment on function admin.create_api_key(uuid, text, text[], integer, cidr[], timestamptz) is
  'Creates an API key and returns it only once: copy it (scopes: default:sync, payments:read, payments:write).';

create function private.revoke_api_key(id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.api_keys k set revoked_at = coalesce(k.revoked_at, now()) where k.id = revoke_api_key.id;
  if not found then
    raise exception 'id: API key % does not exist', revoke_api_key.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.revoke_api_key(uuid) is 'Revokes an API key permanently from the next request.';

-- One row for a rotation, of the old key.
create function admin.rotate_api_key(inout id uuid, out api_key text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  old public.api_keys;
begin
  -- Serializes concurrent rotations of the same key.
  select k.* into old from public.api_keys k where k.id = rotate_api_key.id for update;
  if not found then
    raise exception 'id: API key % does not exist', rotate_api_key.id using errcode = 'no_data_found';
  elsif old.revoked_at is not null or old.expires_at <= now() then
    perform private.refuse_argument('id', format('API key %s is already %s; create a new one', old.id,
                                                 case when old.revoked_at is null then 'expired' else 'revoked' end));
  end if;
  perform private.expect_rotatable(old);
  perform set_config('app.audited', 'no', true);
  update public.api_keys k set expires_at = least(k.expires_at, now() + interval '24 hours') where k.id = old.id;
  -- The new key gets the same lifetime as the old one.
  select c.id, c.api_key into id, api_key
  from admin.create_api_key(old.tenant_id, old.label, old.scopes, old.requests_per_hour, old.ip_allowlist,
                            now() + (old.expires_at - old.created_at)) as c;
  insert into private.credential_holders (tenant_id, credential, holder)
  select old.tenant_id, h.credential, h.holder
  from (values (id::text, old.id::text), (old.id::text, app.current_caller() ->> 'id')) as h (credential, holder)
  where h.holder is not null
  on conflict do nothing;
  perform set_config('app.audited', '', true);
  perform private.add_change(
    old.tenant_id, 'api_key.rotated', 'api_key', old.id::text, old.label, jsonb_build_object('expires_at', old.expires_at),
    jsonb_build_object('expires_at', least(old.expires_at, now() + interval '24 hours')));
end
$$;

comment on function admin.rotate_api_key(uuid) is
  'Creates a replacement API key and returns it only once: copy it; the old key expires in 24 hours.';

create function private.set_allowlist(api_key_id uuid, allowlist cidr[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  if allowlist is null or array_position(allowlist, null) is not null then
    perform private.refuse_argument('allowlist', 'is required', array['networks such as {203.0.113.0/24,2001:db8::/32}', '{} for any address']);
  end if;
  update public.api_keys k set ip_allowlist = set_allowlist.allowlist where k.id = set_allowlist.api_key_id;
  if not found then
    raise exception 'api_key_id: API key % does not exist', set_allowlist.api_key_id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.set_allowlist(uuid, cidr[]) is
  'Sets the networks that may use an API key, from the next request; {} means any address.';

create function admin.create_oauth_client(
  tenant_id uuid,
  label     text,
  scopes    text[],
  variant   text default 'a',
  user_id   uuid default null
) returns table (client_id text, client_secret text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  new_id     uuid;
  new_secret text := private.random_base62(40);
  new_client text := 'client_' || private.random_base62(24);
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('label', label),
          private.expect_all_of('scopes', scopes, private.oauth_scopes()),
          private.expect_one_of('variant', variant, '{a,b,c}');
  if user_id is not null then
    perform private.expect_user(tenant_id, user_id);
  end if;
  insert into public.oauth_clients as c (tenant_id, client_id, label, scopes, variant, user_id)
  values (
    create_oauth_client.tenant_id, new_client, create_oauth_client.label,
    create_oauth_client.scopes, create_oauth_client.variant, create_oauth_client.user_id
  )
  returning c.id into new_id;

  insert into private.oauth_client_secrets (oauth_client_id, secret_hash)
  values (new_id, sha256(convert_to(new_secret, 'UTF8')));

  return query select new_client, new_secret;
end
$$;

comment on function admin.create_oauth_client(uuid, text, text[], text, uuid) is
  'Creates an OAuth client of the records interface and returns its secret only once: copy it.';

create function admin.rotate_client_secret(client_id text) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  new_secret constant text := private.random_base62(40);
  client public.oauth_clients;
begin
  -- Serializes concurrent rotations of the same client's secret.
  select c.* into client from public.oauth_clients c where c.client_id = rotate_client_secret.client_id for update;
  if not found then
    raise exception 'client_id: OAuth client % does not exist', rotate_client_secret.client_id using errcode = 'no_data_found';
  elsif client.revoked_at is not null then
    perform private.refuse_argument('client_id', format('OAuth client %s is revoked; create a new one', client.client_id));
  end if;
  delete from private.oauth_client_secrets s where s.oauth_client_id = client.id and s.expires_at is not null;
  update private.oauth_client_secrets s set expires_at = now() + interval '24 hours' where s.oauth_client_id = client.id;
  insert into private.oauth_client_secrets (oauth_client_id, secret_hash)
  values (client.id, sha256(convert_to(new_secret, 'UTF8')));
  return new_secret;
end
$$;

comment on function admin.rotate_client_secret(text) is
  'Creates a new secret for an OAuth client and returns it only once: copy it; the old secret stays valid for 24 hours.';

create function private.revoke_oauth_client(client_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.oauth_clients c set revoked_at = coalesce(c.revoked_at, now())
  where c.client_id = revoke_oauth_client.client_id;
  if not found then
    raise exception 'client_id: OAuth client % does not exist', revoke_oauth_client.client_id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.revoke_oauth_client(text) is
  'Revokes an OAuth client permanently; its tokens stop working and its webhooks are deactivated immediately.';

create view admin.api_keys with (security_invoker = true) as
  select id, tenant_id, label, key_start, scopes, requests_per_hour, ip_allowlist,
         expires_at, revoked_at, last_used_at, created_at
  from public.api_keys;

comment on view admin.api_keys is 'API keys of all tenants, without secrets.';

create view admin.oauth_clients with (security_invoker = true) as
  select client_id, tenant_id, label, scopes, variant, user_id, revoked_at, created_at
  from public.oauth_clients;

comment on view admin.oauth_clients is 'OAuth clients of all tenants, without secrets.';

-- The login of the functions. It has the rights that a request needs before its transaction has a role, and the right to set the roles
-- `api`, `payments` and `worker`. `postgres` keeps working as well, with more rights than the functions need.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'placar_login') then
    create role placar_login nologin noinherit nobypassrls nocreaterole nocreatedb noreplication;
  end if;
end
$$;

grant api, payments, worker to placar_login with inherit false, set true;
grant usage on schema app to placar_login;

grant execute on function
  app.find_api_key(bytea, text),
  app.find_oauth_client(text),
  app.revoke_token(text, uuid, timestamptz)
to placar_login;

create function admin.create_login(name text default 'placar_functions') returns table (role text, password text)
language plpgsql
set search_path = ''
as $$
declare
  secret constant text := private.random_base62(32);
begin
  perform private.keep_errors_out_of_log(), private.expect_new_login(name);
  execute format('create role %I login password %L', name, secret);
  execute format('grant placar_login to %I with inherit true, set true', name);
  perform private.add_change(null, 'login.created', 'login', name, name, null, '{"kind": "functions"}');
  return query select name, secret;
end
$$;

comment on function admin.create_login(text) is
  'Creates a login for the functions, without any right that they do not need, and returns its password once.';

create function admin.drop_login(name text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (
    select from pg_catalog.pg_auth_members m
    join pg_catalog.pg_roles r on r.oid = m.member
    join pg_catalog.pg_roles g on g.oid = m.roleid
    where r.rolname = drop_login.name and g.rolname in ('placar_login', 'placar_monitor') and m.inherit_option and r.rolcanlogin
  ) then
    perform private.refuse_argument(
      'name', format('"%s" is not a login of Placar', name),
      array(
        select r.rolname::text from pg_catalog.pg_auth_members m
        join pg_catalog.pg_roles r on r.oid = m.member
        join pg_catalog.pg_roles g on g.oid = m.roleid
        where g.rolname in ('placar_login', 'placar_monitor') and m.inherit_option and r.rolcanlogin
        order by 1));
  end if;
  -- A role may end the sessions of roles whose rights it inherits.
  execute format('grant %I to current_user with inherit true, set false', name);
  execute format('alter role %I nologin', name);
  perform pg_catalog.pg_terminate_backend(a.pid) from pg_catalog.pg_stat_activity a where a.usename = drop_login.name;
  -- Every login can create large objects, and a role that owns objects cannot be dropped.
  execute format('drop owned by %I', name);
  execute format('drop role %I', name);
end
$$;

comment on function admin.drop_login(text) is 'Ends the sessions of a login for the functions or for monitoring, and removes it.';
