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
