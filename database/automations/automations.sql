-- Automations: run actions when an event occurs and conditions on its data are met. Automations that cannot run are
-- rejected with an error that names the invalid member. The code that runs them is in automations/runs.sql.

create table public.automations (
  id         uuid        not null default gen_random_uuid(),
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  name       text        not null check (btrim(name) <> ''),
  event      text        not null,
  conditions jsonb       not null default '[]',
  actions    jsonb       not null,
  active     boolean     not null default true,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.automations is 'Actions that run when an event occurs; created with admin.create_automation.';
comment on column public.automations.event is 'Type of the records event that triggers the automation.';
comment on column public.automations.conditions is
  '[{"field", "op": eq|ne|gt|lt|in|contains, "value"}]: all must be met; field is a dotted path in the event''s data.';
comment on column public.automations.actions is
  'Actions in order: [{"type"}] with tag (add_tag), user_id (assign_owner), stage_id (move_stage), points, or activity_type and description.';
comment on column public.automations.active is 'Whether the automation runs.';

create index automations_event_idx on public.automations (tenant_id, event) where active;

alter table public.automations enable row level security;
grant select on public.automations to api;

create policy "A tenant sees its own automations" on public.automations
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.event_members(event text) returns text[]
language sql stable
set search_path = ''
as $$
  select case split_part(event, '.', 1)
    when 'deal' then '{id,name,value,currency,status,stage,previous_stage,priority,owner_id,lead_id,expected_close_date,products,tags,
                       custom_fields,external_ids,created_at,updated_at,closed_at}'::text[] || private.optional_texts('public.deals')
    when 'lead' then '{id,name,email,status,score,owner_id,team_id,tags,custom_fields,external_ids,merged_id,created_at,
                       updated_at}'::text[] || private.optional_texts('public.leads')
    when 'user' then '{id,name,email,role,status,team,ranking_tier,total_points,external_ids,last_active_at,created_at,
                       updated_at}'::text[] || private.optional_texts('public.users')
    when 'badge' then '{badge,user_id,email,earned_at}'
    when 'challenge' then '{challenge,user_id,email,completed_at}'
    when 'ranking' then '{changes}'
  end
$$;

comment on function private.event_members(text) is 'Members of the data of an event of records, which conditions can name.';

create function private.automation_fault(event text, conditions jsonb, actions jsonb, tenant_id uuid) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  known_events constant text[] := private.event_types('records');
  members      constant text[] := private.event_members(event);
  item  jsonb;
  place text;
begin
  if not coalesce(event = any (known_events), false) then
    return array['event', format('"%s" is unknown; allowed: %s', event, array_to_string(known_events, ', '))];
  end if;
  if jsonb_typeof(conditions) is distinct from 'array' then
    return array['conditions', 'must be an array'];
  end if;
  if jsonb_typeof(actions) is distinct from 'array' or jsonb_array_length(actions) = 0 then
    return array['actions', 'must be an array with at least one action'];
  end if;

  for place, item in
    select format('conditions[%s]', n - 1), value from jsonb_array_elements(conditions) with ordinality as c (value, n)
  loop
    if jsonb_typeof(item) <> 'object' then
      return array[place, 'must be an object'];
    elsif jsonb_typeof(item -> 'field') is distinct from 'string' or item ->> 'field' !~ '^[^.]+(\.[^.]+)*$' then
      return array[place || '.field', 'must be a dotted path, such as stage.name'];
    elsif not coalesce(item ->> 'op' = any (array['eq', 'ne', 'gt', 'lt', 'in', 'contains']), false) then
      return array[place || '.op', 'must be one of eq, ne, gt, lt, in, contains'];
    elsif not item ? 'value' then
      return array[place || '.value', 'is required'];
    elsif item ->> 'op' = 'in' and jsonb_typeof(item -> 'value') <> 'array' then
      return array[place || '.value', 'must be an array for in'];
    elsif item ->> 'op' in ('gt', 'lt') and jsonb_typeof(item -> 'value') not in ('number', 'string') then
      return array[place || '.value', 'must be a number or a string for ' || (item ->> 'op')];
    elsif split_part(item ->> 'field', '.', 1) <> all (members) then
      return array[place || '.field', format('"%s" is not in the data of %s; allowed: %s', item ->> 'field', event,
                                             array_to_string(members, ', '))];
    end if;
  end loop;

  for place, item in
    select format('actions[%s]', n - 1), value from jsonb_array_elements(actions) with ordinality as a (value, n)
  loop
    if jsonb_typeof(item) <> 'object' then
      return array[place, 'must be an object'];
    end if;
    case item ->> 'type'
      when 'add_tag' then
        if jsonb_typeof(item -> 'tag') is distinct from 'string' or btrim(item ->> 'tag') = '' then
          return array[place || '.tag', 'must be a non-empty string'];
        end if;
      when 'assign_owner' then
        if not exists (
          select from public.users u where u.tenant_id = automation_fault.tenant_id and u.id::text = item ->> 'user_id'
        ) then
          return array[place || '.user_id', 'no such user in the tenant'];
        end if;
      when 'move_stage' then
        if not exists (
          select from public.pipeline_stages s where s.tenant_id = automation_fault.tenant_id and s.id::text = item ->> 'stage_id'
        ) then
          return array[place || '.stage_id', 'no such stage in the tenant'];
        end if;
      when 'create_activity' then
        if not coalesce(item ->> 'activity_type' = any (array['note', 'call', 'email', 'meeting', 'task']), false) then
          return array[place || '.activity_type', 'must be one of note, call, email, meeting, task'];
        elsif jsonb_typeof(item -> 'description') not in ('string', 'null') then
          return array[place || '.description', 'must be a string'];
        end if;
      when 'award_points' then
        if jsonb_typeof(item -> 'points') is distinct from 'number' or item ->> 'points' !~ '^-?\d{1,9}$' then
          return array[place || '.points', 'must be an integer'];
        end if;
      else
        return array[place || '.type', 'must be one of add_tag, assign_owner, move_stage, create_activity, award_points'];
    end case;
  end loop;
  return null;
end
$$;

comment on function private.automation_fault(text, jsonb, jsonb, uuid) is
  'The first error in an automation: the member it concerns and the rule; null if there is none.';

create function private.check_automation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  fault constant text[] := private.automation_fault(new.event, new.conditions, new.actions, new.tenant_id);
begin
  if fault is not null then
    raise exception '%: %', fault[1], fault[2] using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_automation() is 'Trigger: rejects automations that cannot run.';

create trigger automations_check before insert or update of tenant_id, event, conditions, actions on public.automations
  for each row execute function private.check_automation();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.create_automation(tenant_id uuid, name text, event text, conditions jsonb, actions jsonb) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name);
  insert into public.automations (tenant_id, name, event, conditions, actions)
  values (tenant_id, name, event, conditions, actions)
  returning id
$$;

comment on function admin.create_automation(uuid, text, text, jsonb, jsonb) is
  'Creates an automation, whose actions run in order on the event if all conditions are met, and returns its id.';

create function private.set_automation_active(id uuid, active boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.automations a set active = set_automation_active.active where a.id = set_automation_active.id;
  if not found then
    raise exception 'id: automation % does not exist', set_automation_active.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function private.set_automation_active(uuid, boolean) is 'Activates or deactivates an automation.';

create view admin.automations with (security_invoker = true) as
  select a.tenant_id, a.id, a.name, a.event, a.conditions, a.actions, a.active, a.created_at
  from public.automations a;

comment on view admin.automations is 'Automations of all tenants.';
