-- People: users of the workspace, collaborators that a CRM sends, and players, who have the points.
-- A collaborator and a user with the same e-mail are one player, whichever of the two comes first.

create table public.players (
  id           uuid not null default gen_random_uuid(),
  tenant_id    uuid not null references public.tenants (id) on delete cascade,
  email        text not null check (email = lower(btrim(email))),
  total_points bigint not null default 0,
  created_at   timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, email)
);

comment on table  public.players is 'Who has points: one row per e-mail of a tenant, shared by the collaborator and the user with that e-mail.';
comment on column public.players.total_points is 'Sum of the player''s entries in point_entries, kept by trigger.';

create function private.refuse_total_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'total_points follows from point_entries and cannot be set' using errcode = 'insufficient_privilege';
end
$$;

comment on function private.refuse_total_change() is 'Trigger: nobody sets a total by hand.';

create trigger players_keep_total
  before update of total_points on public.players
  for each row when (pg_trigger_depth() = 0) execute function private.refuse_total_change();

create index players_standings_idx on public.players (tenant_id, total_points desc, id);

create table public.users (
  id             uuid not null default gen_random_uuid(),
  tenant_id      uuid not null references public.tenants (id) on delete cascade,
  player_id      uuid not null,
  name           text not null check (btrim(name) <> ''),
  email          text not null,
  phone          text,
  avatar_url     text,
  role           text not null default 'sales_rep' check (role in ('admin', 'manager', 'sales_rep', 'viewer')),
  status         text not null default 'active' check (status in ('active', 'invited', 'deactivated')),
  last_active_at timestamptz,
  created_at     timestamptz not null default clock_timestamp(),
  updated_at     timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, email),
  unique (tenant_id, player_id),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id)
);

comment on table  public.users is 'People who work in the workspace.';
comment on column public.users.email is 'Trimmed and in lower case; unique in the tenant.';

create table public.collaborators (
  id          uuid not null default gen_random_uuid(),
  tenant_id   uuid not null references public.tenants (id) on delete cascade,
  player_id   uuid not null,
  external_id text not null,
  name        text not null,
  email       text not null,
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
comment on column public.collaborators.external_id is 'Id in the caller''s system; collaborators may share one.';
comment on column public.collaborators.email is 'Trimmed and in lower case; the key that matches collaborators and activities.';
comment on column public.collaborators.document is 'Identity document, for example a national tax id.';

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
    shared := exists (select from public.users u
                      where u.tenant_id = old.tenant_id and u.player_id = old.player_id and (tg_table_name, u.id) <> ('users', old.id))
           or exists (select from public.collaborators c
                      where c.tenant_id = old.tenant_id and c.player_id = old.player_id
                        and (tg_table_name, c.id) <> ('collaborators', old.id));
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

create trigger users_touch_updated_at
  before update on public.users
  for each row execute function private.touch_updated_at();
create trigger collaborators_touch_updated_at
  before update on public.collaborators
  for each row execute function private.touch_updated_at();

alter table public.oauth_clients
  add foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete set null (user_id);
create index oauth_clients_user_idx on public.oauth_clients (tenant_id, user_id);

alter table public.players       enable row level security;
alter table public.users         enable row level security;
alter table public.collaborators enable row level security;

grant select                 on public.players       to api;
grant select                 on public.users         to api;
grant select, insert         on public.collaborators to api;
grant update (external_id, name, phone, document, team, role, metadata) on public.collaborators to api;

create policy "A tenant sees its own players" on public.players
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees its own users" on public.users
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant keeps its own collaborators" on public.collaborators
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
