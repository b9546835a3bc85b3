-- Connectors in Studio: connecting accounts, mapping stages and activities, runs, and differences.
--
-- Postgres logs a failed statement with its arguments, so the function that takes credentials keeps its own errors out of the log, and
-- takes JSON as text: invalid JSON would otherwise fail before the function runs.

create function private.json_of(argument text, given text) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  parsed jsonb;
begin
  begin
    parsed := given::jsonb;
  -- The context of any other error would contain the text.
  exception when data_exception or program_limit_exceeded then
    parsed := null;
  end;
  if jsonb_typeof(parsed) is distinct from 'object' then
    perform private.refuse_argument(argument, 'is not a JSON object');
  end if;
  return parsed;
end
$$;

comment on function private.json_of(text, text) is 'Parses an argument that is a JSON object, and rejects anything else without repeating it.';

create function private.expect_crm_credentials(crm text, credentials jsonb) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  forms constant jsonb := (select c.credentials from private.crms c where c.name = crm);
  form  jsonb;
  name  text;
begin
  -- The form with which it shares the first member it has; the first one otherwise.
  select f.value into form from jsonb_array_elements(forms) with ordinality as f (value, place)
  order by (select count(*) from jsonb_object_keys(credentials) as k where f.value ? k and k <> 'optional') desc, f.place limit 1;
  for name in select k from jsonb_object_keys(credentials) as k where not form ? k or k = 'optional' order by 1 loop
    perform private.refuse_argument('credentials.' || left(name, 100), 'is unknown',
                                    array(select k from jsonb_object_keys(form) as k where k <> 'optional' order by 1));
  end loop;
  for name in select k from jsonb_object_keys(form) as k where k <> 'optional' order by 1 loop
    if not credentials ? name then
      continue when coalesce(form -> 'optional' ? name, false);
      perform private.refuse_argument('credentials.' || name, 'is required');
    elsif jsonb_typeof(credentials -> name) <> 'string' or credentials ->> name !~ (form ->> name) then
      perform private.refuse_argument('credentials.' || name, 'is not in the format of this CRM');
    end if;
  end loop;
end
$$;

comment on function private.expect_crm_credentials(text, jsonb) is
  'Rejects credentials with a member that is missing, unknown or malformed, by its name and without its value.';

