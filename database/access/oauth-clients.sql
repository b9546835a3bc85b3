-- Access: OAuth clients, their tokens, and the first statement of every transaction.

create function private.oauth_scopes() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks', 'admin',
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
  select c.id into client from public.oauth_clients c where c.client_id = revoke_token.client_id;
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

-- The rest is unchanged.
create function app.admit_client(
  tenant_id uuid, client_id text, token_id uuid default null, any_scope text[] default null, every_scope text[] default null) returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  allowed integer;
  revoked boolean;
  current text[];
  address text;
begin
  select m.moved_to into address
  from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
  where c.kind = 'oauth_client' and c.name = admit_client.client_id
    and not exists (select from private.revoked_tokens r where r.token_id = admit_client.token_id);
  if found then
    raise exception 'tenant_moved' using errcode = 'PL421', detail = address;
  end if;
  select p.requests_per_minute,
         c.revoked_at is not null or c.client_id is null
           or exists (select from private.revoked_tokens r where r.token_id = admit_client.token_id),
         c.scopes
  into allowed, revoked, current
  from public.tenants t
  join public.plans p              on p.name = t.plan
  left join public.oauth_clients c on c.tenant_id = t.id and c.client_id = admit_client.client_id
  where t.id = admit_client.tenant_id;
  if revoked is not false then
    raise exception 'client_revoked' using errcode = 'PL401', detail = coalesce(allowed, 0);
  elsif private.is_closed(tenant_id) then
    raise exception 'This workspace is being moved. Nothing was done; please retry.' using errcode = 'PL503';
  elsif not current && any_scope then
    raise exception 'scope_missing' using errcode = 'PL433';
  elsif not ('admin' = any (current) or every_scope <@ current) then
    raise exception 'scope_missing' using errcode = 'PL433', detail = array_to_string(array(select unnest(every_scope) except select unnest(current)), ' ');
  end if;
  return allowed;
end
$$;

comment on function app.admit_client(uuid, text, uuid, text[], text[]) is
  'Returns the requests per minute of a client''s plan; fails if the client or token is revoked, or the client lost the scopes (login role only).';

create function app.begin_transaction(
  role                 text,
  tenant_id            uuid,
  statement_timeout_ms integer,
  lock_timeout_ms      integer,
  origin               text,
  silent               boolean,
  reads                boolean,
  client_id            text,
  used                 integer,
  token_id             uuid,
  any_scope            text[] default null,
  every_scope          text[] default null
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  allowed integer;
begin
  if client_id is not null then
    allowed := app.admit_client(tenant_id, client_id, token_id, any_scope, every_scope);
    if used > allowed then
      raise exception 'rate_limited' using errcode = 'PL430', detail = allowed;
    end if;
  end if;
  perform set_config('app.tenant_id', coalesce(tenant_id::text, ''), true),
          set_config('app.origin', coalesce(origin, ''), true),
          set_config('app.silent', case when silent then 'on' else '' end, true),
          set_config('statement_timeout', statement_timeout_ms::text, true),
          set_config('lock_timeout', lock_timeout_ms::text, true),
          set_config('role', role, true);
  if reads then
    perform set_config('transaction_read_only', 'on', true);
  end if;
  return allowed;
end
$$;

comment on function app.begin_transaction(text, uuid, integer, integer, text, boolean, boolean, text, integer, uuid, text[], text[]) is
  'First statement of every transaction: sets role, tenant and timeouts; fails if an OAuth client is not admitted (login role only).';
