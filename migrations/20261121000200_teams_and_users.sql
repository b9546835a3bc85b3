-- Records: what they share, teams, and users as members of the workspace. Names of tables and columns are those of the
-- records interface.

create extension if not exists pg_trgm   with schema extensions;
create extension if not exists unaccent  with schema extensions;
create extension if not exists btree_gin with schema extensions;

create function app.fold(value text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select lower(extensions.unaccent('extensions.unaccent'::regdictionary, value)) $$;

comment on function app.fold(text) is
  'Text as search compares it: without case and accents. Immutable as long as nobody changes the dictionary of unaccent.';

create function app.search_pattern(words text) returns text
language sql immutable parallel safe security definer
set search_path = ''
as $$ select '%' || regexp_replace(app.fold(btrim(words)), '([\\%_])', '\\\1', 'g') || '%' $$;

comment on function app.search_pattern(text) is 'LIKE pattern for what somebody searches for, to be compared with a column "search".';

grant execute on function app.fold(text), app.search_pattern(text) to api;

create function private.keep_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end
$$;

comment on function private.keep_updated_at() is
  'Trigger: a record that changed has a later updated_at than before, whatever the clock does, so that changes can be told apart and put in order.';

-- Raised inside a statement, so that a request that is refused leaves nothing behind, the log row of its success included.
create function app.refuse(reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', reason using errcode = 'PL400';
end
$$;

comment on function app.refuse(text) is 'Ends a transaction because the request cannot be done; the functions know the reasons by name.';

grant execute on function app.refuse(text) to api;

create table public.teams (
  id             uuid not null default gen_random_uuid(),
  tenant_id      uuid not null references public.tenants (id) on delete cascade,
  name           text not null check (btrim(name) <> ''),
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

create index teams_created_idx on public.teams (tenant_id, created_at, id);
create index teams_updated_idx on public.teams (tenant_id, updated_at, id);
create index teams_name_idx    on public.teams (tenant_id, name, id);
create index teams_leader_idx  on public.teams (tenant_id, leader_id);
create index teams_parent_idx  on public.teams (tenant_id, parent_team_id);

alter table public.users
  add column team_id uuid,
  add column search  text generated always as (app.fold(name || E'\n' || email)) stored,
  add foreign key (tenant_id, team_id) references public.teams (tenant_id, id) on delete set null (team_id),
  alter column created_at set default statement_timestamp(),
  alter column updated_at set default statement_timestamp();

comment on column public.users.team_id is 'The team that the user is a member of.';
comment on column public.users.last_active_at is 'When the user last signed in through Auth.';
comment on column public.users.search is 'What search looks at: name and e-mail.';

alter table public.teams
  add foreign key (tenant_id, leader_id) references public.users (tenant_id, id) on delete set null (leader_id);

create index users_created_idx on public.users (tenant_id, created_at, id);
create index users_updated_idx on public.users (tenant_id, updated_at, id);
create index users_name_idx    on public.users (tenant_id, name, id);
create index users_role_idx    on public.users (tenant_id, role, created_at, id);
create index users_status_idx  on public.users (tenant_id, status, created_at, id);
create index users_team_idx    on public.users (tenant_id, team_id, created_at, id);
create index users_search_idx  on public.users using gin (tenant_id, search extensions.gin_trgm_ops);

drop trigger users_touch_updated_at on public.users;
create trigger users_touch_updated_at
  before update on public.users
  for each row when (
    (old.name, old.email, old.phone, old.avatar_url, old.role, old.status, old.team_id)
    is distinct from (new.name, new.email, new.phone, new.avatar_url, new.role, new.status, new.team_id)
  )
  execute function private.keep_updated_at();

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
create trigger teams_touch_updated_at
  before update on public.teams
  for each row when (old.* is distinct from new.*)
  execute function private.keep_updated_at();

alter table public.teams enable row level security;

grant select, insert, update, delete on public.teams to api;
grant insert, delete, update (name, phone, avatar_url, role, team_id, status) on public.users to api;

-- Programs of the deployment's own that hold its secret key, such as an app on supabase-js, work on these tables directly.
grant usage on schema app to service_role;
grant execute on function app.fold(text) to service_role;
grant select, insert, update, delete on public.teams, public.users to service_role;
grant select on public.tenants, public.players to service_role;

create policy "A tenant keeps its own teams" on public.teams
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "A tenant adds its own users" on public.users
  for insert to api with check (tenant_id = (select app.tenant_id()));
create policy "A tenant changes its own users" on public.users
  for update to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "A tenant removes its own users" on public.users
  for delete to api using (tenant_id = (select app.tenant_id()));
