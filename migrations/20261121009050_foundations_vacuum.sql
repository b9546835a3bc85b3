set local lock_timeout = '3s';

-- Storage parameters of tables with many updates and deletions. The defaults wait until a fifth of a table is dead, which for
-- a large table means hours of dead rows in every scan.

do $$
declare
  busy text;
begin
  foreach busy in array array[
    'jobs', 'webhook_deliveries', 'idempotency_keys', 'request_answers', 'event_feeds', 'players', 'point_days'
  ] loop
    execute format(
      'alter table public.%I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
                                  autovacuum_analyze_scale_factor = 0.02)', busy);
  end loop;
end
$$;

-- Claiming and publishing a job change no indexed column. With room on the page, they write no index entries (HOT).
alter table public.jobs set (fillfactor = 70);

-- Rows of past months no longer change. Freezing them immediately means that they are never read again to prevent wraparound.
create function app.freeze_ended_months(at timestamptz default now()) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  partition text;
  changed   integer := 0;
begin
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass and c.relname ~ '^request_log_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= at at time zone 'UTC'
      and not coalesce(c.reloptions @> '{autovacuum_freeze_min_age=0}', false)
  loop
    execute format('alter table public.%I set (autovacuum_freeze_min_age = 0)', partition);
    changed := changed + 1;
  end loop;
  return changed;
end
$$;

comment on function app.freeze_ended_months(timestamptz) is
  'Makes autovacuum freeze all rows of request log partitions of past months; returns how many partitions it changed (worker only).';

grant execute on function app.freeze_ended_months(timestamptz) to worker;
