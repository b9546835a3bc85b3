-- Counting for badges, challenges and rankings. It is later work: a change leaves a mark of whose numbers may have changed,
-- and a job of the tenant counts for those marked, once for many changes.

create table public.rankings (
  tenant_id uuid not null,
  player_id uuid not null,
  position  bigint not null,
  primary key (tenant_id, player_id),
  foreign key (tenant_id, player_id) references public.players (tenant_id, id) on delete cascade
);

comment on table public.rankings is 'Positions as they were last announced by ranking.changed.';

create table private.gamification_marks (
  id        bigint generated always as identity primary key,
  tenant_id uuid not null,
  player_id uuid not null
);

comment on table private.gamification_marks is 'Players whose numbers may have changed since they were last counted. Only ever added and taken away, so nobody waits.';

create index gamification_marks_tenant_idx on private.gamification_marks (tenant_id);

alter table public.rankings            enable row level security;
alter table private.gamification_marks enable row level security;
grant select on public.rankings to api;

create policy "A tenant sees its own rankings" on public.rankings
  for select to api using (tenant_id = (select app.tenant_id()));

-- A job that waits for its time will see this change too, unless it is claimed before this transaction ends: then the
-- marks stay, and the sweep orders another one. One that is overdue may have been announced by nobody.
create function private.order_recount(tenant_ids uuid[]) returns void
language sql security definer
set search_path = ''
as $$
  insert into public.jobs (tenant_id, name, key, due_at)
  select t.id, 'recount', t.id || ':' || gen_random_uuid(), now() + interval '2 seconds'
  from unnest(tenant_ids) as t (id)
  where not exists (
    select from public.jobs j
    where j.tenant_id = t.id and j.name = 'recount'
      and j.finished_at is null and j.failed_at is null and j.locked_until is null and j.due_at > now()
  )
$$;

comment on function private.order_recount(uuid[]) is 'Has the marked players of these tenants counted in two seconds, unless that is ordered already.';

create index jobs_waiting_idx on public.jobs (tenant_id, name) where finished_at is null and failed_at is null;

create function private.order_recount_of_marked() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.order_recount(array(select distinct tenant_id from marked));
  return null;
end
$$;

comment on function private.order_recount_of_marked() is 'Trigger: who is marked is to be counted.';

create trigger gamification_marks_order_recount after insert on private.gamification_marks
  referencing new table as marked
  for each statement execute function private.order_recount_of_marked();

create function private.mark_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.gamification_marks (tenant_id, player_id) select distinct tenant_id, player_id from added;
  return null;
end
$$;

comment on function private.mark_players() is 'Trigger: who got points, came or went is to be counted.';

create trigger point_entries_mark_players after insert on public.point_entries
  referencing new table as added
  for each statement execute function private.mark_players();

create function private.mark_owners() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.gamification_marks (tenant_id, player_id)
  select distinct u.tenant_id, u.player_id
  from changed c join public.users u on u.tenant_id = c.tenant_id and u.id = c.owner_id;
  return null;
end
$$;

comment on function private.mark_owners() is 'Trigger of what metrics count: whose it is is to be counted.';

create trigger leads_mark_owners_insert after insert on public.leads
  referencing new table as changed for each statement execute function private.mark_owners();
create trigger leads_mark_owners_update after update on public.leads
  referencing new table as changed for each statement execute function private.mark_owners();
create trigger deals_mark_owners_insert after insert on public.deals
  referencing new table as changed for each statement execute function private.mark_owners();
create trigger deals_mark_owners_update after update on public.deals
  referencing new table as changed for each statement execute function private.mark_owners();
create trigger deal_activities_mark_owners_insert after insert on public.deal_activities
  referencing new table as changed for each statement execute function private.mark_owners();
create trigger deal_activities_mark_owners_update after update on public.deal_activities
  referencing new table as changed for each statement execute function private.mark_owners();

create function private.mark_everybody() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.gamification_marks (tenant_id, player_id)
  select p.tenant_id, p.id from public.players p where p.tenant_id = new.tenant_id;
  return null;
end
$$;

comment on function private.mark_everybody() is 'Trigger: a badge or challenge has everybody of the tenant counted.';

create trigger badges_mark_everybody after insert or update on public.badges
  for each row execute function private.mark_everybody();
create trigger challenges_mark_everybody after insert or update on public.challenges
  for each row execute function private.mark_everybody();

create trigger users_mark_new after insert on public.users
  referencing new table as added for each statement execute function private.mark_players();
create trigger users_mark_removed after delete on public.users
  referencing old table as added for each statement execute function private.mark_players();
create trigger collaborators_mark_new after insert on public.collaborators
  referencing new table as added for each statement execute function private.mark_players();
create trigger collaborators_mark_removed after delete on public.collaborators
  referencing old table as added for each statement execute function private.mark_players();

