-- Administration by the API: settings, plan, the request log and the audit trail.

set local lock_timeout = '3s';

-- Settings and plan -----------------------------------------------------------------------------------------------------

-- Automations: their runs ---------------------------------------------------------------------------------------------

-- Logs ----------------------------------------------------------------------------------------------------------------

create function private.cursor_of(at timestamptz, key text) returns text
language sql immutable
set search_path = ''
as $$ select translate(encode(convert_to(extract(epoch from at)::text || ' ' || key, 'UTF8'), 'base64'), E'+/=\n', '-_') $$;

comment on function private.cursor_of(timestamptz, text) is 'The cursor after the entry of a log with this time and key.';

create function private.read_cursor(cursor text, out at timestamptz, out key text)
language plpgsql immutable
set search_path = ''
as $$
declare
  parts text[];
begin
  if cursor is null then
    return;
  end if;
  parts := regexp_match(
    convert_from(decode(rpad(translate(cursor, '-_', '+/'), (length(cursor) + 3) / 4 * 4, '='), 'base64'), 'UTF8'), '^(\d{1,12}\.?\d{0,6}) (.*)$');
  if parts is null then
    raise exception 'malformed' using errcode = 'invalid_parameter_value';
  end if;
  at := to_timestamp(parts[1]::numeric);
  key := parts[2];
exception when others then
  perform private.reject('validation', 'Fix these query parameters.', 'after', 'is not a cursor of this list');
end
$$;

comment on function private.read_cursor(text) is 'The time and key of a cursor; nulls for null. Rejects malformed ones.';

