-- Comes before the data of a backup, in the same session and transaction: docs/operations/backup.md. The database has the
-- migrations of the backup's version and no tenant. Triggers and foreign keys rest, since the data has what they made.
set session_replication_role = replica;

do $$
declare
  tables text;
begin
  if exists (select from public.tenants) then
    raise exception 'This database has tenants: a backup is restored into an empty project.';
  end if;
  -- What migrations put in, such as plans, comes with the backup.
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ')
  into strict tables
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition;
  execute 'truncate ' || tables;
end
$$;
