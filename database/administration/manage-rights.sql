-- Administration by the API: what the role manage reads and writes itself, and the functions that its statements share.
-- shared/administration/ has the statements. What the role must not do by itself is a function of the owner (security definer).

-- Tables ----------------------------------------------------------------------------------------------------------------

grant insert, delete on public.missions, public.tiers, public.badges, public.challenges, public.seasons, public.pipeline_stages,
                        public.automations, public.point_rules to manage;
grant update (name, points)                                             on public.missions        to manage;
grant update (name, min_points)                                         on public.tiers           to manage;
grant update (name, metric, threshold)                                  on public.badges          to manage;
grant update (name, metric, target, starts_at, ends_at, reward_points)  on public.challenges      to manage;
grant update (name, starts_at, ends_at)                                 on public.seasons         to manage;
grant update (name, position, probability)                              on public.pipeline_stages to manage;
grant update (name, event, conditions, actions, active)                 on public.automations     to manage;
grant update (points, max_per_day)                                      on public.point_rules     to manage;
grant update (name, time_zone, language, owner_email, nfse_cancellation_hours, sign_in, require_mfa) on public.tenants to manage;

create policy "Administration changes its own missions" on public.missions to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own tiers" on public.tiers to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own badges" on public.badges to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own challenges" on public.challenges to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own seasons" on public.seasons to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own stages" on public.pipeline_stages to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own automations" on public.automations to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own rules" on public.point_rules to manage using (tenant_id = (select app.tenant_id()));
create policy "Administration changes its own tenant" on public.tenants for update to manage using (id = (select app.tenant_id()));

-- Boards do not change. Locking a row needs the right to update a column.
grant select, insert, delete, update (name) on public.boards to manage;
create policy "Administration manages its own boards" on public.boards to manage using (tenant_id = (select app.tenant_id()));

create function app.changes_summary() returns text
language sql stable security definer
set search_path = ''
as $$
  select coalesce(string_agg(c.summary, ' ' order by c.id), 'Nothing changed.')
  from public.admin_changes c
  where c.tenant_id = app.tenant_id() and c.transaction = pg_current_xact_id()::text::bigint
$$;

comment on function app.changes_summary() is 'What the current transaction changed, as sentences of the audit trail.';

grant execute on function app.changes_summary() to payments, manage;

-- Check constraints call these.
grant execute on function private.metrics(), private.point_rule_events(), private.api_key_scopes(), private.oauth_scopes() to manage;

-- Values ----------------------------------------------------------------------------------------------------------------

create function app.format_utc(moment timestamptz) returns text
language sql immutable
set search_path = ''
as $$ select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

comment on function app.format_utc(timestamptz) is 'A moment as the API writes it: UTC with microseconds.';

create function app.version_of(record json, counted text[] default '{}') returns text
language sql immutable
set search_path = ''
as $$ select left(md5((record::jsonb - counted)::text), 20) $$;

comment on function app.version_of(json, text[]) is 'The version of a record, without the members that the service counts.';

