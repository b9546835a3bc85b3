-- Administration by the API: API keys and OAuth clients. A caller can only give scopes that it has itself.

set local lock_timeout = '3s';

create function private.expect_own_scopes(
  scopes text[], given jsonb, message text default 'You can only grant scopes that your own token has.') returns void
language plpgsql
set search_path = ''
as $$
declare
  -- A token may say more than its client has currently.
  own     constant text[] := private.with_implied_scopes(array(select jsonb_array_elements_text(given -> 'scopes')));
  current constant text[] := private.with_implied_scopes((select c.scopes from public.oauth_clients c where c.client_id = given ->> 'client_id'));
  missing text[];
begin
  select array_agg(distinct s order by s) into missing
  from unnest(scopes) as s where not (s = any (own) and s = any (current));
  if missing is not null then
    raise exception 'insufficient_scope' using errcode = 'PL434', detail = jsonb_build_object(
      'message', message, 'scopes', missing,
      'details', (select jsonb_agg(jsonb_build_object('field', 'scopes', 'message', format('this token lacks the scope %s', m))) from unnest(missing) as m));
  end if;
end
$$;

comment on function private.expect_own_scopes(text[], jsonb, text) is
  'Rejects scopes that the caller (scopes of its token, client_id) does not have itself.';

create function private.networks_of(list jsonb) returns cidr[]
language plpgsql
set search_path = ''
as $$
declare
  wrong text;
begin
  select n into wrong from jsonb_array_elements_text(list) as n where not pg_input_is_valid(n, 'cidr') limit 1;
  if found then
    perform private.reject('validation', 'Fix these fields.', 'ip_allowlist',
                           format('"%s" is not an IP address or network, such as 203.0.113.7 or 2001:db8::/32', left(wrong, 50)));
  end if;
  return array(select n::cidr from jsonb_array_elements_text(list) as n);
end
$$;

comment on function private.networks_of(jsonb) is 'IP addresses and networks of an allowlist. Rejects malformed ones.';

create function private.scopes_for_key(scopes text[]) returns text[]
language sql immutable
set search_path = ''
as $$
  select array(select case s when 'payments:read' then 'read:payments' when 'payments:write' then 'manage:payments'
                             when 'default:sync' then 'manage:gamification' else s end from unnest(scopes) as s)
$$;

comment on function private.scopes_for_key(text[]) is 'The scopes of clients that correspond to scopes of API keys.';

-- API keys --------------------------------------------------------------------------------------------------------------

create view manage.api_keys as
  select k.id, k.label as name, k.created_at, r.record, app.version_of(r.record, '{last_used_at,state}') as version
  from public.api_keys k
  cross join lateral (select json_build_object(
    'id', k.id, 'label', k.label, 'key_start', k.key_start, 'scopes', k.scopes, 'requests_per_hour', k.requests_per_hour,
    'ip_allowlist', array(select case when masklen(n) = case family(n) when 4 then 32 else 128 end then host(n) else n::text end from unnest(k.ip_allowlist) as n),
    'expires_at', app.format_utc(k.expires_at),
    'state', case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired' else 'active' end,
    'last_used_at', app.format_utc(k.last_used_at), 'created_at', app.format_utc(k.created_at)) as record) as r
  where k.tenant_id = (select app.tenant_id());

comment on view manage.api_keys is 'API keys of the tenant as the admin API shows them, without secrets.';

create view manage.oauth_clients as
  select c.id, c.client_id, c.label as name, c.created_at, r.record, app.version_of(r.record) as version
  from public.oauth_clients c
  left join public.users u on u.tenant_id = c.tenant_id and u.id = c.user_id
  cross join lateral (select json_build_object(
    'client_id', c.client_id, 'label', c.label, 'scopes', c.scopes, 'variant', c.variant,
    'user', case when u.id is not null then json_build_object('id', u.id, 'email', u.email) end,
    'state', case when c.revoked_at is not null then 'revoked' else 'active' end,
    'created_at', app.format_utc(c.created_at)) as record) as r
  where c.tenant_id = (select app.tenant_id());

