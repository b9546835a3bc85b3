-- Logins of the functions (placar_login) and of monitoring (placar_monitor), with their open sessions
select r.rolname as login, g.rolname as kind,
       (select count(*) from pg_stat_activity a where a.usename = r.rolname) as sessions
from pg_auth_members m
join pg_roles r on r.oid = m.member
join pg_roles g on g.oid = m.roleid
where g.rolname in ('placar_login', 'placar_monitor') and m.inherit_option and r.rolcanlogin;