create function app.contains_text(text text, search text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$ select strpos(app.fold(normalize(coalesce(text, ''), nfc)), app.fold(normalize(search, nfc))) > 0 $$;

comment on function app.contains_text(text, text) is 'Whether a text contains the search text, ignoring case and accents.';

grant execute on function app.format_utc(timestamptz), app.version_of(json, text[]), app.contains_text(text, text), app.normalize_name(text) to manage;

-- References and conditions ---------------------------------------------------------------------------------------------

create function app.caller_has(scopes text[]) returns boolean
language sql stable security definer
set search_path = ''
as $$ select private.caller_has(scopes) $$;

comment on function app.caller_has(text[]) is 'Whether the caller of the request has one of these scopes, both in its token and currently.';

grant execute on function app.caller_has(text[]) to api;

create function app.expect_own_scopes(scopes text[], reason text) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  missing constant text[] := array(select unnest(scopes) except select unnest(private.caller_scopes()) order by 1);
begin
  if missing <> '{}' then
    perform app.raise_domain_error(reason, jsonb_build_object('scopes', missing));
  end if;
end
$$;

comment on function app.expect_own_scopes(text[], text) is 'Raises the reason if the caller of the request lacks one of these scopes, in its token or currently.';

create function app.reject_unknown(kind text, field text, names text[], readers text[]) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform app.raise_domain_error('unknown_reference', jsonb_build_object('kind', kind, 'field', field, 'names',
    case when private.caller_has(readers) then (select coalesce(jsonb_agg(n order by n), '[]') from unnest(names) as n) end));
end
$$;

comment on function app.reject_unknown(text, text, text[], text[]) is
  'Rejects the reference of a field (null: the path) to a record of a kind, with the names that exist if the caller has one of the scopes.';

create function app.find_by_name(kind text, ref text, field text, ids text[], names text[], readers text[]) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  wanted constant text := app.normalize_name(ref);
  found  text[] := array(select i from unnest(ids) as i where i in (btrim(ref), wanted));
begin
  if found = '{}' then
    found := array(select n.id from unnest(ids, names) with ordinality as n (id, name, place)
                   where app.normalize_name(n.name) = wanted order by n.place);
  end if;
  if found = '{}' then
    perform app.reject_unknown(kind, field, names, readers);
  elsif cardinality(found) > 1 then
    perform app.raise_domain_error('ambiguous_name', jsonb_build_object('kind', kind, 'field', field, 'name', left(btrim(ref), 100), 'ids', found));
  end if;
  return found[1];
end
$$;

comment on function app.find_by_name(text, text, text, text[], text[], text[]) is
  'The one of these ids that is the reference, or whose name is (case-insensitive). Rejects unknown and ambiguous ones.';

create function app.find_user(ref text, field text) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  found_id uuid;
begin
  perform app.expect_own_scopes('{read:users}', 'user_not_readable');
  select u.id into found_id from public.users u
  where u.tenant_id = app.tenant_id() and lower(btrim(ref)) in (u.id::text, lower(u.email))
  for key share;
  if not found then
    perform app.reject_unknown('user', field, array(
      select u.email from public.users u where u.tenant_id = app.tenant_id() order by u.email limit 21), '{read:users}');
  end if;
  return found_id;
end
$$;

comment on function app.find_user(text, text) is
  'Locks the user with this id or email address against deletion and returns its id. The caller must be able to read users.';

create function app.expect_record(kind text, versions jsonb, record json, version text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if record is null and kind is not null then
    perform app.reject_unknown(kind, null, null, null);
  elsif record is null and versions is not null then
    perform app.raise_domain_error('absent_for_if_match', '{}');
  elsif jsonb_typeof(versions) = 'array' and not versions ? version then
    raise exception 'version_differs' using errcode = 'PL400', detail = json_build_object('current', record, 'version', version);
  end if;
end
$$;

comment on function app.expect_record(text, jsonb, json, text) is
  'Rejects the request if versions (an array; * is any, null is no condition) lacks the one of the record, or there is no record of the kind.';

grant execute on function
  app.caller_has(text[]), app.expect_own_scopes(text[], text), app.reject_unknown(text, text, text[], text[]), app.find_user(text, text),
  app.find_by_name(text, text, text, text[], text[], text[]), app.expect_record(text, jsonb, json, text) to manage;

-- Settings and plan -----------------------------------------------------------------------------------------------------

create function app.invitation_mails_of_today() returns integer
language sql stable security definer
set search_path = ''
as $$ select count(*)::integer from private.invitation_mails m where m.tenant_id = app.tenant_id() and m.sent_at > now() - interval '1 day' $$;

comment on function app.invitation_mails_of_today() is 'How many invitation emails the tenant sent in the last 24 hours.';

grant execute on function app.invitation_mails_of_today() to manage;

-- Automations -----------------------------------------------------------------------------------------------------------

create function app.check_automation(event text, conditions jsonb, actions jsonb) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  fault constant text[] := private.automation_fault(event, conditions, actions, app.tenant_id());
begin
  if fault is not null then
    perform private.refuse_argument(fault[1], fault[2]);
  end if;
end
$$;

comment on function app.check_automation(text, jsonb, jsonb) is 'Rejects an automation that cannot run, naming the member at fault.';

grant execute on function app.check_automation(text, jsonb, jsonb) to manage;

-- Missions and their codes ----------------------------------------------------------------------------------------------

create function app.map_activity_code(code text, mission_id uuid) returns void
language sql security definer
set search_path = ''
as $$ select private.map_activity_code(app.tenant_id(), code, mission_id) $$;

comment on function app.map_activity_code(text, uuid) is 'Maps an activity code of the tenant to a mission.';

create function app.unmap_activity_code(code text) returns void
language sql security definer
set search_path = ''
as $$ select private.unmap_activity_code(app.tenant_id(), code) $$;

comment on function app.unmap_activity_code(text) is 'Unmaps an activity code of the tenant.';

create function app.set_mission_codes(mission_id uuid, codes text[]) returns void
language sql security definer
set search_path = ''
as $$
  select app.unmap_activity_code(o.code) from (
    select mc.code from public.mission_codes mc
    where mc.tenant_id = app.tenant_id() and mc.mission_id = set_mission_codes.mission_id and mc.code <> all (codes) order by mc.code) as o;
  select app.map_activity_code(n.code, set_mission_codes.mission_id) from (select distinct c as code from unnest(codes) as c order by c) as n
$$;

comment on function app.set_mission_codes(uuid, text[]) is 'Maps exactly these activity codes to a mission.';

grant execute on function app.map_activity_code(text, uuid), app.unmap_activity_code(text), app.set_mission_codes(uuid, text[]) to manage;

-- Corrections -----------------------------------------------------------------------------------------------------------

create function app.set_ranking_opt_out(email text, opted_out boolean) returns void
language sql security definer
set search_path = ''
as $$ select private.set_ranking_opt_out(app.tenant_id(), email, opted_out) $$;

comment on function app.set_ranking_opt_out(text, boolean) is 'Hides a player of the tenant from standings, or shows them again.';

create function app.adjust_points(email text, points integer, reason text) returns bigint
language sql security definer
set search_path = ''
as $$ select admin.adjust_points(app.tenant_id(), email, points, reason) $$;

comment on function app.adjust_points(text, integer, text) is 'Adds points to a player of the tenant, or deducts them, and returns the id of the entry.';

create function app.void_activity(external_id text, reason text) returns void
language sql security definer
set search_path = ''
as $$ select private.void_activity(app.tenant_id(), external_id, reason) $$;

comment on function app.void_activity(text, text) is 'Voids an activity of the tenant and reverses its points.';

grant execute on function app.set_ranking_opt_out(text, boolean), app.adjust_points(text, integer, text), app.void_activity(text, text) to manage;

-- Logs ------------------------------------------------------------------------------------------------------------------

grant select on public.request_log to manage;
create policy "Administration sees its own requests" on public.request_log for select to manage using (tenant_id = (select app.tenant_id()));

grant execute on function app.remedy(integer, text) to manage;
