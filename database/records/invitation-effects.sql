-- Records: what happens in Auth when invitations and users change, and the other way round.

-- When users are added, change their status or are removed (records/people.sql) ---------------------------------------------------

create function private.schedule_auth_sync(tenant_id uuid, email text, auth_user_id uuid) returns void
language sql
set search_path = ''
as $$
  insert into public.jobs (tenant_id, name, key, payload)
  values (tenant_id, 'sync-auth-user', email || ':' || gen_random_uuid(),
          jsonb_build_object('email', email, 'auth_user_id', auth_user_id))
$$;

comment on function private.schedule_auth_sync(uuid, text, uuid) is
  'Schedules a job that bans, unbans or deletes a user''s account in Auth (found by id or email address), as the user rows require.';

create function private.forget_auth_address() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.payload := '{}';
  new.key     := new.id::text;
  return new;
end
$$;

comment on function private.forget_auth_address() is 'Trigger: removes the email address from a finished Auth job.';

create trigger jobs_forget_auth_address before update of finished_at on public.jobs
  for each row when (new.name = 'sync-auth-user' and new.finished_at is not null)
  execute function private.forget_auth_address();

create function private.user_auth_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  account_id uuid;
begin
  if new.status = 'active' then
    perform private.tie_active_users(new.email);
  end if;
  select t.auth_user_id into account_id
  from private.user_accounts t where (t.tenant_id, t.user_id) = (coalesce(new.tenant_id, old.tenant_id), coalesce(new.id, old.id));
  if tg_op = 'DELETE' then
    perform private.schedule_auth_sync(old.tenant_id, old.email, account_id);
    return old;
  elsif tg_op = 'INSERT' then
    if new.status = 'invited' then
      insert into public.invitations (tenant_id, user_id) values (new.tenant_id, new.id);
    end if;
  else
    if new.status = 'deactivated' then
      update public.invitations i set status = 'revoked'
      where i.tenant_id = new.tenant_id and i.user_id = new.id and i.status = 'pending';
    end if;
    -- Accepting an invitation lifts the ban that another tenant's deactivation caused.
    if 'deactivated' in (old.status, new.status)
       or new.status = 'active' and exists (select from auth.users a where a.id = account_id and a.banned_until > now()) then
      perform private.schedule_auth_sync(new.tenant_id, new.email, account_id);
    end if;
  end if;
  return null;
end
$$;

comment on function private.user_auth_effects() is
  'Trigger: creates invitations of invited users, links accounts of active ones and schedules Auth jobs when the status changes.';

create trigger users_invite after insert on public.users
  for each row when (new.status in ('invited', 'active'))
  execute function private.user_auth_effects();
create trigger users_sync_auth after update of status on public.users
  for each row when (old.status <> new.status)
  execute function private.user_auth_effects();
-- A before trigger, because afterwards the link to the account is gone.
create trigger users_remove_from_auth before delete on public.users
  for each row execute function private.user_auth_effects();

-- When Auth users change (auth.users) ---------------------------------------------------------------------------------

create function private.follow_auth_user() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- Auth creates an invited account in one transaction, whether Placar or an operator requested it.
  if old.invited_at is null and new.invited_at < new.created_at + interval '10 seconds' and exists (
    select from public.invitations i
    join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
    where u.email = new.email and i.status = 'pending' and i.token_hash is null
      and i.sent_at > clock_timestamp() - interval '2 minutes'
  ) then
    perform private.tie_auth_account(new.email, 'invited');
  end if;
  if old.email_confirmed_at is null and new.email_confirmed_at is not null then
    perform private.accept_invitation(latest.id)
    from (
      select i.id
      from public.invitations i
      join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
      where u.email = new.email and i.status = 'pending' and i.token_hash is null and i.sent_at is not null
      order by i.sent_at desc
      limit 1
    ) as latest;
    perform private.tie_active_users(new.email);
    -- If an address was confirmed without accepting an invitation, its owner signed up, so the account is theirs.
    delete from private.auth_accounts t where t.auth_user_id = new.id and t.tie = 'invited';
    -- The same applies if the owner signed up after being invited, in which case Auth sent a confirmation email after
    -- the invitation.
    update private.auth_accounts t set made = false where t.auth_user_id = new.id and new.confirmation_sent_at > new.invited_at;
  end if;
  if new.last_sign_in_at is distinct from old.last_sign_in_at then
    update public.users u set last_active_at = new.last_sign_in_at
    from private.user_accounts t
    where t.auth_user_id = new.id and u.tenant_id = t.tenant_id and u.id = t.user_id and u.status = 'active';
  end if;
  return null;
