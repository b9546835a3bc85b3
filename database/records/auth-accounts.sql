-- Records: which Supabase Auth accounts Placar may ban and delete, and which account each user has.
--
-- Auth belongs to the whole deployment: other programs have accounts there, and operators may ban anyone. A tenant can
-- enter any email address, which must not affect the account with that address in any way. An account is therefore
-- linked to Placar only when one of our invitations created it or its owner accepted one. Only linked accounts are
-- changed: Placar lifts only its own bans, and deletes only accounts that it created. Users are linked by account id,
-- because people change their address in Auth.

create table private.auth_accounts (
  auth_user_id uuid        primary key references auth.users (id) on delete cascade,
  tie          text        not null check (tie in ('invited', 'accepted')),
  made         boolean     not null,
  tied_at      timestamptz not null default clock_timestamp(),
  ban_seconds  bigint      not null default (876000 * 3600.0 + (1 + 9 * random()) * 365 * 86400)::bigint,
  ban_asked_at timestamptz
);

comment on table  private.auth_accounts is
  'Auth accounts that Placar may ban, and delete if it created them; other accounts are never changed.';
comment on column private.auth_accounts.auth_user_id is 'Account id in Auth, because an email address can move to another account.';
comment on column private.auth_accounts.tie is
  'invited: our invitation created the account; accepted: its owner accepted an invitation.';
comment on column private.auth_accounts.made is 'Whether our invitation created the account; other accounts are never deleted.';
comment on column private.auth_accounts.tied_at is 'When the account was linked.';
comment on column private.auth_accounts.ban_seconds is
  'Duration of our bans: over a hundred years and random per account, which distinguishes them from an operator''s bans.';
comment on column private.auth_accounts.ban_asked_at is 'When a ban was last requested from Auth; null if never.';

alter table private.auth_accounts enable row level security;

