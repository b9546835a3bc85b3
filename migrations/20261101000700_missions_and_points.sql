-- Missions, the activity codes that count for them, and the ledger of points.

create table public.missions (
  id         uuid not null default gen_random_uuid(),
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  name       text not null check (btrim(name) <> ''),
  points     integer not null check (points >= 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.missions is 'What can be completed, and the points for each completion.';
comment on column public.missions.points is 'Points of completions to come; entries made before a change keep what they had.';

create table public.mission_codes (
  tenant_id  uuid not null,
  code       text not null check (code ~ '^[0-9]{3}$' and code <> '000'),
  mission_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, code),
  foreign key (tenant_id, mission_id) references public.missions (tenant_id, id)
);

comment on table public.mission_codes is
  'Which activity code counts for which mission. A row added, changed or removed counts recorded activities anew.';

create index mission_codes_mission_idx on public.mission_codes (tenant_id, mission_id);

create table public.activities (
  id              bigint generated always as identity,
  tenant_id       uuid not null,
  external_id     text not null,
  activity_code   text not null check (activity_code ~ '^[0-9]{3}$' and activity_code <> '000'),
  collaborator_id uuid not null,
  data            jsonb,
  occurred_at     timestamptz not null default now(),
  created_at      timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, external_id),
  foreign key (tenant_id, collaborator_id) references public.collaborators (tenant_id, id)
);

comment on table  public.activities is 'Numbered activities that an external system sent, each recorded once per external_id.';
comment on column public.activities.occurred_at is 'When it was done, as the caller says; else when it was received.';

create index activities_code_idx         on public.activities (tenant_id, activity_code);
create index activities_collaborator_idx on public.activities (tenant_id, collaborator_id, occurred_at desc);

create function private.refuse_activity_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'a recorded activity keeps its code, its collaborator and its external_id'
    using errcode = 'insufficient_privilege', hint = 'Points hang on them. Map codes to missions instead.';
end
$$;

comment on function private.refuse_activity_change() is 'Trigger: what points hang on does not change once recorded.';

create trigger activities_keep_identity
  before update on public.activities
  for each row
  when ((old.tenant_id, old.id, old.external_id, old.activity_code, old.collaborator_id)
        is distinct from (new.tenant_id, new.id, new.external_id, new.activity_code, new.collaborator_id))
  execute function private.refuse_activity_change();

create table public.point_entries (
  id          bigint generated always as identity,
  tenant_id   uuid not null,
  player_id   uuid not null,
  reason      text not null check (reason in ('mission_completed', 'mission_reverted')),
  points      integer not null,
  completions smallint not null default 0 check (completions between -1 and 1),
  mission_id  uuid,
  activity_id bigint,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, player_id)   references public.players    (tenant_id, id),
  foreign key (tenant_id, mission_id)  references public.missions   (tenant_id, id),
  foreign key (tenant_id, activity_id) references public.activities (tenant_id, id)
);

comment on table  public.point_entries is 'Ledger of points. Entries are only ever added; an error is mended by an opposite entry.';
comment on column public.point_entries.completions is 'Mission completions that the entry adds (1) or takes back (-1).';

create index point_entries_player_idx   on public.point_entries (tenant_id, player_id, created_at);
create index point_entries_activity_idx on public.point_entries (tenant_id, activity_id) where activity_id is not null;
create index point_entries_mission_idx  on public.point_entries (tenant_id, mission_id);

create trigger point_entries_append_only
  before update or delete on public.point_entries
  for each row execute function private.refuse_change();
create trigger point_entries_no_truncate
  before truncate on public.point_entries
  execute function private.refuse_change();

create function private.add_points_to_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Locked in one order by everybody, so that overlapping batches wait for each other and never deadlock.
  perform from public.players p
  where (p.tenant_id, p.id) in (select e.tenant_id, e.player_id from added e)
  order by p.tenant_id, p.id
  for no key update;

  update public.players p
  set total_points = p.total_points + e.points
  from (select tenant_id, player_id, sum(points) as points from added group by 1, 2) as e
  where p.tenant_id = e.tenant_id and p.id = e.player_id and e.points <> 0;
  return null;
end
$$;

comment on function private.add_points_to_players() is 'Trigger: keeps total_points of players equal to the sum of their entries.';

create trigger point_entries_add_points
  after insert on public.point_entries
  referencing new table as added
  for each statement execute function private.add_points_to_players();

