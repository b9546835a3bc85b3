-- Gamification: paginated standings of a time range, and seasons, which are named time ranges.

-- Seasons -------------------------------------------------------------------------------------------------------------

create table public.seasons (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  starts_at  timestamptz not null check (isfinite(starts_at)),
  ends_at    timestamptz not null check (isfinite(ends_at) and ends_at > starts_at),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.seasons is
  'Named time ranges for standings, which may overlap and do not affect points; created with admin.create_season.';
comment on column public.seasons.starts_at is 'Start of the season (inclusive).';
comment on column public.seasons.ends_at is 'End of the season (exclusive).';

alter table public.seasons enable row level security;
grant select on public.seasons to api;

create policy "A tenant sees its own seasons" on public.seasons
  for select to api using (tenant_id = (select app.tenant_id()));

-- Standings -----------------------------------------------------------------------------------------------------------

-- Computes all scores regardless of the page size, because a position depends on every other player.
create function app.standings(
  tenant_id   uuid,
  during      tstzrange,
  team_id     uuid,
  around      uuid,
  page_size   integer,
  page_offset bigint
) returns table (records jsonb, total bigint, page bigint)
language plpgsql stable rows 1
set search_path = ''
as $$
#variable_conflict use_variable
declare
  players uuid[];
  scores  bigint[];
  own     bigint;
begin
  select array_agg(s.player_id order by s.points desc, s.player_id), array_agg(s.points order by s.points desc, s.player_id),
         count(*)
  into players, scores, total
  from app.scores(tenant_id, during, team_id) as s
  where s.ranked;
  if around is not null then
    select array_position(players, u.player_id) into own
    from public.users u where u.tenant_id = tenant_id and u.id = around;
    if own is null then
      perform app.raise_domain_error('not_in_standings');
    end if;
    page_offset := greatest(0, least(own - 1 - (page_size - 1) / 2, total - page_size));
  end if;
  records := (
    select coalesce(jsonb_agg(jsonb_build_object(
      'position', array_position(scores, e.points), 'user_id', u.id, 'collaborator_id', c.id,
      'name', coalesce(u.name, c.name), 'points', e.points
    ) order by e.place), '[]')
    from unnest(players[page_offset + 1 : page_offset + page_size], scores[page_offset + 1 : page_offset + page_size])
      with ordinality as e (player_id, points, place)
    left join public.users u         on u.tenant_id = tenant_id and u.player_id = e.player_id
    left join public.collaborators c on c.tenant_id = tenant_id and c.player_id = e.player_id
  );
  page := page_offset / page_size + 1;
  return next;
end
$$;

comment on function app.standings(uuid, tstzrange, uuid, uuid, integer, bigint) is
  'A page of standings, optionally of a team or around a user; equal points share a position, opted-out players are excluded.';

grant execute on function app.standings(uuid, tstzrange, uuid, uuid, integer, bigint) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_moment(argument text, value timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if isfinite(value) is not true then
    perform private.refuse_argument(argument, case when value is null then 'is required' else 'must be a finite time' end);
  end if;
end
$$;

comment on function private.expect_moment(text, timestamptz) is 'Rejects a time that is missing or infinite.';

create function admin.create_season(tenant_id uuid, name text, starts_at timestamptz, ends_at timestamptz) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name), private.expect_moment('starts_at', starts_at),
         private.expect_moment('ends_at', ends_at), private.expect_later('ends_at', ends_at, 'starts_at', starts_at);
  insert into public.seasons (tenant_id, name, starts_at, ends_at) values (tenant_id, name, starts_at, ends_at) returning id
$$;

comment on function admin.create_season(uuid, text, timestamptz, timestamptz) is
  'Creates a season from starts_at (inclusive) to ends_at (exclusive) and returns its id; deleting it does not change points.';

create function admin.create_season(tenant_id uuid, name text, starts_at text, ends_at text) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id);
  select admin.create_season(tenant_id, name, private.moment_of(tenant_id, 'starts_at', starts_at), private.moment_of(tenant_id, 'ends_at', ends_at))
$$;

comment on function admin.create_season(uuid, text, text, text) is
  'Creates a season from dates or times; a date means midnight in the tenant''s time zone.';

create view admin.seasons with (security_invoker = true) as
  select s.tenant_id, s.id, s.name, s.starts_at, s.ends_at from public.seasons s;

comment on view admin.seasons is 'Seasons of all tenants.';
