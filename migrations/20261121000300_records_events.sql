-- Events of records: what a change of a lead, deal or user emits, whoever makes it. Statement by statement, so that a
-- change of many rows writes its events at once.

alter table public.events
  add column depth smallint not null default coalesce(nullif(current_setting('app.depth', true), '')::smallint, 0),
  alter column origin set default nullif(current_setting('app.origin', true), '');

comment on column public.events.origin is 'What the request that caused it said of itself in X-Origin; null otherwise.';
comment on column public.events.depth is 'How many automations, one causing the next, led to it; 0 for what a person or program did.';

create function app.stage_record(tenant_id uuid, stage_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('id', s.id, 'name', s.name, 'probability', s.probability)
  from public.pipeline_stages s
  where s.tenant_id = stage_record.tenant_id and s.id = stage_record.stage_id
$$;

comment on function app.stage_record(uuid, uuid) is 'A stage as deals show it.';

create function app.lead_record(l public.leads) returns jsonb
language sql stable
set search_path = ''
as $$ select to_jsonb(l) - '{tenant_id,search,qualified_at}'::text[] $$;

comment on function app.lead_record(public.leads) is 'A lead in stored form: what answers and events are made from.';

create function app.deal_record(d public.deals) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(d) - '{tenant_id,search,stage_id}'::text[]
      || jsonb_build_object('stage', app.stage_record(d.tenant_id, d.stage_id))
$$;

comment on function app.deal_record(public.deals) is 'A deal in stored form, with its stage: what answers and events are made from.';

create function app.user_record(u public.users) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(u) - '{tenant_id,search,player_id,team_id}'::text[] || jsonb_build_object(
    'team', (
      select jsonb_build_object('id', t.id, 'name', t.name)
      from public.teams t where t.tenant_id = u.tenant_id and t.id = u.team_id
    ),
    'total_points', coalesce(p.total_points, 0),
    'ranking_tier', (
      select t.name from public.tiers t
      where t.tenant_id = u.tenant_id and t.min_points <= coalesce(p.total_points, 0)
      order by t.min_points desc limit 1
    )
  )
  from (values (1)) as always
  left join public.players p on p.tenant_id = u.tenant_id and p.id = u.player_id
$$;

comment on function app.user_record(public.users) is 'A user in stored form, with team and points: what answers and events are made from.';

create function app.team_record(t public.teams) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(t) - 'tenant_id' || jsonb_build_object(
    'leader_name', (select u.name from public.users u where u.tenant_id = t.tenant_id and u.id = t.leader_id),
    'member_count', (select count(*) from public.users u where u.tenant_id = t.tenant_id and u.team_id = t.id)
  )
$$;

comment on function app.team_record(public.teams) is 'A team in stored form, with its leader''s name and the number of its members.';

grant execute on function
  app.stage_record(uuid, uuid), app.lead_record(public.leads), app.deal_record(public.deals),
  app.user_record(public.users), app.team_record(public.teams)
to api;

create function private.lead_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', 'lead.created', app.lead_record(n) from new_rows n;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'lead.deleted', app.lead_record(o) from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', change.type, app.lead_record(n)
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    lateral (values
      ('lead.updated',
       (o.name, o.email, o.phone, o.company, o.position, o.source, o.score, o.owner_id, o.team_id, o.custom_fields, o.tags)
       is distinct from
       (n.name, n.email, n.phone, n.company, n.position, n.source, n.score, n.owner_id, n.team_id, n.custom_fields, n.tags)),
      ('lead.status_changed', o.status <> n.status and n.status <> 'converted'),
      ('lead.converted',      o.status <> n.status and n.status =  'converted')
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.lead_events() is 'Trigger: the events of leads.';

create trigger leads_events_insert after insert on public.leads
  referencing new table as new_rows
  for each statement execute function private.lead_events();
create trigger leads_events_update after update on public.leads
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.lead_events();
create trigger leads_events_delete after delete on public.leads
  referencing old table as old_rows
  for each statement execute function private.lead_events();

create function private.deal_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', change.type, app.deal_record(n)
    from new_rows n,
    lateral (values
      ('deal.created', true),
      ('deal.won',     n.status = 'won'),
      ('deal.lost',    n.status = 'lost')
    ) as change (type, happened)
    where change.happened;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'deal.deleted', app.deal_record(o) from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', change.type,
           app.deal_record(n) || case when change.type in ('deal.stage_changed', 'deal.won')
             then jsonb_build_object('previous_stage', app.stage_record(o.tenant_id, o.stage_id)) else '{}' end
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    lateral (values
      -- The final value and the reason are part of the closing.
      ('deal.updated',
       (o.name, o.currency, o.contact_name, o.contact_email, o.company, o.owner_id, o.expected_close_date, o.priority,
        o.lead_id, o.products, o.custom_fields, o.tags)
       is distinct from
       (n.name, n.currency, n.contact_name, n.contact_email, n.company, n.owner_id, n.expected_close_date, n.priority,
        n.lead_id, n.products, n.custom_fields, n.tags)
       or o.status = n.status and (o.value, o.loss_reason) is distinct from (n.value, n.loss_reason)
       or o.status <> n.status and n.status = 'open'),
      ('deal.stage_changed', o.stage_id <> n.stage_id),
      ('deal.won',           o.status <> n.status and n.status = 'won'),
      ('deal.lost',          o.status <> n.status and n.status = 'lost')
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.deal_events() is 'Trigger: the events of deals.';

create trigger deals_events_insert after insert on public.deals
  referencing new table as new_rows
  for each statement execute function private.deal_events();
create trigger deals_events_update after update on public.deals
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.deal_events();
create trigger deals_events_delete after delete on public.deals
  referencing old table as old_rows
  for each statement execute function private.deal_events();

create function private.user_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', 'user.created', app.user_record(n) from new_rows n;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'user.deactivated', app.user_record(o) || '{"status": "deactivated"}' from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', change.type, app.user_record(n)
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    lateral (values
      ('user.updated',
       (o.name, o.email, o.phone, o.avatar_url, o.role, o.team_id)
       is distinct from (n.name, n.email, n.phone, n.avatar_url, n.role, n.team_id)
       or o.status <> n.status and n.status = 'invited'),
      ('user.activated',   o.status <> n.status and n.status = 'active'),
      ('user.deactivated', o.status <> n.status and n.status = 'deactivated')
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.user_events() is 'Trigger: the events of users.';

create trigger users_events_insert after insert on public.users
  referencing new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_update after update on public.users
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_delete after delete on public.users
  referencing old table as old_rows
  for each statement execute function private.user_events();