create function private.expect_crm_fields(fields jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  item record;
begin
  if jsonb_typeof(fields) <> 'object' then
    perform private.refuse_argument('settings.fields', 'is not a JSON object');
  end if;
  for item in select * from jsonb_each(fields) as f (record, names) order by 1 loop
    perform private.expect_one_of('settings.fields', item.record, '{lead,deal}');
    if jsonb_typeof(item.names) <> 'object' then
      perform private.refuse_argument('settings.fields.' || item.record, 'is not a JSON object');
    end if;
    perform private.refuse_argument(
      format('settings.fields.%s.%s', item.record, left(n.ours, 100)), 'is not a member that can be mapped',
      case item.record when 'lead' then '{custom_fields.<name>,phone,position,source,company}'::text[] else '{custom_fields.<name>,company}' end)
    from jsonb_each(item.names) as n (ours, theirs)
    where n.ours !~ '^custom_fields\.[^\x01-\x1f]{1,100}$'
      and not n.ours = any (case item.record when 'lead' then '{phone,position,source,company}'::text[] else '{company}' end);
    perform private.refuse_argument(format('settings.fields.%s.%s', item.record, left(n.ours, 100)), 'must be the name of a field in the CRM')
    from jsonb_each(item.names) as n (ours, theirs)
    where jsonb_typeof(n.theirs) <> 'string' or n.theirs #>> '{}' !~ '^[!-~]{1,200}$';
  end loop;
end
$$;

comment on function private.expect_crm_fields(jsonb) is 'Rejects a mapping of fields with an unknown record or member.';

create function private.checked_crm_settings(settings jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  choices constant jsonb := '{"direction": ["in", "both"], "conflict": ["crm", "placar", "latest"], "on_delete": ["keep", "delete"]}';
  item    record;
begin
  for item in select * from jsonb_each(settings) as s (name, value) order by 1 loop
    if choices ? item.name then
      perform private.expect_one_of('settings.' || item.name, item.value #>> '{}', array(select jsonb_array_elements_text(choices -> item.name)));
    elsif item.name = 'create_out' then
      if jsonb_typeof(item.value) <> 'boolean' then
        perform private.refuse_argument('settings.create_out', 'must be true or false');
      end if;
    elsif item.name = 'pipelines' then
      if item.value <> '"all"' and (jsonb_typeof(item.value) <> 'array' or jsonb_array_length(item.value) = 0
          or exists (select from jsonb_array_elements(item.value) as p where jsonb_typeof(p) not in ('string', 'number'))) then
        perform private.refuse_argument('settings.pipelines', 'must be "all" or a list of ids of pipelines');
      end if;
    elsif item.name = 'objects' then
      if jsonb_typeof(item.value) <> 'array' then
        perform private.refuse_argument('settings.objects', 'must be a list', '{leads,deals,activities}');
      end if;
      perform private.expect_all_of('settings.objects', array(select jsonb_array_elements_text(item.value)), '{leads,deals,activities}');
    elsif item.name = 'fields' then
      perform private.expect_crm_fields(item.value);
    else
      perform private.refuse_argument('settings.' || left(item.name, 100), 'is unknown',
                                      '{direction,conflict,on_delete,pipelines,create_out,objects,fields}');
    end if;
  end loop;
  return case when jsonb_typeof(settings -> 'pipelines') = 'array'
    then jsonb_set(settings, '{pipelines}', to_jsonb(array(select jsonb_array_elements_text(settings -> 'pipelines')))) else settings end;
end
$$;

comment on function private.checked_crm_settings(jsonb) is
  'Settings of an account at a CRM, with ids as texts. Rejects an unknown member or value, by its name.';

create function private.connect_crm(tenant text, crm text, credentials text, settings text) returns text
language plpgsql
set search_path = ''
as $$
declare
  own         constant uuid  := private.tenant_named(tenant);
  given       constant jsonb := private.json_of('credentials', credentials);
  wanted      jsonb;
  former      constant public.crm_accounts := (select a from public.crm_accounts a where a.tenant_id = own and a.crm = connect_crm.crm);
  account     public.crm_accounts;
  secrets     private.crm_secrets;
begin
  perform private.expect_one_of('crm', crm, array(select c.name from private.crms c order by 1));
  wanted := private.checked_crm_settings(private.json_of('settings', settings));
  perform private.expect_crm_credentials(crm, given);
  insert into public.crm_accounts as a (tenant_id, crm, settings) values (own, connect_crm.crm, wanted)
  on conflict on constraint crm_accounts_tenant_id_crm_key do update
  set settings = a.settings || excluded.settings, reason = null, disconnected_at = null, forgotten_at = null, checked_at = null, last_reconciled_at = null, waiting_until = null, failures = 0,
      mailed_at = null,
      status = 'connecting',
      -- Another workspace has connected it since: the check says so.
      vendor_id = case when not exists (
        select from public.crm_accounts o where o.crm = a.crm and o.vendor_id = a.vendor_id and o.id <> a.id and o.status <> 'disconnected')
        then a.vendor_id end
  returning * into account;
  if not given ? 'refresh_token' and (select c.is_authorized_in_browser from private.crms c where c.name = crm) then
    update public.crm_accounts a set status = 'authorizing' where a.id = account.id;
  end if;
  select s.* into secrets from private.crm_secrets s where s.account_id = account.id for update;
  insert into private.crm_secrets as s (account_id, credentials, webhook_secret)
  values (
    account.id, private.keep_secret(secrets.credentials, given::text, 'crm_credentials_' || account.id, 'Credentials of an account at a CRM.'),
    coalesce(secrets.webhook_secret, private.keep_secret(
      null, private.random_base62(43), 'crm_webhook_' || account.id, 'Proves webhooks of a CRM.')))
  on conflict on constraint crm_secrets_pkey do update
  set credentials = excluded.credentials, webhook_secret = excluded.webhook_secret, refreshing_until = null,
      -- Webhooks with these ids may be those of other programs in another company.
      webhook_reference = case when former.forgotten_at is null then s.webhook_reference end;
  if former.status = 'disconnected' then
    perform private.queue_changes_here(former, account.settings);
  end if;
  perform private.wake_crm(account.id);
  return account.id;
end
$$;

comment on function private.connect_crm(text, text, text, text) is
  'Creates a tenant''s account at a CRM, or replaces its credentials and the settings that are named, and schedules a check.';

create function admin.connect_crm(tenant text, crm text, credentials text, settings text default '{}') returns text
language plpgsql
set search_path = ''
as $$
declare
  silent constant boolean := private.keep_errors_out_of_log();
begin
  return private.connect_crm(tenant, crm, credentials, settings);
exception when others then
  if silent then
    raise;
  end if;
  return 'Not connected. ' || sqlerrm;
end
$$;

comment on function admin.connect_crm(text, text, text, text) is
  'Connects a tenant (slug or id) to rd_station, pipedrive or hubspot, with credentials and settings as JSON, and returns the account id; again keeps the id.';

create function private.set_crm_settings(account_id text, settings jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
  given   constant jsonb := private.checked_crm_settings(settings);
  present constant jsonb := '{"direction": "in", "conflict": "crm", "on_delete": "keep", "pipelines": "all", "create_out": false,
                              "objects": ["leads", "deals", "activities"], "fields": {"lead": {}, "deal": {}}}' || account.settings;
begin
  -- As after connecting again: webhooks are set up for the fields, and what differs is compared.
  update public.crm_accounts a
  set settings = a.settings || given, checked_at = null, last_reconciled_at = null
  where a.id = account.id and exists (select from jsonb_each(given) as g where g.value <> present -> g.key);
  if found then
    perform private.wake_crm(account.id);
  end if;
end
$$;

comment on function private.set_crm_settings(text, jsonb) is 'Replaces the settings of an account that are named.';

create function admin.authorize_crm(account_id text) returns text
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
  state   constant text := private.random_base62(43);
  -- The account's job stores its address; the sweep, which the database calls, has the same one.
  address constant text := coalesce(account.callback_url, (
    select regexp_replace(d.sweep_url, 'sweep$', format('crm/%s/%s', account.crm, account.id)) from private.deployment d));
begin
  if not (select c.is_authorized_in_browser from private.crms c where c.name = account.crm) then
    perform private.refuse_argument('account_id', 'is an account that needs no authorization in a browser; connect it with its credentials');
  elsif account.status = 'disconnected' then
    perform private.refuse_argument('account_id', 'is disconnected; connect it first');
  elsif address is null then
    perform private.refuse_argument('account_id', 'is being set up; call this again in some seconds');
  end if;
  update private.crm_secrets s set state_hash = sha256(convert_to(state, 'UTF8')), state_expires_at = now() + interval '10 minutes'
  where s.account_id = account.id;
  return address || '/authorize?state=' || state;
end
$$;

comment on function admin.authorize_crm(text) is
  'Returns a link that works once within ten minutes: an admin of the CRM opens it and agrees.';

create function admin.crm_webhook_setup(account_id text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.webhook_setup is null then
    perform private.refuse_argument('account_id', case account.webhook_state
      when 'active' then 'is an account whose webhooks were made already'
      when 'polling' then 'is an account without webhooks; its changes are read every minute'
      else format('is %s; its webhooks can be set up once it is active', account.status) end);
  end if;
  return account.webhook_setup;
end
$$;

comment on function admin.crm_webhook_setup(text) is 'Text of the file with which a person sets webhooks up at HubSpot: webhooks-hsmeta.json.';

create function admin.pause_crm(account_id text) returns void
language sql
set search_path = ''
as $$
  select private.crm_account_with_id(account_id);
  update public.crm_accounts a set status = 'paused' where a.id = account_id and a.status not in ('paused', 'disconnected')
$$;

comment on function admin.pause_crm(text) is 'Stops reading and writing at the CRM; its webhooks are kept for 30 days.';

create function admin.resume_crm(account_id text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
begin
  perform private.crm_account_with_id(account_id);
  update public.crm_accounts a
  set status = case when (select c.is_authorized_in_browser from private.crms c where c.name = a.crm) and not exists (
        select from private.crm_secrets s join vault.decrypted_secrets v on v.id = s.credentials
        where s.account_id = a.id and v.decrypted_secret::jsonb ? 'refresh_token') then 'authorizing' else 'connecting' end,
      waiting_until = null, last_reconciled_at = null
  where a.id = account_id and a.status = 'paused';
  perform private.wake_crm(account_id);
end
$$;

comment on function admin.resume_crm(text) is 'Goes on with a paused account: what its webhooks told meanwhile is read.';

create function admin.disconnect_crm(account_id text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  update public.crm_accounts a set status = 'disconnected', reason = null, disconnected_at = now()
  where a.id = account.id and a.status <> 'disconnected';
  update public.crm_runs r set status = 'canceled', finished_at = clock_timestamp() where r.account_id = account.id and r.finished_at is null;
  delete from private.crm_pending p where p.account_id = account.id;
  perform private.wake_crm(account.id);
end
$$;

comment on function admin.disconnect_crm(text) is
  'Stops an account: its webhooks are removed and its credentials deleted. Records and links stay; connecting again goes on with them.';

create function private.delete_crm_account(account_id text) returns void
language sql
set search_path = ''
as $$
  delete from public.crm_accounts a where a.id = account_id;
  delete from public.jobs j where j.name = 'sync-crm' and j.key = account_id
$$;

comment on function private.delete_crm_account(text) is 'Deletes an account at a CRM and its job.';

create function admin.forget_crm(account_id text) returns void
language plpgsql
set search_path = ''
as $$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.status <> 'disconnected' then
    perform private.refuse_argument('account_id', format('is %s; call admin.disconnect_crm first', account.status));
  end if;
  -- Its job removes the webhooks with the credentials, and then deletes the rest.
  if exists (select from private.crm_secrets s where s.account_id = account.id and s.credentials is not null) then
    update public.crm_accounts a
    set forgotten_at = now(), vendor_id = null, settings = '{}', imported_at = null, counts_since = null, reconciled_to = null,
        last_reconciled_at = null, last_compared_at = null
    where a.id = account.id;
    delete from public.crm_links l          where l.account_id = account.id;
    delete from public.crm_events e         where e.account_id = account.id;
    delete from public.crm_differences d    where d.account_id = account.id;
    delete from public.crm_runs r           where r.account_id = account.id;
    delete from public.crm_users u          where u.account_id = account.id;
    delete from public.crm_stages s         where s.account_id = account.id;
    delete from public.crm_activity_types t where t.account_id = account.id;
    delete from private.crm_creations n     where n.account_id = account.id;
  else
    perform private.delete_crm_account(account.id);
  end if;
end
$$;

comment on function admin.forget_crm(text) is 'Deletes a disconnected account with its links, events and differences. The records stay.';

-- Mapping ----------------------------------------------------------------------------------------------------------------------------

create function admin.map_crm_stage(account_id text, crm_stage_id text, stage_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if stage_id is not null then
    perform private.expect_stage(account.tenant_id, stage_id);
  end if;
  update public.crm_stages s set stage_id = map_crm_stage.stage_id where s.account_id = account.id and s.crm_id = crm_stage_id;
  if not found then
    perform private.refuse_argument(
      'crm_stage_id', format('stage "%s" does not exist in the CRM', left(crm_stage_id, 100)),
      array(select format('%s (%s, %s)', s.crm_id, s.name, s.pipeline_name) from public.crm_stages s where s.account_id = account.id and s.is_present
            order by s.pipeline_name, s.crm_id));
  end if;
  perform private.queue_crm_differences(account), private.wake_crm(account.id);
end
$$;

comment on function admin.map_crm_stage(text, text, uuid) is 'Maps a stage of the CRM to a stage here; null: to the one with its name.';

create function admin.map_crm_activity(account_id text, crm_type text, code text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  perform private.expect_filled('crm_type', crm_type);
  if code is not null then
    perform private.expect_activity_code(code);
  end if;
  insert into public.crm_activity_types as t (tenant_id, account_id, crm_type, code) values (account.tenant_id, account.id, btrim(crm_type), code)
  on conflict on constraint crm_activity_types_pkey do update set code = excluded.code;
end
$$;

comment on function admin.map_crm_activity(text, text, text) is
  'Maps a type of activity in the CRM to a code of activity sync; null: activities of this type are not read.';

-- Runs -------------------------------------------------------------------------------------------------------------------------------

create function private.ask_for_crm_run(account_id text, kind text) returns text
language plpgsql
set search_path = ''
as $$
declare
  account constant public.crm_accounts := private.crm_account_with_id(account_id);
begin
  if account.status <> 'active' then
    perform private.refuse_argument('account_id', format('is %s%s', account.status, coalesce(': ' || account.reason, '')), reason => 'not_active');
  end if;
  if kind in ('reconcile', 'compare') and account.imported_at is null then
    perform private.refuse_argument('account_id', 'has no finished import: import first');
  elsif kind = 'reconcile' then
    perform private.queue_crm_differences(account, all_kinds => true);
  end if;
  return private.start_crm_run(account, kind);
end
$$;

comment on function private.ask_for_crm_run(text, text) is 'Starts a run of an active account and returns its id.';

create function admin.preview_crm(account_id text) returns text
language sql set search_path = ''
as $$ select private.ask_for_crm_run(account_id, 'preview') $$;

comment on function admin.preview_crm(text) is 'Lists in admin.crm_preview what an import would do, without doing it; returns the run''s id.';

create function admin.import_crm(account_id text) returns text
language sql set search_path = ''
as $$ select private.ask_for_crm_run(account_id, 'import') $$;

comment on function admin.import_crm(text) is 'Reads all records of the CRM in silence: no webhooks, points, automations or mails; returns the run''s id.';

create function admin.reconcile_crm(account_id text) returns text
language sql set search_path = ''
as $$ select private.ask_for_crm_run(account_id, 'reconcile') $$;

comment on function admin.reconcile_crm(text) is 'Reads what changed in the CRM since the last time, as each hour; returns the run''s id.';

create function admin.compare_crm(account_id text) returns text
language sql set search_path = ''
as $$ select private.ask_for_crm_run(account_id, 'compare') $$;

comment on function admin.compare_crm(text) is 'Compares all ids with the links and finds deletions, as each day; returns the run''s id.';

create function admin.cancel_crm_run(run_id text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
begin
  update public.crm_runs r set status = 'canceled', finished_at = clock_timestamp() where r.id = run_id and r.finished_at is null;
  if not found and not exists (select from public.crm_runs r where r.id = run_id) then
    perform private.refuse_argument('run_id', 'no such run');
  end if;
end
$$;

comment on function admin.cancel_crm_run(text) is 'Stops a run; what it applied stays.';

-- Differences ------------------------------------------------------------------------------------------------------------------------

create function admin.resolve_crm_difference(id text, take text) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  difference public.crm_differences;
begin
  perform private.expect_one_of('take', take, '{ours,theirs}');
  select d.* into difference from public.crm_differences d where d.id = resolve_crm_difference.id;
  if not found then
    perform private.refuse_argument('id', 'no such difference');
  elsif difference.resolved_at is not null then
    return;
  elsif difference.kind = 'deleted_there' then
    if take = 'theirs' then
      perform private.delete_record(difference.tenant_id, difference.record, difference.placar_id);
    end if;
    update public.crm_differences d set resolved_at = clock_timestamp() where d.id = difference.id;
    return;
  elsif difference.kind not in ('changed_here', 'refused_there') then
    perform private.refuse_argument('id', format('is "%s", which is resolved when its cause is gone', difference.kind));
  end if;
  if difference.crm_id is null and take = 'theirs' then
    -- A record of ours that was refused, and is not created there.
    delete from private.crm_creations c
    where c.account_id = difference.account_id and c.kind = difference.record and c.placar_id = difference.placar_id;
  else
    insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, take, due_at)
    values (difference.tenant_id, difference.account_id, difference.record, difference.crm_id, difference.placar_id, (
      select coalesce(jsonb_object_agg(f.name, take), '{}')
      from (select difference.field where difference.field <> '' union select jsonb_object_keys(case when difference.field = '' then difference.ours end)) as f (name)),
      now());
  end if;
  update public.crm_differences d set resolved_at = clock_timestamp() where d.id = difference.id;
  perform private.wake_crm(difference.account_id);
end
$$;

comment on function admin.resolve_crm_difference(text, text) is
  'Writes one side of a difference on the other: take "ours" or "theirs". For a record that was deleted there, "theirs" deletes ours.';
