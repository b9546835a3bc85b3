-- Functions of the schema admin accept names where they accept ids, and answer with a sentence.
--
-- Each function exists once. This file generates its other forms: with the slug of the tenant instead of its id, with the name of a
-- mission or stage or the email address of a user instead of an id, and with dates and texts instead of moments, which count in the
-- time zone of the tenant. Functions without a result of their own return their changes, as described in the audit trail.

-- Names instead of ids ------------------------------------------------------------------------------------------------------

-- Default_Ignorable_Code_Point of Unicode, and the blank pattern of Braille.
create function app.normalize_name(name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select lower(btrim(regexp_replace(normalize(name, nfc),
    '[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0000-\U000E0FFF]',
    '', 'g')))
$$;

comment on function app.normalize_name(text) is
  'A name for comparisons, which ignore case, spaces around it and characters without a shape.';

create function private.resolve_reference(argument text, value text, ids uuid[], names text[]) returns uuid
language plpgsql immutable
set search_path = ''
as $$
declare
  wanted constant text := app.normalize_name(value);
  found  uuid[];
begin
  if value is null then
    return null;
  end if;
  select array_agg(i.id) into found from unnest(ids) as i (id) where i.id::text = wanted;
  if found is null then
    select array_agg(i.id) into found from unnest(ids, names) as i (id, name) where app.normalize_name(i.name) = wanted;
  end if;
  if found is null and pg_input_is_valid(wanted, 'uuid') then
    -- The function that receives the id rejects it.
    return wanted::uuid;
  elsif found is null then
    perform private.refuse_argument(argument, format('"%s" does not exist in this tenant', left(value, 100)), names);
  elsif cardinality(found) > 1 then
    perform private.refuse_argument(argument, format('several have the name "%s"; use an id', left(value, 100)), found::text[]);
  end if;
  return found[1];
end
$$;

comment on function private.resolve_reference(text, text, uuid[], text[]) is
  'Resolves a text to an id: the id itself or a name (case-insensitive). Null returns null. Rejects unknown and ambiguous names.';

create function private.tenant_id_of(tenant text) returns uuid
language sql stable
set search_path = ''
as $$
  -- The function that receives the id rejects an unknown one.
  select case when tenant is null or pg_input_is_valid(tenant, 'uuid') then tenant::uuid else private.tenant_named(tenant) end
$$;

comment on function private.tenant_id_of(text) is 'The tenant with this slug, or the id that this text is.';

create function private.find_mission(tenant_id uuid, mission text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('mission', mission, array_agg(m.id order by m.name), array_agg(m.name order by m.name))
  from public.missions m where m.tenant_id = find_mission.tenant_id
$$;

comment on function private.find_mission(uuid, text) is 'The mission with this id or name.';

create function private.find_stage(tenant_id uuid, stage text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('stage', stage, array_agg(s.id order by s.position), array_agg(s.name order by s.position))
  from public.pipeline_stages s where s.tenant_id = find_stage.tenant_id
$$;

comment on function private.find_stage(uuid, text) is 'The pipeline stage with this id or name.';

create function private.find_user_by_email(tenant_id uuid, user_email text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('user_email', user_email, array_agg(u.id order by u.email), array_agg(u.email order by u.email))
  from public.users u where u.tenant_id = find_user_by_email.tenant_id
$$;

comment on function private.find_user_by_email(uuid, text) is 'The user with this email address.';

create function private.find_automation(tenant_id uuid, automation text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('automation', automation, array_agg(a.id order by a.name), array_agg(a.name order by a.name))
  from public.automations a where a.tenant_id = find_automation.tenant_id
$$;

comment on function private.find_automation(uuid, text) is 'The automation with this id or name.';

create function private.find_api_key_by_label(tenant_id uuid, label text) returns uuid
language sql stable
set search_path = ''
as $$
  select private.resolve_reference('label', find_api_key_by_label.label, array_agg(k.id order by k.label), array_agg(k.label order by k.label))
  from public.api_keys k
  where k.tenant_id = find_api_key_by_label.tenant_id and k.revoked_at is null and coalesce(k.expires_at > now() + interval '24 hours', true)
$$;

comment on function private.find_api_key_by_label(uuid, text) is
  'The API key with this id or label that is neither revoked nor about to expire after a rotation.';

create function private.find_client_by_label(tenant_id uuid, label text) returns text
language sql stable
set search_path = ''
as $$
  select c.client_id from public.oauth_clients c
  where c.id = (
    select private.resolve_reference('label', find_client_by_label.label, array_agg(l.id order by l.label), array_agg(l.label order by l.label))
    from public.oauth_clients l where l.tenant_id = find_client_by_label.tenant_id and l.revoked_at is null)
$$;

comment on function private.find_client_by_label(uuid, text) is 'The client id of the OAuth client with this label that is not revoked.';

create function private.last_change() returns bigint
language sql volatile
set search_path = ''
as $$ select coalesce(pg_sequence_last_value(pg_get_serial_sequence('public.admin_changes', 'id')::regclass), 0) $$;

comment on function private.last_change() is 'The last id of the audit trail, of all transactions.';

create function private.last_summary(after_change bigint default 0) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select string_agg(c.summary, ' ' order by c.id) from public.admin_changes c
     where c.transaction = pg_current_xact_id()::text::bigint and c.at >= statement_timestamp() and c.id > after_change),
    'Nothing changed.')
$$;

comment on function private.last_summary(bigint) is
  'What the current statement changed, as sentences of the audit trail; of several statements in one message, those after a change.';

do $$
declare
  f record;
begin
  for f in
    select p.oid, p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_identity_arguments(p.oid) as identity,
           obj_description(p.oid, 'pg_proc') as about,
           (select string_agg(format('%I => %I.%I', a, p.proname, a), ', ' order by place)
            from unnest(p.proargnames) with ordinality as n (a, place)) as passed
    from pg_catalog.pg_proc p
    where p.pronamespace = 'private'::regnamespace and p.prorettype = 'void'::regtype and p.proname = any (array[
      'set_environment', 'set_plan', 'set_language', 'revoke_api_key', 'set_allowlist', 'revoke_oauth_client', 'deactivate_webhook',
      'reactivate_webhook', 'replay_delivery', 'set_ranking_opt_out', 'void_activity',
      'map_activity_code', 'unmap_activity_code', 'merge_leads', 'set_automation_active', 'set_provider_route',
      'require_payout_approval', 'approve_payout', 'reject_payout', 'register_cost_center', 'set_retention',
      'set_due_limits', 'set_fiscal_rule'])
  loop
    execute format(
      -- The result already describes the change, so no notice is needed.
      'create function admin.%I(%s) returns text language plpgsql set search_path = '''' set client_min_messages = warning as %L',
      f.name, f.arguments, format('declare seen constant bigint := private.last_change(); begin perform private.%I(%s); return private.last_summary(seen); end', f.name, f.passed));
    execute format('comment on function admin.%I(%s) is %L', f.name, f.identity, f.about || ' Returns what changed.');
  end loop;
end
$$;

create function admin.pause_webhook(id uuid) returns text
language plpgsql
set search_path = '' set client_min_messages = warning
as $$
declare
  seen constant bigint := private.last_change();
begin
  if not exists (select from public.webhook_endpoints w where w.id = pause_webhook.id) then
    raise exception 'id: webhook % does not exist', pause_webhook.id using errcode = 'no_data_found';
  end if;
  perform private.pause_webhook(pause_webhook.id);
  return private.last_summary(seen);
end
$$;

comment on function admin.pause_webhook(uuid) is
  'Pauses all deliveries to a webhook until admin.resume_webhook(id), including new events; they are kept for 30 days. Returns what changed.';

create function admin.resume_webhook(id uuid) returns text
language plpgsql
set search_path = '' set client_min_messages = warning
as $$
declare
  seen    constant bigint := private.last_change();
  webhook public.webhook_endpoints;
begin
  select * into webhook from public.webhook_endpoints w where w.id = resume_webhook.id for no key update;
  if not found then
    raise exception 'id: webhook % does not exist', resume_webhook.id using errcode = 'no_data_found';
  elsif not webhook.active then
    raise exception 'id: the webhook is deactivated: %', coalesce(webhook.deactivation_reason, 'deactivated by its client')
      using errcode = 'object_not_in_prerequisite_state', hint = 'Reactivate it with admin.reactivate_webhook(id).';
  end if;
  perform private.resume_webhook(resume_webhook.id);
  return private.last_summary(seen);
end
$$;

comment on function admin.resume_webhook(uuid) is 'Resumes a webhook that is paused or suspended. Returns what changed.';

-- The other forms of each function ----------------------------------------------------------------------------------------------

create function private.create_argument_overloads(of_function regprocedure) returns void
language plpgsql
set search_path = ''
as $$
declare
  f        constant pg_catalog.pg_proc := (select p from pg_catalog.pg_proc p where p.oid = of_function);
  inputs   constant integer := f.pronargs;
  -- Declarations, argument values and types of all forms that have been built up to a parameter.
  forms    jsonb := jsonb_build_array('{"declared": [], "passed": [], "types": [], "changed": false}'::jsonb || jsonb_build_object(
    'tenant', case when 'tenant_id' = any (f.proargnames) then 'tenant_id' else 'tenant' end));
  name     text;
  type     text;
  given    text;
  fallback text;
  other    jsonb;
  form     jsonb;
  next     jsonb;
begin
  for i in 1 .. inputs loop
    name := f.proargnames[i];
    type := format_type(f.proargtypes[i - 1], null);
    given := pg_get_function_arg_default(of_function, i);
    fallback := coalesce(' default ' || given, '');
    other := case
      when name = 'tenant_id' then '[["tenant", "text", "private.tenant_id_of(%1$s.tenant)"]]'
      when name = 'mission_id' then '[["mission", "text", "private.find_mission(%2$s, %1$s.mission)"]]'
      when name = 'stage_id' then '[["stage", "text", "private.find_stage(%2$s, %1$s.stage)"]]'
      when name = 'user_id' then '[["user_email", "text", "private.find_user_by_email(%2$s, %1$s.user_email)"]]'
      when type = 'timestamp with time zone' then jsonb_build_array(
        jsonb_build_array(quote_ident(name), 'text', format('private.moment_of(%%2$s, %L, %%1$s.%s)', name, name)),
        jsonb_build_array(quote_ident(name), 'date', format('private.moment_of(%%2$s, %L, %%1$s.%s::text)', name, name)))
      else '[]'
    end;
    next := '[]';
    for form in select * from jsonb_array_elements(forms) loop
      next := next || jsonb_build_array(jsonb_build_object(
        'declared', form -> 'declared' || to_jsonb(array[quote_ident(name) || ' ' || type, fallback]),
        'passed', form -> 'passed' || to_jsonb(format('%I => %I.%I', name, f.proname, name)),
        'types', form -> 'types' || to_jsonb(type), 'changed', form -> 'changed', 'tenant', form -> 'tenant', 'last', form -> 'last'));
      for j in 0 .. jsonb_array_length(other) - 1 loop
        next := next || jsonb_build_array(jsonb_build_object(
          'declared', form -> 'declared' || to_jsonb(array[(other -> j ->> 0) || ' ' || (other -> j ->> 1), '']),
          'passed', form -> 'passed' || to_jsonb(format('%I => %s', name,
            format(other -> j ->> 2, quote_ident(f.proname),
                   case form ->> 'tenant' when 'tenant' then format('private.tenant_id_of(%I.tenant)', f.proname) else format('%I.tenant_id', f.proname) end))),
          'types', form -> 'types' || to_jsonb(other -> j ->> 1),
          'changed', true, 'tenant', case name when 'tenant_id' then 'tenant' else form ->> 'tenant' end,
          -- A parameter without a default may not follow one with a default.
          'last', case when name = 'tenant_id' then form -> 'last' else to_jsonb(i) end));
      end loop;
    end loop;
    forms := next;
  end loop;
  for form in select * from jsonb_array_elements(forms) loop
    continue when not (form ->> 'changed')::boolean
      or to_regprocedure(format('admin.%I(%s)', f.proname, (select string_agg(t, ', ') from jsonb_array_elements_text(form -> 'types') as t))) is not null;
    execute format(
      'create function admin.%I(%s) returns %s language plpgsql set search_path = '''' as %L', f.proname,
      (select string_agg(format('%s%s', form -> 'declared' ->> (2 * n), case when n >= coalesce((form ->> 'last')::integer, 0) then form -> 'declared' ->> (2 * n + 1) else '' end), ', ' order by n)
       from generate_series(0, inputs - 1) as n),
      pg_get_function_result(of_function),
      format(case when f.proretset then 'begin return query select * from admin.%I(%s); end' else 'begin return admin.%I(%s); end' end,
             f.proname, (select string_agg(p, ', ') from jsonb_array_elements_text(form -> 'passed') as p)));
    execute format('comment on function admin.%I(%s) is %L', f.proname,
                   (select string_agg(t, ', ') from jsonb_array_elements_text(form -> 'types') as t), obj_description(of_function, 'pg_proc'));
  end loop;
end
$$;

comment on function private.create_argument_overloads(regprocedure) is
  'Adds the forms of an admin function that accept a slug for the tenant, names for ids, and dates or text for timestamps.';

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as form from pg_catalog.pg_proc p
    where p.pronamespace = 'admin'::regnamespace and p.prokind = 'f' and 'tenant_id' = any (p.proargnames)
      and not exists (
        -- The existing forms accept text for timestamps.
        select from unnest(p.proargnames, p.proargtypes::oid[]) as a (name, type) where a.name in ('starts_at', 'ends_at') and a.type = 'text'::regtype)
  loop
    perform private.create_argument_overloads(f.form);
  end loop;
end
$$;

-- Keys, clients and automations by name -------------------------------------------------------------------------------------------

create function admin.revoke_api_key(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.revoke_api_key(private.find_api_key_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.revoke_api_key(text, text) is 'Revokes the API key with this label. Returns what changed.';

create function admin.rotate_api_key(tenant text, label text) returns table (id uuid, api_key text)
language sql set search_path = ''
begin atomic select r.id, r.api_key from admin.rotate_api_key(private.find_api_key_by_label(private.tenant_named(tenant), label)) r; end;

comment on function admin.rotate_api_key(text, text) is 'Replaces the API key with this label and returns the new one once; the old key expires in 24 hours.';

create function admin.set_allowlist(tenant text, label text, allowlist cidr[]) returns text
language sql set search_path = ''
begin atomic select admin.set_allowlist(private.find_api_key_by_label(private.tenant_named(tenant), label), allowlist); end;

comment on function admin.set_allowlist(text, text, cidr[]) is 'Sets the IP addresses from which the API key with this label may be used. Returns what changed.';

create function admin.revoke_oauth_client(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.revoke_oauth_client(private.find_client_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.revoke_oauth_client(text, text) is 'Revokes the OAuth client with this label. Returns what changed.';

create function admin.rotate_client_secret(tenant text, label text) returns text
language sql set search_path = ''
begin atomic select admin.rotate_client_secret(private.find_client_by_label(private.tenant_named(tenant), label)); end;

comment on function admin.rotate_client_secret(text, text) is 'Replaces the secret of the OAuth client with this label and returns it once; the old one expires in 24 hours.';

create function admin.set_automation_active(tenant text, automation text, active boolean) returns text
language sql set search_path = ''
begin atomic select admin.set_automation_active(private.find_automation(private.tenant_named(tenant), automation), active); end;

comment on function admin.set_automation_active(text, text, boolean) is 'Starts or stops the automation with this name. Returns what changed.';
