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
