-- Records: invitations, and how users affect Supabase Auth.
--
-- An invited user gets an email from Auth, or one with our own link if Auth's would invalidate another tenant's link.
-- Accepting activates the user; revoking deactivates them. A deactivated user is banned in Auth and a removed one
-- deleted there, if the account is linked to Placar (records/auth-accounts.sql) and no other tenant has the user. Jobs
-- derived from the rows call Auth. Code that changes both a user and their invitation locks the user first.

create table public.invitations (
  id          uuid        not null default gen_random_uuid(),
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  user_id     uuid        not null,
  status      text        not null default 'pending' check (status in ('pending', 'accepted', 'revoked')),
  token_hash  bytea       unique check (length(token_hash) = 32),
  invited_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null default clock_timestamp() + interval '24 hours',
  sent_at     timestamptz,
  accepted_at timestamptz,
  primary key (tenant_id, id),
  unique (tenant_id, user_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  public.invitations is 'Workspace invitations, one per invited user.';
comment on column public.invitations.token_hash is
  'SHA-256 of the token in our own link, used when Auth''s email would invalidate another tenant''s link; null if Auth sends the email.';
comment on column public.invitations.invited_at is 'When the email was last requested; each request sends a new email.';
comment on column public.invitations.expires_at is
  'When the invitation expires, which matches the lifetime of Auth''s links; resending restarts it.';
comment on column public.invitations.sent_at is 'When the email was handed to Auth or scheduled; null before.';

create index invitations_invited_idx on public.invitations (tenant_id, invited_at, id);

alter table public.invitations enable row level security;
grant select, update (status) on public.invitations to api;

create policy "A tenant sees its own invitations" on public.invitations
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant changes its own invitations" on public.invitations
  for update to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function app.invitation_status(i public.invitations) returns text
language sql stable
return case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end;

comment on function app.invitation_status(public.invitations) is
  'Status of an invitation; a pending one past its expiry is expired.';

grant execute on function app.invitation_status(public.invitations) to api;

create function app.invitation_record(i public.invitations) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object(
      'id', i.id, 'user_id', i.user_id, 'email', u.email, 'role', u.role, 'team_id', u.team_id,
      'status', app.invitation_status(i),
      'invited_at', i.invited_at, 'expires_at', i.expires_at
    )
    from public.users u
    where u.tenant_id = i.tenant_id and u.id = i.user_id
  );
end
$$;

comment on function app.invitation_record(public.invitations) is 'An invitation in stored form.';

grant execute on function app.invitation_record(public.invitations) to api;

-- When an invitation changes ------------------------------------------------------------------------------------------

create function private.invitation_effects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if new.status = 'revoked' then
    update public.users u set status = 'deactivated'
    where u.tenant_id = new.tenant_id and u.id = new.user_id and u.status = 'invited';
  elsif new.status = 'accepted' then
    update public.users u set status = 'active'
    where u.tenant_id = new.tenant_id and u.id = new.user_id and u.status = 'invited';
  elsif not app.is_silent() then
    insert into public.jobs (tenant_id, name, key, payload)
    values (new.tenant_id, 'send-invitation', new.id || ':' || extract(epoch from new.invited_at),
            jsonb_build_object('invitation_id', new.id, 'invited_at', new.invited_at))
    on conflict (name, key) do nothing;
  end if;
  return null;
end
$$;

comment on function private.invitation_effects() is
  'Trigger: schedules the email of an invitation except in silent imports; accepting activates its user, revoking deactivates them.';

create trigger invitations_mail after insert on public.invitations
  for each row execute function private.invitation_effects();
create trigger invitations_follow after update of status, invited_at on public.invitations
  for each row when ((old.status, old.invited_at) is distinct from (new.status, new.invited_at))
  execute function private.invitation_effects();

create function private.accept_invitation(invitation_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  address text;
begin
  select u.email into address
  from public.invitations i join public.users u on u.tenant_id = i.tenant_id and u.id = i.user_id
  where i.id = accept_invitation.invitation_id
  for no key update of u;
  update public.invitations i set status = 'accepted', accepted_at = clock_timestamp()
  where i.id = accept_invitation.invitation_id and i.status = 'pending' and i.expires_at > now();
  if not found then
    return false;
  end if;
  perform private.tie_auth_account(address, 'accepted');
  return true;
end
$$;

comment on function private.accept_invitation(uuid) is
  'Accepts a pending invitation and links its account to Placar; returns false if it is not pending or has expired.';

create function app.accept_invitation(token text) returns boolean
language sql security definer
set search_path = ''
as $$
  select coalesce(bool_or(private.accept_invitation(i.id)), false)
  from public.invitations i
  where i.token_hash = sha256(convert_to(accept_invitation.token, 'UTF8'))
$$;

comment on function app.accept_invitation(text) is 'Accepts the invitation with this token in any tenant.';

grant execute on function app.accept_invitation(text) to worker;
