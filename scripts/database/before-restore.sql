-- Run before restoring the data of a backup, in the same session and transaction: docs/operations/backup.md. Requires a
-- database with the migrations of the backup's version and no tenants. Triggers and foreign keys are disabled, since the
-- backup contains their effects.
set session_replication_role = replica;

do $$
declare
  tables text;
begin
  if exists (select from public.tenants) then
    raise exception 'This database has tenants. Restore backups only into an empty project.';
  end if;
  -- Rows from migrations, such as plans, are part of the backup.
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ')
  into strict tables
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition;
  execute 'truncate ' || tables;
end
$$;
