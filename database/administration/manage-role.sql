-- Administration by the API: its role and its scopes. Requests of /v1/admin run as `manage`, in the tenant of their transaction.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'manage') then
    create role manage nologin inherit nobypassrls;
  end if;
end
$$;

-- As every request, those of administration write the request log and idempotency keys.
grant api to manage with inherit true, set false;
grant manage to postgres with inherit false, set true;
grant manage to placar_login with inherit false, set true;

-- Scopes --------------------------------------------------------------------------------------------------------------

create function private.with_implied_scopes(scopes text[]) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case when 'read:users' = any (scopes) then array['read:standings'] else '{}' end || case when 'admin' = any (scopes) then scopes || array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks', 'read:standings',
    'read:settings', 'read:audit', 'manage:gamification', 'manage:automations', 'manage:workspace'
  ] else scopes end
$$;

comment on function private.with_implied_scopes(text[]) is
  'These scopes and those that admin includes: all but the ones of payments, access and persons.';

create function private.caller_has(scopes text[]) returns boolean
language plpgsql stable
set search_path = ''
as $$
begin
  return nullif(current_setting('app.actor', true), '') is null or private.caller_scopes() && caller_has.scopes;
end
$$;

comment on function private.caller_has(text[]) is
  'Whether the caller of the request has one of these scopes, both in its token and currently; true for SQL.';
