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
