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
