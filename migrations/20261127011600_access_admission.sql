set local check_function_bodies = off;

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

-- Access: what users may do after signing in, as scopes. Presets name the usual sets. A user's role decides only which preset a user gets when
-- it is created or its role changes, and gives only what its writer has.

create function private.preset_scopes(preset text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select case when preset = any (private.access_presets()) then array['self', 'read:standings'] end || case preset
    when 'seller'  then '{}'::text[]
    when 'manager' then array['read:leads', 'read:deals', 'read:users', 'read:teams', 'read:settings', 'write:leads', 'write:deals',
                              'read:payments', 'request:payouts']
    when 'finance' then array['read:payments', 'manage:payments', 'request:payouts', 'approve:payouts']
    when 'admin'   then array['admin', 'read:payments', 'manage:payments', 'approve:payouts', 'request:payouts', 'manage:access',
                              'manage:persons']
  end
$$;

comment on function private.preset_scopes(text) is
  'Scopes of a preset: seller, manager, finance or admin; null for any other word. Every user has those of seller.';

create function private.access_presets() returns text[]
language sql immutable parallel safe
set search_path = ''
as $$ select array['seller', 'manager', 'finance', 'admin'] $$;

comment on function private.access_presets() is 'Names of the presets of access.';

create table private.user_access (
  tenant_id uuid    not null,
  user_id   uuid    not null,
  scopes    text[]  not null check (scopes <@ (private.oauth_scopes() || 'self'::text)),
  version   integer not null default 1,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  private.user_access is 'What a user may do after signing in; a user without a row has the scopes of the preset seller.';
comment on column private.user_access.version is 'Increases with each change of access or role, which ends the tokens that were issued before.';

alter table private.user_access enable row level security;

create function private.scopes_of_user(tenant_id uuid, user_id uuid) returns text[]
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select a.scopes from private.user_access a where a.tenant_id = scopes_of_user.tenant_id and a.user_id = scopes_of_user.user_id),
    private.preset_scopes('seller'))
$$;

comment on function private.scopes_of_user(uuid, uuid) is 'The scopes that a user has at the moment.';

create function private.sorted_scopes(scopes text[]) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array(
    select s from unnest(array['self', 'read:standings'] || private.oauth_scopes()) with ordinality as o (s, place)
    where s = any (scopes) group by s order by min(place))
$$;

comment on function private.sorted_scopes(text[]) is 'The known scopes among these, each once, in a fixed order.';

create function private.access_name(scopes text[]) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select p from unnest(private.access_presets()) as p where private.sorted_scopes(private.preset_scopes(p)) = private.sorted_scopes(scopes)
$$;

comment on function private.access_name(text[]) is 'The preset with exactly these scopes; null if there is none.';

create function private.store_user_access(tenant_id uuid, user_id uuid, scopes text[], always_end boolean default false) returns void
language plpgsql
set search_path = ''
as $$
declare
  before  constant text[]  := private.scopes_of_user(tenant_id, user_id);
  after   constant text[]  := private.sorted_scopes(private.preset_scopes('seller') || scopes);
  changes constant boolean := private.sorted_scopes(before) <> after;
begin
  if not changes and not always_end then
    return;
  end if;
  insert into private.user_access as a (tenant_id, user_id, scopes) values (tenant_id, user_id, after)
  on conflict on constraint user_access_pkey do update set scopes = excluded.scopes, version = a.version + 1;
  if changes and private.is_audited() then
    perform private.add_change(
      tenant_id, 'user_access.changed', 'user', user_id::text,
      (select u.name from public.users u where u.tenant_id = store_user_access.tenant_id and u.id = store_user_access.user_id),
      jsonb_build_object('access', coalesce(to_jsonb(private.access_name(before)), to_jsonb(before))),
      jsonb_build_object('access', coalesce(to_jsonb(private.access_name(after)), to_jsonb(after))));
  end if;
end
$$;

comment on function private.store_user_access(uuid, uuid, text[], boolean) is
  'Replaces what a user may do, never less than the preset seller. Ends the user''s tokens if it changes anything, or always.';

-- Callers of requests ---------------------------------------------------------------------------------------------------

