-- Access: what persons read and change of themselves (/v1/me). These functions run as the owner, because they count with private functions;
-- the caller passes the user of the request's token.

create function app.preset_of_user(user_id uuid) returns text
language sql stable security definer
set search_path = ''
as $$ select private.access_name(private.scopes_of_user(app.tenant_id(), user_id)) $$;

comment on function app.preset_of_user(uuid) is 'The preset that a user''s access equals; null if there is none.';

create function private.own_version(u public.users, opted_out boolean) returns text
language sql stable
set search_path = ''
as $$
  select to_char(u.updated_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || case when opted_out then '-hidden' else '' end
$$;

comment on function private.own_version(public.users, boolean) is 'The version of a user''s own record, which includes whether the user opted out of rankings.';

create function app.own_record(user_id uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select app.user_record(u) || jsonb_build_object(
    'version', private.own_version(u, p.opted_out_of_rankings),
    'standings_opt_out', p.opted_out_of_rankings,
    'access', app.preset_of_user(u.id),
    'tenant', jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'time_zone', t.time_zone),
    'position', (select s.position from app.standing(t.id, p.id, tstzrange('-infinity', 'infinity')) as s),
    'next_tier', (
      select jsonb_build_object('name', i.name, 'min_points', i.min_points) from public.tiers i
      where i.tenant_id = t.id and i.min_points > p.total_points order by i.min_points limit 1))
  from public.users u
  join public.tenants t on t.id = u.tenant_id
  join public.players p on p.tenant_id = u.tenant_id and p.id = u.player_id
  where u.tenant_id = app.tenant_id() and u.id = own_record.user_id
$$;

comment on function app.own_record(uuid) is 'A user of the session''s tenant as the user sees itself; null if it does not exist.';

create function app.change_own_record(user_id uuid, change jsonb, versions text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  own     public.users;
  present text;
begin
  select u.* into own from public.users u where u.tenant_id = app.tenant_id() and u.id = change_own_record.user_id for no key update;
  if not found then
    perform app.raise_domain_error('user_missing');
  end if;
  select private.own_version(own, p.opted_out_of_rankings) into present
  from public.players p where p.tenant_id = own.tenant_id and p.id = own.player_id for no key update;
  if present <> all (versions) then
    raise exception 'the record has another version' using errcode = 'PL412';
  end if;
  update public.users u
  set phone      = case when change ? 'phone' then change ->> 'phone' else u.phone end,
      avatar_url = case when change ? 'avatar_url' then change ->> 'avatar_url' else u.avatar_url end
  where u.tenant_id = own.tenant_id and u.id = own.id and change ?| array['phone', 'avatar_url'];
  update public.players p set opted_out_of_rankings = (change ->> 'standings_opt_out')::boolean
  where p.tenant_id = own.tenant_id and p.id = own.player_id
    and p.opted_out_of_rankings <> (change ->> 'standings_opt_out')::boolean;
end
$$;

comment on function app.change_own_record(uuid, jsonb, text[]) is
  'Changes phone, picture and opt-out of a user; fails if the record has none of these versions (PL412, null means any).';

-- Pages ---------------------------------------------------------------------------------------------------------------

create function app.own_badges(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.id, u.player_id from public.users u where u.tenant_id = app.tenant_id() and u.id = own_badges.user_id
  ), page as (
    select b.*, e.earned_at, row_number() over (order by e.earned_at desc nulls last, b.name collate "und-x-icu", b.id) as place
    from own
    join public.badges b on b.tenant_id = own.tenant_id
    left join public.earned_badges e on e.tenant_id = b.tenant_id and e.badge_id = b.id and e.player_id = own.player_id
  )
  select (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'name', s.name, 'metric', s.metric, 'threshold', s.threshold, 'earned_at', s.earned_at,
      'value', private.metric_value(own.tenant_id, own.player_id, own.id, s.metric)) order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_badges(uuid, integer, bigint) is 'A page of all badges with a user''s progress, earned ones first.';

create function app.own_challenges(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.id, u.player_id from public.users u where u.tenant_id = app.tenant_id() and u.id = own_challenges.user_id
  ), known as (
    select c.*, d.completed_at,
           case when c.ends_at <= now() then 'ended' when c.starts_at > now() then 'upcoming' else 'running' end as state
    from own
    join public.challenges c on c.tenant_id = own.tenant_id
    left join public.completed_challenges d on d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = own.player_id
  ), page as (
    -- Running ones that end next come first, then those that start next, then those that ended last.
    select k.*, row_number() over (
      order by array_position(array['running', 'upcoming', 'ended'], k.state),
               case k.state when 'running' then k.ends_at when 'upcoming' then k.starts_at end,
               k.ends_at desc, k.id) as place
    from known k
  )
  select (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'name', s.name, 'metric', s.metric, 'target', s.target, 'starts_at', s.starts_at, 'ends_at', s.ends_at,
      'reward_points', s.reward_points, 'state', s.state, 'completed_at', s.completed_at,
      'value', private.metric_value(own.tenant_id, own.player_id, own.id, s.metric, s.starts_at, s.ends_at)) order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_challenges(uuid, integer, bigint) is 'A page of all challenges with a user''s progress, running ones first.';

create function app.own_missions(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.player_id, (
             select c.id from public.collaborators c where c.tenant_id = u.tenant_id and c.player_id = u.player_id) as collaborator_id
    from public.users u where u.tenant_id = app.tenant_id() and u.id = own_missions.user_id
  ), known as (
    select m.id, m.name, 'mission' as kind, m.points, null::text as event, null::uuid as stage_id, null::integer as max_per_day
    from own join public.missions m on m.tenant_id = own.tenant_id
    where exists (select from public.mission_codes mc where mc.tenant_id = m.tenant_id and mc.mission_id = m.id)
    union all
    select r.id, null, 'rule', r.points, r.event, r.stage_id, r.max_per_day
    from own join public.point_rules r on r.tenant_id = own.tenant_id and r.points <> 0
  ), page as (
    select k.*, row_number() over (order by k.kind, k.name collate "und-x-icu", k.event, k.stage_id nulls first, k.id) as place from known k
  )
  select (
    select coalesce(jsonb_agg(case s.kind
      when 'mission' then jsonb_build_object(
        'kind', s.kind, 'id', s.id, 'name', s.name, 'points', s.points,
        'codes', array(select mc.code from public.mission_codes mc
                       where mc.tenant_id = own.tenant_id and mc.mission_id = s.id order by mc.code),
        'completions', (
          select count(*) from public.mission_codes mc
          join public.activities a on a.tenant_id = mc.tenant_id and a.activity_code = mc.code and a.voided_at is null
          where mc.tenant_id = own.tenant_id and mc.mission_id = s.id and a.collaborator_id = own.collaborator_id))
      else jsonb_build_object(
        'kind', s.kind, 'event', s.event, 'points', s.points, 'max_per_day', s.max_per_day,
        'stage', (select jsonb_build_object('id', i.id, 'name', i.name) from public.pipeline_stages i
                  where i.tenant_id = own.tenant_id and i.id = s.stage_id),
        'today', private.times_given_today(own.tenant_id, s.id, own.player_id))
      end order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_missions(uuid, integer, bigint) is
  'A page of what earns a user points: missions with activity codes, by name, then rules that award or deduct points.';

grant execute on function
  app.preset_of_user(uuid), app.own_record(uuid), app.change_own_record(uuid, jsonb, text[]),
  app.own_badges(uuid, integer, bigint), app.own_challenges(uuid, integer, bigint), app.own_missions(uuid, integer, bigint)
to api;
