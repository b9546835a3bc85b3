-- Records: leads.
--
-- Every change of a lead, through the API or by SQL, writes its events in the same transaction. Triggers run per
-- statement, so that a bulk change writes all its events together.
--
-- What an insert fires, in order:
--   compose_texts (records/texts.sql), if a text is not in NFC
--   leads_prepare (below): normalizes the email address
--   leads_external_ids_insert (records/external-ids.sql), if there are external ids
--   leads_events_insert (below): writes lead.created, which fires
--     events_move_values (webhooks/events.sql), if the event is large
--     events_award_points (gamification/point-rules.sql): never on creation by the API, whose leads are not qualified yet
--     events_create_deliveries (webhooks/deliveries.sql), for webhooks that want the event, unless silent
--     events_note_for_crms (connectors/queue.sql), for connected CRMs that get leads created here, also if silent
--     events_schedule_automations (automations/runs.sql), for active automations of the event, unless silent
--   leads_leave_uncounted_insert (gamification/uncounted.sql), only if silent
--   leads_queue_recount_insert (gamification/recount-queue.sql), if a badge or challenge counts leads and the lead has an owner, unless silent
-- Each job that these create is noted for the request, which publishes it (private.note_new_job, platform/jobs.sql): deliver-webhook
-- (shared/webhooks/delivery/deliver-webhook.ts), run-automations (shared/administration/automations/run-automations.ts), recount
-- (shared/records/gamification/jobs.ts) and sync-crm (shared/connectors/sync/sync-crm.ts).
-- Merging: records/merging.sql.

create table public.leads (
  id            uuid             not null default gen_random_uuid(),
  tenant_id     uuid             not null references public.tenants (id) on delete cascade,
  name          text             not null check (btrim(name) <> ''),
  email         text             not null check (btrim(email) <> ''),
  phone         text,
  company       text,
  position      text,
  source        text,
  status        text             not null default 'new'
                                 check (status in ('new', 'contacted', 'qualified', 'unqualified', 'converted')),
  score         double precision,
  owner_id      uuid,
  team_id       uuid,
  custom_fields jsonb            not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
  tags          text[]           not null default '{}',
  qualified_at  timestamptz,
  external_ids  jsonb            not null default '{}' check (jsonb_typeof(external_ids) = 'object'),
  created_at    timestamptz      not null default statement_timestamp(),
  updated_at    timestamptz      not null default statement_timestamp(),
  search        text             generated always as (app.fold(name || E'\n' || email || E'\n' || coalesce(company, ''))) stored,
  primary key (tenant_id, id),
  unique (tenant_id, email),
  foreign key (tenant_id, owner_id) references public.users (tenant_id, id) on delete set null (owner_id),
  foreign key (tenant_id, team_id)  references public.teams (tenant_id, id) on delete set null (team_id)
);

comment on table  public.leads is
  'Leads; changes through the API or by SQL emit events, earn points and run automations.';
comment on column public.leads.email is 'Email address, trimmed and in lower case; unique in the tenant.';
comment on column public.leads.position is 'The person''s job title.';
comment on column public.leads.source is 'Origin of the lead according to the caller.';
comment on column public.leads.score is 'Shown by variant C of the records interface.';
comment on column public.leads.owner_id is 'The user who owns the lead and earns the points for qualifying it.';
comment on column public.leads.custom_fields is 'Custom fields of the tenant, by name.';
comment on column public.leads.qualified_at is 'When the lead was first qualified; used by statistics.';
comment on column public.leads.external_ids is
  'Ids that records clients use for the lead: one list per client id, whose first id is shown.';
comment on column public.leads.search is 'Searchable text: name, email address and company.';