create function private.mark_both_players() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.gamification_marks (tenant_id, player_id)
  values (old.tenant_id, old.player_id), (new.tenant_id, new.player_id);
  return null;
end
$$;

comment on function private.mark_both_players() is 'Trigger: who became another player by a new e-mail brings their deals and leads along.';

create trigger users_mark_moved after update of email on public.users
  for each row when (old.player_id <> new.player_id) execute function private.mark_both_players();
create trigger collaborators_mark_moved after update of email on public.collaborators
  for each row when (old.player_id <> new.player_id) execute function private.mark_both_players();

create function private.metric_value(
  tenant_id uuid,
  player_id uuid,
  user_id   uuid,
  metric    text,
  since     timestamptz default '-infinity',
  until     timestamptz default 'infinity'
) returns numeric
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_variable
begin
  return coalesce(case metric
    when 'points' then case
      -- Totals are the sums of all entries, of which there may be many.
      when since = '-infinity' and until = 'infinity' then (
        select p.total_points from public.players p where p.tenant_id = tenant_id and p.id = player_id)
      else (
        select sum(e.points) from public.point_entries e
        where e.tenant_id = tenant_id and e.player_id = player_id and e.created_at >= since and e.created_at < until)
    end
    when 'missions_completed' then case
      when since = '-infinity' and until = 'infinity' then (
        select p.total_completions from public.players p where p.tenant_id = tenant_id and p.id = player_id)
      else (
        select sum(e.completions) from public.point_entries e
        where e.tenant_id = tenant_id and e.player_id = player_id and e.created_at >= since and e.created_at < until)
    end
    when 'deals_created' then (
      select count(*) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.created_at >= since and d.created_at < until)
    when 'deals_won' then (
      select count(*) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.closed_at >= since and d.closed_at < until and d.status = 'won')
    when 'revenue_closed' then (
      select sum(d.value::numeric) from public.deals d
      where d.tenant_id = tenant_id and d.owner_id = user_id and d.closed_at >= since and d.closed_at < until and d.status = 'won')
    when 'leads_created' then (
      select count(*) from public.leads l
      where l.tenant_id = tenant_id and l.owner_id = user_id and l.created_at >= since and l.created_at < until)
    when 'leads_qualified' then (
      select count(*) from public.leads l
      where l.tenant_id = tenant_id and l.owner_id = user_id and l.qualified_at >= since and l.qualified_at < until)
    when 'activities_logged' then (
      select count(*) from public.deal_activities a
      where a.tenant_id = tenant_id and a.owner_id = user_id and a.created_at >= since and a.created_at < until)
  end, 0);
end
$$;

comment on function private.metric_value(uuid, uuid, uuid, text, timestamptz, timestamptz) is
  'A metric of one player, and of the user who is that player, within a time: the first moment included, the last one not.';

-- A plan that was made for a small tenant would take a large one's rows in the square, hence planned each time; counting
-- one metric is always a look into an index, and planned once.
create function app.recount(tenant_id uuid) returns void
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  -- So many are counted in a few seconds.
  at_once constant integer := 10000;
  marked  uuid[];
  changes jsonb;
