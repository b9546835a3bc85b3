-- Administration by the API: activity codes, point rules, players, corrections of points, and activities.

set local lock_timeout = '3s';

-- Activity codes --------------------------------------------------------------------------------------------------------

create view manage.activity_codes as
  select c.code as name, c.last_received_at as created_at, c.mapped, r.record, app.version_of(r.record, '{activities,last_received_at}') as version
  from (
    select coalesce(mc.code, a.code) as code, mc.mission_id is not null as mapped, mc.mission_id, coalesce(a.activities, 0) as activities, a.last_received_at
    from (select m.code, m.mission_id from public.mission_codes m where m.tenant_id = (select app.tenant_id())) as mc
    full join (
      select s.activity_code as code, count(*) as activities, max(s.created_at) as last_received_at
      from public.activities s where s.tenant_id = (select app.tenant_id()) and s.voided_at is null group by s.activity_code
    ) as a on a.code = mc.code
  ) as c
  left join public.missions m on m.tenant_id = (select app.tenant_id()) and m.id = c.mission_id
  cross join lateral (select json_build_object(
    'code', c.code, 'mission', case when c.mapped then json_build_object('id', m.id, 'name', m.name) end,
    'activities', c.activities, 'last_received_at', app.format_utc(c.last_received_at)) as record) as r;

comment on view manage.activity_codes is 'Activity codes of the tenant that are mapped or were sent.';

create function manage.list_activity_codes(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'activity_codes',
    $c$($1 ->> 'search' is null or strpos(v.name, $1 ->> 'search') > 0) and ($1 ->> 'mapped' is null or v.mapped = ($1 ->> 'mapped')::boolean)$c$,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc nulls last, v.name' else ' nulls first, v.name' end,
    page)
$$;

comment on function manage.list_activity_codes(jsonb) is 'A page of activity codes; page as in manage.list_records, with mapped.';

create function private.admin_code(code text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select jsonb_build_object('record', v.record, 'version', v.version) from manage.activity_codes v where v.name = code),
    (select jsonb_build_object('record', r, 'version', app.version_of(r, '{activities,last_received_at}'))
     from json_build_object('code', code, 'mission', null, 'activities', 0, 'last_received_at', null) as r))
$$;

comment on function private.admin_code(text) is 'An activity code as the admin API shows it, with its version.';

create function manage.read_activity_code(code text) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.admin_code(code) $$;

comment on function manage.read_activity_code(text) is 'Reads an activity code, which may be neither mapped nor sent.';

create function manage.map_activity_code(code text, mission text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('code ' || code || app.tenant_id(), 0));
  perform private.expect_version(versions, private.admin_code(code));
  perform private.map_activity_code(app.tenant_id(), code, private.managed_id('mission', mission, 'mission'));
  return private.admin_code(code) || jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.map_activity_code(text, text, jsonb) is 'Maps an activity code to a mission (id or name).';

create function manage.unmap_activity_code(code text, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('code ' || code || app.tenant_id(), 0));
  perform private.expect_version(versions, private.admin_code(code));
  if not exists (select from public.mission_codes mc where mc.tenant_id = app.tenant_id() and mc.code = unmap_activity_code.code) then
    perform private.reject('not_found', 'The activity code is not mapped to a mission.');
  end if;
  perform private.unmap_activity_code(app.tenant_id(), code);
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.unmap_activity_code(text, jsonb) is 'Unmaps an activity code.';

-- Point rules -----------------------------------------------------------------------------------------------------------

create view manage.point_rules as
  select p.id, p.event as name, p.created_at, r.record, app.version_of(r.record) as version
  from public.point_rules p
  left join public.pipeline_stages s on s.tenant_id = p.tenant_id and s.id = p.stage_id
  cross join lateral (select json_build_object(
    'id', p.id, 'event', p.event, 'points', p.points,
    'stage', case when s.id is not null then json_build_object('id', s.id, 'name', s.name) end,
    'max_per_day', p.max_per_day, 'created_at', app.format_utc(p.created_at)) as record) as r
  where p.tenant_id = (select app.tenant_id());

