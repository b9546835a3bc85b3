-- Access: admission of a client, which the first statement of its request does (shared/platform/access/admission.ts). `private.admitted_clients` has one row for each client that
-- may make requests. Triggers derive it from clients, plans, revoked tokens and moves, in the transaction that changes them.

create table private.admitted_clients (
  client_id            text        primary key references public.oauth_clients (client_id) on update cascade on delete cascade,
  tenant_id            uuid        not null,
  requests_per_minute  integer     not null,
  scopes               text[]      not null,
  tokens_revoked_until timestamptz
);

comment on table  private.admitted_clients is
  'Clients that may make requests, by client id; derived by triggers from clients, plans, revoked tokens and moves. Do not edit.';
comment on column private.admitted_clients.requests_per_minute is 'The limit of the tenant''s plan.';
comment on column private.admitted_clients.tokens_revoked_until is
  'When the last revoked token of the client expires; until then each token is looked up. Null if none was revoked.';

create index admitted_clients_tenant_idx on private.admitted_clients (tenant_id);

alter table private.admitted_clients enable row level security;
grant usage on schema private to placar_login;
grant select on private.admitted_clients to placar_login;

create policy "The first statement of a request finds its client" on private.admitted_clients
  for select to placar_login using (true);

create view private.clients_to_admit with (security_invoker = true) as
  select c.client_id, c.tenant_id, p.requests_per_minute, c.scopes,
         (select max(r.expires_at) from private.revoked_tokens r where r.oauth_client_id = c.id) as tokens_revoked_until
  from public.oauth_clients c
  join public.tenants t on t.id = c.tenant_id
  join public.plans p   on p.name = t.plan
  where c.revoked_at is null
    and not exists (select from private.tenant_moves m where m.tenant_id = c.tenant_id and m.closed)
    and not exists (select from private.moved_callers m where m.kind = 'oauth_client' and m.name = c.client_id);

comment on view private.clients_to_admit is 'What private.admitted_clients is derived from.';

create function private.refresh_admissions(tenant_ids uuid[]) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Concurrent changes of a tenant, and deletions of its clients, wait here for each other. The statements below see what they committed.
  perform from public.tenants t where t.id = any (tenant_ids) order by t.id for no key update;
  perform from public.oauth_clients c where c.tenant_id = any (tenant_ids) order by c.client_id for key share;
  delete from private.admitted_clients a
  where a.tenant_id = any (tenant_ids) and not exists (select from private.clients_to_admit c where c.client_id = a.client_id);
  insert into private.admitted_clients as a (client_id, tenant_id, requests_per_minute, scopes, tokens_revoked_until)
  select c.* from private.clients_to_admit c where c.tenant_id = any (tenant_ids)
  on conflict (client_id) do update set
    tenant_id            = excluded.tenant_id,
    requests_per_minute  = excluded.requests_per_minute,
    scopes               = excluded.scopes,
    tokens_revoked_until = excluded.tokens_revoked_until
  where a is distinct from excluded;
end
$$;

comment on function private.refresh_admissions(uuid[]) is 'Derives the admitted clients of tenants again.';

create function private.keep_admissions() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
begin
  if tg_table_name = 'tenants' then
    perform from public.plans p where p.name = new.plan for share;
  end if;
  perform private.refresh_admissions(
    case tg_table_name
      when 'plans'          then array(select t.id from public.tenants t where t.plan = changed ->> 'name')
      when 'tenants'        then array[(changed ->> 'id')::uuid]
      when 'revoked_tokens' then array(select c.tenant_id from public.oauth_clients c where c.id = (changed ->> 'oauth_client_id')::uuid)
      when 'moved_callers'  then array(select m.tenant_id from private.tenant_moves m where m.id = (changed ->> 'move_id')::uuid)
      else array[(changed ->> 'tenant_id')::uuid]
    end);
  return null;
end
$$;

comment on function private.keep_admissions() is 'Trigger: derives the admitted clients of the tenants whose row it is.';

create trigger keep_admissions after insert or update of tenant_id, scopes, revoked_at on public.oauth_clients
  for each row execute function private.keep_admissions();
create trigger keep_admissions after insert on private.revoked_tokens
  for each row execute function private.keep_admissions();
create trigger keep_admissions after update of plan on public.tenants
  for each row when (old.plan is distinct from new.plan) execute function private.keep_admissions();
create trigger keep_admissions after update of requests_per_minute on public.plans
  for each row execute function private.keep_admissions();
create trigger keep_admissions after insert or delete or update of closed on private.tenant_moves
  for each row execute function private.keep_admissions();
create trigger keep_admissions_after_insert after insert on private.moved_callers
  for each row when (new.kind = 'oauth_client') execute function private.keep_admissions();
create trigger keep_admissions_after_delete after delete on private.moved_callers
  for each row when (old.kind = 'oauth_client') execute function private.keep_admissions();

-- In a request --------------------------------------------------------------------------------------------------------

create function private.refuse_client(tenant_id uuid, client_id text, token_id uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  is_revoked constant boolean := exists (select from private.revoked_tokens r where r.token_id = refuse_client.token_id);
  address    text;
begin
  select m.moved_to into address
  from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
  where c.kind = 'oauth_client' and c.name = refuse_client.client_id and not is_revoked;
  if found then
    raise exception 'tenant_moved' using errcode = 'PL421', detail = address;
  elsif not is_revoked and private.is_closed(tenant_id) and exists (
    select from public.oauth_clients c
    where c.tenant_id = refuse_client.tenant_id and c.client_id = refuse_client.client_id and c.revoked_at is null
  ) then
    raise exception 'This workspace is being moved. Nothing was done; please retry.' using errcode = 'PL503';
  end if;
  raise exception 'client_revoked' using errcode = 'PL401', detail = coalesce((
    select p.requests_per_minute from public.tenants t join public.plans p on p.name = t.plan where t.id = refuse_client.tenant_id), 0);
end
$$;

comment on function private.refuse_client(uuid, text, uuid) is 'Raises why a client is not admitted: moved, closed or revoked.';

create function app.admit_client(
  tenant_id uuid, client_id text, token_id uuid, used integer default null, any_scope text[] default null, every_scope text[] default null)
returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  admitted private.admitted_clients;
begin
  select a.* into admitted
  from private.admitted_clients a
  where a.client_id = admit_client.client_id and a.tenant_id = admit_client.tenant_id;
  if not found
     or admitted.tokens_revoked_until > now() and exists (select from private.revoked_tokens r where r.token_id = admit_client.token_id) then
    perform private.refuse_client(tenant_id, client_id, token_id);
  elsif not admitted.scopes && any_scope then
    raise exception 'scope_missing' using errcode = 'PL433';
  elsif not ('admin' = any (admitted.scopes) or every_scope <@ admitted.scopes) then
    raise exception 'scope_missing' using errcode = 'PL433',
      detail = array_to_string(array(select unnest(every_scope) except select unnest(admitted.scopes)), ' ');
  elsif used > admitted.requests_per_minute then
    raise exception 'rate_limited' using errcode = 'PL430', detail = admitted.requests_per_minute;
  end if;
  return admitted.requests_per_minute;
end
$$;

comment on function app.admit_client(uuid, text, uuid, integer, text[], text[]) is
  'Returns the requests per minute of a client''s plan; fails if the client or token is revoked, the client lacks the scopes, or it used more (login role only).';

grant execute on function app.admit_client(uuid, text, uuid, integer, text[], text[]) to placar_login;