-- Recording activities and changing the codes' mapping at the same time must neither miss nor double one: the first
-- hold this lock of the tenant together, the second alone.
create function private.mapping_lock_key(tenant_id uuid) returns bigint
language sql immutable parallel safe
set search_path = ''
as $$ select hashtextextended('mission_codes:' || tenant_id::text, 0) $$;

comment on function private.mapping_lock_key(uuid) is 'Advisory lock between recording a tenant''s activities and mapping its codes.';

create function private.award_missions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock_shared(private.mapping_lock_key(t.tenant_id))
  from (select distinct tenant_id from recorded order by tenant_id) as t;

  insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
  select r.tenant_id, c.player_id, 'mission_completed', m.points, 1, m.id, r.id
  from recorded r
  join public.mission_codes mc on mc.tenant_id = r.tenant_id and mc.code = r.activity_code
  join public.missions m       on m.tenant_id = mc.tenant_id and m.id = mc.mission_id
  join public.collaborators c  on c.tenant_id = r.tenant_id and c.id = r.collaborator_id;
  return null;
end
$$;

comment on function private.award_missions() is 'Trigger: activities whose code is mapped complete that mission, all of a statement at once.';

create trigger activities_award_missions
  after insert on public.activities
  referencing new table as recorded
  for each statement execute function private.award_missions();

create function private.remap_code() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_advisory_xact_lock(private.mapping_lock_key(coalesce(new.tenant_id, old.tenant_id)));

  if tg_op <> 'INSERT' then
    insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
    select e.tenant_id, e.player_id, 'mission_reverted', -sum(e.points), -1, e.mission_id, e.activity_id
    from public.activities a
    join public.point_entries e on e.tenant_id = a.tenant_id and e.activity_id = a.id
    where a.tenant_id = old.tenant_id and a.activity_code = old.code and e.mission_id = old.mission_id
    group by e.tenant_id, e.player_id, e.mission_id, e.activity_id
    having sum(e.completions) > 0;
  end if;

  if tg_op <> 'DELETE' then
    insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
    select a.tenant_id, c.player_id, 'mission_completed', m.points, 1, m.id, a.id
    from public.activities a
    join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id
    join public.missions m      on m.tenant_id = a.tenant_id and m.id = new.mission_id
    where a.tenant_id = new.tenant_id and a.activity_code = new.code;
  end if;
  return null;
end
$$;

comment on function private.remap_code() is
  'Trigger: mapping a code awards the activities recorded before; unmapping takes their points back by opposite entries.';

create trigger mission_codes_count
  after insert or delete on public.mission_codes
  for each row execute function private.remap_code();
create trigger mission_codes_recount
  after update on public.mission_codes
  for each row when ((old.tenant_id, old.code, old.mission_id) is distinct from (new.tenant_id, new.code, new.mission_id))
  execute function private.remap_code();

create trigger mission_codes_no_truncate
  before truncate on public.mission_codes
  execute function private.refuse_change();

create function private.move_completions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.point_entries (tenant_id, player_id, reason, points, completions, mission_id, activity_id)
  select e.tenant_id, side.player_id, side.reason, side.sign * sum(e.points), side.sign, e.mission_id, e.activity_id
  from public.activities a
  join public.point_entries e on e.tenant_id = a.tenant_id and e.activity_id = a.id and e.player_id = old.player_id,
       (values (old.player_id, 'mission_reverted', -1), (new.player_id, 'mission_completed', 1)) as side (player_id, reason, sign)
  where a.tenant_id = new.tenant_id and a.collaborator_id = new.id
  group by e.tenant_id, e.mission_id, e.activity_id, side.player_id, side.reason, side.sign
  having sum(e.completions) > 0;
  return null;
end
$$;

comment on function private.move_completions() is
  'Trigger: the completions of a collaborator who becomes another player go along, by opposite entries.';

create trigger collaborators_move_completions
  after update on public.collaborators
  for each row when (old.player_id <> new.player_id)
  execute function private.move_completions();

alter table public.missions      enable row level security;
alter table public.mission_codes enable row level security;
alter table public.activities    enable row level security;
alter table public.point_entries enable row level security;

grant select         on public.missions      to api;
grant select         on public.mission_codes to api;
grant select, insert on public.activities    to api;
grant select         on public.point_entries to api;

create policy "A tenant sees its own missions" on public.missions
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own mapping" on public.mission_codes
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own activities" on public.activities
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant records its own activities" on public.activities
  for insert to api with check (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own points" on public.point_entries
  for select to api using (tenant_id = (select app.tenant_id()));
