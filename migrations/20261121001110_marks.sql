-- Counting for badges, challenges and rankings is later work: a change leaves a mark of whose numbers may have changed, and
-- a job of the tenant counts for those marked, once for many changes.

create table private.gamification_marks (
  id        bigint generated always as identity primary key,
  tenant_id uuid not null,
  player_id uuid not null
);

comment on table private.gamification_marks is 'Players whose numbers may have changed since they were last counted. Only ever added and taken away, so nobody waits.';

create index gamification_marks_tenant_idx on private.gamification_marks (tenant_id);

alter table private.gamification_marks enable row level security;

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