begin
  -- Two recounts of a tenant come one after the other.
  perform pg_advisory_xact_lock(hashtextextended('recount:' || recount.tenant_id::text, 0));
  with taken as (
    delete from private.gamification_marks m
    where m.id = any (array(
      select o.id from private.gamification_marks o where o.tenant_id = recount.tenant_id order by o.id limit at_once
    ))
    returning m.player_id
  )
  select array_agg(distinct player_id) into marked from taken;
  if marked is null then
    return;
  end if;
  -- Who was removed earns no more; that they are gone may have moved others.
  marked := array(
    select m.id from unnest(marked) as m (id)
    where exists (select from public.users u where u.tenant_id = recount.tenant_id and u.player_id = m.id)
       or exists (select from public.collaborators c where c.tenant_id = recount.tenant_id and c.player_id = m.id)
  );

  -- Rewards come before badges, so that points of a reward count for them at once.
  with reached as materialized (
    select p.id as player_id, p.email, u.id as user_id, c.id as challenge_id, c.reward_points,
           jsonb_build_object('id', c.id, 'name', c.name, 'metric', c.metric, 'target', c.target,
                              'starts_at', c.starts_at, 'ends_at', c.ends_at, 'reward_points', c.reward_points) as challenge
    from public.players p
    left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
    join public.challenges c on c.tenant_id = p.tenant_id
    where p.tenant_id = recount.tenant_id and p.id = any (marked)
      and not exists (
        select from public.completed_challenges d
        where d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = p.id
      )
      and private.metric_value(p.tenant_id, p.id, u.id, c.metric, c.starts_at, c.ends_at) >= c.target
  ), completed as (
    insert into public.completed_challenges (tenant_id, challenge_id, player_id)
    select recount.tenant_id, challenge_id, player_id from reached
    on conflict do nothing
    returning challenge_id, player_id, completed_at
  ), announced as (
    insert into public.events (tenant_id, interface, type, data)
    select recount.tenant_id, 'records', 'challenge.completed', jsonb_build_object(
             'user_id', r.user_id, 'email', r.email, 'challenge', r.challenge, 'completed_at', d.completed_at)
    from completed d join reached r on r.challenge_id = d.challenge_id and r.player_id = d.player_id
    returning id, data
  )
  insert into public.point_entries (tenant_id, player_id, reason, points, event_id)
  select recount.tenant_id, r.player_id, 'challenge_completed', r.reward_points, a.id
  from announced a
  join reached r on r.email = a.data ->> 'email' and r.challenge_id::text = a.data -> 'challenge' ->> 'id'
  where r.reward_points > 0;

  with reached as materialized (
    select p.id as player_id, p.email, u.id as user_id, b.id as badge_id,
           jsonb_build_object('id', b.id, 'name', b.name, 'metric', b.metric, 'threshold', b.threshold) as badge
    from public.players p
    left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
    join public.badges b     on b.tenant_id = p.tenant_id
    where p.tenant_id = recount.tenant_id and p.id = any (marked)
      and not exists (
        select from public.earned_badges d
        where d.tenant_id = b.tenant_id and d.badge_id = b.id and d.player_id = p.id
      )
      and private.metric_value(p.tenant_id, p.id, u.id, b.metric) >= b.threshold
  ), earned as (
    insert into public.earned_badges (tenant_id, badge_id, player_id)
    select recount.tenant_id, badge_id, player_id from reached
    on conflict do nothing
    returning badge_id, player_id, earned_at
  )
  insert into public.events (tenant_id, interface, type, data)
  select recount.tenant_id, 'records', 'badge.earned', jsonb_build_object(
           'user_id', r.user_id, 'email', r.email, 'badge', r.badge, 'earned_at', e.earned_at)
  from earned e join reached r on r.badge_id = e.badge_id and r.player_id = e.player_id;

  with standing as (
    select p.id as player_id, u.id as user_id, rank() over (order by p.total_points desc) as position
    from public.players p
    left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
    where p.tenant_id = recount.tenant_id and (u.id is not null or exists (
      select from public.collaborators c where c.tenant_id = p.tenant_id and c.player_id = p.id
    ))
  ), moved as (
    select s.player_id, s.user_id, r.position as before, s.position
    from standing s
    left join public.rankings r on r.tenant_id = recount.tenant_id and r.player_id = s.player_id
    where r.position is distinct from s.position
  ), kept as (
    insert into public.rankings as r (tenant_id, player_id, position)
    select recount.tenant_id, player_id, position from moved
    on conflict (tenant_id, player_id) do update set position = excluded.position
  ), forgotten as (
    delete from public.rankings r
    where r.tenant_id = recount.tenant_id and not exists (select from standing s where s.player_id = r.player_id)
  )
  select jsonb_agg(jsonb_build_object('user_id', user_id, 'from', before, 'to', position) order by position, user_id)
  into changes
  from moved where user_id is not null;
  if changes is not null then
    insert into public.events (tenant_id, interface, type, data)
    values (recount.tenant_id, 'records', 'ranking.changed', jsonb_build_object('changes', changes));
  end if;
  if exists (select from private.gamification_marks m where m.tenant_id = recount.tenant_id) then
    perform private.order_recount(array[recount.tenant_id]);
  end if;
end
$$;

comment on function app.recount(uuid) is
  'Awards badges and challenges to the marked players of a tenant, and announces positions that changed. Repeating it changes nothing. For jobs alone.';

create function app.order_forgotten_recounts() returns void
language sql security definer
set search_path = ''
as $$
  select private.order_recount(array_agg(distinct m.tenant_id)) from private.gamification_marks m;
  -- Nobody may have announced them, and the next sweep is a minute away.
  update public.jobs j set due_at = now()
  where j.name = 'recount' and j.finished_at is null and j.failed_at is null and j.locked_until is null and j.failures = 0
    and j.due_at > now() and j.due_at <= now() + interval '2 seconds'
$$;

comment on function app.order_forgotten_recounts() is
  'For the sweep: marks that no job waits for get one, and those due in a moment are due at once.';

grant execute on function app.recount(uuid), app.order_forgotten_recounts() to worker;

create view admin.challenge_progress with (security_invoker = true) as
  select c.tenant_id, c.name as challenge, p.email,
         private.metric_value(p.tenant_id, p.id, u.id, c.metric, c.starts_at, c.ends_at) as value, c.target, d.completed_at
  from public.challenges c
  join public.players p    on p.tenant_id = c.tenant_id
  left join public.users u on u.tenant_id = p.tenant_id and u.player_id = p.id
  left join public.completed_challenges d on d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = p.id;

comment on view admin.challenge_progress is 'How far everybody is in each challenge.';
