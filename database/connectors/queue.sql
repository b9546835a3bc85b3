-- Connectors: what waits to be read in a CRM, or to be sent there.
--
--   crm_events                webhooks as they arrived
--   private.crm_pending       records to read again and compare, because of a webhook, a change here, a difference or a run
--   private.crm_creations     records of ours that are being created in a CRM
--
-- One job for each account works on them, so that its requests keep the vendor's limits and no two workers compare the same record.

create table public.crm_events (
  id          bigint      generated always as identity,
  tenant_id   uuid        not null,
  account_id  text        not null,
  event_id    text        not null,
  type        text        not null,
  kind        text,
  crm_id      text,
  body        text,
  received_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, id),
  unique (account_id, event_id),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  public.crm_events is 'Webhooks of CRMs, kept 30 days. They are hints: the records are read again.';
comment on column public.crm_events.event_id is 'The vendor''s id of the event, or the SHA-256 of its body.';
comment on column public.crm_events.crm_id is 'The record that it is about; null for events of no interest.';
comment on column public.crm_events.body is 'The body as it arrived; null for further events of the same body.';

create index crm_events_account_idx on public.crm_events (tenant_id, account_id);
create index crm_events_received_idx on public.crm_events (received_at);

create table private.crm_pending (
  id         bigint      generated always as identity primary key,
  tenant_id  uuid        not null references public.tenants (id) on delete cascade,
  account_id text        not null,
  kind       text        not null check (kind in ('lead', 'deal', 'activity')),
  crm_id     text,
  placar_id  text,
  merge      jsonb,
  take       jsonb,
  can_wait   boolean     not null default false,
  tries      integer     not null default 0,
  due_at     timestamptz not null,
  check (crm_id is not null or placar_id is not null),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  private.crm_pending is 'Records to read in a CRM and to compare with ours.';
comment on column private.crm_pending.crm_id is 'Null if the record is here and may have to be created in the CRM.';
comment on column private.crm_pending.merge is 'A merge in the CRM with this record as the winner.';
comment on column private.crm_pending.take is 'Members whose side an admin chose: ours or theirs.';
comment on column private.crm_pending.can_wait is 'Whether it comes after webhooks and runs, or at the end of the run that queued it.';
comment on column private.crm_pending.tries is 'How often reading it failed for a reason that may lie in the record.';
comment on column private.crm_pending.due_at is 'Several hints within this time are one read.';

create index crm_pending_account_idx on private.crm_pending (account_id, due_at);

create table private.crm_creations (
  account_id text        not null references public.crm_accounts (id) on delete cascade,
  kind       text        not null,
  placar_id  text        not null,
  started_at timestamptz not null default now(),
  send       jsonb,
  sent       jsonb,
  primary key (account_id, kind, placar_id)
);

comment on table  private.crm_creations is
  'Records of ours that are being created in a CRM. If the answer was lost, the CRM is searched before the record is sent again.';
comment on column private.crm_creations.started_at is 'When it was last sent.';
comment on column private.crm_creations.send is 'Our values that were sent; null if the CRM refused them.';
comment on column private.crm_creations.sent is 'The same in the CRM''s terms.';

alter table public.crm_events enable row level security;
alter table private.crm_pending enable row level security;
alter table private.crm_creations enable row level security;

-- The worker ends its work under a lock of the account (app.end_crm_work), so a shared lock here either comes before it looks for
-- pending rows, or finds its job released.
create function private.wake_crm(account_id text, due_at timestamptz default now()) returns void
language plpgsql security definer
set search_path = ''
as $$
#variable_conflict use_variable
declare
  tenant   uuid;
  status   text;
  -- Requests and jobs publish their jobs with the wait. The sweep, which SQL of admins calls, publishes only those that are due.
  begins_at constant timestamptz := case when current_setting('role') in ('api', 'payments', 'manage', 'worker') then due_at else now() end;
begin
  select a.tenant_id, a.status into tenant, status from public.crm_accounts a where a.id = account_id for share;
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  values (tenant, 'sync-crm', account_id, jsonb_build_object('account_id', account_id), begins_at)
  on conflict on constraint jobs_name_key_key do update
  set due_at = excluded.due_at, published_at = null, locked_until = null, failures = 0, finished_at = null, failed_at = null,
      attempts = j.attempts + 1
  where coalesce(j.locked_until < now(), true)
    -- Webhooks go on while the credentials are rejected, which are tried once a minute.
    and (j.due_at > excluded.due_at and status <> 'failing' or j.finished_at is not null or j.failed_at is not null);
end
$$;

comment on function private.wake_crm(text, timestamptz) is
  'Schedules the work of an account at a CRM, unless a worker is on it or it is due earlier.';

-- Changes here ------------------------------------------------------------------------------------------------------------------

create function private.note_changes_for_crms() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  account_id text;
begin
  if not exists (select from written w join public.crm_accounts a on a.tenant_id = w.tenant_id and a.status <> 'disconnected') then
    return null;
  end if;
  for account_id in
    with queued as (
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, due_at)
      select distinct a.tenant_id, a.id, w.kind, l.crm_id, w.record_id, now() + interval '1 second'
      from (
        select n.tenant_id, n.origin, n.type, split_part(n.type, '.', 1) as kind, n.data ->> 'id' as record_id
        from written n where n.interface = 'records' and split_part(n.type, '.', 1) in ('lead', 'deal')
      ) as w
      join public.crm_accounts a on a.tenant_id = w.tenant_id and a.status <> 'disconnected'
      left join public.crm_links l on l.account_id = a.id and l.kind = w.kind and l.placar_id = w.record_id
      where w.origin is distinct from 'crm:' || a.crm
        and (l.state = 'linked'
             or exists (select from private.crm_creations c where c.account_id = a.id and c.kind = w.kind and c.placar_id = w.record_id)
             or l.state is null and w.type in ('lead.created', 'deal.created')
                and a.settings ->> 'direction' = 'both' and coalesce((a.settings ->> 'create_out')::boolean, false))
      returning crm_pending.account_id
    )
    select distinct q.account_id from queued q order by 1
  loop
    perform private.wake_crm(account_id, now() + interval '1 second');
  end loop;
  return null;