create function private.caller_scopes() returns text[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  caller  constant jsonb  := nullif(current_setting('app.actor', true), '')::jsonb;
  -- A token may say more than its client or person has at the moment.
  own     constant text[] := private.with_implied_scopes(array(select jsonb_array_elements_text(caller -> 'scopes')));
  current constant text[] := private.with_implied_scopes(case caller ->> 'kind'
    when 'client' then (select c.scopes from public.oauth_clients c where c.client_id = caller ->> 'id')
    when 'person' then private.scopes_of_user(app.tenant_id(), (caller ->> 'id')::uuid)
  end);
begin
  return array(select s from unnest(own) as s where s = any (current));
end
$$;

comment on function private.caller_scopes() is 'Scopes that the caller of the request has, in its token and at the moment, with those that admin includes.';

-- Roles -----------------------------------------------------------------------------------------------------------------

create function private.follow_role() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  acts_as constant text   := coalesce(nullif(current_setting('role', true), 'none'), session_user);
  preset  constant text[] := private.preset_scopes(case when new.role in ('admin', 'manager') then new.role else 'seller' end);
  had     constant text[] := private.with_implied_scopes(private.scopes_of_user(new.tenant_id, new.id));
  may     text[];
begin
  -- SQL hands out everything; requests what their caller has; jobs nothing.
  may := case
    when acts_as in ('api', 'payments', 'manage') then private.caller_scopes()
    when acts_as = 'worker' then '{}'
    else preset
  end;
  perform private.store_user_access(
    new.tenant_id, new.id, array(select s from unnest(preset) as s where s = any (may) or s = any (had)), tg_op = 'UPDATE');
  return null;
end
$$;

comment on function private.follow_role() is
  'Trigger: a new or changed role gives the user its preset, as far as the writer of the role, or the user before, has those scopes.';

create trigger users_follow_first_role after insert on public.users
  for each row when (new.role in ('admin', 'manager')) execute function private.follow_role();
create trigger users_follow_role after update of role on public.users
  for each row when (old.role <> new.role) execute function private.follow_role();

-- In Studio -------------------------------------------------------------------------------------------------------------

create function admin.set_user_access(tenant text, user_email text, access text[]) returns text
language plpgsql
set search_path = ''
as $$
declare
  own     constant uuid   := private.tenant_named(tenant);
  known   constant text[] := private.access_presets() || 'self'::text || private.oauth_scopes();
  unknown constant text[] := array(select a from unnest(access) as a where a is null or a <> all (known));
  person  public.users;
  scopes  text[];
begin
  select u.* into person from public.users u where u.tenant_id = own and u.email = lower(normalize(btrim(user_email), nfc))
  for no key update;
  if not found then
    perform private.refuse_argument('user_email', format('"%s" is not a user of this tenant', user_email),
      array(select u.email from public.users u where u.tenant_id = own order by u.email));
  elsif access is null or unknown <> '{}' then
    perform private.refuse_argument('access', case when access is null then 'is required' else format('"%s" is unknown', unknown[1]) end, known);
  end if;
  -- Of presets and scopes, the scope is meant by a name that both have: admin gives no more than with the API.
  scopes := array(
    select s from unnest(access) as a, unnest(case when a = any (private.oauth_scopes()) then array[a] else coalesce(private.preset_scopes(a), array[a]) end) as s);
  perform private.store_user_access(own, person.id, scopes);
  scopes := private.scopes_of_user(own, person.id);
  return format('%s has the access %s.', person.name,
                coalesce('"' || private.access_name(scopes) || '"', array_to_string(private.sorted_scopes(scopes), ', ')));
end
$$;

comment on function admin.set_user_access(text, text, text[]) is
  'Replaces what a user may do after signing in, by presets (seller, manager, finance) and scopes, such as admin. Ends the user''s tokens.';

create function admin.set_user_access(tenant text, user_email text, access text) returns text
language sql
set search_path = ''
as $$
  select admin.set_user_access(
    tenant, user_email, case when access like '{%}' then access::text[] else coalesce(private.preset_scopes(access), array[access]) end)
$$;

comment on function admin.set_user_access(text, text, text) is
  'Replaces what a user may do after signing in: seller, manager, finance, admin, or a list such as {self,read:leads}. Ends the user''s tokens.';

-- Access: persons, who are users that signed in through the Supabase Auth account that is linked to them (private.user_accounts).
--
-- The database decides in each exchange and in the first transaction of each request whether account, session, user, workspace and access
-- are still those of the token.

create table private.trusted_sso (
  tenant_id       uuid not null references public.tenants (id) on delete cascade,
  sso_provider_id uuid not null,
  primary key (tenant_id, sso_provider_id)
);

comment on table  private.trusted_sso is 'Single sign-on providers of Auth whose accounts are linked to the tenant''s users by address at their first sign-in.';
comment on column private.trusted_sso.sso_provider_id is 'Id of the provider in Auth.';

alter table private.trusted_sso enable row level security;

create function admin.trust_sso(tenant text, sso_provider_id uuid) returns text
language plpgsql
set search_path = ''
as $$
declare
  own constant uuid := private.tenant_named(tenant);
begin
  perform private.expect_filled('sso_provider_id', sso_provider_id::text);
  insert into private.trusted_sso (tenant_id, sso_provider_id) values (own, trust_sso.sso_provider_id) on conflict do nothing;
  if found then
    perform private.add_change(own, 'sso.trusted', 'sso', sso_provider_id::text, sso_provider_id::text, null,
                               jsonb_build_object('sso_provider_id', sso_provider_id));
  end if;
  return format('Accounts of the single sign-on provider %s are linked to active users with their address.', sso_provider_id);
end
$$;

comment on function admin.trust_sso(text, uuid) is
  'Trusts the addresses of a single sign-on provider of Auth: its accounts are linked to the tenant''s active users at their first sign-in.';

create table private.revoked_person_tokens (
  token_id   uuid        primary key,
  tenant_id  uuid        not null,
  user_id    uuid        not null,
  expires_at timestamptz not null,
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  private.revoked_person_tokens is 'Access tokens of persons that were revoked before they expired; deleted with the user''s next revocation.';
comment on column private.revoked_person_tokens.expires_at is 'When the token expires; the row can be deleted afterwards.';

create index revoked_person_tokens_user_idx on private.revoked_person_tokens (tenant_id, user_id);

alter table private.revoked_person_tokens enable row level security;

create function app.revoke_person_token(tenant_id uuid, user_id uuid, token_id uuid, expires_at timestamptz) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.revoked_person_tokens r
  where r.tenant_id = revoke_person_token.tenant_id and r.user_id = revoke_person_token.user_id and r.expires_at < now();
  insert into private.revoked_person_tokens (token_id, tenant_id, user_id, expires_at)
  select revoke_person_token.token_id, u.tenant_id, u.id, revoke_person_token.expires_at
  from public.users u where u.tenant_id = revoke_person_token.tenant_id and u.id = revoke_person_token.user_id
  for key share
  on conflict do nothing;
end
$$;

comment on function app.revoke_person_token(uuid, uuid, uuid, timestamptz) is
  'Revokes an access token of a person that the caller has verified, from the next request (login role only).';

-- The link ends when an admin gives the user another address: its account belongs to the person of the old one. An account that has the new
-- address already may be anyone's, so that it gets none of the user's access.
create function private.end_account_link() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.user_accounts t where t.tenant_id = new.tenant_id and t.user_id = new.id;
  return null;
end
$$;

comment on function private.end_account_link() is
  'Trigger: a user with another address has no account until it is activated again, or the owner of the address accepts an invitation or confirms it.';

-- Exchange --------------------------------------------------------------------------------------------------------------

create function private.account_fault(account_id uuid, session_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select coalesce(
    (select case
       when a.deleted_at is not null or a.banned_until > now() then 'account'
       when a.email_confirmed_at is null and not a.is_sso_user then 'account'
       when not exists (select from auth.sessions s
                        where s.id = account_fault.session_id and s.user_id = a.id and coalesce(s.not_after > now(), true)) then 'session'
       else ''
     end
     from auth.users a where a.id = account_fault.account_id),
    'account')
$$;

comment on function private.account_fault(uuid, uuid) is
  'What is wrong with an account of Auth or its session: account, session, or empty if they are good.';

create function private.link_sso_account(account_id uuid) returns void
language sql
set search_path = ''
as $$
  insert into private.user_accounts as l (tenant_id, user_id, auth_user_id)
  select u.tenant_id, u.id, a.id
  from auth.users a
  join public.users u on u.email = lower(a.email) and u.status = 'active'
  where a.id = link_sso_account.account_id and a.is_sso_user and exists (
    select from auth.identities i
    join private.trusted_sso t on i.provider = 'sso:' || t.sso_provider_id
    where i.user_id = a.id and t.tenant_id = u.tenant_id)
    -- An account that has a user stays who it is, whatever address its provider gives it later.
    and not exists (select from private.user_accounts o where o.tenant_id = u.tenant_id and o.auth_user_id = a.id)
  on conflict on constraint user_accounts_pkey do update set auth_user_id = excluded.auth_user_id
$$;

comment on function private.link_sso_account(uuid) is
  'Links an account of single sign-on to the active users with its address in the tenants that trust its provider and where it has no user yet.';

create function app.workspaces_of_account(account_id uuid, session_id uuid)
returns table (
  fault               text,
  tenant_id           uuid,
  slug                text,
  name                text,
  user_id             uuid,
  scopes              text[],
  access_version      integer,
  plan                text,
  requests_per_minute integer,
  require_mfa         boolean,
  closed              boolean,
  moved_to            text
)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  fault := private.account_fault(account_id, session_id);
  if fault <> '' then
    return next;
    return;
  end if;
  perform private.link_sso_account(account_id);
  return query
    select '', t.id, t.slug, t.name, u.id, private.scopes_of_user(t.id, u.id), coalesce(a.version, 0), t.plan, p.requests_per_minute,
           t.require_mfa, private.is_closed(t.id),
           (select m.moved_to from private.tenant_moves m where m.tenant_id = t.id and m.closed and m.direction = 'out')
    from private.user_accounts l
    join public.users u   on u.tenant_id = l.tenant_id and u.id = l.user_id and u.status = 'active'
    join public.tenants t on t.id = u.tenant_id and t.sign_in
    join public.plans p   on p.name = t.plan
    left join private.user_access a on a.tenant_id = u.tenant_id and a.user_id = u.id
    where l.auth_user_id = workspaces_of_account.account_id
      -- Another user of the workspace may have got the address that the account has by then. The person stays the first one.
      and not exists (
        select from private.user_accounts o
        join public.users first on first.tenant_id = o.tenant_id and first.id = o.user_id and first.status = 'active'
        where o.tenant_id = l.tenant_id and o.auth_user_id = l.auth_user_id and (first.created_at, first.id) < (u.created_at, u.id))
    order by t.name, t.slug;
end
$$;

comment on function app.workspaces_of_account(uuid, uuid) is
  'Workspaces that the person of an account may choose, by name, with the person''s user and access; or what is wrong with the account (login role only).';

-- In a request ----------------------------------------------------------------------------------------------------------

create function app.admit_person(
  tenant_id uuid, user_id uuid, session_id uuid, assurance text, access_version integer, token_id uuid, used integer default null,
  any_scope text[] default null, every_scope text[] default null)
returns integer
language plpgsql stable security definer
set search_path = ''
as $$
declare
  allowed integer;
  own     text[];
  good    boolean;
  address text;
begin
  select p.requests_per_minute, private.scopes_of_user(t.id, u.id),
         u.status = 'active' and t.sign_in and (assurance = 'aal2' or not t.require_mfa)
           and coalesce(a.version, 0) = access_version
           and private.account_fault(l.auth_user_id, session_id) = ''
           and not exists (select from private.revoked_person_tokens r where r.token_id = admit_person.token_id)
  into allowed, own, good
  from public.tenants t
  join public.plans p on p.name = t.plan
  left join public.users u          on u.tenant_id = t.id and u.id = admit_person.user_id
  left join private.user_accounts l on l.tenant_id = u.tenant_id and l.user_id = u.id
  left join private.user_access a   on a.tenant_id = u.tenant_id and a.user_id = u.id
  where t.id = admit_person.tenant_id;
  if good is not true then
    raise exception 'person_not_admitted' using errcode = 'PL401', detail = coalesce(allowed, 0);
  elsif private.is_closed(tenant_id) then
    select m.moved_to into address from private.tenant_moves m
    where m.tenant_id = admit_person.tenant_id and m.closed and m.direction = 'out';
    if address is not null then
      raise exception 'tenant_moved' using errcode = 'PL421', detail = address;
    end if;
    raise exception 'This workspace is being moved. Nothing was done; please retry.' using errcode = 'PL503';
  elsif not own && any_scope then
    raise exception 'scope_missing' using errcode = 'PL433';
  elsif not every_scope <@ private.with_implied_scopes(own) then
    raise exception 'scope_missing' using errcode = 'PL433',
      detail = array_to_string(array(select unnest(every_scope) except select unnest(own)), ' ');
  elsif used > allowed then
    raise exception 'rate_limited' using errcode = 'PL430', detail = allowed;
  end if;
  return allowed;
end
$$;

comment on function app.admit_person(uuid, uuid, uuid, text, integer, uuid, integer, text[], text[]) is
  'Returns the requests per minute of the tenant''s plan; fails if the person''s token no longer holds, or the person lacks the scopes (login role only).';

grant execute on function
  app.workspaces_of_account(uuid, uuid), app.revoke_person_token(uuid, uuid, uuid, timestamptz),
  app.admit_person(uuid, uuid, uuid, text, integer, uuid, integer, text[], text[])
to placar_login;

create trigger users_end_account_link after update of email on public.users
  for each row when (old.email <> new.email) execute function private.end_account_link();

create function app.scopes_of_caller(kind text, id text) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select case kind
    when 'client' then (select c.scopes from public.oauth_clients c where c.client_id = scopes_of_caller.id and c.tenant_id = app.tenant_id())
    when 'person' then private.scopes_of_user(app.tenant_id(), id::uuid)
  end
$$;

comment on function app.scopes_of_caller(text, text) is 'The scopes of a client or person of the tenant at the moment.';

revoke all on function app.scopes_of_caller(text, text) from public;
grant execute on function app.scopes_of_caller(text, text) to api;

-- Access: which callers may be the same person. A caller whose request created or rotated a credential knows its secret, as does the API key that it
-- replaced; a client acts for its user, and did for a former one; and the users of one account are one person. Callers that share any of these
-- count as one: neither may approve a payout that the other requested (payments/approval.sql).

-- Credentials are client ids and ids of API keys.
create table private.credential_holders (
  tenant_id  uuid not null references public.tenants (id) on delete cascade,
  credential text not null,
  holder     text not null,
  primary key (tenant_id, credential, holder)
);

comment on table  private.credential_holders is
  'Credentials that requests created or rotated: a holder has known the secret of the credential and counts as it.';
comment on column private.credential_holders.credential is 'Client id, or id of an API key.';
comment on column private.credential_holders.holder is 'The credential that created or rotated it, the API key that it replaced, or the user that it acted for.';

alter table private.credential_holders enable row level security;

create function private.record_holder() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder)
  select k.tenant_id, k.id::text, app.current_caller() ->> 'id' from public.api_keys k where tg_table_name = 'api_keys' and k.id::text = to_jsonb(new) ->> 'id'
  union all
  select c.tenant_id, c.client_id, app.current_caller() ->> 'id' from public.oauth_clients c
  where tg_table_name = 'oauth_client_secrets' and c.id = (to_jsonb(new) ->> 'oauth_client_id')::uuid
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_holder() is 'Trigger: remembers which caller created or rotated a credential.';

create trigger record_holder after insert on public.api_keys
  for each row when (app.current_caller() is not null) execute function private.record_holder();
create trigger record_holder after insert on private.oauth_client_secrets
  for each row when (app.current_caller() is not null) execute function private.record_holder();

-- Otherwise people could approve what their client requested, once it no longer acts for them.
create function private.record_former_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.credential_holders (tenant_id, credential, holder) values (old.tenant_id, old.client_id, old.user_id::text)
  on conflict do nothing;
  return null;
end
$$;

comment on function private.record_former_user() is 'Trigger: remembers the user that a client acted for, if a request changes it.';

create trigger record_former_user after update of user_id on public.oauth_clients
  for each row when (old.user_id <> coalesce(new.user_id, '00000000-0000-0000-0000-000000000000') and app.current_caller() is not null)
  execute function private.record_former_user();

create function private.holders_of(credential text) returns setof text
language sql stable
set search_path = ''
as $$
  with recursive holders (id) as (
    select holders_of.credential
    union
    select h.holder from holders o
    cross join lateral (
      select k.holder from private.credential_holders k where k.tenant_id = (select app.tenant_id()) and k.credential = o.id
      union all
      -- A client acts for its user.
      select c.user_id::text from public.oauth_clients c
      where c.tenant_id = (select app.tenant_id()) and c.client_id = o.id and c.user_id is not null
      union all
      -- An account that got another address may be that of a second user, too.
      select other.user_id::text from private.user_accounts own
      join private.user_accounts other on other.tenant_id = own.tenant_id and other.auth_user_id = own.auth_user_id
      where own.tenant_id = (select app.tenant_id()) and own.user_id::text = o.id
    ) as h
  )
  select id from holders
$$;

create function private.is_same_person(one jsonb, other jsonb) returns boolean
language sql stable
set search_path = ''
as $$ select exists (select private.holders_of(one ->> 'id') intersect select private.holders_of(other ->> 'id')) $$;

comment on function private.is_same_person(jsonb, jsonb) is
  'Whether one person can act as both callers: by credentials that they made or rotated, or as the user of a client that can.';

comment on function private.holders_of(text) is
  'The credential and all that can act as it: its user, what created or rotated it, other users of the same account, and their holders.';

-- Access: what persons read and change of themselves (/v1/me). These functions run as the owner, because they count with private functions;
-- the caller passes the user of the request's token.

create function app.preset_of_user(user_id uuid) returns text
language sql stable security definer
set search_path = ''
as $$ select private.access_name(private.scopes_of_user(app.tenant_id(), user_id)) $$;

comment on function app.preset_of_user(uuid) is 'The preset that a user''s access equals; null if there is none.';

create function private.own_version(u public.users, opted_out boolean) returns text
language sql stable
set search_path = ''
as $$
  select to_char(u.updated_at at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || case when opted_out then '-hidden' else '' end
$$;

comment on function private.own_version(public.users, boolean) is 'The version of a user''s own record, which includes whether the user opted out of rankings.';

create function app.own_record(user_id uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select app.user_record(u) || jsonb_build_object(
    'version', private.own_version(u, p.opted_out_of_rankings),
    'standings_opt_out', p.opted_out_of_rankings,
    'access', app.preset_of_user(u.id),
    'tenant', jsonb_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'time_zone', t.time_zone),
    'position', (select s.position from app.standing(t.id, p.id, tstzrange('-infinity', 'infinity')) as s),
    'next_tier', (
      select jsonb_build_object('name', i.name, 'min_points', i.min_points) from public.tiers i
      where i.tenant_id = t.id and i.min_points > p.total_points order by i.min_points limit 1))
  from public.users u
  join public.tenants t on t.id = u.tenant_id
  join public.players p on p.tenant_id = u.tenant_id and p.id = u.player_id
  where u.tenant_id = app.tenant_id() and u.id = own_record.user_id
$$;

comment on function app.own_record(uuid) is 'A user of the session''s tenant as the user sees itself; null if it does not exist.';

create function app.change_own_record(user_id uuid, change jsonb, versions text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  own     public.users;
  present text;
begin
  select u.* into own from public.users u where u.tenant_id = app.tenant_id() and u.id = change_own_record.user_id for no key update;
  if not found then
    perform app.raise_domain_error('user_missing');
  end if;
  select private.own_version(own, p.opted_out_of_rankings) into present
  from public.players p where p.tenant_id = own.tenant_id and p.id = own.player_id for no key update;
  if present <> all (versions) then
    raise exception 'the record has another version' using errcode = 'PL412';
  end if;
  update public.users u
  set phone      = case when change ? 'phone' then change ->> 'phone' else u.phone end,
      avatar_url = case when change ? 'avatar_url' then change ->> 'avatar_url' else u.avatar_url end
  where u.tenant_id = own.tenant_id and u.id = own.id and change ?| array['phone', 'avatar_url'];
  update public.players p set opted_out_of_rankings = (change ->> 'standings_opt_out')::boolean
  where p.tenant_id = own.tenant_id and p.id = own.player_id
    and p.opted_out_of_rankings <> (change ->> 'standings_opt_out')::boolean;
end
$$;

comment on function app.change_own_record(uuid, jsonb, text[]) is
  'Changes phone, picture and opt-out of a user; fails if the record has none of these versions (PL412, null means any).';

-- Pages ---------------------------------------------------------------------------------------------------------------

create function app.own_badges(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.id, u.player_id from public.users u where u.tenant_id = app.tenant_id() and u.id = own_badges.user_id
  ), page as (
    select b.*, e.earned_at, row_number() over (order by e.earned_at desc nulls last, b.name collate "und-x-icu", b.id) as place
    from own
    join public.badges b on b.tenant_id = own.tenant_id
    left join public.earned_badges e on e.tenant_id = b.tenant_id and e.badge_id = b.id and e.player_id = own.player_id
  )
  select (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'name', s.name, 'metric', s.metric, 'threshold', s.threshold, 'earned_at', s.earned_at,
      'value', private.metric_value(own.tenant_id, own.player_id, own.id, s.metric)) order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_badges(uuid, integer, bigint) is 'A page of all badges with a user''s progress, earned ones first.';

create function app.own_challenges(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.id, u.player_id from public.users u where u.tenant_id = app.tenant_id() and u.id = own_challenges.user_id
  ), known as (
    select c.*, d.completed_at,
           case when c.ends_at <= now() then 'ended' when c.starts_at > now() then 'upcoming' else 'running' end as state
    from own
    join public.challenges c on c.tenant_id = own.tenant_id
    left join public.completed_challenges d on d.tenant_id = c.tenant_id and d.challenge_id = c.id and d.player_id = own.player_id
  ), page as (
    -- Running ones that end next come first, then those that start next, then those that ended last.
    select k.*, row_number() over (
      order by array_position(array['running', 'upcoming', 'ended'], k.state),
               case k.state when 'running' then k.ends_at when 'upcoming' then k.starts_at end,
               k.ends_at desc, k.id) as place
    from known k
  )
  select (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', s.id, 'name', s.name, 'metric', s.metric, 'target', s.target, 'starts_at', s.starts_at, 'ends_at', s.ends_at,
      'reward_points', s.reward_points, 'state', s.state, 'completed_at', s.completed_at,
      'value', private.metric_value(own.tenant_id, own.player_id, own.id, s.metric, s.starts_at, s.ends_at)) order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_challenges(uuid, integer, bigint) is 'A page of all challenges with a user''s progress, running ones first.';

create function app.own_missions(user_id uuid, page_size integer, page_offset bigint) returns table (records jsonb, total bigint)
language sql stable security definer rows 1
set search_path = ''
as $$
  with own as (
    select u.tenant_id, u.player_id, (
             select c.id from public.collaborators c where c.tenant_id = u.tenant_id and c.player_id = u.player_id) as collaborator_id
    from public.users u where u.tenant_id = app.tenant_id() and u.id = own_missions.user_id
  ), known as (
    select m.id, m.name, 'mission' as kind, m.points, null::text as event, null::uuid as stage_id, null::integer as max_per_day
    from own join public.missions m on m.tenant_id = own.tenant_id
    where exists (select from public.mission_codes mc where mc.tenant_id = m.tenant_id and mc.mission_id = m.id)
    union all
    select r.id, null, 'rule', r.points, r.event, r.stage_id, r.max_per_day
    from own join public.point_rules r on r.tenant_id = own.tenant_id and r.points <> 0
  ), page as (
    select k.*, row_number() over (order by k.kind, k.name collate "und-x-icu", k.event, k.stage_id nulls first, k.id) as place from known k
  )
  select (
    select coalesce(jsonb_agg(case s.kind
      when 'mission' then jsonb_build_object(
        'kind', s.kind, 'id', s.id, 'name', s.name, 'points', s.points,
        'codes', array(select mc.code from public.mission_codes mc
                       where mc.tenant_id = own.tenant_id and mc.mission_id = s.id order by mc.code),
        'completions', (
          select count(*) from public.mission_codes mc
          join public.activities a on a.tenant_id = mc.tenant_id and a.activity_code = mc.code and a.voided_at is null
          where mc.tenant_id = own.tenant_id and mc.mission_id = s.id and a.collaborator_id = own.collaborator_id))
      else jsonb_build_object(
        'kind', s.kind, 'event', s.event, 'points', s.points, 'max_per_day', s.max_per_day,
        'stage', (select jsonb_build_object('id', i.id, 'name', i.name) from public.pipeline_stages i
                  where i.tenant_id = own.tenant_id and i.id = s.stage_id),
        'today', private.times_given_today(own.tenant_id, s.id, own.player_id))
      end order by s.place), '[]')
    from own, page s where s.place > page_offset and s.place <= page_offset + page_size
  ), (select count(*) from page)
$$;

comment on function app.own_missions(uuid, integer, bigint) is
  'A page of what earns a user points: missions with activity codes, by name, then rules that award or deduct points.';

grant execute on function
  app.preset_of_user(uuid), app.own_record(uuid), app.change_own_record(uuid, jsonb, text[]),
  app.own_badges(uuid, integer, bigint), app.own_challenges(uuid, integer, bigint), app.own_missions(uuid, integer, bigint)
to api;
