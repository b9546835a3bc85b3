-- Activity sync: numbered activities that an external system sends for its collaborators, each recorded once per external_id.
--
-- One that should never have been sent is void: it stays, so that it is not recorded when it is sent again, and counts for nothing.
--
-- Hangs on it from elsewhere: an activity completes the mission that its code is mapped to, and a void one takes that back
-- (gamification_missions). That is why a recorded activity keeps its code, its collaborator and its external_id.

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

comment on table  public.activities is 'Numbered activities that an external system sent, each recorded once per external_id.';
comment on column public.activities.activity_code is '001 to 999; what it stands for is the tenant''s affair.';
comment on column public.activities.data is 'Whatever else the caller sent.';
comment on column public.activities.occurred_at is 'When it was done, as the caller says; else when it was received.';
comment on column public.activities.voided_at is 'When an admin made it void, for good; null while it counts.';
comment on column public.activities.void_reason is 'Why it is void.';

-- Each with what needs it; the unique one finds duplicates.
-- Mapping a code counts what was recorded; completions of a mission, of everybody or one.
create index activities_code_idx         on public.activities (tenant_id, activity_code, collaborator_id) where voided_at is null;
create index activities_collaborator_idx on public.activities (tenant_id, collaborator_id); -- a collaborator who becomes another player

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
  raise exception 'a recorded activity keeps its code, its collaborator and its external_id, and a void one stays void'
    using errcode = 'insufficient_privilege', hint = 'Points hang on them. Map codes to missions instead.';
end
$$;

comment on function private.refuse_activity_change() is 'Trigger: what points hang on does not change once recorded.';

create trigger activities_keep_identity
  before update on public.activities
  for each row
  when ((old.tenant_id, old.id, old.external_id, old.activity_code, old.collaborator_id)
        is distinct from (new.tenant_id, new.id, new.external_id, new.activity_code, new.collaborator_id)
        or old.voided_at is not null and new.voided_at is null)
  execute function private.refuse_activity_change();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.void_activity(tenant_id uuid, external_id text, reason text) returns void
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
    perform private.refuse_argument('external_id', format('the tenant has no activity "%s"', void_activity.external_id));
  end if;
end
$$;

comment on function admin.void_activity(uuid, text, text) is
  'Makes an activity of activity sync void, for good and for this reason: the points that it gave are taken back by opposite entries, and sent again it counts as a duplicate. One that is void stays as it is.';

create view admin.activities with (security_invoker = true) as
  select a.tenant_id, a.id, a.external_id, a.activity_code, c.email, c.name, a.data, a.occurred_at, a.voided_at, a.void_reason,
         a.created_at
  from public.activities a
  join public.collaborators c on c.tenant_id = a.tenant_id and c.id = a.collaborator_id;

comment on view admin.activities is 'Activities of activity sync, with whose they are; void ones with the reason.';
