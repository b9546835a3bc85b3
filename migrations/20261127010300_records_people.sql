set local check_function_bodies = off;

-- People: workspace users and their teams, collaborators sent by a CRM, and players, who earn points.
--
--   players        one per email address in a tenant; earns the points
--   teams          groups of users; can be nested, never in a cycle
--   users          members of the workspace; written by the records interface
--   collaborators  salespeople sent by a CRM; written by activity sync
--
-- A collaborator and a user with the same email address share one player, regardless of which is created first.
-- Saving either row finds or creates the player. When an email address is corrected, the player keeps its points
-- under the new address.
--
-- Triggers defined in other files: user events (records/users-and-teams.sql), invitations and Auth bans
-- (records/invitation-effects.sql), moving completions to a collaborator's new player (gamification/missions.sql), recounts
-- (gamification/recount-queue.sql).

-- Players -------------------------------------------------------------------------------------------------------------

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.players (
  id                uuid        not null default gen_random_uuid(),
  tenant_id         uuid        not null references public.tenants (id) on delete cascade,
  email             text        not null check (email = lower(btrim(email))),
  total_points      bigint      not null default 0,
  -- Stored so that mission badges read one number instead of the player's whole history.
  total_completions bigint      not null default 0,
  opted_out_of_rankings boolean not null default false,
  created_at        timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, email)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.players is
  'Players, who earn points: one row per email address in a tenant, shared by the collaborator and the user with that address.';
comment on column public.players.total_points is 'Sum of the player''s entries in point_entries, maintained by trigger.';
comment on column public.players.total_completions is
  'Missions completed minus those reversed: the sum of completions in point_entries, maintained by trigger.';
comment on column public.players.opted_out_of_rankings is
  'Whether admin.set_ranking_opt_out hid the player from standings; points, tiers, badges and challenges still count.';

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
  raise exception 'player totals are computed from point_entries and cannot be set directly' using errcode = 'insufficient_privilege';
end
$$;

comment on function private.refuse_total_change() is 'Trigger: blocks setting player totals directly.';

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

comment on table  public.teams is 'Teams of the workspace; a user belongs to at most one.';
comment on column public.teams.leader_id is 'The user who leads the team; need not be a member.';
comment on column public.teams.parent_team_id is 'Parent team; nesting never forms a cycle.';

-- Each index serves one query or foreign key.
create index teams_created_idx on public.teams (tenant_id, created_at, id); -- newest first; created_after
create index teams_updated_idx on public.teams (tenant_id, updated_at, id); -- polling by updated_after
create index teams_name_idx    on public.teams (tenant_id, name collate "und-x-icu", id);       -- sorting by name
create index teams_leader_idx  on public.teams (tenant_id, leader_id);      -- deleting a user
create index teams_parent_idx  on public.teams (tenant_id, parent_team_id); -- deleting a team

alter table public.teams enable row level security;
grant select, insert, update, delete on public.teams to api, service_role;

create policy "A tenant manages its own teams" on public.teams
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.refuse_team_circle() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Serializes changes of the hierarchy, so that two teams cannot become each other's parent concurrently.
  perform pg_advisory_xact_lock(hashtextextended('teams:' || new.tenant_id::text, 0));
  if exists (
    with recursive above (id) as (
      select new.parent_team_id
      union
      select t.parent_team_id from public.teams t join above a on t.tenant_id = new.tenant_id and t.id = a.id
    )
    select from above where id = new.id
  ) then
    raise exception 'team_circle' using errcode = 'PL400', hint = 'A team cannot be its own ancestor.';
  end if;
  return new;
end
$$;

comment on function private.refuse_team_circle() is 'Trigger: rejects nesting that would form a cycle.';

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

comment on table  public.users is 'Members of the workspace.';
comment on column public.users.player_id is 'The player that earns the user''s points; set by trigger from the email address.';
comment on column public.users.email is 'Email address, trimmed and in lower case; unique in the tenant.';
comment on column public.users.role is 'The user''s role in the workspace; Placar stores it without interpreting it.';
comment on column public.users.status is 'invited until the invitation is accepted; deactivated when access is revoked.';
comment on column public.users.team_id is 'The user''s team.';
comment on column public.users.last_active_at is 'When the user last signed in through Auth.';
comment on column public.users.external_ids is
  'Ids that records clients use for the user: one list per client id, whose first id is shown.';
