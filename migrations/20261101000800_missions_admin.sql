-- Missions in Studio: what admins call and look at.

create function admin.create_mission(tenant_id uuid, name text, points integer) returns uuid
language sql
set search_path = ''
as $$ insert into public.missions (tenant_id, name, points) values (tenant_id, name, points) returning id $$;

comment on function admin.create_mission(uuid, text, integer) is
  'Creates a mission and returns its id. Points: for each completion, 0 or more.';

create function admin.map_activity_code(tenant_id uuid, code text, mission_id uuid) returns void
language sql
set search_path = ''
as $$
  insert into public.mission_codes as mc (tenant_id, code, mission_id) values (tenant_id, code, mission_id)
  on conflict on constraint mission_codes_pkey do update set mission_id = excluded.mission_id
  where mc.mission_id <> excluded.mission_id
$$;

comment on function admin.map_activity_code(uuid, text, uuid) is
  'Lets an activity code (001 to 999) count for a mission, activities recorded before included. A code counts for one mission: mapping it to another takes the first one''s points back.';

create function admin.unmap_activity_code(tenant_id uuid, code text) returns void
language sql
set search_path = ''
as $$
  delete from public.mission_codes mc
  where mc.tenant_id = unmap_activity_code.tenant_id and mc.code = unmap_activity_code.code
$$;

comment on function admin.unmap_activity_code(uuid, text) is
  'Stops a code from counting and takes back, by opposite entries, the points it gave.';

create view admin.activity_codes with (security_invoker = true) as
  select mc.tenant_id, mc.code, mc.mission_id, m.name as mission_name
  from public.mission_codes mc
  join public.missions m on m.tenant_id = mc.tenant_id and m.id = mc.mission_id;

comment on view admin.activity_codes is 'Activity codes that count for a mission.';

create view admin.unmapped_activity_codes with (security_invoker = true) as
  select a.tenant_id, a.activity_code as code, count(*) as activities, max(a.created_at) as last_received_at
  from public.activities a
  where not exists (
    select from public.mission_codes mc where mc.tenant_id = a.tenant_id and mc.code = a.activity_code
  )
  group by a.tenant_id, a.activity_code;

comment on view admin.unmapped_activity_codes is 'Codes that were sent but count for no mission.';

create view admin.standings with (security_invoker = true) as
  select p.tenant_id, c.id as collaborator_id, u.id as user_id, p.email,
         coalesce(u.name, c.name) as name, p.total_points as points,
         rank() over (partition by p.tenant_id order by p.total_points desc) as position
  from public.players p
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  where c.id is not null or u.id is not null;

comment on view admin.standings is
  'Every collaborator and user with their points and position; a collaborator and the user with its e-mail are one row.';

create view admin.mission_progress with (security_invoker = true) as
  select m.tenant_id, m.id as mission_id, m.name as mission_name, p.email, coalesce(u.name, c.name) as name,
         sum(e.completions) as completions, sum(e.points) as points, max(e.created_at) as last_change_at
  from public.point_entries e
  join public.missions m           on m.tenant_id = e.tenant_id and m.id = e.mission_id
  join public.players p            on p.tenant_id = e.tenant_id and p.id = e.player_id
  left join public.collaborators c on c.tenant_id = p.tenant_id and c.player_id = p.id
  left join public.users u         on u.tenant_id = p.tenant_id and u.player_id = p.id
  group by m.tenant_id, m.id, m.name, p.email, u.name, c.name;

comment on view admin.mission_progress is 'Completions and points of each player in each mission.';
