-- Moves of tenants: responses to callers. A caller with a valid credential gets the new address after the switch, and a 503
-- at the destination before it opens. All others get the same 401 as ever.

create function private.is_closed(tenant_id uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (select from private.tenant_moves m where m.tenant_id = is_closed.tenant_id and m.closed);
end
$$;

comment on function private.is_closed(uuid) is 'Whether this project does not serve the tenant: it is not open yet, or has moved.';

create function app.find_caller_key(key_hash bytea, address text)
returns table (
  id                uuid,
  tenant_id         uuid,
  scopes            text[],
  requests_per_hour integer,
  expired           boolean,
  revoked           boolean,
  address_allowed   boolean,
  touch_due         boolean,
  closed            boolean,
  moved_to          text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select m.id, m.tenant_id, '{}'::text[], 1, coalesce(c.expires_at <= now(), false), false,
           cardinality(c.ip_allowlist) = 0
             or case when pg_input_is_valid(address, 'inet') then address::inet <<= any (c.ip_allowlist) else false end,
           false, true, m.moved_to
    from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = 'api_key' and c.name = encode(find_caller_key.key_hash, 'hex');
  if found then
    return;
  end if;
  return query
    select k.id, k.tenant_id, k.scopes, k.requests_per_hour, k.expired, k.revoked, k.address_allowed, k.touch_due,
           private.is_closed(k.tenant_id), null::text
    from app.find_api_key(find_caller_key.key_hash, find_caller_key.address) as k;
end
$$;

comment on function app.find_caller_key(bytea, text) is
  'Like app.find_api_key, with whether the key''s tenant is closed because of a move, and its new address after one (login role only).';

create function app.find_caller_client(id text)
returns table (
  tenant_id           uuid,
  client_id           text,
  scopes              text[],
  variant             text,
  plan                text,
  requests_per_minute integer,
  revoked             boolean,
  secret_hashes       text[],
  closed              boolean,
  moved_to            text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select m.tenant_id, c.name, '{}'::text[], 'a', '', 1, false, c.secret_hashes, true, m.moved_to
    from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = 'oauth_client' and c.name = find_caller_client.id;
  if found then
    return;
  end if;
  return query
    select o.tenant_id, o.client_id, o.scopes, o.variant, o.plan, o.requests_per_minute, o.revoked, o.secret_hashes,
           private.is_closed(o.tenant_id), null::text
    from app.find_oauth_client(find_caller_client.id) as o;
end
$$;

comment on function app.find_caller_client(text) is
  'Like app.find_oauth_client, with whether the client''s tenant is closed because of a move, and its new address after one (login role only).';

create function app.moved_link(kind text, name text) returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select m.moved_to from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = moved_link.kind and c.name = moved_link.name
  );
end
$$;

comment on function app.moved_link(text, text) is
  'New address of the tenant of a link: a file or invitation by hex SHA-256 of its token, or an account at a provider or CRM by id; null if it has not moved.';

grant execute on function app.moved_link(text, text) to worker;

grant execute on function app.find_caller_key(bytea, text), app.find_caller_client(text) to placar_login;