create function manage.list_requests(filters jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid        := app.tenant_id();
  by_id  constant boolean     := filters ? 'request_id';
  ends   constant timestamptz := coalesce(private.moment_of(own, 'to', filters ->> 'to'), case when by_id then 'infinity' else now() end);
  begins constant timestamptz := coalesce(private.moment_of(own, 'from', filters ->> 'from'), case when by_id then '-infinity' else ends - interval '24 hours' end);
  most   constant integer     := coalesce((filters ->> 'limit')::integer, 50);
  wanted constant text        := filters ->> 'status';
  caller constant text        := app.normalize_name(filters ->> 'caller');
  -- Paths begin with a slash.
  place  constant text        := regexp_replace(filters ->> 'path', '^/?', '/');
  names  constant boolean     := private.caller_has('{manage:access}');
  since  record;
  answer jsonb;
begin
  if not by_id and begins > ends then
    perform private.reject('validation', 'Fix these query parameters.', 'to', 'must not be before from');
  elsif not by_id and ends - begins > interval '31 days' then
    perform private.reject('validation', 'Fix these query parameters.', 'from', 'must be at most 31 days before to');
  end if;
  select * into since from private.read_cursor(filters ->> 'after');
  with entries as (
    select r.*, md5(r.request_id || r.at::text || r.path) as key, case when names then coalesce(c.label, k.label) end as label
    from public.request_log r
    left join public.api_keys k      on k.id = r.api_key_id
    left join public.oauth_clients c on c.client_id = r.client_id
    where r.tenant_id = own and r.at >= begins and r.at < ends
      and (since.at is null or r.at <= since.at)
      and (filters ->> 'request_id' is null or r.request_id = filters ->> 'request_id')
      and (wanted is null
           or case when wanted = 'failed' then r.status >= 400
                   when wanted like '%xx' then r.status / 100 = left(wanted, 1)::integer
                   else r.status = wanted::integer end)
      and (caller is null or filters ->> 'caller' in (r.client_id, r.api_key_id::text)
           or names and caller in (app.normalize_name(c.label), app.normalize_name(k.label)))
      and (filters ->> 'reason' is null or r.reason = filters ->> 'reason')
      and (filters ->> 'function' is null or r.function = filters ->> 'function')
      and (filters ->> 'method' is null or r.method = filters ->> 'method')
      and (place is null or starts_with(r.path, place))
  ), page as (
    select e.* from entries e
    where since.at is null or (e.at, e.key) < (since.at, since.key)
    order by e.at desc, e.key desc
    limit most + 1
  ), shown as (
    select * from page order by at desc, key desc limit most
  )
  select jsonb_build_object(
    'records', coalesce(jsonb_agg(json_build_object(
      'at', app.format_utc(s.at), 'request_id', s.request_id, 'function', s.function, 'method', s.method, 'path', s.path, 'status', s.status,
      'reason', s.reason, 'fields', coalesce(s.fields, '{}'), 'query', coalesce(s.query, '{}'),
      'caller', case when s.client_id is not null then json_build_object('kind', 'client', 'id', s.client_id, 'label', s.label)
                     when s.api_key_id is not null then json_build_object('kind', 'api_key', 'id', s.api_key_id, 'label', s.label) end,
      'ip', host(s.ip), 'duration_ms', s.duration_ms, 'requests', s.requests, 'remedy', private.remedy(s.status, s.reason)
    ) order by s.at desc, s.key desc), '[]'),
    'has_more', (select count(*) > most from page),
    'next_cursor', (select private.cursor_of(l.at, l.key) from shown l order by l.at, l.key limit 1))
  into answer from shown s;
  return answer;
end
$$;

comment on function manage.list_requests(jsonb) is 'A page of the request log, newest first, with what to do about each failure.';

create function manage.read_request(request_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  answer constant jsonb := manage.list_requests(jsonb_build_object('request_id', request_id, 'limit', 200));
begin
  if answer -> 'records' = '[]' then
    perform private.reject('not_found', 'There is no request with this id.');
  end if;
  return answer;
end
$$;

comment on function manage.read_request(text) is 'The requests with this id; callers may send an id twice.';

create function private.change_scopes() returns table (kind text, scopes text[])
language sql immutable
set search_path = ''
as $$
  select unnest(kinds), scopes from (values
    ('{api_key,client}'::text[], '{manage:access}'::text[]),
    ('{balance,cost_center,due_limit,payment_webhook,payout_approval_rule,provider_account,provider_route}', '{read:payments,manage:payments}'),
    ('{payout}', '{read:payments,manage:payments,approve:payouts}'),
    ('{lead}', '{read:leads}'),
    ('{player}', '{read:users,read:settings,manage:gamification}'),
    ('{webhook}', '{read:webhooks,write:webhooks}'),
    ('{automation}', '{read:settings,manage:automations}'),
    ('{stage,tenant}', '{read:settings,manage:workspace}'),
    ('{activity,activity_code,badge,challenge,mission,point_rule,season,tier}', '{read:settings,manage:gamification}')) as s (kinds, scopes)
$$;

comment on function private.change_scopes() is
  'Scopes of which one permits reading the content of a change, by kind of subject; kinds of the deployment and of persons have none.';

create function manage.list_changes(filters jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid        := app.tenant_id();
  ends   constant timestamptz := coalesce(private.moment_of(own, 'to', filters ->> 'to'), 'infinity');
  begins constant timestamptz := coalesce(private.moment_of(own, 'from', filters ->> 'from'), '-infinity');
  most   constant integer     := coalesce((filters ->> 'limit')::integer, 50);
  actor   constant text       := app.normalize_name(filters ->> 'actor');
  subject constant text       := app.normalize_name(filters ->> 'subject');
  cursor constant text        := (select c.key from private.read_cursor(filters ->> 'after') c);
  -- The rows of all changes are shown, but only with what the caller may also read elsewhere.
  hidden constant text[]      := array(select s.kind from private.change_scopes() s where not private.caller_has(s.scopes));
  names  constant boolean     := private.caller_has('{manage:access}');
  since  bigint;
  answer jsonb;
begin
  -- Cursors of other lists have another key.
  if cursor !~ '^\d{1,18}$' then
    perform private.reject('validation', 'Fix these query parameters.', 'after', 'is not a cursor of this list');
  end if;
  since := cursor;
  with page as (
    select c.* from public.admin_changes c
    where c.tenant_id = own and c.at >= begins and c.at < ends and (since is null or c.id < since)
      and (filters ->> 'id' is null or c.id = (filters ->> 'id')::bigint)
      and (filters ->> 'act' is null or c.act = filters ->> 'act'
           or (filters ->> 'act' like '%.*' and starts_with(c.act, left(filters ->> 'act', -1))))
      and (actor is null or filters ->> 'actor' = c.actor_id or actor = app.normalize_name(c.actor_name) and (names or c.actor_kind not in ('client', 'api_key')))
      and (subject is null or filters ->> 'subject' in (c.subject_kind, c.subject_id)
           or subject = app.normalize_name(c.subject_name) and c.subject_kind <> all (hidden))
      and (filters ->> 'via' is null or c.via = filters ->> 'via')
      and (filters ->> 'request_id' is null or c.request_id = filters ->> 'request_id')
    order by c.id desc
    limit most + 1
  ), shown as (
    select p.*, p.subject_kind <> all (hidden) as is_shown from page p order by p.id desc limit most
  )
  select jsonb_build_object(
    'records', coalesce(jsonb_agg(json_build_object(
      'id', s.id::text, 'at', app.format_utc(s.at), 'transaction', s.transaction::text, 'via', s.via,
      'actor', json_build_object('kind', s.actor_kind, 'id', s.actor_id, 'name', case when names or s.actor_kind not in ('client', 'api_key') then s.actor_name end),
      'on_behalf_of', s.on_behalf_of, 'program', s.program, 'act', s.act,
      'subject', json_build_object('kind', s.subject_kind, 'id', s.subject_id, 'name', case when s.is_shown then s.subject_name end),
      'before', case when s.is_shown then s.before end, 'after', case when s.is_shown then s.after end,
      'reason', case when s.is_shown then s.reason end,
      'summary', case when s.is_shown then s.summary else (
        select format('Reading this change needs the scope %s.', array_to_string(c.scopes, ' or '))
        from private.change_scopes() c where c.kind = s.subject_kind) end,
      'request_id', s.request_id
    ) order by s.id desc), '[]'),
    'has_more', (select count(*) > most from page),
    'next_cursor', (select private.cursor_of(l.at, l.id::text) from shown l order by l.id limit 1))
  into answer from shown s;
  return answer;
end
$$;

comment on function manage.list_changes(jsonb) is 'A page of the audit trail of the tenant, newest first.';

create function manage.read_change(id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  found jsonb;
begin
  if id ~ '^\d{1,18}$' then
    found := manage.list_changes(jsonb_build_object('id', id)) -> 'records' -> 0;
  end if;
  if found is null then
    perform private.reject('not_found', 'There is no change with this id.');
  end if;
  return jsonb_build_object('record', found);
end
$$;

comment on function manage.read_change(text) is 'Reads one change of the audit trail.';
