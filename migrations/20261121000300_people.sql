-- People: users of the workspace and their teams, collaborators that a CRM sends, and players, who have the points.
--
--   players        one per e-mail of a tenant: whoever has points
--   teams          of users; within one another, never in a circle
--   users          who works in the workspace; the records interface writes them
--   collaborators  salespeople as a CRM sends them; activity sync writes them
--
-- A collaborator and a user with the same e-mail are one player, whichever of the two comes first. Writing either finds or
-- makes the player; a corrected e-mail takes the player along.
--
-- Hangs on it from elsewhere: events of users (records_users_and_teams), invitations and bans in Auth (records_invitations),
-- completions that follow their collaborator (gamification_missions), recounts (gamification_recount_queue).

-- Players -------------------------------------------------------------------------------------------------------------

create table public.players (
  id                uuid        not null default gen_random_uuid(),
  tenant_id         uuid        not null references public.tenants (id) on delete cascade,
  email             text        not null check (email = lower(btrim(email))),
  total_points      bigint      not null default 0,
  -- The second total, so that a badge for missions reads one number and not everything that a player ever did.
  total_completions bigint      not null default 0,
  opted_out_of_rankings boolean not null default false,
  created_at        timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, email)
);

comment on table  public.players is
  'Who has points: one row per e-mail of a tenant, shared by the collaborator and the user with that e-mail.';
comment on column public.players.total_points is 'Sum of the player''s entries in point_entries, kept by trigger.';
comment on column public.players.total_completions is
  'Missions completed, less those taken back: the sum of completions in point_entries, kept by trigger.';
comment on column public.players.opted_out_of_rankings is
  'Whether the player has no place in standings; points, tiers, badges and challenges are as without. Set with admin.set_ranking_opt_out.';

create index players_standings_idx on public.players (tenant_id, total_points desc, id);

alter table public.players enable row level security;
grant select on public.players to api, service_role;

create policy "A tenant sees its own players" on public.players
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.refuse_total_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'totals of players follow from point_entries and cannot be set' using errcode = 'insufficient_privilege';
end
$$;

comment on function private.refuse_total_change() is 'Trigger: nobody sets a total by hand.';

create trigger players_keep_totals
  before update of total_points, total_completions on public.players
  for each row when (pg_trigger_depth() = 0) execute function private.refuse_total_change();

-- Teams ---------------------------------------------------------------------------------------------------------------

create table public.teams (
  id             uuid        not null default gen_random_uuid(),
  tenant_id      uuid        not null references public.tenants (id) on delete cascade,
  name           text        not null check (btrim(name) <> ''),
  leader_id      uuid,
  parent_team_id uuid,
  created_at     timestamptz not null default statement_timestamp(),
  updated_at     timestamptz not null default statement_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, parent_team_id) references public.teams (tenant_id, id) on delete set null (parent_team_id)
);

comment on table  public.teams is 'Teams of the workspace. A user is in one team at most.';
comment on column public.teams.leader_id is 'The user who leads it; need not be a member.';
comment on column public.teams.parent_team_id is 'The team it is part of. Never makes a circle.';

-- Each with what needs it.
create index teams_created_idx on public.teams (tenant_id, created_at, id); -- the list, newest first; created_after
create index teams_updated_idx on public.teams (tenant_id, updated_at, id); -- polling: updated_after, by last change
create index teams_name_idx    on public.teams (tenant_id, name, id);       -- by name
create index teams_leader_idx  on public.teams (tenant_id, leader_id);      -- removing a user
create index teams_parent_idx  on public.teams (tenant_id, parent_team_id); -- removing a team

alter table public.teams enable row level security;
grant select, insert, update, delete on public.teams to api, service_role;

create policy "A tenant keeps its own teams" on public.teams
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.refuse_team_circle() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Two teams that become each other's part at the same time see each other here.
  perform pg_advisory_xact_lock(hashtextextended('teams:' || new.tenant_id::text, 0));
  if exists (
    with recursive above (id) as (
      select new.parent_team_id
      union
      select t.parent_team_id from public.teams t join above a on t.tenant_id = new.tenant_id and t.id = a.id
    )
    select from above where id = new.id
  ) then
    raise exception 'team_circle' using errcode = 'PL400', hint = 'A team cannot be part of itself, directly or through others.';
  end if;
  return new;
end
$$;

