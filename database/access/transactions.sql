-- Access: the first statement of every transaction.

create function app.admit_client(
  tenant_id uuid, client_id text, token_id uuid default null, any_scope text[] default null, every_scope text[] default null) returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  allowed integer;
  revoked boolean;
  current text[];
  address text;
begin
  select m.moved_to into address
  from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
  where c.kind = 'oauth_client' and c.name = admit_client.client_id
    and not exists (select from private.revoked_tokens r where r.token_id = admit_client.token_id);
  if found then
    raise exception 'tenant_moved' using errcode = 'PL421', detail = address;
  end if;
  select p.requests_per_minute,
         c.revoked_at is not null or c.client_id is null
           or exists (select from private.revoked_tokens r where r.token_id = admit_client.token_id),
         c.scopes
  into allowed, revoked, current
  from public.tenants t
  join public.plans p              on p.name = t.plan
  left join public.oauth_clients c on c.tenant_id = t.id and c.client_id = admit_client.client_id
  where t.id = admit_client.tenant_id;
  if revoked is not false then
    raise exception 'client_revoked' using errcode = 'PL401', detail = coalesce(allowed, 0);
  elsif private.is_closed(tenant_id) then
    raise exception 'This workspace is being moved. Nothing was done; please retry.' using errcode = 'PL503';
  elsif not current && any_scope then
    raise exception 'scope_missing' using errcode = 'PL433';
  elsif not ('admin' = any (current) or every_scope <@ current) then
    raise exception 'scope_missing' using errcode = 'PL433', detail = array_to_string(array(select unnest(every_scope) except select unnest(current)), ' ');
  end if;
  return allowed;
end
$$;

comment on function app.admit_client(uuid, text, uuid, text[], text[]) is
  'Returns the requests per minute of a client''s plan; fails if the client or token is revoked, or the client lost the scopes (login role only).';

create function app.begin_transaction(
  role                 text,
  tenant_id            uuid,
  statement_timeout_ms integer,
  lock_timeout_ms      integer,
  origin               text,
  silent               boolean,
  reads                boolean,
  client_id            text,
  used                 integer,
  token_id             uuid,
  any_scope            text[] default null,
  every_scope          text[] default null
) returns integer
language plpgsql
set search_path = ''
as $$
declare
  allowed integer;
begin
  if client_id is not null then
    allowed := app.admit_client(tenant_id, client_id, token_id, any_scope, every_scope);
    if used > allowed then
      raise exception 'rate_limited' using errcode = 'PL430', detail = allowed;
    end if;
  end if;
  perform set_config('app.tenant_id', coalesce(tenant_id::text, ''), true),
          set_config('app.origin', coalesce(origin, ''), true),
          set_config('app.silent', case when silent then 'on' else '' end, true),
          set_config('statement_timeout', statement_timeout_ms::text, true),
          set_config('lock_timeout', lock_timeout_ms::text, true),
          set_config('role', role, true);
  if reads then
    perform set_config('transaction_read_only', 'on', true);
  end if;
  return allowed;
end
$$;

comment on function app.begin_transaction(text, uuid, integer, integer, text, boolean, boolean, text, integer, uuid, text[], text[]) is
  'First statement of every transaction: sets role, tenant and timeouts; fails if an OAuth client is not admitted (login role only).';
