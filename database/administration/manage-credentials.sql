-- Administration through the API: API keys and OAuth clients.

-- A caller can only give scopes that it has itself, and change credentials that have no others.

grant select (key_start, requests_per_hour, ip_allowlist, created_at) on public.api_keys to manage;
-- Locks a row; the functions below change it.
grant update (label) on public.api_keys, public.oauth_clients to manage;
create policy "Administration locks its own keys" on public.api_keys for update to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration locks its own clients" on public.oauth_clients for update to manage using (tenant_id = (select app.tenant_id()));

create function app.networks_of(list text[]) returns cidr[]
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select n into wrong from unnest(list) as n where not pg_input_is_valid(n, 'cidr') limit 1;
  if found then
    perform app.raise_domain_error('network_invalid', jsonb_build_object('name', left(wrong, 50)));
  end if;
  return list::cidr[];
end
$$;

comment on function app.networks_of(text[]) is 'IP addresses and networks of an allowlist. Rejects malformed ones.';

create function app.expect_key_scopes(scopes text[]) returns void
language sql
set search_path = ''
as $$
  select app.expect_own_scopes(
    array(select case s when 'payments:read' then 'read:payments' when 'payments:write' then 'manage:payments'
                        when 'default:sync' then 'manage:gamification' else s end from unnest(scopes) as s), 'scope_not_own')
$$;

comment on function app.expect_key_scopes(text[]) is 'Rejects scopes of API keys whose corresponding scopes the caller lacks.';

create function app.create_api_key(label text, scopes text[], requests_per_hour integer, ip_allowlist cidr[], expires_at timestamptz)
returns table (id uuid, api_key text)
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(scopes);
  select * from admin.create_api_key(app.tenant_id(), label, scopes, requests_per_hour, ip_allowlist, expires_at)
$$;

comment on function app.create_api_key(text, text[], integer, cidr[], timestamptz) is 'Creates an API key of the tenant, which only its result shows.';

create function app.update_api_key(
  id uuid, label text, scopes text[], requests_per_hour integer, ip_allowlist cidr[], expires_at timestamptz) returns void
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(k.scopes || update_api_key.scopes) from public.api_keys k
  where k.tenant_id = app.tenant_id() and k.id = update_api_key.id;
  update public.api_keys k set
    label = update_api_key.label, scopes = update_api_key.scopes, requests_per_hour = update_api_key.requests_per_hour,
    ip_allowlist = update_api_key.ip_allowlist, expires_at = update_api_key.expires_at
  where k.tenant_id = app.tenant_id() and k.id = update_api_key.id
$$;

comment on function app.update_api_key(uuid, text, text[], integer, cidr[], timestamptz) is 'Changes an API key of the tenant.';

create function app.revoke_api_key(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select private.revoke_api_key(k.id) from public.api_keys k where k.tenant_id = app.tenant_id() and k.id = revoke_api_key.id
$$;

comment on function app.revoke_api_key(uuid) is 'Revokes an API key of the tenant.';

create function app.rotate_api_key(old_id uuid) returns table (id uuid, api_key text)
language sql security definer
set search_path = ''
as $$
  select app.expect_key_scopes(k.scopes) from public.api_keys k where k.tenant_id = app.tenant_id() and k.id = old_id;
  select r.id, r.api_key from public.api_keys k cross join lateral admin.rotate_api_key(k.id) as r
  where k.tenant_id = app.tenant_id() and k.id = old_id
$$;

comment on function app.rotate_api_key(uuid) is 'Replaces an API key of the tenant; the old one expires in 24 hours.';

create function app.create_client(label text, scopes text[], variant text, user_id uuid) returns table (client_id text, client_secret text)
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(scopes, 'scope_not_own');
  select * from admin.create_oauth_client(app.tenant_id(), label, scopes, variant, user_id)
$$;

comment on function app.create_client(text, text[], text, uuid) is 'Creates an OAuth client of the tenant, whose secret only its result shows.';

create function app.update_client(id uuid, label text, scopes text[], variant text, user_id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(c.scopes || update_client.scopes, 'scope_not_own') from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = update_client.id;
  update public.oauth_clients c set
    label = update_client.label, scopes = update_client.scopes, variant = update_client.variant, user_id = update_client.user_id
  where c.tenant_id = app.tenant_id() and c.id = update_client.id
$$;

comment on function app.update_client(uuid, text, text[], text, uuid) is 'Changes an OAuth client of the tenant.';

create function app.revoke_client(id uuid) returns void
language sql security definer
set search_path = ''
as $$
  select private.revoke_oauth_client(c.client_id) from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.id = revoke_client.id
$$;

comment on function app.revoke_client(uuid) is 'Revokes an OAuth client of the tenant and its tokens.';

create function app.rotate_client_secret(id uuid) returns text
language sql security definer
set search_path = ''
as $$
  select app.expect_own_scopes(c.scopes, 'scope_not_own') from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = rotate_client_secret.id;
  select admin.rotate_client_secret(c.client_id) from public.oauth_clients c
  where c.tenant_id = app.tenant_id() and c.id = rotate_client_secret.id
$$;

comment on function app.rotate_client_secret(uuid) is 'Replaces the secret of an OAuth client of the tenant; the old one works for 24 hours.';

grant execute on function
  app.networks_of(text[]), app.expect_key_scopes(text[]), app.create_api_key(text, text[], integer, cidr[], timestamptz),
  app.update_api_key(uuid, text, text[], integer, cidr[], timestamptz), app.revoke_api_key(uuid), app.rotate_api_key(uuid),
  app.create_client(text, text[], text, uuid), app.update_client(uuid, text, text[], text, uuid), app.revoke_client(uuid),
  app.rotate_client_secret(uuid) to manage;
