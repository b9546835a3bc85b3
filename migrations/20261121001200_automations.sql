-- Automations: on an event, when conditions on its data hold, do something. They run later, as a job for each event, in
-- one transaction; what they change emits events of its own, one deeper.

create table public.automations (
  id         uuid not null default gen_random_uuid(),
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  name       text not null check (btrim(name) <> ''),
  event      text not null,
  conditions jsonb not null default '[]',
  actions    jsonb not null,
  active     boolean not null default true,
  created_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.automations is 'What happens by itself when something happens. Created with admin.create_automation.';
comment on column public.automations.conditions is '[{"field", "op": eq|ne|gt|lt|in|contains, "value"}]: all must hold; the field is a dotted path in the event''s data.';
comment on column public.automations.actions is
  '[{"type": "add_tag", "tag"} | {"type": "assign_owner", "user_id"} | {"type": "move_stage", "stage_id"} | {"type": "create_activity", "activity_type", "description"} | {"type": "award_points", "points"}], done in this order.';

create index automations_event_idx on public.automations (tenant_id, event) where active;

create table public.automation_runs (
  id            bigint generated always as identity,
  tenant_id     uuid not null references public.tenants (id) on delete cascade,
  automation_id uuid not null,
  event_id      text not null,
  matched       boolean not null,
  outcome       text not null check (outcome in ('not_matched', 'done', 'failed')),
  actions       jsonb not null default '[]',
  error         text,
  created_at    timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (tenant_id, automation_id, event_id),
  foreign key (tenant_id, automation_id) references public.automations (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id)      references public.events      (tenant_id, id)
);

comment on table  public.automation_runs is 'Each run of an automation: once for an event, whatever is repeated.';
comment on column public.automation_runs.actions is 'The actions that were done; none of a run that failed was kept.';

create index automation_runs_event_idx on public.automation_runs (tenant_id, event_id);

alter table public.automations     enable row level security;
alter table public.automation_runs enable row level security;
grant select on public.automations, public.automation_runs to api;

create policy "A tenant sees its own automations" on public.automations
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant sees the runs of its own automations" on public.automation_runs
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.automation_fault(event text, conditions jsonb, actions jsonb, tenant_id uuid) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  known_events constant text[] := array[
    'deal.created', 'deal.updated', 'deal.stage_changed', 'deal.won', 'deal.lost', 'deal.deleted',
    'lead.created', 'lead.updated', 'lead.status_changed', 'lead.converted', 'lead.deleted',
    'user.created', 'user.activated', 'user.updated', 'user.deactivated',
    'badge.earned', 'challenge.completed', 'ranking.changed'
  ];
  item  jsonb;
  place text;
begin
  if not coalesce(event = any (known_events), false) then
    return format('event: "%s" is unknown; known ones: %s', event, array_to_string(known_events, ', '));
  end if;
  if jsonb_typeof(conditions) is distinct from 'array' then
    return 'conditions: must be an array';
  end if;
  if jsonb_typeof(actions) is distinct from 'array' or jsonb_array_length(actions) = 0 then
    return 'actions: must be an array with at least one action';
  end if;

  for place, item in select format('conditions[%s]', n - 1), value from jsonb_array_elements(conditions) with ordinality as c (value, n) loop
    if jsonb_typeof(item) <> 'object' then
      return place || ': must be an object';
    elsif jsonb_typeof(item -> 'field') is distinct from 'string' or item ->> 'field' !~ '^[^.]+(\.[^.]+)*$' then
      return place || '.field: must be a dotted path, such as stage.name';
    elsif not coalesce(item ->> 'op' = any (array['eq', 'ne', 'gt', 'lt', 'in', 'contains']), false) then
      return place || '.op: must be one of eq, ne, gt, lt, in, contains';
    elsif not item ? 'value' then
      return place || '.value: is required';
    elsif item ->> 'op' = 'in' and jsonb_typeof(item -> 'value') <> 'array' then
      return place || '.value: must be an array for in';
    elsif item ->> 'op' in ('gt', 'lt') and jsonb_typeof(item -> 'value') not in ('number', 'string') then
      return place || '.value: must be a number or a text for ' || (item ->> 'op');
    end if;
  end loop;

  for place, item in select format('actions[%s]', n - 1), value from jsonb_array_elements(actions) with ordinality as a (value, n) loop
    if jsonb_typeof(item) <> 'object' then
      return place || ': must be an object';
    end if;
    case item ->> 'type'
      when 'add_tag' then
        if jsonb_typeof(item -> 'tag') is distinct from 'string' or btrim(item ->> 'tag') = '' then
          return place || '.tag: must be a text';
        end if;
      when 'assign_owner' then
        if not exists (select from public.users u where u.tenant_id = automation_fault.tenant_id and u.id::text = item ->> 'user_id') then
          return place || '.user_id: there is no such user in the tenant';
        end if;
      when 'move_stage' then
        if not exists (select from public.pipeline_stages s where s.tenant_id = automation_fault.tenant_id and s.id::text = item ->> 'stage_id') then
          return place || '.stage_id: there is no such stage in the tenant';
        end if;
      when 'create_activity' then
        if not coalesce(item ->> 'activity_type' = any (array['note', 'call', 'email', 'meeting', 'task']), false) then
          return place || '.activity_type: must be one of note, call, email, meeting, task';
        elsif jsonb_typeof(item -> 'description') not in ('string', 'null') then
          return place || '.description: must be a text';
        end if;
      when 'award_points' then
        if jsonb_typeof(item -> 'points') is distinct from 'number' or item ->> 'points' !~ '^-?\d{1,9}$' then
          return place || '.points: must be an integer';
        end if;
      else
        return place || '.type: must be one of add_tag, assign_owner, move_stage, create_activity, award_points';
    end case;
  end loop;
  return null;
end
$$;

comment on function private.automation_fault(text, jsonb, jsonb, uuid) is 'What is wrong with an automation, and where; null when nothing is.';

create function private.check_automation() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  fault constant text := private.automation_fault(new.event, new.conditions, new.actions, new.tenant_id);
begin
  if fault is not null then
    raise exception '%', fault using errcode = 'check_violation';
  end if;
  return new;
end
$$;

comment on function private.check_automation() is 'Trigger: only automations that can run are kept.';

create trigger automations_check before insert or update of tenant_id, event, conditions, actions on public.automations
  for each row execute function private.check_automation();

create function private.order_automations() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  -- What three automations, one after the other, led to causes no more.
  max_depth constant integer := 3;
begin
  insert into public.jobs (tenant_id, name, key, payload)
  select w.tenant_id, 'run-automations', w.id, jsonb_build_object('event_id', w.id)
  from written w
  where w.interface = 'records' and w.depth < max_depth
    and exists (select from public.automations a where a.tenant_id = w.tenant_id and a.event = w.type and a.active);
  return null;
end
$$;

comment on function private.order_automations() is 'Trigger: an event that automations wait for has them run.';

create trigger events_order_automations after insert on public.events
  referencing new table as written
  for each statement execute function private.order_automations();

create function private.condition_holds(condition jsonb, data jsonb) returns boolean
language plpgsql immutable
set search_path = ''
as $$
declare
  actual   constant jsonb := data #> string_to_array(condition ->> 'field', '.');
  expected constant jsonb := condition -> 'value';
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
  'Whether a condition holds for an event''s data. A field that is not there is null; greater and less compare numbers with numbers and texts with texts, so dates in ISO form too.';

create function private.act(action jsonb, event public.events) returns void
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
    raise exception '% does not fit the event %', action ->> 'type', event.type;
  end if;

  case action ->> 'type'
    when 'add_tag' then
      execute format(
        'update public.%I set tags = case when $3 = any (tags) then tags else tags || $3 end where tenant_id = $1 and id = $2 returning true',
        kind || 's') into done using event.tenant_id, record_id, action ->> 'tag';
    when 'assign_owner' then
      execute format('update public.%I set owner_id = $3 where tenant_id = $1 and id = $2 returning true', kind || 's')
        into done using event.tenant_id, record_id, (action ->> 'user_id')::uuid;
    when 'move_stage' then
      update public.deals d set stage_id = (action ->> 'stage_id')::uuid
      where d.tenant_id = event.tenant_id and d.id = record_id and d.status = 'open';
      if not found then
        raise exception 'the deal is not open any more';
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
        raise exception 'there is nobody to award points to';
      end if;
  end case;
  if done is not true then
    raise exception 'the % is not there any more', kind;
  end if;
end
$$;

comment on function private.act(jsonb, public.events) is 'Does one action of an automation on what the event is about.';

create function app.run_automations(tenant_id uuid, event_id text) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  event      public.events;
  automation public.automations;
  action     jsonb;
  holds      boolean;
  failure    text;
  runs       integer := 0;
begin
  select * into event from public.events e where e.tenant_id = run_automations.tenant_id and e.id = run_automations.event_id;
  if not found then
    return 0;
  end if;
  perform set_config('app.depth', (event.depth + 1)::text, true), set_config('app.origin', 'automation', true);

  for automation in
    select * from public.automations a
    where a.tenant_id = event.tenant_id and a.event = event.type and a.active
    order by a.created_at, a.id
  loop
    select coalesce(bool_and(private.condition_holds(value, event.data)), true) into holds
    from jsonb_array_elements(automation.conditions);

    insert into public.automation_runs (tenant_id, automation_id, event_id, matched, outcome, actions)
    values (event.tenant_id, automation.id, event.id, holds,
            case when holds then 'done' else 'not_matched' end,
            case when holds then automation.actions else '[]' end)
    on conflict on constraint automation_runs_tenant_id_automation_id_event_id_key do nothing;
    -- Run already: by an earlier try, or by another worker.
    continue when not found or not holds;

    runs := runs + 1;
    begin
      for action in select value from jsonb_array_elements(automation.actions) loop
        perform private.act(action, event);
      end loop;
    exception when others then
      -- A deadlock or a lock that somebody holds is no fault of the automation: the job tries it again.
      if left(sqlstate, 2) in ('40', '53', '55', '57', '58') then
        raise;
      end if;
      get stacked diagnostics failure = message_text;
      update public.automation_runs r set outcome = 'failed', actions = '[]', error = failure
      where r.tenant_id = event.tenant_id and r.automation_id = automation.id and r.event_id = event.id;
    end;
  end loop;
  perform set_config('app.depth', '', true), set_config('app.origin', '', true);
  return runs;
end
$$;

comment on function app.run_automations(uuid, text) is
  'Runs the automations of an event, each once. One that fails is undone and logged, and does not stop the others. For jobs alone.';

grant execute on function app.run_automations(uuid, text) to worker;

create function admin.create_automation(tenant_id uuid, name text, event text, conditions jsonb, actions jsonb) returns uuid
language sql
set search_path = ''
as $$
  insert into public.automations (tenant_id, name, event, conditions, actions)
  values (tenant_id, name, event, conditions, actions)
  returning id
$$;

comment on function admin.create_automation(uuid, text, text, jsonb, jsonb) is
  'Adds an automation and returns its id: on the event, when all conditions hold, the actions are done in order. Faults are named with their place.';

create function admin.set_automation_active(id uuid, active boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.automations a set active = set_automation_active.active where a.id = set_automation_active.id;
  if not found then
    raise exception 'id: there is no automation %', set_automation_active.id using errcode = 'no_data_found';
  end if;
end
$$;

comment on function admin.set_automation_active(uuid, boolean) is 'Stops an automation, or lets it run again.';

create view admin.automations with (security_invoker = true) as
  select a.tenant_id, a.id, a.name, a.event, a.conditions, a.actions, a.active, a.created_at
  from public.automations a;

comment on view admin.automations is 'Automations of each tenant.';

create view admin.automation_runs with (security_invoker = true) as
  select r.tenant_id, r.created_at, a.name as automation, e.type as event, r.event_id, e.depth, r.matched, r.outcome,
         r.actions, r.error
  from public.automation_runs r
  join public.automations a on a.tenant_id = r.tenant_id and a.id = r.automation_id
  join public.events e      on e.tenant_id = r.tenant_id and e.id = r.event_id;

comment on view admin.automation_runs is 'What automations did, and why not when they did not.';
