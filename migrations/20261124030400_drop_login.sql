-- A login can be removed even if its holder created objects.

set local lock_timeout = '3s';

create or replace function admin.drop_login(name text) returns void
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
