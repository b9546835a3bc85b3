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

