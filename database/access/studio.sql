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
