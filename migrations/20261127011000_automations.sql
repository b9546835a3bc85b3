set local check_function_bodies = off;

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

-- Automations: runs. One job per event runs its automations after the event, in one transaction. Each automation runs once
-- per event, even if the job is repeated. The events that it causes have a depth one higher than its own event; at the
-- maximum depth, events trigger no automations.

create table public.automation_runs (
  id            bigint      generated always as identity,
  tenant_id     uuid        not null references public.tenants (id) on delete cascade,
  automation_id uuid        not null,
  event_id      text        not null,
  matched       boolean     not null,
  outcome       text        not null check (outcome in ('not_matched', 'done', 'failed')),
  actions       jsonb       not null default '[]',
  error         text,
  created_at    timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, automation_id, event_id),
  foreign key (tenant_id, automation_id) references public.automations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id)      references public.events      (tenant_id, id)
);

comment on table  public.automation_runs is 'Runs of automations, at most one per automation and event.';
comment on column public.automation_runs.matched is 'Whether all conditions were met.';
comment on column public.automation_runs.outcome is
  'not_matched: a condition was not met; failed: all actions were rolled back.';
comment on column public.automation_runs.error is 'The first condition that was not met and the value it was compared with, or why the actions failed.';
comment on column public.automation_runs.actions is 'The actions that ran; empty if the run failed.';

create index automation_runs_event_idx on public.automation_runs (tenant_id, event_id);

alter table public.automation_runs enable row level security;
grant select on public.automation_runs to api;

create policy "A tenant sees the runs of its own automations" on public.automation_runs
  for select to api using (tenant_id = (select app.tenant_id()));
-- When an event is written (webhooks/events.sql) ---------------------------------------------------------------------------------

-- Limits for the effects of one event: a run changes one record. Of the events that it writes, only the last one of each type
-- runs automations again, and the automations of an event run at most 200 actions. Otherwise automations that undo each other would multiply.
create function private.schedule_automations() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- Events caused by three chained automations trigger no further ones.
  max_depth constant integer := 3;
  event     record;
  -- During a run: for each type and record, the event that runs automations.
  latest    jsonb := coalesce(nullif(current_setting('app.automated', true), ''), '{}');
begin
  if not exists (
    select from written w join public.automations a on a.tenant_id = w.tenant_id and a.event = w.type and a.active
    where not w.silent
  ) then
    return null;
  end if;
  if coalesce(current_setting('app.depth', true), '') = '' then
    insert into public.jobs (tenant_id, name, key, payload)
    select w.tenant_id, 'run-automations', w.id, jsonb_build_object('event_id', w.id)
    from written w
    where w.interface = 'records' and not w.silent and w.depth < max_depth
      and exists (select from public.automations a where a.tenant_id = w.tenant_id and a.event = w.type and a.active);
    return null;
  end if;
  for event in
    select w.id, w.tenant_id, w.type || ' ' || coalesce(w.data ->> 'id', w.id) as subject from written w
    where w.interface = 'records' and not w.silent and w.depth < max_depth
      and exists (select from public.automations a where a.tenant_id = w.tenant_id and a.event = w.type and a.active)
    order by w.sequence
  loop
    if latest ? event.subject then
      update public.jobs j set key = event.id, payload = jsonb_build_object('event_id', event.id)
      where j.name = 'run-automations' and j.key = latest ->> event.subject;
    else
      insert into public.jobs (tenant_id, name, key, payload)
      values (event.tenant_id, 'run-automations', event.id, jsonb_build_object('event_id', event.id));
    end if;
    latest := latest || jsonb_build_object(event.subject, event.id);
  end loop;
  perform set_config('app.automated', latest::text, true);
  return null;
end
$$;

comment on function private.schedule_automations() is 'Trigger: schedules a run for events that have active automations.';

create trigger events_schedule_automations after insert on public.events
  referencing new table as written
  for each statement execute function private.schedule_automations();

-- The run -------------------------------------------------------------------------------------------------------------

