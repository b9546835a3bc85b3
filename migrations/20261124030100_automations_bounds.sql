-- Automations: limits for the effects of one event. A run changes one record. Of the events that it writes, only the last one of each type
-- runs automations again, and the automations of an event run at most 200 actions. Otherwise automations that undo each other would multiply.

set local lock_timeout = '3s';

create or replace function private.schedule_automations() returns trigger
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

create or replace function app.run_automations(tenant_id uuid, event_id text) returns integer
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
