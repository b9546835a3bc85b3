-- Activity sync: activities with a code from 001 to 999 that an external system sends for its collaborators, each
-- recorded once per external_id.
--
-- An activity sent by mistake can be voided. A voided activity does not count, but stays in the table, so that sending
-- it again is a duplicate.
--
-- Triggers defined in other files: an activity completes the mission that its code is mapped to, and voiding it
-- reverses that (gamification/missions.sql). A recorded activity therefore keeps its code, collaborator and external_id.

create table public.activities (
  id              bigint      generated always as identity,
  tenant_id       uuid        not null,
  external_id     text        not null,
  activity_code   text        not null check (activity_code ~ '^[0-9]{3}$' and activity_code <> '000'),
  collaborator_id uuid        not null,
  data            jsonb,
  occurred_at     timestamptz not null default now(),
  voided_at       timestamptz,
  void_reason     text,
  created_at      timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, external_id),
  foreign key (tenant_id, collaborator_id) references public.collaborators (tenant_id, id)
);

comment on table  public.activities is 'Activities with a code that an external system sends, each recorded once per external_id.';
comment on column public.activities.activity_code is '001 to 999; each tenant defines what its codes mean.';
comment on column public.activities.data is 'Any additional data that the caller sent.';
comment on column public.activities.occurred_at is
  'When the activity happened according to the caller; if not given, when it was received.';
comment on column public.activities.voided_at is 'When an admin permanently voided the activity; null while it counts.';
comment on column public.activities.void_reason is 'Why the activity was voided.';

-- The unique constraint finds duplicates. This index finds recorded activities when a code is mapped, and counts
-- completions of a mission by all collaborators or by one.
create index activities_code_idx         on public.activities (tenant_id, activity_code, collaborator_id) where voided_at is null;
create index activities_collaborator_idx on public.activities (tenant_id, collaborator_id); -- a collaborator's player changes

alter table public.activities enable row level security;
grant select, insert on public.activities to api;

create policy "A tenant sees its own activities" on public.activities
  for select to api using (tenant_id = (select app.tenant_id()));
create policy "A tenant records its own activities" on public.activities
  for insert to api with check (tenant_id = (select app.tenant_id()));

create function private.refuse_activity_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- An erasure replaces an address in the external id.
  if current_setting('app.maintenance', true) = 'on' then
    return new;
  end if;
  raise exception 'the code, collaborator and external_id of a recorded activity cannot change, and a voided activity cannot be restored'
    using errcode = 'insufficient_privilege', hint = 'Point entries depend on them. Map codes to missions instead.';
end
$$;

comment on function private.refuse_activity_change() is
  'Trigger: rejects changes to recorded activities that point entries depend on.';

create trigger activities_keep_identity
  before update on public.activities
  for each row
  when ((old.tenant_id, old.id, old.external_id, old.activity_code, old.collaborator_id)
        is distinct from (new.tenant_id, new.id, new.external_id, new.activity_code, new.collaborator_id)
        or old.voided_at is not null and new.voided_at is null)
  execute function private.refuse_activity_change();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.void_activity(tenant_id uuid, external_id text, reason text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_tenant(tenant_id), private.expect_filled('external_id', external_id),
          private.expect_filled('reason', reason);
  update public.activities a
  set voided_at = coalesce(a.voided_at, now()), void_reason = coalesce(a.void_reason, btrim(void_activity.reason))
  where a.tenant_id = void_activity.tenant_id and a.external_id = void_activity.external_id;
  if not found then
    perform private.refuse_argument('external_id', format('activity "%s" does not exist in this tenant', void_activity.external_id));
  end if;
end
$$;

comment on function private.void_activity(uuid, text, text) is
  'Permanently voids an activity: its points are reversed, sending it again is a duplicate, and voiding it again changes nothing.';

create view admin.activities with (security_invoker = true) as
  select a.tenant_id, a.id, a.external_id, a.activity_code, c.email, c.name, a.data, a.occurred_at, a.voided_at, a.void_reason,
         a.created_at
  from public.activities a
  join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id;

comment on view admin.activities is 'Activities of activity sync with their collaborators; voided ones with the reason.';
