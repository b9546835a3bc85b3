-- Records: which accounts of Supabase Auth are Placar's to ban and to delete.
--
-- Auth belongs to the deployment: other programs have accounts there, and operators ban whom they want. A tenant can name any
-- e-mail; that alone must do nothing to the account that has it. So an account is tied to Placar when an invitation of ours
-- made it, or when its owner accepted one, and only a tied account is ever touched; and of bans only our own are lifted.

create table private.auth_accounts (
  auth_user_id uuid        primary key references auth.users (id) on delete cascade,
  tie          text        not null check (tie in ('invited', 'accepted')),
  tied_at      timestamptz not null default clock_timestamp(),
  ban_seconds  bigint      not null default (876000 * 3600.0 + (1 + 9 * random()) * 365 * 86400)::bigint,
  ban_asked_at timestamptz
);

comment on table  private.auth_accounts is
  'Accounts of Auth that Placar may ban and delete. One that is not here is never touched. Goes with its account.';
comment on column private.auth_accounts.auth_user_id is 'The account, by its id in Auth: an e-mail may get to be another''s.';
comment on column private.auth_accounts.tie is 'invited: an invitation of ours made the account; accepted: its owner accepted one.';
comment on column private.auth_accounts.tied_at is 'Since when.';
comment on column private.auth_accounts.ban_seconds is
  'How long a ban of ours lasts: over a hundred years, and for each account another time, which tells our bans from an operator''s.';
comment on column private.auth_accounts.ban_asked_at is 'When Auth was last asked for a ban; null when it never was.';

alter table private.auth_accounts enable row level security;

create function private.tie_auth_account(email text, tie text) returns void
language sql
set search_path = ''
as $$
  insert into private.auth_accounts (auth_user_id, tie)
  select a.id, tie_auth_account.tie
  from auth.users a
  where a.email = tie_auth_account.email and not a.is_sso_user and a.deleted_at is null
  on conflict on constraint auth_accounts_pkey do update set tie = excluded.tie, tied_at = excluded.tied_at
  where auth_accounts.tie = 'invited'
$$;

comment on function private.tie_auth_account(text, text) is
  'Makes the account with this e-mail one that Placar may ban and delete: its invitation made it, or its owner accepted one.';

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

create function app.next_auth_act(email text)
returns table (auth_user_id uuid, act text, ban_seconds bigint, again_at timestamptz)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  account private.auth_accounts;
  ends_at timestamptz;
  people  bigint;
  active  boolean;
  invited boolean;
begin
  select t.* into account
  from private.auth_accounts t
  join auth.users a on a.id = t.auth_user_id
  where a.email = next_auth_act.email;
  if not found then
    return;
  end if;
  select a.banned_until into ends_at from auth.users a where a.id = account.auth_user_id and a.banned_until > now();
  select count(*), coalesce(bool_or(u.status = 'active'), false), coalesce(bool_or(u.status = 'invited'), false)
  into people, active, invited
  from public.users u where u.email = next_auth_act.email;

  auth_user_id := account.auth_user_id;
  if ends_at is not null and not private.is_own_ban(account, ends_at) then
    -- An operator's ban stands, whatever tenants do, and so does the account under it. Where it ends before ours would, ours
    -- follows.
    if people > 0 and not active and not invited and ends_at < now() + interval '1 year' then
      act := 'wait';
      again_at := ends_at;
      return next;
    end if;
  elsif active then
    if ends_at is not null then
      act := 'lift';
      return next;
    end if;
  elsif people = 0 then
    act := 'delete';
    return next;
  -- Who is only invited is left as they are: accepting is what lets them in.
  elsif not invited and ends_at is null then
    update private.auth_accounts t set ban_asked_at = clock_timestamp() where t.auth_user_id = account.auth_user_id;
    act := 'ban';
    ban_seconds := account.ban_seconds;
    return next;
  end if;
end
$$;

comment on function app.next_auth_act(text) is
  'What is to be done next with the account of this e-mail in Auth, by its users in all tenants: ban, lift, delete, or wait until an operator''s ban ends. Nothing when all is as it should be, or the account is not Placar''s. For jobs alone.';

grant execute on function app.next_auth_act(text) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.auth_accounts with (security_invoker = true) as
  select a.email, t.auth_user_id, t.tie, t.tied_at, a.banned_until,
         case when a.banned_until > now() then
           case when private.is_own_ban(t, a.banned_until) then 'placar' else 'operator' end end as banned_by,
         (select count(*) from public.users u where u.email = a.email) as tenants
  from private.auth_accounts t
  join auth.users a on a.id = t.auth_user_id;

comment on view admin.auth_accounts is
  'Accounts of Auth that Placar may ban and delete: those that it invited, or that accepted an invitation. Others are never touched.';
comment on column admin.auth_accounts.email is 'E-mail of the account in Auth.';
comment on column admin.auth_accounts.auth_user_id is 'Id of the account in Auth.';
comment on column admin.auth_accounts.tie is 'invited: an invitation of Placar made it; accepted: its owner accepted one.';
comment on column admin.auth_accounts.tied_at is 'Since when it is so.';
comment on column admin.auth_accounts.banned_until is 'Until when Auth keeps them out; null or past when it does not.';
comment on column admin.auth_accounts.banned_by is
  'placar: lifted when the user is active again; operator: stands until an operator lifts it; null when not banned.';
comment on column admin.auth_accounts.tenants is 'Tenants that have a user with this e-mail, deactivated ones included.';
