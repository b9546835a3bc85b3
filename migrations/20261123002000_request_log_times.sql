-- Request log: the time that requests waited for a database connection, and an index by time.
--
-- Metrics and alerts read the last minutes of the log every minute. Without the index, they scan the whole month.
-- Creating the index blocks writes, so months that are already large do not get it. The next month
-- has the index. To add it to an earlier month, run these statements outside a transaction, with the name of its partition:
--
--   create index concurrently request_log_2026_11_at_idx on public.request_log_2026_11 using brin (at) with (autosummarize = on);
--   alter index public.request_log_at_idx attach partition public.request_log_2026_11_at_idx;

set local lock_timeout = '3s';

alter table public.request_log add column waited_ms integer;

comment on column public.request_log.waited_ms is
  'Milliseconds that the request waited for a database connection of its worker, in total; null if it did not wait.';

-- allow: concurrent-index: only on the parent, which has no rows. Postgres cannot create an index of a partitioned table concurrently.
create index request_log_at_idx on only public.request_log using brin (at) with (autosummarize = on);

do $$
declare
  max_bytes constant bigint := 64 * 1024 * 1024;
  partition record;
begin
  for partition in
    select c.oid, c.relname as name
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
    order by c.relname
  loop
    if pg_relation_size(partition.oid) > max_bytes then
      raise warning 'public.% gets no index by time, because it is large', partition.name;
      continue;
    end if;
    -- allow: concurrent-index: reading a partition of this size takes less than a second
    execute format('create index %I on public.%I using brin (at) with (autosummarize = on)', partition.name || '_at_idx', partition.name);
    execute format('alter index public.request_log_at_idx attach partition public.%I', partition.name || '_at_idx');
  end loop;
end
$$;
