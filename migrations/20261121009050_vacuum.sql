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

-- Claiming and announcing a job change no indexed column. With room on the page, they write no index entries (HOT).
alter table public.jobs set (fillfactor = 70);
