-- Why a request failed, in SQL: the request log of a tenant with advice for each failure, and the slug of the tenant in every view.

-- Requests --------------------------------------------------------------------------------------------------------------
create function app.remedy(status integer, reason text) returns text
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

comment on function app.remedy(integer, text) is 'What to do about a failed request, in a sentence; null if it succeeded.';

-- A type of its own, because a column and a parameter of one function cannot both be called status.
create type private.request_entry as (
  at timestamptz, request_id text, function text, method text, path text, status integer, reason text, fields text[], query text[],
  caller_kind text, caller_id text, caller text, ip inet, duration_ms integer, requests integer, remedy text
);

create function admin.requests(tenant text, "from" timestamptz default null, "to" timestamptz default null, status text default null)
returns setof private.request_entry
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  own    constant uuid        := private.tenant_named(tenant);
  ends   constant timestamptz := coalesce(requests."to", now());
  begins constant timestamptz := coalesce(requests."from", ends - interval '24 hours');
begin
  if ends - begins > interval '31 days' then
    perform private.refuse_argument('from', 'must be at most 31 days before to');
  elsif requests.status !~ '^([1-5]\d\d|[45]xx|failed)$' then
    perform private.refuse_argument('status', format('"%s" is not a status', requests.status), array['404', '4xx', '5xx', 'failed']);
  end if;
  return query
    select r.at, r.request_id, r.function, r.method, r.path, r.status::integer, r.reason, r.fields, r.query,
           case when r.client_id is not null then 'client' when r.api_key_id is not null then 'api_key' when r.user_id is not null then 'person' end,
           coalesce(r.client_id, r.api_key_id::text, r.user_id::text), coalesce(c.label, k.label, u.name), r.ip, r.duration_ms, r.requests,
           app.remedy(r.status, r.reason)
    from public.request_log r
    left join public.api_keys k      on k.id = r.api_key_id
    left join public.oauth_clients c on c.client_id = r.client_id
    left join public.users u         on u.tenant_id = r.tenant_id and u.id = r.user_id
    where r.tenant_id = own and r.at >= begins and r.at < ends
      and case when requests.status is null then true
               when requests.status = 'failed' then r.status >= 400
               when requests.status like '%xx' then r.status / 100 = left(requests.status, 1)::integer
               else r.status = requests.status::integer end
    order by r.at desc;
end
$$;

comment on function admin.requests(text, timestamptz, timestamptz, text) is
  'The requests of a tenant (slug or id), newest first, with what to do about failures; by default those of the last 24 hours.';

select private.create_argument_overloads('admin.requests(text, timestamptz, timestamptz, text)'::regprocedure);

-- The slug beside the id ----------------------------------------------------------------------------------------------------

do $$
declare
  v record;
begin
  for v in
    select c.oid, c.relname as name from pg_catalog.pg_class c
    where c.relnamespace = 'admin'::regnamespace and c.relkind = 'v'
      and exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
      and not exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant')
  loop
    execute format(
      'create or replace view admin.%I with (security_invoker = true) as select v.*, (select t.slug from public.tenants t where t.id = v.tenant_id) as tenant from (%s) as v',
      v.name, rtrim(pg_get_viewdef(v.oid), ';'));
    execute format('comment on column admin.%I.tenant is %L', v.name, 'Slug of the tenant.');
  end loop;
end
$$;