create function private.condition_holds(condition jsonb, data jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  actual   constant jsonb := private.composed(data #> string_to_array(condition ->> 'field', '.'));
  expected constant jsonb := private.composed(condition -> 'value');
begin
  return coalesce(case condition ->> 'op'
    when 'eq' then coalesce(actual, 'null') = expected
    when 'ne' then coalesce(actual, 'null') <> expected
    when 'in' then exists (select from jsonb_array_elements(expected) as e (value) where e.value = coalesce(actual, 'null'))
    when 'contains' then case jsonb_typeof(actual)
      when 'array'  then actual @> jsonb_build_array(expected)
      when 'string' then position(lower(expected #>> '{}') in lower(actual #>> '{}')) > 0
    end
    else case
      when jsonb_typeof(actual) <> jsonb_typeof(expected) then false
      when jsonb_typeof(actual) = 'number' then case condition ->> 'op'
        when 'gt' then (actual #>> '{}')::numeric > (expected #>> '{}')::numeric
        else (actual #>> '{}')::numeric < (expected #>> '{}')::numeric end
      when jsonb_typeof(actual) = 'string' then case condition ->> 'op'
        when 'gt' then (actual #>> '{}') collate "C" > (expected #>> '{}')
        else (actual #>> '{}') collate "C" < (expected #>> '{}') end
    end
  end, false);
end
$$;

comment on function private.condition_holds(jsonb, jsonb) is
  'Whether a condition is met by an event''s data; missing fields are null, and gt and lt compare only numbers or only text.';

create function private.run_action(action jsonb, event public.events) returns void
language plpgsql
set search_path = ''
as $$
declare
  kind      constant text := split_part(event.type, '.', 1);
  record_id constant uuid := case when kind in ('lead', 'deal') then (event.data ->> 'id')::uuid end;
  user_id   uuid := case kind when 'user' then (event.data ->> 'id')::uuid
                              when 'badge' then (event.data ->> 'user_id')::uuid
                              when 'challenge' then (event.data ->> 'user_id')::uuid end;
  done      boolean := true;
begin
  if action ->> 'type' in ('add_tag', 'assign_owner') and kind not in ('lead', 'deal')
     or action ->> 'type' = 'move_stage' and kind <> 'deal'
     or action ->> 'type' = 'create_activity' and kind not in ('lead', 'deal') then
    raise exception '% is not available for the event %', action ->> 'type', event.type;
  end if;

  case action ->> 'type'
    when 'add_tag' then
      execute format(
        'update public.%I set tags = case when $3 = any (tags) then tags else tags || $3 end
         where tenant_id = $1 and id = $2 returning true',
        kind || 's') into done using event.tenant_id, record_id, action ->> 'tag';
    when 'assign_owner' then
      execute format('update public.%I set owner_id = $3 where tenant_id = $1 and id = $2 returning true', kind || 's')
        into done using event.tenant_id, record_id, (action ->> 'user_id')::uuid;
    when 'move_stage' then
      update public.deals d set stage_id = (action ->> 'stage_id')::uuid
      where d.tenant_id = event.tenant_id and d.id = record_id and d.status = 'open';
      if not found then
        raise exception 'the deal is no longer open';
      end if;
    when 'create_activity' then
      execute format(
        'insert into public.deal_activities (tenant_id, %I, type, description)
         select tenant_id, id, $3, $4 from public.%I where tenant_id = $1 and id = $2 returning true',
        kind || '_id', kind || 's')
        into done using event.tenant_id, record_id, action ->> 'activity_type', action ->> 'description';
    when 'award_points' then
      if kind in ('lead', 'deal') then
        execute format('select owner_id from public.%I where tenant_id = $1 and id = $2', kind || 's')
          into user_id using event.tenant_id, record_id;
        user_id := coalesce(user_id, (event.data ->> 'owner_id')::uuid);
      end if;
      insert into public.point_entries (tenant_id, player_id, reason, points, event_id)
      select u.tenant_id, u.player_id, 'automation', (action ->> 'points')::integer, event.id
      from public.users u where u.tenant_id = event.tenant_id and u.id = user_id;
      if not found then
        raise exception 'no user to award points to';
      end if;
  end case;
  if done is not true then
    raise exception 'the % no longer exists', kind;
  end if;
end
$$;

comment on function private.run_action(jsonb, public.events) is 'Runs one action of an automation on the subject of an event.';

create function app.run_automations(tenant_id uuid, event_id text) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  max_actions constant integer := 200;
  event      public.events;
  automation public.automations;
  action     jsonb;
  unmet      text;
  failure    text;
  runs       integer := 0;
  acts       integer := 0;
begin
  select * into event from public.events e where e.tenant_id = run_automations.tenant_id and e.id = run_automations.event_id;
  if not found then
    return 0;
  end if;
  event.data := app.event_data(event);
  perform set_config('app.depth', (event.depth + 1)::text, true), set_config('app.origin', 'automation', true),
          set_config('app.automated', '', true);

  for automation in
    select * from public.automations a
    where a.tenant_id = event.tenant_id and a.event = event.type and a.active
    order by a.created_at, a.id
  loop
    select format('conditions[%s]: %s %s %s is not met by %s', n - 1, value ->> 'field', value ->> 'op', value -> 'value',
                  left(coalesce(event.data #> string_to_array(value ->> 'field', '.'), 'null')::text, 200))
    into unmet
    from jsonb_array_elements(automation.conditions) with ordinality as c (value, n)
    where not private.condition_holds(value, event.data) order by n limit 1;

    insert into public.automation_runs (tenant_id, automation_id, event_id, matched, outcome, actions, error)
    values (event.tenant_id, automation.id, event.id, unmet is null,
            case when unmet is null then 'done' else 'not_matched' end,
            case when unmet is null then automation.actions else '[]' end, unmet)
    on conflict on constraint automation_runs_tenant_id_automation_id_event_id_key do nothing;
    -- If no row was inserted, an earlier attempt or another worker has run it.
    continue when not found or unmet is not null;

    runs := runs + 1;
    acts := acts + jsonb_array_length(automation.actions);
    begin
      if acts > max_actions then
        raise exception 'the automations of an event run at most % actions', max_actions;
      end if;
      for action in select value from jsonb_array_elements(automation.actions) loop
        perform private.run_action(action, event);
      end loop;
    exception when others then
      -- A deadlock or lock timeout is not the automation's fault; the job retries it.
      if left(sqlstate, 2) in ('40', '53', '55', '57', '58') then
        raise;
      end if;
      get stacked diagnostics failure = message_text;
      update public.automation_runs r set outcome = 'failed', actions = '[]', error = failure
      where r.tenant_id = event.tenant_id and r.automation_id = automation.id and r.event_id = event.id;
    end;
  end loop;
  perform set_config('app.depth', '', true), set_config('app.origin', '', true), set_config('app.automated', '', true);
  return runs;
end
$$;

comment on function app.run_automations(uuid, text) is
  'Runs the automations of an event, each once; a failed one is rolled back and logged without stopping the others (worker only).';

grant execute on function app.run_automations(uuid, text) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.automation_runs with (security_invoker = true) as
  select r.tenant_id, r.created_at, a.name as automation, e.type as event, r.event_id, e.depth, r.matched, r.outcome,
         r.actions, r.error
  from public.automation_runs r
  join public.automations a on a.tenant_id = r.tenant_id and a.id = r.automation_id
  join public.events e      on e.tenant_id = r.tenant_id and e.id = r.event_id;

comment on view admin.automation_runs is 'Runs of automations and their outcomes.';
