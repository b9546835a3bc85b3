-- Lookups of the admin API: names in any case, payouts by their beneficiary, points of collaborators without a user,
-- differences with providers, warnings of accounts, and remedies by the reason of a failure.

set local lock_timeout = '3s';

-- Search ----------------------------------------------------------------------------------------------------------------

create function private.mentions(text text, search text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$ select strpos(app.fold(normalize(coalesce(text, ''), nfc)), app.fold(normalize(search, nfc))) > 0 $$;

comment on function private.mentions(text, text) is 'Whether a text contains the search text, ignoring case and accents.';

create function private.search_in(expression text, page jsonb) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when page ->> 'search' is null then 'true' else format($c$private.mentions(%s, $1 ->> 'search')$c$, expression) end $$;

comment on function private.search_in(text, jsonb) is 'The condition of a page with search on an expression of its view, for private.list_page.';

create or replace function manage.list_records(kind text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    private.managed_table(kind),
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'lower(v.name)' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

create or replace function manage.list_players(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'players',
    private.search_in('concat_ws(chr(10), v.name, v.email)', page),
    case page ->> 'sort' when 'name' then 'lower(v.name)' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

create or replace function manage.list_access(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'api_keys' then 'api_keys' else 'oauth_clients' end,
    private.search_in('v.name', page),
    case page ->> 'sort' when 'name' then 'lower(v.name)' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

-- Requests --------------------------------------------------------------------------------------------------------------

create function private.folded(name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select lower(normalize(btrim(name), nfc)) $$;

comment on function private.folded(text) is 'A name for comparisons that ignore case and spaces around it.';

create or replace function private.remedy(status integer, reason text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when status < 400 then null
    when status = 401 then case reason
      when 'missing' then 'Send the header Authorization.'
      when 'malformed' then 'Check the format of the header Authorization.'
      when 'unknown_key' then 'Check the API key: no workspace has it. It may have been copied incompletely.'
      when 'wrong_environment' then 'Use a key of this environment: sk_live_ in production, sk_test_ in staging.'
      when 'revoked' then 'The key or client was revoked. Create another one.'
      when 'expired' then 'The key has expired. Create or rotate one.'
      when 'stale_timestamp' then 'Correct the clock of the caller: signatures are valid for 300 s.'
      when 'bad_signature' then 'Check how the caller signs: method, path with query, body as sent, and the key.'
      when 'address_not_allowed' then 'Call from an allowed IP address, or add this one to the key''s allowlist.'
      when 'bad_token' then 'Request another access token. It is invalid or has expired.'
      else 'Check the credentials of the caller.'
    end
    when reason = 'malformed_body' then 'Check the body, which could not be read. Send valid JSON in UTF-8.'
    when reason = 'invalid_scope' then 'Request only scopes that the client has, or grant it the missing ones.'
    when reason = 'invalid_target' then 'Request the token for an address of this service: check audience and resource.'
    when reason = 'idempotency_key_reused' then 'Use another Idempotency-Key. This one belongs to a request with another body or path.'
    when reason in ('invalid_message', 'invalid_params', 'header_mismatch', 'unsupported_version', 'unknown_method')
      then 'Update the MCP client: it sent a message that this server does not support. The response says what is wrong.'
    when reason = 'origin_not_allowed' then 'Call from a program instead of a web page, or add the origin of the page to MCP_ALLOWED_ORIGINS.'
    when reason = 'idempotency_key_in_use' then 'Wait for the first request with this Idempotency-Key, then send it again.'
    when status = 400 or status = 422 and reason in ('validation', 'validation_error')
      then 'Correct the request: fields names the invalid members, and the response describes each.'
    when status = 403 and reason = 'insufficient_scope' then 'Add the missing scope to the key or client, and request another access token.'
    when status = 403 then 'The caller may not do this. Check its scopes, and who owns the record.'
    when status = 404 then 'Check the path and the id. A record of another workspace does not exist for this caller.'
    when status = 405 then 'Use a method that the header Allow of the response names.'
    when status = 406 then 'Accept application/json.'
    when status = 408 then 'Send the body without long pauses. Check the connection of the caller.'
    when status = 409 then 'Read the current state first: the record or the key is used already, or its state does not allow this.'
    when status = 410 then 'It is no longer available. Read the record for its current state.'
    when status = 412 then 'Read the record again and repeat the change with its current ETag.'
    when status = 413 then 'Send a smaller body, for example in several requests.'
    when status = 415 then 'Send application/json.'
    when status = 421 then 'The workspace moved to another address, which the response names.'
    when status = 422 then 'The request names something that does not exist, or the workspace does not allow it. The response says why.'
    when status = 429 then 'Send fewer requests, or wait as long as Retry-After says. A larger plan has higher limits.'
    when status = 501 then 'Connect a payment provider that supports this.'
    when status = 502 then 'The payment provider rejected the order or did not respond. See the response, and admin.provider_accounts.'
    when status in (503, 504) then 'Retry after the time in Retry-After. If it lasts, check the health of the deployment.'
    when status >= 500 then 'This is a fault of Placar. Report it with the request id.'
    else 'See the response of the request.'
  end
$$;

create or replace function manage.list_requests(filters jsonb) returns jsonb
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
  caller constant text        := private.folded(filters ->> 'caller');
  -- Paths begin with a slash.
  place  constant text        := regexp_replace(filters ->> 'path', '^/?', '/');
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
    select r.*, md5(r.request_id || r.at::text || r.path) as key, coalesce(c.label, k.label) as label
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
      and (caller is null or filters ->> 'caller' in (r.client_id, r.api_key_id::text) or caller in (private.folded(c.label), private.folded(k.label)))
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
      'at', private.utc(s.at), 'request_id', s.request_id, 'function', s.function, 'method', s.method, 'path', s.path, 'status', s.status,
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

-- Automations -----------------------------------------------------------------------------------------------------------

create or replace function private.resolved(kind text, body jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  member text;
  action record;
  person uuid;
  fault  text;
begin
  foreach member in array array['starts_at', 'ends_at'] loop
    if body ? member then
      body := jsonb_set(body, array[member], to_jsonb(private.moment_of(own, member, body ->> member)));
    end if;
  end loop;
  if kind = 'automation' and jsonb_typeof(body -> 'actions') = 'array' then
    if body ? 'event' then
      -- Report malformed members before unknown names.
      fault := private.automation_fault(body ->> 'event', coalesce(body -> 'conditions', '[]'), (
        select coalesce(jsonb_agg(case when a ->> 'type' = 'move_stage' and a ? 'stage' or a ->> 'type' = 'assign_owner' and a ? 'user'
                                       then '{"type": "add_tag", "tag": "x"}' else a end order by n), '[]')
        from jsonb_array_elements(body -> 'actions') with ordinality as s (a, n)), own);
      if fault is not null then
        perform private.reject('validation', 'Fix these fields.', split_part(fault, ': ', 1), substr(fault, strpos(fault, ': ') + 2));
      end if;
    end if;
    for action in select value as it, ordinality - 1 as n from jsonb_array_elements(body -> 'actions') with ordinality loop
      select key into member from jsonb_each(action.it) where key in ('stage', 'user') and jsonb_typeof(value) <> 'string' order by key limit 1;
      if found then
        perform private.reject('validation', 'Fix these fields.', format('actions[%s].%s', action.n, member), 'must be a string');
      elsif action.it ? 'stage' then
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'stage' || jsonb_build_object(
          'stage_id', private.managed_id('stage', action.it ->> 'stage', format('actions[%s].stage', action.n))));
      elsif action.it ? 'user' then
        select u.id into person from public.users u
        where u.tenant_id = own and lower(btrim(action.it ->> 'user')) in (u.id::text, lower(u.email));
        if not found then
          perform private.reject_unknown('user', action.it ->> 'user', format('actions[%s].user', action.n),
            array(select u.email from public.users u where u.tenant_id = own order by u.email limit 21));
        end if;
        body := jsonb_set(body, array['actions', action.n::text], action.it - 'user' || jsonb_build_object('user_id', person));
      end if;
    end loop;
  end if;
  return body;
end
$$;

-- Points of a player ----------------------------------------------------------------------------------------------------

create view manage.point_entries as
  select e.id, e.created_at, e.player_id, json_build_object(
    'id', e.id, 'points', e.points, 'reason', e.reason,
    'note', coalesce(e.note, case when e.reason = 'activity_voided' then (
      select a.void_reason from public.activities a where a.tenant_id = e.tenant_id and a.id = e.activity_id) end),
    'mission_id', e.mission_id, 'created_at', private.utc(e.created_at)) as record
  from public.point_entries e
  where e.tenant_id = (select app.tenant_id());

comment on view manage.point_entries is 'Point entries of the tenant as the API shows them.';

create function manage.list_player_points(ref text, page jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  own    constant uuid := app.tenant_id();
  given  constant uuid := case when pg_input_is_valid(ref, 'uuid') then ref::uuid end;
  player constant uuid := coalesce(
    (select u.player_id from public.users u where u.tenant_id = own and u.id = given),
    (select c.player_id from public.collaborators c where c.tenant_id = own and c.id = given));
begin
  if player is null then
    perform private.reject('not_found', 'There is no player with this id.');
  end if;
  return private.list_page(
    'point_entries',
    $c$v.player_id = ($1 ->> 'player')::uuid and $c$ || private.search_in($c$v.record ->> 'note'$c$, page),
    case when (page ->> 'descending')::boolean then 'v.created_at desc, v.id desc' else 'v.created_at, v.id' end,
    page || jsonb_build_object('player', player));
end
$$;

comment on function manage.list_player_points(text, jsonb) is
  'A page of the point entries of a user or collaborator; page as in manage.list_records.';

-- Payments --------------------------------------------------------------------------------------------------------------

-- allow: expand-contract: the columns stay, and the record has more members
create or replace view manage.provider_accounts as
  select a.id, a.provider as name, a.created_at, a.provider, a.disconnected_at, r.record,
         private.version_of(r.record, '{reason,webhook_state,last_event_at,rejected_events,balance,currency,balance_read_at,checked_at,reconciled_at,tax_regime,national_portal,warnings}') as version
  from public.provider_accounts a
  cross join lateral (select json_build_object(
    'id', a.id, 'provider', a.provider, 'status', a.status, 'reason', a.reason, 'capabilities', a.capabilities, 'settings', a.settings,
    'webhook_state', a.webhook_state, 'last_event_at', private.utc(a.last_event_at), 'rejected_events', a.rejected_events,
    'balance', (a.balances #>> '{0,amount}')::bigint, 'currency', a.balances #>> '{0,currency}', 'balance_read_at', private.utc(a.balance_read_at),
    'created_at', private.utc(a.created_at), 'checked_at', private.utc(a.checked_at), 'reconciled_at', private.utc(a.reconciled_at),
    'disconnected_at', private.utc(a.disconnected_at),
    'tax_regime', case when a.provider = 'asaas' then coalesce(a.tax_regime, 'unknown') end, 'national_portal', a.national_portal,
    'warnings', private.account_warnings(a)) as record) as r
  where a.tenant_id = (select app.tenant_id());

create or replace function manage.list_payments(of_view text, page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    case of_view when 'provider_accounts' then 'provider_accounts' when 'cost_centers' then 'cost_centers' else 'payouts' end,
    private.search_in(
      case of_view when 'payouts' then $c$concat_ws(chr(10), v.name, v.id, v.record ->> 'beneficiary_name', v.record ->> 'contractor_reference')$c$
                   when 'cost_centers' then $c$concat_ws(chr(10), v.name, v.record ->> 'name')$c$ else 'v.name' end,
      page)
      || case page ->> 'waiting' when 'approval' then $c$ and v.approval = 'waiting' and v.status = 'created'$c$
                                 when 'funding' then $c$ and v.status = 'incoming_payment_waiting' and v.funding is not null$c$ else '' end
      || case when of_view = 'payouts' and page ? 'status' then $c$ and v.status = $1 ->> 'status'$c$ else '' end,
    case page ->> 'sort' when 'name' then 'v.name' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.record ->> ''id'' desc' else ', v.record ->> ''id''' end,
    page)
$$;

create view manage.provider_differences as
  select d.id, d.subject as name, d.found_at as created_at, d.account_id, d.resolved_at, json_build_object(
    'id', d.id::text, 'account_id', d.account_id, 'provider', a.provider, 'kind', d.kind, 'subject', d.subject, 'ours', d.ours,
    'theirs', d.theirs, 'found_at', private.utc(d.found_at), 'resolved_at', private.utc(d.resolved_at)) as record
  from public.provider_differences d
  join public.provider_accounts a on a.tenant_id = d.tenant_id and a.id = d.account_id
  where d.tenant_id = (select app.tenant_id());

comment on view manage.provider_differences is 'Unexplained differences with providers as the admin API shows them.';

create function manage.list_differences(page jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.list_page(
    'provider_differences',
    private.search_in('v.name', page) || $c$ and ($1 ->> 'account_id' is null or v.account_id = $1 ->> 'account_id')$c$
      || case page ->> 'resolved' when 'true' then ' and v.resolved_at is not null' when 'false' then ' and v.resolved_at is null' else '' end,
    case page ->> 'sort' when 'name' then 'lower(v.name)' else 'v.created_at' end
      || case when (page ->> 'descending')::boolean then ' desc, v.id desc' else ', v.id' end,
    page)
$$;

comment on function manage.list_differences(jsonb) is 'A page of differences with providers; page as in manage.list_records, with account_id and resolved.';
