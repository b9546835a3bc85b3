-- Records: which accounts of Supabase Auth are Placar's to ban and to delete, and which users have which account.
--
-- Auth belongs to the deployment: other programs have accounts there, and operators ban whom they want. A tenant can name any
-- e-mail; that alone must do nothing to the account that has it, for or against. So an account is tied to Placar when an
-- invitation of ours made it, or when its owner accepted one, and only a tied account is ever touched: banned by our own bans,
-- and deleted only where we made it. Whose users count is kept by the account's id, since people change their e-mail in Auth.

create table private.auth_accounts (
  auth_user_id uuid        primary key references auth.users (id) on delete cascade,
  tie          text        not null check (tie in ('invited', 'accepted')),
  made         boolean     not null,
  tied_at      timestamptz not null default clock_timestamp(),
  ban_seconds  bigint      not null default (876000 * 3600.0 + (1 + 9 * random()) * 365 * 86400)::bigint,
  ban_asked_at timestamptz
);

comment on table  private.auth_accounts is
  'Accounts of Auth that Placar may ban, and delete where it made them. One that is not here is never touched. Goes with its account.';
comment on column private.auth_accounts.auth_user_id is 'The account, by its id in Auth: an e-mail may get to be another''s.';
comment on column private.auth_accounts.tie is 'invited: an invitation of ours made the account; accepted: its owner accepted one.';
comment on column private.auth_accounts.made is 'Whether an invitation of ours made the account. Others are never deleted.';
comment on column private.auth_accounts.tied_at is 'Since when.';
comment on column private.auth_accounts.ban_seconds is
  'How long a ban of ours lasts: over a hundred years, and for each account another time, which tells our bans from an operator''s.';
comment on column private.auth_accounts.ban_asked_at is 'When Auth was last asked for a ban; null when it never was.';

alter table private.auth_accounts enable row level security;

create table private.user_accounts (
  tenant_id    uuid not null,
  user_id      uuid not null,
  auth_user_id uuid not null references auth.users (id) on delete cascade,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  private.user_accounts is
  'The account of each user who was active once, found by the e-mail when they became so. It stays theirs whatever e-mail it gets.';
comment on column private.user_accounts.auth_user_id is 'The account, by its id in Auth.';

create index user_accounts_account_idx on private.user_accounts (auth_user_id);

alter table private.user_accounts enable row level security;

create function private.find_auth_account(email text) returns uuid
language sql stable
set search_path = ''
as $$
  select a.id from auth.users a where a.email = find_auth_account.email and not a.is_sso_user and a.deleted_at is null
$$;

comment on function private.find_auth_account(text) is 'The account that has this e-mail at the moment.';

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
  'Makes the account with this e-mail one that Placar may ban: its invitation made it, or its owner accepted one.';

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
  'Gives active users with this e-mail the account that has it; those that have one keep it.';

-- Auth has no place to say whose a ban is, and an answer of Auth may be lost. The end of a ban says it: ours end a time after
-- they were asked for that nobody would choose.
create function private.is_own_ban(account private.auth_accounts, banned_until timestamptz) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(abs(extract(epoch from banned_until - account.ban_asked_at) - account.ban_seconds) < 600, false)
$$;

comment on function private.is_own_ban(private.auth_accounts, timestamptz) is
  'Whether a ban that ends then is the one that Placar asked for, give or take ten minutes of clocks and ways.';

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

  -- Who only named the e-mail has no say about somebody's account, but that an open invitation puts off its deletion.
  wanted := case
    when active then 'open'
    when people > 0 then 'banned'
    when not account.made then 'open'
    when invited_until is not null then case account.tie when 'accepted' then 'banned' else 'as it is' end
    when account.tie = 'invited' and exists (select from public.users u where u.email = address and u.status = 'deactivated')
      then 'banned'
    else 'gone'
  end;

  auth_user_id := account.auth_user_id;
  if ends_at is not null and not private.is_own_ban(account, ends_at) then
    -- An operator's ban stands, whatever tenants do, and so does the account under it. Where it ends before ours would, ours
    -- follows.
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
  'What is to be done next with this account in Auth, else with the one that has this e-mail, by its users in all tenants: ban, lift, delete, or wait until an operator''s ban or an invitation ends. Nothing when all is as it should be, or the account is not Placar''s. For jobs alone.';

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
  'Accounts of Auth that Placar may ban: those that it invited, or that accepted an invitation. Others are never touched.';
comment on column admin.auth_accounts.email is 'E-mail of the account in Auth.';
comment on column admin.auth_accounts.auth_user_id is 'Id of the account in Auth.';
comment on column admin.auth_accounts.tie is 'invited: an invitation of Placar made it; accepted: its owner accepted one.';
comment on column admin.auth_accounts.made is 'Whether an invitation of Placar made it. Others are never deleted.';
comment on column admin.auth_accounts.tied_at is 'Since when it is so.';
comment on column admin.auth_accounts.banned_until is 'Until when Auth keeps them out; null or past when it does not.';
comment on column admin.auth_accounts.banned_by is
  'placar: lifted when the user is active again; operator: stands until an operator lifts it; null when not banned.';
comment on column admin.auth_accounts.tenants is
  'Tenants where its owner is a user, deactivated ones included; who was only invited is not counted.';