comment on view manage.oauth_clients is 'OAuth clients of the tenant as the admin API shows them, without secrets.';

create function manage.list_access(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'api_keys' then 'api_keys' else 'oauth_clients' end,
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_access(text, jsonb) is 'A page of api_keys or oauth_clients; page as in manage.list_records.';

create function private.key_id_of(ref text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  wanted constant text := app.normalize_name(ref);
  ids    uuid[];
begin
  select array_agg(k.id) into ids from public.api_keys k where k.tenant_id = app.tenant_id() and k.id::text = wanted;
  if ids is null then
    select array_agg(k.id) into ids from public.api_keys k
    where k.tenant_id = app.tenant_id() and k.revoked_at is null and app.normalize_name(k.label) = wanted;
  end if;
  if ids is null then
    perform private.reject('not_found', 'There is no API key with this id or label.');
  elsif cardinality(ids) > 1 then
    perform private.reject('conflict', 'Several API keys have this label. Use an id.', extra => jsonb_build_object('ids', to_jsonb(ids)));
  end if;
  return ids[1];
end
$$;

comment on function private.key_id_of(text) is 'The API key with this id, or the one with this label that is not revoked.';

create function private.lock_api_key(ref text) returns public.api_keys
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := private.key_id_of(ref);
  found  public.api_keys;
begin
  select * into found from public.api_keys k where k.id = own_id for update;
  return found;
end
$$;

comment on function private.lock_api_key(text) is 'Locks and returns the API key with this id or label.';

create function private.admin_api_key(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.api_keys v where v.id = admin_api_key.id $$;

comment on function private.admin_api_key(uuid) is 'An API key as the admin API shows it, with its version.';

create function manage.read_api_key(ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_api_key(private.key_id_of(ref)) $$;

comment on function manage.read_api_key(text) is 'Reads an API key by id or label.';

create function manage.create_api_key(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  scopes constant text[] := array(select jsonb_array_elements_text(body -> 'scopes'));
  made   record;
begin
  perform private.expect_own_scopes(private.scopes_for_key(scopes), caller),
          private.check_record_limit('public.api_keys', 'r.revoked_at is null and coalesce(r.expires_at > now(), true)', 100, 'API keys in use');
  select * into made from admin.create_api_key(
    tenant_id => app.tenant_id(), label => body ->> 'label', scopes => scopes,
    requests_per_hour => coalesce((body ->> 'requests_per_hour')::integer, 1000),
    ip_allowlist => private.networks_of(coalesce(body -> 'ip_allowlist', '[]')),
    expires_at => private.moment_of(app.tenant_id(), 'expires_at', body ->> 'expires_at'));
  return jsonb_set(private.admin_api_key(made.id), '{record,api_key}', to_jsonb(made.api_key)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_api_key(jsonb, jsonb) is 'Creates an API key, which the answer shows once.';

create function manage.update_api_key(ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old    constant public.api_keys := private.lock_api_key(ref);
  wanted constant text[] := case when body ? 'scopes' then array(select jsonb_array_elements_text(body -> 'scopes')) else old.scopes end;
  ends   constant timestamptz := case when body ? 'expires_at' then private.moment_of(app.tenant_id(), 'expires_at', body ->> 'expires_at')
                                      else old.expires_at end;
begin
  perform private.expect_version(versions, private.admin_api_key(old.id)), private.expect_own_scopes(private.scopes_for_key(old.scopes || wanted), caller);
  if old.revoked_at is not null then
    perform private.reject('conflict', 'The API key is revoked. Create another one.', extra => '{"state": "revoked"}');
  elsif coalesce(ends, 'infinity') > coalesce(old.expires_at, 'infinity') then
    -- An expired key, or one that was rotated, works again or longer.
    perform private.check_record_limit('public.api_keys', format('r.revoked_at is null and coalesce(r.expires_at > now(), true) and r.id <> %L', old.id),
                                100, 'other API keys in use');
  end if;
  update public.api_keys k set
    label = coalesce(body ->> 'label', k.label), scopes = wanted,
    requests_per_hour = coalesce((body ->> 'requests_per_hour')::integer, k.requests_per_hour),
    ip_allowlist = case when body ? 'ip_allowlist' then private.networks_of(body -> 'ip_allowlist') else k.ip_allowlist end,
    expires_at = ends
  where k.id = old.id;
  return private.admin_api_key(old.id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_api_key(text, jsonb, jsonb, jsonb) is 'Changes an API key.';

create function manage.revoke_api_key(ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  key constant public.api_keys := private.lock_api_key(ref);
begin
  perform private.expect_version(versions, private.admin_api_key(key.id)), private.revoke_api_key(key.id);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.revoke_api_key(text, jsonb) is 'Revokes an API key; again, nothing changes.';

create function manage.rotate_api_key(ref text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old  constant public.api_keys := private.lock_api_key(ref);
  made record;
begin
  perform private.expect_version(versions, private.admin_api_key(old.id)), private.expect_own_scopes(private.scopes_for_key(old.scopes), caller);
  if old.revoked_at is not null or old.expires_at <= now() then
    perform private.reject('conflict', format('The API key is %s. Create another one.', case when old.revoked_at is null then 'expired' else 'revoked' end),
                           extra => jsonb_build_object('state', case when old.revoked_at is null then 'expired' else 'revoked' end));
  end if;
  begin
    perform private.expect_rotatable(old);
  exception when invalid_parameter_value then
    perform private.reject('conflict', substr(sqlerrm, strpos(sqlerrm, ': ') + 2) || '.', extra => '{"state": "rotated"}');
  end;
  -- Each of the 100 keys can be replaced at once, and the old ones work for another day.
  perform private.check_record_limit('public.api_keys', 'r.revoked_at is null and coalesce(r.expires_at > now(), true)', 200, 'API keys in use');
  select * into made from admin.rotate_api_key(old.id);
  return jsonb_set(private.admin_api_key(made.id), '{record,api_key}', to_jsonb(made.api_key)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.rotate_api_key(text, jsonb, jsonb) is 'Replaces an API key; the old one expires in 24 hours.';

-- OAuth clients ---------------------------------------------------------------------------------------------------------

create function private.client_id_of(ref text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  found public.oauth_clients[];
begin
  select array_agg(c) into found from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.client_id = btrim(ref);
  if found is null then
    select array_agg(c) into found from public.oauth_clients c
    where c.tenant_id = app.tenant_id() and c.revoked_at is null and app.normalize_name(c.label) = app.normalize_name(ref);
  end if;
  if found is null then
    perform private.reject('not_found', 'There is no OAuth client with this client_id or label.');
  elsif cardinality(found) > 1 then
    perform private.reject('conflict', 'Several OAuth clients have this label. Use a client_id.',
                           extra => jsonb_build_object('ids', (select jsonb_agg(c.client_id) from unnest(found) as c)));
  end if;
  return found[1].id;
end
$$;

comment on function private.client_id_of(text) is 'The id of the OAuth client with this client id, or of the one with this label that is not revoked.';

create function private.lock_oauth_client(ref text) returns public.oauth_clients
language plpgsql
set search_path = ''
as $$
declare
  own_id constant uuid := private.client_id_of(ref);
  found  public.oauth_clients;
begin
  select * into found from public.oauth_clients c where c.id = own_id for update;
  return found;
end
$$;

comment on function private.lock_oauth_client(text) is 'Locks and returns the OAuth client with this client id or label.';

create function private.admin_client(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.oauth_clients v where v.id = admin_client.id $$;

comment on function private.admin_client(uuid) is 'An OAuth client as the admin API shows it, with its version.';

create function manage.read_client(ref text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_client(private.client_id_of(ref)) $$;

comment on function manage.read_client(text) is 'Reads an OAuth client by client id or label.';

create function private.lock_user(ref text, caller jsonb) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  found uuid;
begin
  if ref is null then
    return null;
  end if;
  perform private.expect_own_scopes('{read:users}', caller, 'Naming a user also requires read:users.');
  select u.id into found from public.users u
  where u.tenant_id = app.tenant_id() and (u.id::text = lower(btrim(ref)) or lower(u.email) = lower(btrim(ref)))
  for key share;
  if found is null then
    perform private.reject_unknown('user', ref, 'user', array(
      select u.email from public.users u where u.tenant_id = app.tenant_id() order by u.email limit 21));
  end if;
  return found;
end
$$;

comment on function private.lock_user(text, jsonb) is 'Locks the user with this id or email address against deletion and returns its id; null for null. The caller must be able to read users.';

create function manage.create_client(body jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  scopes constant text[] := array(select jsonb_array_elements_text(body -> 'scopes'));
  made   record;
begin
  perform private.expect_own_scopes(scopes, caller), private.check_record_limit('public.oauth_clients', 'r.revoked_at is null', 100, 'OAuth clients in use');
  select * into made from admin.create_oauth_client(
    tenant_id => app.tenant_id(), label => body ->> 'label', scopes => scopes, variant => coalesce(body ->> 'variant', 'a'),
    user_id => private.lock_user(body ->> 'user', caller));
  return (select jsonb_set(private.admin_client(c.id), '{record,client_secret}', to_jsonb(made.client_secret)) from public.oauth_clients c where c.client_id = made.client_id)
    || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.create_client(jsonb, jsonb) is 'Creates an OAuth client, whose secret the answer shows once.';

create function manage.update_client(ref text, body jsonb, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  old    constant public.oauth_clients := private.lock_oauth_client(ref);
  wanted constant text[] := case when body ? 'scopes' then array(select jsonb_array_elements_text(body -> 'scopes')) else old.scopes end;
begin
  perform private.expect_version(versions, private.admin_client(old.id)), private.expect_own_scopes(old.scopes || wanted, caller);
  if old.revoked_at is not null then
    perform private.reject('conflict', 'The OAuth client is revoked. Create another one.', extra => '{"state": "revoked"}');
  elsif old.client_id = caller ->> 'client_id' and not old.scopes <@ wanted then
    -- A caller grants only what it has, so it could not give the scope back.
    perform private.reject('conflict', 'A client cannot take a scope from itself. Use another client or SQL, or revoke this client with DELETE.',
                           'scopes', 'must contain all scopes that the client has');
  end if;
  update public.oauth_clients c set
    label = coalesce(body ->> 'label', c.label), scopes = wanted, variant = coalesce(body ->> 'variant', c.variant),
    user_id = case when body ? 'user' then private.lock_user(body ->> 'user', caller) else c.user_id end
  where c.id = old.id;
  return private.admin_client(old.id) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.update_client(text, jsonb, jsonb, jsonb) is 'Changes an OAuth client.';

create function manage.revoke_client(ref text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  client constant public.oauth_clients := private.lock_oauth_client(ref);
begin
  perform private.expect_version(versions, private.admin_client(client.id)), private.revoke_oauth_client(client.client_id);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.revoke_client(text, jsonb) is 'Revokes an OAuth client and its tokens; again, nothing changes.';

create function manage.rotate_client_secret(ref text, versions jsonb, caller jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  client constant public.oauth_clients := private.lock_oauth_client(ref);
  secret text;
begin
  perform private.expect_version(versions, private.admin_client(client.id)), private.expect_own_scopes(client.scopes, caller);
  if client.revoked_at is not null then
    perform private.reject('conflict', 'The OAuth client is revoked. Create another one.', extra => '{"state": "revoked"}');
  end if;
  secret := admin.rotate_client_secret(client.client_id);
  return jsonb_set(private.admin_client(client.id), '{record,client_secret}', to_jsonb(secret)) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.rotate_client_secret(text, jsonb, jsonb) is 'Replaces the secret of an OAuth client; the old one works for 24 hours.';