comment on function private.refuse_team_circle() is 'Trigger: teams within teams never make a circle.';

create trigger teams_refuse_circle
  before insert or update of parent_team_id on public.teams
  for each row when (new.parent_team_id is not null)
  execute function private.refuse_team_circle();

create trigger teams_set_updated_at
  before update on public.teams
  for each row execute function private.set_updated_at();

-- Users ---------------------------------------------------------------------------------------------------------------

create table public.users (
  id             uuid        not null default gen_random_uuid(),
  tenant_id      uuid        not null references public.tenants (id) on delete cascade,
  player_id      uuid        not null,
  name           text        not null check (btrim(name) <> ''),
  email          text        not null,
  phone          text,
  avatar_url     text,
  role           text        not null default 'sales_rep' check (role in ('admin', 'manager', 'sales_rep', 'viewer')),
  status         text        not null default 'active' check (status in ('active', 'invited', 'deactivated')),
  team_id        uuid,
  last_active_at timestamptz,
  external_ids   jsonb       not null default '{}' check (jsonb_typeof(external_ids) = 'object'),
  created_at     timestamptz not null default statement_timestamp(),
  updated_at     timestamptz not null default statement_timestamp(),
  search         text        generated always as (app.fold(name || E'\n' || email)) stored,
  primary key (tenant_id, id),
  unique (tenant_id, email),
  unique (tenant_id, player_id),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id),
  foreign key (tenant_id, team_id)   references public.teams (tenant_id, id) on delete set null (team_id)
);

comment on table  public.users is 'People who work in the workspace.';
comment on column public.users.player_id is 'Who has the user''s points; set by trigger from the e-mail.';
comment on column public.users.email is 'Trimmed and in lower case; unique in the tenant.';
comment on column public.users.role is 'What the user may do in the workspace.';
comment on column public.users.status is 'invited until the invitation is accepted, deactivated when access was taken away.';
comment on column public.users.team_id is 'The team that the user is a member of.';
comment on column public.users.last_active_at is 'When the user last signed in through Auth.';
comment on column public.users.external_ids is 'What clients of the records interface call it: a list for each client id, of which the first is shown.';
comment on column public.users.search is 'What search looks at: name and e-mail.';

-- Each with what needs it. Sorting by e-mail has the unique one.
create index users_created_idx on public.users (tenant_id, created_at, id);         -- the list, newest first; created_after
create index users_updated_idx on public.users (tenant_id, updated_at, id);         -- polling: updated_after, by last change
create index users_name_idx    on public.users (tenant_id, name, id);               -- by name
create index users_role_idx    on public.users (tenant_id, role, created_at, id);   -- of a role
create index users_status_idx  on public.users (tenant_id, status, created_at, id); -- of a status; the plan's number of users
create index users_team_idx    on public.users (tenant_id, team_id, created_at, id) where team_id is not null; -- members of a team
create index users_search_idx  on public.users using gin (tenant_id, search extensions.gin_trgm_ops); -- search
create index users_email_idx on public.users (email);                               -- who signs in through Auth

alter table public.users enable row level security;
grant select, insert, delete, update (name, phone, avatar_url, role, team_id, status, external_ids) on public.users to api;
grant select, insert, update, delete on public.users to service_role;

create policy "A tenant sees its own users" on public.users
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant adds its own users" on public.users
  for insert to api with check (tenant_id = (select app.tenant_id()));
create policy "A tenant changes its own users" on public.users
  for update to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "A tenant removes its own users" on public.users
  for delete to api using (tenant_id = (select app.tenant_id()));

-- Users are in teams and teams are led by users: one of the two has to come first.
alter table public.teams
  add foreign key (tenant_id, leader_id) references public.users (tenant_id, id) on delete set null (leader_id);

create function private.expect_user(tenant_id uuid, user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.users u where u.tenant_id = expect_user.tenant_id and u.id = expect_user.user_id) then
    perform private.refuse_argument(
      'user_id', format('the tenant has no user %s', user_id),
      array(select format('%s (%s)', u.id, u.email) from public.users u where u.tenant_id = expect_user.tenant_id order by u.email));
  end if;
end
$$;

comment on function private.expect_user(uuid, uuid) is 'Refuses who is no user of the tenant, and lists its users.';

-- Collaborators -------------------------------------------------------------------------------------------------------