end
$$;

comment on function private.note_changes_for_crms() is
  'Trigger: queues records that changed here and are linked with a CRM, unless the change came from there.';

create trigger events_note_for_crms after insert on public.events
  referencing new table as written
  for each statement execute function private.note_changes_for_crms();

create function private.queue_changes_here(account public.crm_accounts, settings jsonb) returns void
language sql
set search_path = ''
as $$
  insert into private.crm_pending (tenant_id, account_id, kind, placar_id, due_at)
  select account.tenant_id, account.id, r.kind, r.id::text, now()
  from (
    select 'lead' as kind, e.id, e.created_at from public.leads e where e.tenant_id = account.tenant_id
    union all
    select 'deal', d.id, d.created_at from public.deals d where d.tenant_id = account.tenant_id
  ) as r
  where r.created_at > account.disconnected_at and settings ->> 'direction' = 'both' and coalesce((settings ->> 'create_out')::boolean, false)
    and not exists (select from public.crm_links l where l.account_id = account.id and l.kind = r.kind and l.placar_id = r.id::text);
  insert into private.crm_pending (tenant_id, account_id, kind, crm_id, placar_id, can_wait, due_at)
  select l.tenant_id, l.account_id, l.kind, l.crm_id, l.placar_id, true, now()
  from public.crm_links l,
  lateral (
    select to_jsonb(e) as present, e.updated_at from public.leads e where l.kind = 'lead' and e.tenant_id = l.tenant_id and e.id = l.placar_id::uuid
    union all
    select to_jsonb(d), d.updated_at from public.deals d where l.kind = 'deal' and d.tenant_id = l.tenant_id and d.id = l.placar_id::uuid
  ) as r
  where l.account_id = account.id and l.kind in ('lead', 'deal') and l.state = 'linked'
    -- Comparing the values of all would take seconds. What changed earlier was queued and compared while the account was at work.
    and r.updated_at > coalesce(account.last_reconciled_at - interval '1 day', '-infinity')
    and private.picked_values(r.present, array(select jsonb_object_keys(l.agreed_here))) <> l.agreed_here
$$;

comment on function private.queue_changes_here(public.crm_accounts, jsonb) is
  'Queues for an account, as it was disconnected, and its settings since: records that were created here meanwhile, and linked ones whose values here are not those that both sides agreed on.';

-- A merge in the CRM has ended the link of the loser before.
create function private.move_link_of_merged_lead() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  account public.crm_accounts;
  their_id text;
begin
  for account in select a.* from public.crm_accounts a where a.tenant_id = new.tenant_id order by a.id loop
    continue when not exists (
      select from public.crm_links l
      where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.lead_id::text and l.state = 'linked');
    delete from public.crm_links l
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.merged_into::text and l.state = 'gone';
    update public.crm_links l set placar_id = new.merged_into::text
    where l.account_id = account.id and l.kind = 'lead' and l.placar_id = new.lead_id::text
      and not exists (
        select from public.crm_links w where w.account_id = account.id and w.kind = 'lead' and w.placar_id = new.merged_into::text)
    returning l.crm_id into their_id;
    if found and account.status <> 'disconnected' then
      insert into private.crm_pending (tenant_id, account_id, kind, crm_id, due_at)
      values (account.tenant_id, account.id, 'lead', their_id, now() + interval '1 second');
      perform private.wake_crm(account.id, now() + interval '1 second');
    end if;
  end loop;
  return null;
end
$$;

comment on function private.move_link_of_merged_lead() is
  'Trigger: the winner of a merge here goes on with the loser''s record in a CRM, unless it has one of its own.';

create trigger merged_leads_move_links after insert on public.merged_leads
  for each row when (new.lead_id <> new.merged_into) execute function private.move_link_of_merged_lead();
