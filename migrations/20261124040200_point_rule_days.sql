-- Applies a rule's daily maximum correctly where clocks go back across midnight: the day then starts twice, and date_trunc returns the
-- second start.

set local lock_timeout = '3s';

create or replace function private.times_given_today(tenant_id uuid, rule_id uuid, player_id uuid) returns bigint
language sql stable
set search_path = ''
as $$
  select count(*)
  from public.tenants t
  join public.point_entries e
    on e.tenant_id = t.id and e.player_id = times_given_today.player_id and e.rule_id = times_given_today.rule_id
   -- No clock goes back by more than two hours. The bound is for the index.
   and e.created_at >= date_trunc('day', now(), t.time_zone) - interval '2 hours'
   and (e.created_at at time zone t.time_zone)::date = (now() at time zone t.time_zone)::date
  where t.id = times_given_today.tenant_id
$$;
