-- Records: limits of invitation emails. A tenant can send one email per address in five minutes, even if the user was
-- removed and invited again, and its plan limits the emails per day. The limits are checked when an email is about to
-- be sent; emails over a limit wait. A request to resend an invitation over a limit is rejected immediately.

create table private.invitation_mails (
  tenant_id     uuid        not null references public.tenants (id) on delete cascade,
  invitation_id uuid        not null,
  invited_at    timestamptz not null,
  email_hash    bytea       not null check (length(email_hash) = 32),
  sent_at       timestamptz not null,
  primary key (tenant_id, invitation_id, invited_at)
);

comment on table  private.invitation_mails is
  'Invitation emails of the last days, one row per requested email, kept when the invitation is deleted.';
comment on column private.invitation_mails.email_hash is 'SHA-256 of the email address.';
comment on column private.invitation_mails.sent_at is 'When sending started.';

create index invitation_mails_sent_idx on private.invitation_mails (tenant_id, sent_at);
create index invitation_mails_address_idx on private.invitation_mails (tenant_id, email_hash, sent_at);

alter table private.invitation_mails enable row level security;

create function private.next_invitation_mail(
  tenant_id uuid, email text, invitation_id uuid default null, invited_at timestamptz default null,
  out address_free_at timestamptz, out plan_free_at timestamptz
)
language plpgsql stable
set search_path = ''
as $$
#variable_conflict use_column
declare
  max_per_day integer;
begin
  select max(m.sent_at) + interval '5 minutes' into address_free_at
  from private.invitation_mails m
  where m.tenant_id = next_invitation_mail.tenant_id and m.email_hash = sha256(convert_to(next_invitation_mail.email, 'UTF8'))
    and (m.invitation_id, m.invited_at) is distinct from (next_invitation_mail.invitation_id, next_invitation_mail.invited_at);

  select p.max_invitation_mails_per_day into max_per_day
  from public.tenants t join public.plans p on p.name = t.plan
  where t.id = next_invitation_mail.tenant_id;
  if max_per_day is not null then
    select m.sent_at + interval '1 day' into plan_free_at
    from private.invitation_mails m
    where m.tenant_id = next_invitation_mail.tenant_id
      and (m.invitation_id, m.invited_at) is distinct from (next_invitation_mail.invitation_id, next_invitation_mail.invited_at)
    order by m.sent_at desc
    offset max_per_day - 1 limit 1;
  end if;
end
$$;

comment on function private.next_invitation_mail(uuid, text, uuid, timestamptz) is
  'When the limits per address and per plan allow an email (null or past: now); the given invitation''s own email does not count.';

create function private.claim_invitation_mail(invitation public.invitations, email text) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  next_mail record;
  free_at   timestamptz;
begin
  -- Serializes counting of emails per tenant.
  perform pg_advisory_xact_lock(hashtextextended('invitation-mails:' || invitation.tenant_id, 0));
  select m.* into next_mail
  from private.next_invitation_mail(invitation.tenant_id, email, invitation.id, invitation.invited_at) as m;
  -- Random delay, so that emails waiting for the plan limit do not all retry at once.
  free_at := greatest(next_mail.address_free_at, case when next_mail.plan_free_at > clock_timestamp()
                                                      then next_mail.plan_free_at + random() * interval '5 minutes' end);
  if free_at > clock_timestamp() then
    return free_at;
  end if;
  delete from private.invitation_mails m where m.tenant_id = invitation.tenant_id and m.sent_at < now() - interval '2 days';
  insert into private.invitation_mails (tenant_id, invitation_id, invited_at, email_hash, sent_at)
  values (invitation.tenant_id, invitation.id, invitation.invited_at, sha256(convert_to(email, 'UTF8')), clock_timestamp())
  on conflict (tenant_id, invitation_id, invited_at) do update set sent_at = excluded.sent_at;
  return null;
end
$$;

comment on function private.claim_invitation_mail(public.invitations, text) is
  'Counts an invitation email if it may be sent now and returns null; otherwise returns when it may be sent.';

create function app.resend_invitation(invitation_id uuid) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  invitation public.invitations;
  next_mail  record;
  free_at    timestamptz;
begin
  select i.* into invitation from public.invitations i
  where i.tenant_id = app.tenant_id() and i.id = invitation_id
  for no key update;
  if not found then
    return app.raise_domain_error('invitation_missing');
  elsif invitation.status <> 'pending' then
    return app.raise_domain_error('invitation_settled');
  end if;

  select m.* into next_mail
  from public.users u, private.next_invitation_mail(u.tenant_id, u.email) as m
  where u.tenant_id = invitation.tenant_id and u.id = invitation.user_id;
  -- A requested email that has not been sent yet also counts.
  if invitation.sent_at is null or invitation.sent_at < invitation.invited_at then
    next_mail.address_free_at := greatest(next_mail.address_free_at, invitation.invited_at + interval '5 minutes');
  end if;
  free_at := greatest(next_mail.address_free_at, next_mail.plan_free_at);
  if free_at > clock_timestamp() then
    raise exception '%', case when next_mail.plan_free_at > clock_timestamp() then 'mails_used_up' else 'mailed_lately' end
      using errcode = 'PL429', detail = ceil(extract(epoch from free_at - clock_timestamp()));
  end if;

  update public.invitations i
  set invited_at = clock_timestamp(), expires_at = clock_timestamp() + interval '24 hours'
  where i.tenant_id = invitation.tenant_id and i.id = invitation.id
  returning i.* into invitation;
  return app.invitation_record(invitation);
end
$$;

comment on function app.resend_invitation(uuid) is
  'Restarts an invitation''s lifetime and sends its email again; fails with PL429 and the seconds to wait if an email limit is reached.';

grant execute on function app.resend_invitation(uuid) to api;
