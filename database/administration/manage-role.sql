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
  select case when 'admin' = any (scopes) then scopes || array[
    'read:leads', 'write:leads', 'read:deals', 'write:deals', 'read:users', 'write:users',
    'read:teams', 'write:teams', 'read:webhooks', 'write:webhooks',
    'read:settings', 'read:audit', 'manage:gamification', 'manage:automations', 'manage:workspace'
  ] else scopes end
$$;

comment on function private.with_implied_scopes(text[]) is
  'These scopes and those that admin includes: all but the ones of payments, access and persons.';

create function private.caller_has(scopes text[]) returns boolean
language plpgsql stable
set search_path = ''
as $$
declare
  caller constant jsonb := nullif(current_setting('app.caller', true), '')::jsonb;
begin
  return caller is null or (
    private.with_implied_scopes(array(select jsonb_array_elements_text(caller -> 'scopes'))) && caller_has.scopes
    and exists (select from public.oauth_clients c
                where c.client_id = caller ->> 'client_id' and private.with_implied_scopes(c.scopes) && caller_has.scopes));
end
$$;

comment on function private.caller_has(text[]) is
  'Whether the caller of the request has one of these scopes, both in its token and currently; true for SQL.';
