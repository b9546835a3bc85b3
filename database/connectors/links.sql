-- Connectors: which record here is which record in a CRM, and where the two differ.
--
--   crm_links        pairs of records, with the mapped values that both sides last agreed on
--   crm_differences  what could not be carried over; resolved_at is set when the cause is gone

create table public.crm_links (
  tenant_id      uuid        not null,
  account_id     text        not null,
  kind           text        not null check (kind in ('lead', 'deal', 'activity')),
  placar_id      text        not null,
  crm_id         text        not null,
  state          text        not null default 'linked' check (state in ('linked', 'gone')),
  crm_updated_at timestamptz,
  pipeline       text,
  contact        text,
  agreed_here    jsonb       not null default '{}',
  agreed_there   jsonb       not null default '{}',
  refused        jsonb,
  gone_at        timestamptz,
  created_at     timestamptz not null default now(),
  primary key (account_id, kind, crm_id),
  unique (account_id, kind, placar_id),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  public.crm_links is 'Records here and their records in a CRM.';
comment on column public.crm_links.kind is 'lead, deal or activity.';
comment on column public.crm_links.gone_at is
  'When a change in the CRM told that its record is gone, which may have been a merge; null if a comparison found it.';
comment on column public.crm_links.crm_id is 'Id in the CRM.';
comment on column public.crm_links.placar_id is 'Id of the lead or deal; external_id of an activity.';
comment on column public.crm_links.state is 'gone if the record was deleted or merged in the CRM.';
comment on column public.crm_links.crm_updated_at is 'When the record in the CRM changed last, as far as it was read.';
comment on column public.crm_links.pipeline is 'Id of the deal''s pipeline in the CRM.';
comment on column public.crm_links.contact is 'Id of the deal''s first contact in the CRM, which may be no lead yet.';
comment on column public.crm_links.agreed_here is
  'Our mapped values when both sides last agreed: a value that differs was changed here since.';
comment on column public.crm_links.agreed_there is
  'The CRM''s values at that time, in our terms. They differ from ours where the CRM writes a value in another way.';
comment on column public.crm_links.refused is 'Values that the CRM refused; they are sent again only after they change.';

create index crm_links_account_idx on public.crm_links (tenant_id, account_id);
create index crm_links_contact_idx on public.crm_links (account_id, contact) where kind = 'deal';

create table public.crm_differences (
  id          text        not null default app.typeid('dif'),
  tenant_id   uuid        not null,
  account_id  text        not null,
  kind        text        not null check (kind in ('missing_email', 'duplicate_email', 'unknown_owner', 'unmapped_stage', 'invalid_value',
                                                   'changed_here', 'refused_there', 'deleted_there', 'read_failed')),
  record      text        not null check (record in ('lead', 'deal', 'activity')),
  crm_id      text,
  placar_id   text,
  field       text        not null default '',
  ours        jsonb,
  theirs      jsonb,
  found_at    timestamptz not null default clock_timestamp(),
  resolved_at timestamptz,
  primary key (tenant_id, id),
  check (crm_id is not null or placar_id is not null),
  foreign key (tenant_id, account_id) references public.crm_accounts (tenant_id, id) on delete cascade
);

comment on table  public.crm_differences is 'Differences between records here and in a CRM that were not carried over.';
comment on column public.crm_differences.kind is 'What kind of difference: docs/connectors.md says what to do about each.';
comment on column public.crm_differences.placar_id is 'Our id; null if the record is not here.';
comment on column public.crm_differences.ours is 'Our value.';
comment on column public.crm_differences.theirs is 'The value in the CRM, or its words.';
comment on column public.crm_differences.found_at is 'When it was found.';
comment on column public.crm_differences.record is 'Kind of the record.';
comment on column public.crm_differences.crm_id is 'Null if the record is not in the CRM yet.';
comment on column public.crm_differences.field is 'The member that differs, as it is named here; empty if it is the whole record.';
comment on column public.crm_differences.resolved_at is 'When the difference was gone; null while it is there.';

create unique index crm_differences_open_idx on public.crm_differences (account_id, record, coalesce(crm_id, placar_id), kind, field)
  where resolved_at is null;
create index crm_differences_record_idx on public.crm_differences (account_id, crm_id) where resolved_at is null;
create index crm_differences_account_idx on public.crm_differences (tenant_id, account_id, found_at);

alter table public.crm_links enable row level security;
alter table public.crm_differences enable row level security;

create function private.note_crm_difference(account public.crm_accounts, record_kind text, their_id text, our_id text, difference jsonb) returns void
language sql
set search_path = ''
as $$
  insert into public.crm_differences as d (tenant_id, account_id, kind, record, crm_id, placar_id, field, ours, theirs)
  values (account.tenant_id, account.id, difference ->> 'kind', record_kind, their_id, our_id, coalesce(difference ->> 'field', ''),
          difference -> 'ours', difference -> 'theirs')
  on conflict (account_id, record, coalesce(crm_id, placar_id), kind, field) where resolved_at is null
  do update set ours = excluded.ours, theirs = excluded.theirs, placar_id = excluded.placar_id
$$;

comment on function private.note_crm_difference(public.crm_accounts, text, text, text, jsonb) is
  'Notes a difference {"kind", "field", "ours", "theirs"} of a record, unless it is open already.';

-- Kinds that are not found again with each read stay open until something resolves them.
create function private.set_crm_differences(account public.crm_accounts, record_kind text, their_id text, our_id text, found_now jsonb) returns void
language sql
set search_path = ''
as $$
  update public.crm_differences d set resolved_at = clock_timestamp()
  where d.account_id = account.id and d.record = record_kind and d.crm_id = their_id and d.resolved_at is null
    and d.kind not in ('refused_there', 'deleted_there')
    and not exists (
      select from jsonb_array_elements(found_now) as f (value)
      where f.value ->> 'kind' = d.kind and coalesce(f.value ->> 'field', '') = d.field);
  select private.note_crm_difference(account, record_kind, their_id, our_id, f.value) from jsonb_array_elements(found_now) as f (value)
$$;

comment on function private.set_crm_differences(public.crm_accounts, text, text, text, jsonb) is
  'Replaces the open differences of a record: new ones are added, and those that are gone are resolved.';