-- Each index serves one query. The unique constraint serves sorting by email address.
create index leads_created_idx on public.leads (tenant_id, created_at, id); -- newest first; created_after, created_before
create index leads_updated_idx on public.leads (tenant_id, updated_at, id); -- polling by updated_after
create index leads_name_idx    on public.leads (tenant_id, name collate "und-x-icu", id);       -- sorting by name
create index leads_status_idx  on public.leads (tenant_id, status, id);     -- sorting by status
create index leads_status_created_idx on public.leads (tenant_id, status, created_at, id); -- filter by status, newest first
create index leads_source_idx  on public.leads (tenant_id, source, created_at, id) where source is not null; -- filter by source
-- Leads of an owner; leads_created of statistics, badges and challenges; deleting a user.
create index leads_owner_idx   on public.leads (tenant_id, owner_id, created_at, id) where owner_id is not null;
create index leads_team_idx    on public.leads (tenant_id, team_id, created_at, id) where team_id is not null; -- filter by team; deleting a team
-- leads_qualified of statistics, badges and challenges.
create index leads_qualified_idx on public.leads (tenant_id, owner_id, qualified_at) include (id) where qualified_at is not null;
create index leads_search_idx  on public.leads using gin (tenant_id, search extensions.gin_trgm_ops); -- search

alter table public.leads enable row level security;
grant select, insert, update, delete on public.leads to api, service_role;

create policy "A tenant manages its own leads" on public.leads
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.prepare_lead() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.email := lower(normalize(btrim(new.email), nfc));
  if new.status = 'qualified' and new.qualified_at is null then
    new.qualified_at := clock_timestamp();
  end if;
  return new;
end
$$;

comment on function private.prepare_lead() is
  'Trigger: normalizes the email address and records when a lead is first qualified.';

create trigger leads_prepare
  before insert or update of email, status on public.leads
  for each row execute function private.prepare_lead();

-- Applies to API clients; admins can revert a conversion in Studio.
create trigger leads_stay_converted
  before update of status on public.leads
  for each row when (old.status = 'converted' and new.status <> 'converted' and current_user = 'api')
  execute function private.raise_domain_error('lead_stays_converted');

create trigger leads_set_updated_at
  before update on public.leads
  for each row execute function private.set_updated_at('search');

-- Events --------------------------------------------------------------------------------------------------------------

create function app.lead_record(l public.leads) returns jsonb
language sql stable
return to_jsonb(l) - '{tenant_id,search,qualified_at}'::text[];

comment on function app.lead_record(public.leads) is 'A lead in stored form; responses and events are rendered from it.';

grant execute on function app.lead_record(public.leads) to api;

create function private.merged_lead() returns text
language sql stable
return nullif(current_setting('app.merged_lead', true), '');

comment on function private.merged_lead() is
  'The lead that this transaction is merging into another one, so that only lead.merged is emitted (private.merge_held_leads); otherwise null.';

create function private.lead_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  merged_id constant text := private.merged_lead();
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', 'lead.created', app.lead_record(n) from new_rows n;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'lead.deleted', app.lead_record(o) from old_rows o where merged_id is null;
  else
    insert into public.events (tenant_id, interface, type, changed, data)
    select n.tenant_id, 'records', change.type, c.changed,
           r.after || case when merged_id is null then '{}' else jsonb_build_object('merged_id', merged_id) end
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    -- offset 0 makes Postgres evaluate each expression once.
    lateral (select app.lead_record(o) as before, app.lead_record(n) as after offset 0) as r,
    lateral (select private.changed_members(r.before, r.after, '{updated_at, external_ids}') as changed offset 0) as c,
    lateral (values
      -- Any change without an event of its own.
      ('lead.updated',        merged_id is null and not c.changed <@ '{status}'),
      ('lead.status_changed', merged_id is null and o.status <> n.status and n.status <> 'converted'),
      ('lead.converted',      merged_id is null and o.status <> n.status and n.status =  'converted'),
      -- A merge emits only this event, regardless of what it changes.
      ('lead.merged',         merged_id is not null)
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.lead_events() is 'Trigger: writes the events of leads.';

create trigger leads_events_insert after insert on public.leads
  referencing new table as new_rows
  for each statement execute function private.lead_events();
create trigger leads_events_update after update on public.leads
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.lead_events();
create trigger leads_events_delete after delete on public.leads
  referencing old table as old_rows
  for each statement execute function private.lead_events();