comment on column public.users.search is 'Searchable text: name and email address.';

-- Each index serves one query or foreign key. The unique constraint serves sorting by email address.
create index users_created_idx on public.users (tenant_id, created_at, id);         -- newest first; created_after
create index users_updated_idx on public.users (tenant_id, updated_at, id);         -- polling by updated_after
create index users_name_idx    on public.users (tenant_id, name collate "und-x-icu", id);               -- sorting by name
create index users_role_idx    on public.users (tenant_id, role, created_at, id);   -- filter by role
create index users_status_idx  on public.users (tenant_id, status, created_at, id); -- filter by status; counting users for the plan's limit
create index users_team_idx    on public.users (tenant_id, team_id, created_at, id) where team_id is not null; -- members of a team
create index users_search_idx  on public.users using gin (tenant_id, search extensions.gin_trgm_ops); -- search
create index users_email_idx on public.users (email);                               -- sign-ins through Auth

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

-- Users and teams reference each other, so this foreign key is added after both tables exist.
alter table public.teams
  add foreign key (tenant_id, leader_id) references public.users (tenant_id, id) on delete set null (leader_id);

create function private.expect_user(tenant_id uuid, user_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.users u where u.tenant_id = expect_user.tenant_id and u.id = expect_user.user_id) then
    perform private.refuse_argument(
      'user_id', format('user %s does not exist in this tenant', user_id),
      array(select format('%s (%s)', u.id, u.email) from public.users u where u.tenant_id = expect_user.tenant_id order by u.email));
  end if;
end
$$;

comment on function private.expect_user(uuid, uuid) is 'Rejects an unknown user id and lists the tenant''s users.';

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

comment on table  public.collaborators is 'Salespeople, as sent by an external system such as a CRM.';
comment on column public.collaborators.player_id is
  'The player that earns the collaborator''s points; set by trigger from the email address.';

comment on column public.collaborators.external_id is
  'Id in the caller''s system; several collaborators may share it. An unknown email address that comes with it is a changed address.';
comment on column public.collaborators.email is
  'Email address, trimmed and in lower case; activities refer to their collaborator by it.';
comment on column public.collaborators.document is 'Identity document, for example a national tax id.';
comment on column public.collaborators.team is 'Team name in the external system; unrelated to workspace teams.';
comment on column public.collaborators.metadata is 'Any additional data that the caller sent.';

alter table public.collaborators enable row level security;
grant select, insert, update (external_id, name, phone, document, team, role, metadata) on public.collaborators to api;

create policy "A tenant manages its own collaborators" on public.collaborators
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

-- Assigning players ---------------------------------------------------------------------------------------------------

create function private.assign_player() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  shared boolean;
begin
  new.email := lower(normalize(btrim(new.email), nfc));
  if tg_op = 'UPDATE' and new.tenant_id = old.tenant_id then
    if new.email = old.email then
      new.player_id := old.player_id;
      return new;
    end if;
    -- The player follows a corrected email address unless another person shares the player or the new address already
    -- has one.
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
  'Trigger of users and collaborators: normalizes the email address, finds or creates its player and moves a '
  'player to a corrected address.';

create trigger users_assign_player
  before insert or update of email, tenant_id, player_id on public.users
  for each row execute function private.assign_player();

create trigger collaborators_assign_player
  before insert or update of email, tenant_id, player_id on public.collaborators
  for each row execute function private.assign_player();

-- player_id changes only with the email address, which already counts. Signing in is not a change of the record.
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

comment on view admin.collaborators is 'Collaborators of all tenants as their CRM sent them, with their points.';
-- A collaborator whose email address changes in the external system keeps its points: activity sync finds it by its id there.

grant update (email) on public.collaborators to api;
create index collaborators_external_id_idx on public.collaborators (tenant_id, external_id);