create table private.user_accounts (
  tenant_id    uuid not null,
  user_id      uuid not null,
  auth_user_id uuid not null references auth.users (id) on delete cascade,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  private.user_accounts is
  'Account of each user who is or was active, found by email address on activation and kept when the address changes.';
comment on column private.user_accounts.auth_user_id is 'Account id in Auth.';

create index user_accounts_account_idx on private.user_accounts (auth_user_id);

alter table private.user_accounts enable row level security;

create function private.find_auth_account(email text) returns uuid
language sql stable
set search_path = ''
as $$
  select a.id from auth.users a where a.email = find_auth_account.email and not a.is_sso_user and a.deleted_at is null
$$;

comment on function private.find_auth_account(text) is 'The account that currently has this email address.';

create function private.tie_auth_account(email text, tie text) returns void
language sql
set search_path = ''
as $$
  insert into private.auth_accounts (auth_user_id, tie, made)
  select a.id, tie_auth_account.tie, tie_auth_account.tie = 'invited'
  from private.find_auth_account(tie_auth_account.email) as a (id)
  where a.id is not null
  on conflict on constraint auth_accounts_pkey do update set tie = excluded.tie, tied_at = excluded.tied_at
  where auth_accounts.tie = 'invited'
$$;

comment on function private.tie_auth_account(text, text) is
  'Links the account with this email address to Placar because our invitation created it or its owner accepted one.';

create function private.tie_active_users(email text) returns void
language sql
set search_path = ''
as $$
  insert into private.user_accounts (tenant_id, user_id, auth_user_id)
  select u.tenant_id, u.id, a.id
  from private.find_auth_account(tie_active_users.email) as a (id)
  join public.users u on u.email = tie_active_users.email and u.status = 'active'
  where a.id is not null
  on conflict do nothing
$$;

comment on function private.tie_active_users(text) is
  'Links active users with this email address to its account; existing links stay.';

-- Auth does not store who set a ban, and its response can get lost. Placar therefore recognizes its own bans by their
-- duration, which no operator would choose.
create function private.is_own_ban(account private.auth_accounts, banned_until timestamptz) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(abs(extract(epoch from banned_until - account.ban_asked_at) - account.ban_seconds) < 600, false)
$$;

comment on function private.is_own_ban(private.auth_accounts, timestamptz) is
  'Whether a ban that ends at this time is the one that Placar requested, with a tolerance of ten minutes.';

create function app.next_auth_act(email text, account_id uuid default null)
returns table (auth_user_id uuid, act text, ban_seconds bigint, again_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account       private.auth_accounts;
  address       text;
  ends_at       timestamptz;
  people        bigint;
  active        boolean;
  invited_until timestamptz;
  wanted        text;
begin
  select t.* into account
  from private.auth_accounts t
  where t.auth_user_id = coalesce(next_auth_act.account_id, private.find_auth_account(next_auth_act.email));
  select a.email, case when a.banned_until > now() then a.banned_until end into address, ends_at
  from auth.users a where a.id = account.auth_user_id and a.deleted_at is null;
  if not found then
    return;
  end if;
  select count(*), coalesce(bool_or(u.status = 'active'), false) into people, active
  from private.user_accounts t
  join public.users u on u.tenant_id = t.tenant_id and u.id = t.user_id
  where t.auth_user_id = account.auth_user_id;
  select max(i.expires_at) into invited_until
  from public.users u
  join public.invitations i on i.tenant_id = u.tenant_id and i.user_id = u.id
  where u.email = address and i.status = 'pending' and i.expires_at > now();

  -- Merely entering an email address does not affect its account, except that a pending invitation postpones its
  -- deletion.
  wanted := case
    when active then 'open'
    when people > 0 then 'banned'
    when not account.made then 'open'
    when invited_until is not null then case account.tie when 'accepted' then 'banned' else 'unchanged' end
    when account.tie = 'invited' and exists (select from public.users u where u.email = address and u.status = 'deactivated')
      then 'banned'
    else 'gone'
  end;

  auth_user_id := account.auth_user_id;
  if ends_at is not null and not private.is_own_ban(account, ends_at) then
    -- Never change an operator's ban or delete the banned account. If that ban ends before ours would, ours follows.
    if wanted = 'banned' and ends_at < now() + interval '1 year' then
      act := 'wait';
      again_at := ends_at;
      return next;
    end if;
  elsif wanted = 'open' and ends_at is not null then
    act := 'lift';
    return next;
  elsif wanted = 'gone' then
    act := 'delete';
    return next;
  elsif wanted = 'banned' and ends_at is null then
    update private.auth_accounts t set ban_asked_at = clock_timestamp() where t.auth_user_id = account.auth_user_id;
    act := 'ban';
    ban_seconds := account.ban_seconds;
    return next;
  elsif wanted <> 'open' and people = 0 and invited_until is not null then
    act := 'wait';
    again_at := invited_until;
    return next;
  end if;
end
$$;

comment on function app.next_auth_act(text, uuid) is
  'Next action in Auth for an account (by id or email address): ban, lift, delete or wait; no row if none (worker only).';

grant execute on function app.next_auth_act(text, uuid) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.auth_accounts with (security_invoker = true) as
  select a.email, t.auth_user_id, t.tie, t.made, t.tied_at, a.banned_until,
         case when a.banned_until > now() then
           case when private.is_own_ban(t, a.banned_until) then 'placar' else 'operator' end end as banned_by,
         (select count(*) from private.user_accounts u where u.auth_user_id = t.auth_user_id) as tenants
  from private.auth_accounts t
  join auth.users a on a.id = t.auth_user_id;

comment on view admin.auth_accounts is
  'Auth accounts that Placar may ban: those it invited or that accepted an invitation; other accounts are never changed.';
comment on column admin.auth_accounts.email is 'Email address of the account in Auth.';
comment on column admin.auth_accounts.auth_user_id is 'Account id in Auth.';
comment on column admin.auth_accounts.tie is
  'invited: an invitation from Placar created the account; accepted: its owner accepted an invitation.';
comment on column admin.auth_accounts.made is
  'Whether an invitation from Placar created the account; other accounts are never deleted.';
comment on column admin.auth_accounts.tied_at is 'When the account was linked.';
comment on column admin.auth_accounts.banned_until is 'End of the ban in Auth; null or in the past if not banned.';
comment on column admin.auth_accounts.banned_by is
  'placar: lifted when the user becomes active again; operator: stays until an operator lifts it; null if not banned.';
comment on column admin.auth_accounts.tenants is
  'Number of tenants in which the owner is or was an active user; tenants with only an invitation do not count.';
