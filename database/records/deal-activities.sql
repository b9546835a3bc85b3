-- Records: calls, meetings and notes of a deal, or of a lead without a deal.

create table public.deal_activities (
  id               uuid        not null default gen_random_uuid(),
  tenant_id        uuid        not null references public.tenants (id) on delete cascade,
  type             text        not null check (type in ('note', 'call', 'email', 'meeting', 'task')),
  title            text,
  description      text,
  date             timestamptz,
  due_date         timestamptz,
  duration_minutes integer     check (duration_minutes >= 0),
  deal_id          uuid,
  lead_id          uuid,
  owner_id         uuid,
  created_at       timestamptz not null default statement_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, deal_id)  references public.deals (tenant_id, id) on delete cascade,
  foreign key (tenant_id, lead_id)  references public.leads (tenant_id, id) on delete cascade,
  foreign key (tenant_id, owner_id) references public.users (tenant_id, id) on delete set null (owner_id)
);

comment on table  public.deal_activities is
  'Calls, meetings and notes of a deal or a lead; activity sync uses the table activities.';
comment on column public.deal_activities.date is 'When the activity took place.';
comment on column public.deal_activities.due_date is 'Due date of a task.';
comment on column public.deal_activities.lead_id is
  'The lead of an activity without a deal; activities of a deal belong to the deal''s lead.';
comment on column public.deal_activities.owner_id is
  'The user who did the activity; defaults to the owner of the deal or lead at the time of logging.';

-- Each index serves one query. An activity has either a deal or a lead, so it is in only one of those two indexes.
create index deal_activities_created_idx on public.deal_activities (tenant_id, created_at, id);       -- newest first
create index deal_activities_type_idx    on public.deal_activities (tenant_id, type, created_at, id); -- filter by type
-- Activities of a deal or lead, read along with it; deleting the deal or lead.
create index deal_activities_deal_idx    on public.deal_activities (tenant_id, deal_id, created_at, id) where deal_id is not null;
create index deal_activities_lead_idx    on public.deal_activities (tenant_id, lead_id, created_at, id) where lead_id is not null;
-- Activities of an owner; activities_logged of statistics, badges and challenges; deleting a user.
create index deal_activities_owner_idx   on public.deal_activities (tenant_id, owner_id, created_at) include (id) where owner_id is not null;

alter table public.deal_activities enable row level security;
grant select, insert on public.deal_activities to api;
grant select, insert, update, delete on public.deal_activities to service_role;

create policy "A tenant manages its own deal activities" on public.deal_activities
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.assign_activity() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The lock skips an owner who is being deleted concurrently.
  if new.owner_id is null and new.deal_id is not null then
    select u.id into new.owner_id
    from public.deals d join public.users u on u.tenant_id = d.tenant_id and u.id = d.owner_id
    where d.tenant_id = new.tenant_id and d.id = new.deal_id
    for key share of u;
  elsif new.owner_id is null and new.lead_id is not null then
    select u.id into new.owner_id
    from public.leads l join public.users u on u.tenant_id = l.tenant_id and u.id = l.owner_id
    where l.tenant_id = new.tenant_id and l.id = new.lead_id
    for key share of u;
  end if;
  return new;
end
$$;

comment on function private.assign_activity() is
  'Trigger: assigns an activity to the owner of its deal or lead unless an owner is given.';

create trigger deal_activities_assign
  before insert on public.deal_activities
  for each row execute function private.assign_activity();

create function app.lock_acting_user(client_id text) returns uuid
language sql
set search_path = ''
as $$
  select u.id
  from (select nullif(current_setting('app.actor', true), '')::jsonb as given) as g
  join public.users u on u.tenant_id = app.tenant_id() and u.id = case g.given ->> 'kind'
    when 'person' then (g.given ->> 'id')::uuid
    else (select c.user_id from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.client_id = lock_acting_user.client_id)
  end
  for key share of u
$$;

comment on function app.lock_acting_user(text) is
  'The person who sent the request, or the user that its client acts for, locked until the transaction ends; null if none.';

grant execute on function app.lock_acting_user(text) to api;
