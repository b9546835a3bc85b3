-- Gamification: boards, which are standings for a screen on a wall. A board's token opens that board and nothing else.

create table public.boards (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  team_id    uuid,
  season_id  uuid,
  period     text        check (period in ('today', 'week', 'month', 'quarter', 'year', 'all')),
  token_hash text        not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id),
  -- A board without its team would show everyone, so it ends with the team.
  foreign key (tenant_id, team_id)   references public.teams   (tenant_id, id) on delete cascade,
  foreign key (tenant_id, season_id) references public.seasons (tenant_id, id) on delete cascade,
  check (num_nonnulls(season_id, period) = 1)
);

comment on table  public.boards is 'Standings for screens, which are read with a token of their own.';
comment on column public.boards.team_id is 'The team whose members are shown; null shows all players.';
comment on column public.boards.season_id is 'The season whose points count; null if they are those of a period.';
comment on column public.boards.period is 'The current period whose points count, in the tenant''s calendar.';
comment on column public.boards.token_hash is 'SHA-256 (hex) of the token, which is shown only when the board is created.';
comment on column public.boards.expires_at is 'When the board stops working; null if it does not expire.';

create index boards_created_idx on public.boards (tenant_id, created_at, id);
create index boards_team_idx    on public.boards (tenant_id, team_id);
create index boards_season_idx  on public.boards (tenant_id, season_id);

alter table public.boards enable row level security;

-- A function of the owner, because the board's token is all that its reader has.
create function app.open_board(token_hash text) returns table (closed boolean, moved_to text, board jsonb)
language plpgsql stable security definer rows 1
set search_path = ''
as $$
declare
  max_entries constant integer := 50;
  own     public.boards;
  during  tstzrange;
  entries jsonb;
begin
  select b.* into own from public.boards b
  where b.token_hash = open_board.token_hash and coalesce(b.expires_at > now(), true);
  if not found then
    return;
  end if;
  closed := private.is_closed(own.tenant_id);
  moved_to := (select m.moved_to from private.tenant_moves m where m.tenant_id = own.tenant_id and m.closed and m.direction = 'out');
  if closed then
    return next;
    return;
  end if;
  during := coalesce(
    (select tstzrange(s.starts_at, s.ends_at) from public.seasons s where s.tenant_id = own.tenant_id and s.id = own.season_id),
    app.period(own.tenant_id, case own.period when 'all' then 'all_time' else own.period end));
  entries := (select s.records from app.standings(own.tenant_id, during, own.team_id, null, max_entries, 0) as s);
  board := (
    select jsonb_build_object(
      'name', own.name, 'workspace', t.name, 'period', own.period,
      'team',   (select m.name from public.teams m   where m.tenant_id = own.tenant_id and m.id = own.team_id),
      'season', (select s.name from public.seasons s where s.tenant_id = own.tenant_id and s.id = own.season_id),
      'updated_at', greatest(own.created_at, private.last_points_at(own.tenant_id, entries)),
      'entries', (
        select coalesce(jsonb_agg(jsonb_build_object('position', e.entry -> 'position', 'name', e.entry -> 'name', 'points', e.entry -> 'points')
                                  order by e.place), '[]')
        from jsonb_array_elements(entries) with ordinality as e (entry, place)))
    from public.tenants t where t.id = own.tenant_id);
  return next;
end
$$;

comment on function app.open_board(text) is
  'The board with this hash of a token, as its reader sees it; no row if there is none or it has expired (login role only).';

grant execute on function app.open_board(text) to placar_login;

create function private.last_points_at(tenant_id uuid, entries jsonb) returns timestamptz
language sql stable
set search_path = ''
as $$
  select max(last.created_at)
  from jsonb_array_elements(entries) as e
  left join public.users u         on u.tenant_id = last_points_at.tenant_id and u.id = (e ->> 'user_id')::uuid
  left join public.collaborators c on c.tenant_id = last_points_at.tenant_id and c.id = (e ->> 'collaborator_id')::uuid
  cross join lateral (
    select p.created_at from public.point_entries p
    where p.tenant_id = last_points_at.tenant_id and p.player_id = coalesce(u.player_id, c.player_id)
    order by p.created_at desc limit 1
  ) as last
$$;

comment on function private.last_points_at(uuid, jsonb) is 'When one of the players in these rows of standings last earned or lost points.';