end
$$;

comment on function private.follow_auth_user() is
  'Trigger of auth.users: links accounts created by our invitation, accepts it on confirmation and records when users were last active.';

create trigger placar_follow_auth_user
  after update of invited_at, email_confirmed_at, last_sign_in_at on auth.users
  for each row execute function private.follow_auth_user();

-- For jobs ------------------------------------------------------------------------------------------------------------

create function app.claim_invitation(invitation_id uuid, invited_at timestamptz default null)
returns table (email text, by_auth boolean, wait_until timestamptz, language text)
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_column
declare
  invitation public.invitations;
  address    text;
  language   text;
  auth_mails boolean;
  free_at    timestamptz;
begin
  select u.email, t.language into address, language
  from public.invitations i
  join public.users u   on u.tenant_id = i.tenant_id and u.id = i.user_id
  join public.tenants t on t.id = i.tenant_id
  where i.id = claim_invitation.invitation_id;
  -- Serializes tenants that invite the same person concurrently.
  perform pg_advisory_xact_lock(hashtextextended('invite:' || address, 0));
  select * into invitation from public.invitations i
  where i.id = claim_invitation.invitation_id and i.status = 'pending' and i.expires_at > now()
    -- If the email was requested again in the meantime, another job sends it.
    and i.invited_at = coalesce(claim_invitation.invited_at, i.invited_at)
  for no key update;
  if not found then
    return;
  end if;

  free_at := private.claim_invitation_mail(invitation, address);
  if free_at is not null then
    -- The invitation's lifetime starts when its email is sent.
    update public.invitations i set expires_at = greatest(i.expires_at, free_at + interval '24 hours')
    where i.tenant_id = invitation.tenant_id and i.id = invitation.id;
    return query select address, null::boolean, free_at, language;
    return;
  end if;

  -- Auth does not invite confirmed addresses and rejects banned ones. A second email from Auth would also invalidate
  -- the link in the first one, which another program sent if the account is not linked to Placar.
  auth_mails := not exists (
    select from auth.users a
    left join private.auth_accounts t on t.auth_user_id = a.id
    where a.email = address
      and (a.email_confirmed_at is not null or a.banned_until > now() or t.auth_user_id is null)
  ) and not exists (
    select from public.invitations i
    join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
    where u.email = address and i.id <> invitation.id
      and i.status = 'pending' and i.expires_at > now() and i.token_hash is null and i.sent_at is not null
  );

  update public.invitations i
  -- Our own email counts as sent once it is scheduled, so that a confirmation before then does not accept the
  -- invitation.
  set sent_at    = case when auth_mails then clock_timestamp() end,
      token_hash = case when not auth_mails then i.token_hash end
  where i.tenant_id = invitation.tenant_id and i.id = invitation.id;
  return query select address, auth_mails, null::timestamptz, language;
end
$$;

comment on function app.claim_invitation(uuid, timestamptz) is
  'Address and language of an invitation, and whether Auth sends the email or when it may be sent; no row if not pending (worker only).';

grant execute on function app.claim_invitation(uuid, timestamptz) to worker;

create function app.mail_invitation(invitation_id uuid, accept_url text) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  token constant text := private.random_base62(40);
begin
  update public.invitations i set token_hash = sha256(convert_to(token, 'UTF8')), sent_at = clock_timestamp()
  where i.id = mail_invitation.invitation_id and i.status = 'pending';
  perform private.send_mail(i.tenant_id, 'invitation:' || i.id || ':' || extract(epoch from clock_timestamp()),
                            u.email, 'invitation', jsonb_build_object('link', accept_url || '?token=' || token))
  from public.invitations i
  join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
  where i.id = mail_invitation.invitation_id and i.status = 'pending';
end
$$;

comment on function app.mail_invitation(uuid, text) is
  'Schedules the email with our own link, for a person who already has an Auth account (worker only).';

grant execute on function app.mail_invitation(uuid, text) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.invitations with (security_invoker = true) as
  select i.id, i.tenant_id, i.user_id, u.name, u.email, u.role,
         app.invitation_status(i) as status,
         i.invited_at, i.sent_at, i.expires_at, i.accepted_at
  from public.invitations i
  join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id;

comment on view admin.invitations is 'Invitations of all tenants and their status.';