create table public.collaborators (
  id          uuid        not null default gen_random_uuid(),
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  player_id   uuid        not null,
  external_id text        not null,
  name        text        not null,
  email       text        not null,
  phone       text,
  document    text,
  team        text,
  role        text,
  metadata    jsonb,
  created_at  timestamptz not null default clock_timestamp(),
  updated_at  timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, email),
  unique (tenant_id, player_id),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id)
);

comment on table  public.collaborators is 'Salespeople as an external system (a CRM) sends them.';
comment on column public.collaborators.player_id is 'Who has the collaborator''s points; set by trigger from the e-mail.';
comment on column public.collaborators.external_id is 'Id in the caller''s system; collaborators may share one.';
comment on column public.collaborators.email is 'Trimmed and in lower case; the key that matches collaborators and activities.';
comment on column public.collaborators.document is 'Identity document, for example a national tax id.';
comment on column public.collaborators.team is 'As the external system names it; has nothing to do with teams of the workspace.';
comment on column public.collaborators.metadata is 'Whatever else the caller sent.';

alter table public.collaborators enable row level security;
grant select, insert, update (external_id, name, phone, document, team, role, metadata) on public.collaborators to api;

create policy "A tenant keeps its own collaborators" on public.collaborators
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

-- Who is which player -------------------------------------------------------------------------------------------------

create function private.assign_player() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  shared boolean;
begin
  new.email := lower(btrim(new.email));
  if tg_op = 'UPDATE' and new.tenant_id = old.tenant_id then
    if new.email = old.email then
      new.player_id := old.player_id;
      return new;
    end if;
    -- A corrected e-mail keeps its player, unless that is somebody else as well or the new e-mail has one already.
    shared := exists (
      select from public.users u
      where u.tenant_id = old.tenant_id and u.player_id = old.player_id and (tg_table_name, u.id) <> ('users', old.id)
    ) or exists (
      select from public.collaborators c
      where c.tenant_id = old.tenant_id and c.player_id = old.player_id and (tg_table_name, c.id) <> ('collaborators', old.id)
    );
    if not shared then
      update public.players p set email = new.email
      where p.tenant_id = old.tenant_id and p.id = old.player_id
        and not exists (select from public.players o where o.tenant_id = old.tenant_id and o.email = new.email);
      if found then
        new.player_id := old.player_id;
        return new;
      end if;
    end if;
  end if;
  insert into public.players (tenant_id, email) values (new.tenant_id, new.email)
  on conflict (tenant_id, email) do nothing
  returning id into new.player_id;
  if not found then
    select id into strict new.player_id
    from public.players where tenant_id = new.tenant_id and email = new.email;
  end if;
  return new;
end
$$;

comment on function private.assign_player() is
  'Trigger of users and collaborators: normalizes the e-mail, finds or makes the player with it, and lets a player follow a corrected e-mail.';

create trigger users_assign_player
  before insert or update of email, tenant_id, player_id on public.users
  for each row execute function private.assign_player();

create trigger collaborators_assign_player
  before insert or update of email, tenant_id, player_id on public.collaborators
  for each row execute function private.assign_player();

-- An e-mail counts, and with it the player. Signing in is no change of the record.
create trigger users_set_updated_at
  before update on public.users
  for each row execute function private.set_updated_at('search', 'player_id', 'last_active_at');

create trigger collaborators_set_updated_at
  before update on public.collaborators
  for each row execute function private.set_updated_at();

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.users with (security_invoker = true) as
  select u.tenant_id, u.id, u.name, u.email, u.phone, u.role, u.status, t.name as team, p.total_points, u.last_active_at,
         u.created_at, u.updated_at
  from public.users u
  join public.players p    on p.tenant_id = u.tenant_id and p.id = u.player_id
  left join public.teams t on t.tenant_id = u.tenant_id and t.id = u.team_id;

comment on view admin.users is 'Users of all tenants, with their team and points.';

create view admin.collaborators with (security_invoker = true) as
  select c.tenant_id, c.id, c.external_id, c.name, c.email, c.phone, c.document, c.team, c.role, c.metadata, p.total_points,
         c.created_at, c.updated_at
  from public.collaborators c
  join public.players p on p.tenant_id = c.tenant_id and p.id = c.player_id;

comment on view admin.collaborators is 'Collaborators as the CRM of each tenant sent them, with their points.';
