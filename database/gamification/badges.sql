-- Gamification: badges and challenges, created by admins, and their awards. A player receives each award only once.
--
-- A badge is earned permanently when a metric reaches a threshold. A challenge is completed when a metric reaches a
-- target within a time range, and awards points. The recount determines which players did either (see
-- gamification/recount.sql).

create function private.metrics() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array['points', 'missions_completed', 'deals_created', 'deals_won', 'revenue_closed', 'leads_created',
               'leads_qualified', 'activities_logged']
$$;

comment on function private.metrics() is 'Metrics for badges and challenges; private.metric_value computes them.';

-- Badges --------------------------------------------------------------------------------------------------------------

create table public.badges (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  metric     text        not null check (metric = any (private.metrics())),
  threshold  numeric     not null check (threshold > 0),
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.badges is
  'Badges, earned permanently when a metric reaches a threshold; created with admin.create_badge.';
comment on column public.badges.metric is 'The metric that is counted; private.metrics lists all metrics.';

alter table public.badges enable row level security;
grant select on public.badges to api;

create policy "A tenant sees its own badges" on public.badges
  for select to api using (tenant_id = (select app.tenant_id()));

create table public.earned_badges (
  tenant_id uuid not null,
  badge_id  uuid not null,
  player_id uuid not null,
  earned_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, badge_id, player_id),
  foreign key (tenant_id, badge_id)  references public.badges  (tenant_id, id) on delete cascade,
  foreign key (tenant_id, player_id) references public.players (tenant_id, id) on delete cascade
);

comment on table public.earned_badges is 'Earned badges, with the player and time.';

create index earned_badges_player_idx on public.earned_badges (tenant_id, player_id, earned_at);

alter table public.earned_badges enable row level security;
grant select on public.earned_badges to api;

create policy "A tenant sees its own earned badges" on public.earned_badges
  for select to api using (tenant_id = (select app.tenant_id()));

-- Challenges ----------------------------------------------------------------------------------------------------------

create table public.challenges (
  id            uuid        not null default gen_random_uuid(),
  tenant_id     uuid        not null references public.tenants (id) on delete cascade,
  name          text        not null check (btrim(name) <> ''),
  metric        text        not null check (metric = any (private.metrics())),
  target        numeric     not null check (target > 0),
  starts_at     timestamptz not null,
  ends_at       timestamptz not null check (ends_at > starts_at),
  reward_points integer     not null default 0 check (reward_points >= 0),
  created_at    timestamptz not null default now(),
  primary key (tenant_id, id)
);

comment on table  public.challenges is
  'Challenges: reach a target within a time range to earn points; created with admin.create_challenge.';
comment on column public.challenges.metric is 'The metric that is counted; private.metrics lists all metrics.';
comment on column public.challenges.ends_at is 'End of the challenge (exclusive).';

alter table public.challenges enable row level security;
grant select on public.challenges to api;

create policy "A tenant sees its own challenges" on public.challenges
  for select to api using (tenant_id = (select app.tenant_id()));

create table public.completed_challenges (
  tenant_id    uuid not null,
  challenge_id uuid not null,
  player_id    uuid not null,
  completed_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, challenge_id, player_id),
  foreign key (tenant_id, challenge_id) references public.challenges (tenant_id, id) on delete cascade,
  foreign key (tenant_id, player_id)    references public.players    (tenant_id, id) on delete cascade
);

comment on table public.completed_challenges is 'Completed challenges, with the player and when completion was detected.';

create index completed_challenges_player_idx on public.completed_challenges (tenant_id, player_id);

alter table public.completed_challenges enable row level security;
grant select on public.completed_challenges to api;

create policy "A tenant sees its own completed challenges" on public.completed_challenges
  for select to api using (tenant_id = (select app.tenant_id()));

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_more_than_zero(argument text, value numeric) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (value > 0) is not true then
    perform private.refuse_argument(argument, 'must be more than 0');
  end if;
end
$$;

comment on function private.expect_more_than_zero(text, numeric) is 'Rejects a number that is missing, 0 or less.';

create function private.expect_later(argument text, value timestamptz, other text, than timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (value > than) is not true then
    perform private.refuse_argument(argument, 'must be later than ' || other);
  end if;
end
$$;

comment on function private.expect_later(text, timestamptz, text, timestamptz) is
  'Rejects a time that is missing or not later than another one.';

create function admin.create_badge(tenant_id uuid, name text, metric text, threshold numeric) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name),
         private.expect_one_of('metric', metric, private.metrics()), private.expect_more_than_zero('threshold', threshold);
  insert into public.badges (tenant_id, name, metric, threshold) values (tenant_id, name, metric, threshold) returning id
$$;

comment on function admin.create_badge(uuid, text, text, numeric) is
  'Creates a badge for a metric (private.metrics() lists them) and returns its id.';

create function admin.create_challenge(
  tenant_id     uuid,
  name          text,
  metric        text,
  target        numeric,
  starts_at     timestamptz,
  ends_at       timestamptz,
  reward_points integer default 0
) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name),
         private.expect_one_of('metric', metric, private.metrics()), private.expect_more_than_zero('target', target),
         private.expect_later('ends_at', ends_at, 'starts_at', starts_at), private.expect_number('reward_points', reward_points, 0);
  insert into public.challenges (tenant_id, name, metric, target, starts_at, ends_at, reward_points)
  values (tenant_id, name, metric, target, starts_at, ends_at, reward_points)
  returning id
$$;

comment on function admin.create_challenge(uuid, text, text, numeric, timestamptz, timestamptz, integer) is
  'Creates a challenge, which awards reward_points for reaching a metric''s target in the time range, and returns its id.';

create function admin.create_challenge(
  tenant_id uuid, name text, metric text, target numeric, starts_at text, ends_at text, reward_points integer default 0
) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id);
  select admin.create_challenge(tenant_id, name, metric, target,
    private.moment_of(tenant_id, 'starts_at', starts_at), private.moment_of(tenant_id, 'ends_at', ends_at), reward_points)
$$;

comment on function admin.create_challenge(uuid, text, text, numeric, text, text, integer) is
  'Creates a challenge from dates or times; a date means midnight in the tenant''s time zone.';

create view admin.badges with (security_invoker = true) as
  select b.tenant_id, b.id, b.name, b.metric, b.threshold,
         (select count(*) from public.earned_badges e where e.tenant_id = b.tenant_id and e.badge_id = b.id) as earned_by
  from public.badges b;

comment on view admin.badges is 'Badges of all tenants, with the number of players who earned each.';

create view admin.earned_badges with (security_invoker = true) as
  select e.tenant_id, b.name as badge, p.email, e.earned_at
  from public.earned_badges e
  join public.badges b  on b.tenant_id = e.tenant_id and b.id = e.badge_id
  join public.players p on p.tenant_id = e.tenant_id and p.id = e.player_id;

comment on view admin.earned_badges is 'Earned badges of all players.';

create view admin.challenges with (security_invoker = true) as
  select c.tenant_id, c.id, c.name, c.metric, c.target, c.starts_at, c.ends_at, c.reward_points,
         (select count(*) from public.completed_challenges d where d.tenant_id = c.tenant_id and d.challenge_id = c.id)
           as completed_by
  from public.challenges c;

comment on view admin.challenges is 'Challenges of all tenants, with the number of players who completed each.';
