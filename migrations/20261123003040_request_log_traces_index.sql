-- Traces: finds the requests of a trace. Partitions that are created later get the index from the table.

set local lock_timeout = '3s';

-- allow: concurrent-index: a partitioned table has no concurrent indexes, and this one is built only for small partitions
create index request_log_trace_idx on only public.request_log (trace_id) where trace_id is not null;

do $$
declare
  -- Reading a partition of this size takes less than a second, during which requests cannot be logged.
  max_bytes constant bigint := 256 * 1024 * 1024;
  partition record;
begin
  for partition in
    select c.oid::regclass as name, c.relname, pg_relation_size(c.oid) as bytes
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
    order by c.relname
  loop
    if partition.bytes > max_bytes then
      raise notice 'request_log: % is too large to be indexed here; see docs/operations/telemetry.md', partition.name;
      continue;
    end if;
    -- allow: concurrent-index: reading a partition of this size takes less than a second
    execute format('create index %I on %s (trace_id) where trace_id is not null', partition.relname || '_trace_id_idx', partition.name);
    execute format('alter index public.request_log_trace_idx attach partition public.%I', partition.relname || '_trace_id_idx');
  end loop;
end
$$;