comment on view manage.point_rules is 'Point rules of the tenant as the admin API shows them.';

create function private.admin_rule(id uuid) returns jsonb
language sql stable
set search_path = ''
as $$ select jsonb_build_object('record', v.record, 'version', v.version) from manage.point_rules v where v.id = admin_rule.id $$;

comment on function private.admin_rule(uuid) is 'A point rule as the admin API shows it, with its version.';

create function manage.list_point_rules(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'point_rules', $c$($1 ->> 'search' is null or strpos(v.name, $1 ->> 'search') > 0)$c$,
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_point_rules(jsonb) is 'A page of point rules; page as in manage.list_records.';

create function manage.read_point_rule(id uuid) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  shown constant jsonb := private.admin_rule(id);
begin
  if shown is null then
    perform private.reject_unknown('point_rule', id::text, null, null);
  end if;
  return shown;
end
$$;

comment on function manage.read_point_rule(uuid) is 'Reads a point rule.';

create function manage.set_point_rule(body jsonb, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  stage  uuid;
  rule   uuid;
  is_new boolean;
begin
  if body ->> 'stage' is not null then
    if body ->> 'event' <> 'deal.stage_changed' then
      perform private.reject('validation', 'Fix these fields.', 'stage', 'is only allowed with the event deal.stage_changed');
    end if;
    stage := private.managed_id('stage', body ->> 'stage', 'stage');
    perform from public.pipeline_stages s where s.tenant_id = own and s.id = stage for key share;
    if not found then
      -- Another request deleted it while this one waited for the lock: names the stages that are left.
      perform private.managed_id('stage', stage::text, 'stage');
    end if;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('room public.point_rules' || own, 0));
  select r.id into rule from public.point_rules r
  where r.tenant_id = own and r.event = body ->> 'event' and r.stage_id is not distinct from stage for update;
  perform private.expect_version(versions, private.admin_rule(rule));
  if rule is null then
    perform private.check_record_limit('public.point_rules', 'true', 500, 'point rules');
  end if;
  perform set_config('manage.status', case when rule is null then '201' else '200' end, true);
  is_new := rule is null;
  rule := admin.set_point_rule(own, body ->> 'event', (body ->> 'points')::integer, stage, (body ->> 'max_per_day')::integer);
  return private.admin_rule(rule) || jsonb_build_object('summary', private.last_summary(), 'made', is_new);
end
$$;

comment on function manage.set_point_rule(jsonb, jsonb) is 'Creates or changes the rule of an event and stage.';

create function manage.delete_point_rule(id uuid, versions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform from public.point_rules r where r.tenant_id = app.tenant_id() and r.id = delete_point_rule.id for update;
  perform private.expect_version(versions, manage.read_point_rule(id));
  delete from public.point_rules r where r.tenant_id = app.tenant_id() and r.id = delete_point_rule.id;
  return jsonb_build_object('summary', private.last_summary());
end
$$;

comment on function manage.delete_point_rule(uuid, jsonb) is 'Deletes a point rule; the points that it awarded stay.';

-- Players and corrections -----------------------------------------------------------------------------------------------

create view manage.players as
  select p.id, coalesce(u.name, c.name, p.email) as name, p.created_at, p.total_points, json_build_object(
    'user_id', u.id, 'collaborator_id', c.id, 'name', coalesce(u.name, c.name), 'email', p.email, 'points', p.total_points,
    'position', case when not p.opted_out_of_rankings then (
      select 1 + count(*) from public.players o
      where o.tenant_id = p.tenant_id and not o.opted_out_of_rankings and o.total_points > p.total_points) end,
    'opted_out', p.opted_out_of_rankings) as record, p.email
  from public.players p
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  where p.tenant_id = (select app.tenant_id()) and (c.id is not null or u.id is not null);

comment on view manage.players is 'Players of the tenant: users and collaborators with their points.';

create function manage.list_players(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'players',
    private.search_in('concat_ws(chr(10), v.name, v.email)', page),
    case page ->> 'sort' when 'name' then 'v.name collate "und-x-icu"' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_players(jsonb) is 'A page of players; page as in manage.list_records.';

create function private.find_player_by_email(email text) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  player uuid;
begin
  -- A row of players can outlast its user and collaborator.
  select v.id into player from manage.players v where v.email = lower(btrim(find_player_by_email.email));
  if not found then
    perform private.reject_unknown('player', email, 'email', array(select v.email from manage.players v order by v.email limit 21));
  end if;
  return player;
end
$$;

comment on function private.find_player_by_email(text) is 'The player with this email address. Rejects unknown ones.';

create function manage.set_opt_out(email text, opted_out boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  player constant uuid := private.find_player_by_email(email);
  shown  jsonb;
begin
  perform private.set_ranking_opt_out(app.tenant_id(), email, opted_out);
  select v.record into shown from manage.players v where v.id = player;
  if not found then
    -- Another request removed the person in the meantime.
    perform private.find_player_by_email(email);
  end if;
  return jsonb_build_object('record', shown, 'summary', private.last_summary());
end
$$;

comment on function manage.set_opt_out(text, boolean) is 'Hides a player from standings, or shows them again.';

create function manage.adjust_points(email text, points integer, reason text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  player constant uuid := private.find_player_by_email(email);
  entry  constant bigint := admin.adjust_points(app.tenant_id(), email, points, reason);
begin
  return (
    select jsonb_build_object('record', json_build_object(
             'entry_id', entry, 'email', p.email, 'points', adjust_points.points, 'reason', adjust_points.reason, 'total_points', p.total_points),
           'summary', private.last_summary())
    from public.players p where p.tenant_id = app.tenant_id() and p.id = player);
end
$$;

comment on function manage.adjust_points(text, integer, text) is 'Adds points to a player, or deducts them.';

create view manage.activities as
  select a.id, a.external_id as name, a.created_at, a.external_id, c.email, a.activity_code, a.voided_at is not null as voided,
         json_build_object(
           'external_id', a.external_id, 'email', c.email, 'code', a.activity_code, 'created_at', app.format_utc(a.created_at),
           'voided_at', app.format_utc(a.voided_at), 'void_reason', a.void_reason) as record
  from public.activities a
  join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
  where a.tenant_id = (select app.tenant_id());

comment on view manage.activities is 'Activities of activity sync of the tenant.';

create function manage.list_activities(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'activities',
    -- Only the conditions of filters that were sent, so that an index serves each of them.
    'true'
      || case when page ? 'search' then $c$ and strpos(v.external_id, $1 ->> 'search') > 0$c$ else '' end
      || case when page ? 'external_id' then $c$ and v.external_id = $1 ->> 'external_id'$c$ else '' end
      || case when page ? 'email' then $c$ and v.email = lower(btrim($1 ->> 'email'))$c$ else '' end
      || case when page ? 'code' then $c$ and v.activity_code = $1 ->> 'code'$c$ else '' end
      || case when page ? 'voided' then $c$ and v.voided = ($1 ->> 'voided')::boolean$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.external_id' else 'v.id' end || case when (page ->> 'descending')::boolean then ' desc' else '' end,
    page)
$$;

comment on function manage.list_activities(jsonb) is 'A page of activities; page as in manage.list_records, with external_id, email, code and voided.';

create function manage.void_activity(external_id text, reason text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  if not exists (select from public.activities a where a.tenant_id = app.tenant_id() and a.external_id = void_activity.external_id) then
    perform private.reject('unprocessable', 'The request refers to something that does not exist.', 'external_id', 'is not an activity of this workspace');
  end if;
  perform private.void_activity(app.tenant_id(), external_id, reason);
  return (
    select jsonb_build_object('record', v.record, 'summary', private.last_summary())
    from manage.activities v where v.external_id = void_activity.external_id);
end
$$;

comment on function manage.void_activity(text, text) is 'Voids an activity and reverses its points; voiding it again changes nothing.';
