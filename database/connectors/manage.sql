-- Connectors through the admin API, and their changes in the audit trail.

-- A CRM reads and writes leads and deals for its tenant, so only callers that may do so themselves can set it up.
create function app.expect_crm_rights(account_id text default null) returns void
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  perform app.expect_own_scopes('{read:leads,write:leads,read:deals,write:deals}', 'crm_not_allowed');
  if account_id is not null
      and not exists (select from public.crm_accounts a where a.tenant_id = (select app.tenant_id()) and a.id = account_id and a.forgotten_at is null) then
    perform app.reject_unknown('crm_account', null, null, null);
  end if;
end
$$;

comment on function app.expect_crm_rights(text) is
  'Rejects callers who cannot read and write leads and deals, and accounts at CRMs of other tenants.';

create function app.connect_crm(crm text, credentials text, settings text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
  field   text;
  problem text;
begin
  perform private.connect_crm((select app.tenant_id())::text, crm, credentials, settings);
  return '{}';
exception when others then
  get stacked diagnostics field = column_name, problem = message_text;
  if silent then
    raise;
  end if;
  return jsonb_build_object('field', field, 'refusal', case when field = '' then problem else substr(problem, length(field) + 3) end);
end
$$;

comment on function app.connect_crm(text, text, text) is
  'Connects the tenant to a CRM. Returns the refusal, if an error would be logged with the credentials, so that a later statement raises it.';

create function app.set_crm_settings(account_id text, settings jsonb) returns void
language sql security definer
set search_path = ''
as $$
  select app.expect_crm_rights(account_id);
  select private.set_crm_settings(account_id, settings)
$$;

comment on function app.set_crm_settings(text, jsonb) is 'Replaces the settings that are named of the tenant''s account at a CRM.';

create function app.authorize_crm(account_id text) returns text
language sql security definer
set search_path = ''
as $$
  select app.expect_crm_rights(account_id);
  select admin.authorize_crm(account_id)
$$;

comment on function app.authorize_crm(text) is 'A link with which an admin of the CRM agrees; works once within ten minutes.';

create function app.crm_webhook_setup(account_id text) returns text
language sql stable security definer
set search_path = ''
as $$
  select admin.crm_webhook_setup(a.id) from public.crm_accounts a
  where a.tenant_id = (select app.tenant_id()) and a.id = crm_webhook_setup.account_id
$$;

comment on function app.crm_webhook_setup(text) is 'The text with which a person sets up the webhooks of the tenant''s account in the CRM.';

create function app.set_crm_state(account_id text, state text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Stopping an account requires no rights on records.
  if state = 'resumed' then
    perform app.expect_crm_rights(account_id);
  elsif not exists (select from public.crm_accounts a where a.tenant_id = (select app.tenant_id()) and a.id = set_crm_state.account_id and a.forgotten_at is null) then
    perform app.reject_unknown('crm_account', null, null, null);
  end if;
  case state
    when 'paused' then perform admin.pause_crm(account_id);
    when 'resumed' then perform admin.resume_crm(account_id);
    when 'disconnected' then perform admin.disconnect_crm(account_id);
    when 'forgotten' then perform admin.forget_crm(account_id);
  end case;
end
$$;

comment on function app.set_crm_state(text, text) is 'Makes the tenant''s account at a CRM paused, resumed, disconnected or forgotten.';

-- Mappings are set as a whole: what the list does not name is unmapped.
create function app.map_crm_stages(account_id text, mapping jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  ids   constant text[] := array(select s.id::text from public.pipeline_stages s where s.tenant_id = (select app.tenant_id()) order by s.created_at, s.id);
  names constant text[] := array(select s.name from public.pipeline_stages s where s.tenant_id = (select app.tenant_id()) order by s.created_at, s.id);
  item  record;
begin
  perform app.expect_crm_rights(account_id);
  perform private.refuse_argument(format('stages.%s.crm_id', m.place - 1), 'is not a stage of the CRM')
  from jsonb_array_elements(mapping) with ordinality as m (value, place)
  where not exists (select from public.crm_stages s where s.account_id = account_id and s.crm_id = m.value ->> 'crm_id');
  for item in
    select s.crm_id, s.stage_id, case when m.value ->> 'stage' is not null then app.find_by_name(
             'stage', m.value ->> 'stage', format('stages.%s.stage', m.place - 1), ids, names,
             '{read:deals,read:settings,manage:workspace}')::uuid end as wanted
    from public.crm_stages s
    left join jsonb_array_elements(mapping) with ordinality as m (value, place) on m.value ->> 'crm_id' = s.crm_id
    where s.account_id = account_id
    order by s.crm_id
  loop
    if item.stage_id is distinct from item.wanted then
      perform admin.map_crm_stage(account_id, item.crm_id, item.wanted);
    end if;
  end loop;
end
$$;

comment on function app.map_crm_stages(text, jsonb) is
  'Sets the stages, by id or name, of all stages of a CRM ([{"crm_id", "stage"}]); those that are not listed are unmapped.';

create function app.map_crm_activities(account_id text, mapping jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  item record;
begin
  perform app.expect_crm_rights(account_id),
          app.expect_own_scopes('{manage:gamification}', 'crm_not_allowed');
  for item in
    select coalesce(t.crm_type, m.value ->> 'crm_type') as crm_type, t.code, t.crm_type is not null as is_known, m.value ->> 'code' as wanted
    from (select * from public.crm_activity_types a where a.account_id = account_id) as t
    full join jsonb_array_elements(mapping) as m (value) on m.value ->> 'crm_type' = t.crm_type
    order by 1
  loop
    if item.code is distinct from item.wanted or not item.is_known then
      perform admin.map_crm_activity(account_id, item.crm_type, item.wanted);
    end if;
  end loop;
end
$$;

comment on function app.map_crm_activities(text, jsonb) is
  'Sets the codes of all types of activities of a CRM ([{"crm_type", "code"}]); those that are not listed are unmapped.';

create function app.start_crm_run(account_id text, kind text) returns text
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
begin
  perform app.expect_crm_rights(account_id);
  perform app.raise_domain_error('crm_not_active', jsonb_build_object('state', a.status, 'refusal', a.reason))
  from public.crm_accounts a where a.id = account_id and a.status <> 'active';
  return private.ask_for_crm_run(account_id, kind);
end
$$;

comment on function app.start_crm_run(text, text) is 'Starts a run of the tenant''s active account at a CRM and returns its id.';

create function app.cancel_crm_run(run_id text) returns void
language sql security definer
set search_path = ''
as $$
  select admin.cancel_crm_run(r.id) from public.crm_runs r where r.tenant_id = (select app.tenant_id()) and r.id = cancel_crm_run.run_id
$$;

comment on function app.cancel_crm_run(text) is 'Stops a run of the tenant; what it applied stays.';

create function app.resolve_crm_difference(id text, take text) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform app.expect_crm_rights();
  perform admin.resolve_crm_difference(d.id, take) from public.crm_differences d
  where d.tenant_id = (select app.tenant_id()) and d.id = resolve_crm_difference.id;
end
$$;

comment on function app.resolve_crm_difference(text, text) is 'Writes one side of a difference of the tenant on the other: "ours" or "theirs".';

grant execute on function
  app.expect_crm_rights(text), app.connect_crm(text, text, text), app.set_crm_settings(text, jsonb), app.authorize_crm(text),
  app.crm_webhook_setup(text), app.set_crm_state(text, text), app.map_crm_stages(text, jsonb), app.map_crm_activities(text, jsonb),
  app.start_crm_run(text, text), app.cancel_crm_run(text), app.resolve_crm_difference(text, text) to manage;

-- Audit trail ------------------------------------------------------------------------------------------------------------

create function private.record_crm_account_change() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  account constant public.crm_accounts := coalesce(new, old);
  before_ jsonb;
  after_  jsonb;
begin
  -- The deletion of a forgotten account was recorded when an admin asked for it.
  if not private.is_audited() or tg_op = 'DELETE' and account.forgotten_at is not null then
    return null;
  end if;
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(m, old.settings -> m), jsonb_object_agg(m, new.settings -> m) into before_, after_
    from (select jsonb_object_keys(old.settings || new.settings)) as members (m)
    where old.settings -> m is distinct from new.settings -> m;
  end if;
  perform private.add_change(
    account.tenant_id,
    'crm_account.' || case
      when tg_op = 'INSERT' then 'connected'
      when tg_op = 'DELETE' or new.forgotten_at is not null then 'deleted'
      when old.disconnected_at is distinct from new.disconnected_at then case when new.disconnected_at is null then 'connected' else 'disconnected' end
      when new.status = 'paused' and old.status <> 'paused' then 'paused'
      when old.status = 'paused' and new.status <> 'paused' then 'resumed'
      else 'updated' end,
    'crm_account', account.id, account.crm, before_,
    case tg_op when 'INSERT' then jsonb_build_object('crm', new.crm) || new.settings else after_ end);
  return null;
end
$$;

comment on function private.record_crm_account_change() is 'Trigger: adds a change of an account at a CRM to the audit trail, with its settings.';

create trigger audit_rows after insert or delete on public.crm_accounts
  for each row execute function private.record_crm_account_change();
create trigger audit_updates after update of settings, disconnected_at, forgotten_at, status on public.crm_accounts
  for each row when (old.settings <> new.settings or old.disconnected_at is distinct from new.disconnected_at
                     or old.forgotten_at is null and new.forgotten_at is not null or (old.status = 'paused') <> (new.status = 'paused'))
  execute function private.record_crm_account_change();

create function private.record_crm_change() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  data    constant jsonb := to_jsonb(new);
  tenant  constant uuid  := (data ->> 'tenant_id')::uuid;
  was     constant jsonb := case tg_op when 'UPDATE' then to_jsonb(old) end;
  account public.crm_accounts;
begin
  if not private.is_audited() then
    return null;
  end if;
  select a.* into account from public.crm_accounts a where a.id = data ->> 'account_id';
  case tg_table_name
    when 'crm_secrets' then
      perform private.add_change(account.tenant_id, 'crm_account.updated', 'crm_account', account.id, account.crm,
                                 '{"credentials": "replaced"}', '{"credentials": "replaced"}');
    when 'crm_stages' then
      perform private.add_change(
        tenant, case when new.stage_id is null then 'crm_stage.unmapped' else 'crm_stage.mapped' end, 'crm_stage', data ->> 'crm_id', data ->> 'name',
        jsonb_build_object('stage', (select s.name from public.pipeline_stages s where s.tenant_id = tenant and s.id::text = was ->> 'stage_id')),
        jsonb_build_object('stage', (select s.name from public.pipeline_stages s where s.tenant_id = tenant and s.id::text = data ->> 'stage_id')));
    when 'crm_activity_types' then
      perform private.add_change(
        tenant, case when data ->> 'code' is null then 'crm_activity_type.unmapped' else 'crm_activity_type.mapped' end, 'crm_activity_type',
        data ->> 'crm_type', data ->> 'crm_type', jsonb_build_object('code', was -> 'code'), jsonb_build_object('code', data -> 'code'));
    when 'crm_runs' then
      perform private.add_change(
        tenant, case tg_op when 'INSERT' then 'crm_run.started' else 'crm_run.canceled' end, 'crm_run', data ->> 'id', data ->> 'kind',
        case tg_op when 'UPDATE' then jsonb_build_object('status', was -> 'status') end,
        case tg_op when 'UPDATE' then jsonb_build_object('status', data -> 'status') else jsonb_build_object('crm', account.crm, 'kind', data -> 'kind') end);
    when 'crm_differences' then
      perform private.add_change(
        tenant, 'crm_difference.resolved', 'crm_difference', data ->> 'id', data ->> 'kind', '{"take": null}',
        jsonb_build_object('take', private.side_taken(new)));
  end case;
  return null;
end
$$;

comment on function private.record_crm_change() is
  'Trigger: adds new credentials, a mapping, a run or a resolved difference of a CRM to the audit trail, without data of persons.';

create function private.side_taken(difference public.crm_differences) returns text
language sql stable
set search_path = ''
as $$
  select case
    when difference.kind <> 'deleted_there' then (
      select v.value from private.crm_pending p, jsonb_each_text(p.take) as v
      where p.account_id = difference.account_id and p.kind = difference.record and p.crm_id = difference.crm_id and p.take <> '{}'
      order by p.id desc limit 1)
    when exists (select from public.leads l where l.tenant_id = difference.tenant_id and l.id::text = difference.placar_id)
      or exists (select from public.deals d where d.tenant_id = difference.tenant_id and d.id::text = difference.placar_id) then 'ours'
    else 'theirs' end
$$;

comment on function private.side_taken(public.crm_differences) is 'The side that an admin chose for a difference: ours or theirs.';

create trigger audit_credentials after update of credentials on private.crm_secrets
  for each row when (new.credentials is not null) execute function private.record_crm_change();
create trigger audit_mapping after update of stage_id on public.crm_stages
  for each row when (old.stage_id is distinct from new.stage_id) execute function private.record_crm_change();
create trigger audit_mapping_inserts after insert on public.crm_activity_types
  for each row when (new.code is not null) execute function private.record_crm_change();
create trigger audit_mapping after update of code on public.crm_activity_types
  for each row when (old.code is distinct from new.code) execute function private.record_crm_change();
create trigger audit_starts after insert on public.crm_runs
  for each row execute function private.record_crm_change();
create trigger audit_cancels after update of status on public.crm_runs
  for each row when (new.status = 'canceled' and old.status <> 'canceled') execute function private.record_crm_change();
create trigger audit_decisions after update of resolved_at on public.crm_differences
  for each row when (old.resolved_at is null and new.resolved_at is not null) execute function private.record_crm_change();
