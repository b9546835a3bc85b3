set local check_function_bodies = off;

-- Records: API representation of users and teams, and the events of users. The tables are in people.
--
-- The stored form of a record (app.user_record and similar) is built in one place; responses, lists and events are
-- rendered from it. It lists excluded columns, so that new columns are included by default.

create function app.user_record(u public.users) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select to_jsonb(u) - '{tenant_id,search,player_id,team_id}'::text[] || jsonb_build_object(
      'team', (
        select jsonb_build_object('id', t.id, 'name', t.name)
        from public.teams t where t.tenant_id = u.tenant_id and t.id = u.team_id
      ),
      'total_points', coalesce(p.total_points, 0),
      'ranking_tier', (
        select t.name from public.tiers t
        where t.tenant_id = u.tenant_id and t.min_points <= coalesce(p.total_points, 0)
        order by t.min_points desc limit 1
      )
    )
    from (values (1)) as always
    left join public.players p on p.tenant_id = u.tenant_id and p.id = u.player_id
  );
end
$$;

comment on function app.user_record(public.users) is
  'A user in stored form, with team and points; responses and events are rendered from it.';

grant execute on function app.user_record(public.users) to api;

create function app.team_record(t public.teams) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(t) - 'tenant_id' || jsonb_build_object(
    'leader_name', (select u.name from public.users u where u.tenant_id = t.tenant_id and u.id = t.leader_id),
    'member_count', (select count(*) from public.users u where u.tenant_id = t.tenant_id and u.team_id = t.id)
  );
end
$$;

comment on function app.team_record(public.teams) is 'A team in stored form, with its leader''s name and member count.';

grant execute on function app.team_record(public.teams) to api;

-- When users change (records/people.sql) ------------------------------------------------------------------------------------------

create function private.user_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', 'user.created', app.user_record(n) from new_rows n;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'user.deactivated', app.user_record(o) || '{"status": "deactivated"}' from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, changed, data)
    select n.tenant_id, 'records', change.type, array_replace(c.changed, 'team_id', 'team'), app.user_record(n)
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    -- Compares columns rather than stored forms, because a deleted team is missing from both. Derived columns and
    -- columns that do not count as a change are excluded.
    lateral (
      select private.changed_members(to_jsonb(o), to_jsonb(n), '{player_id, last_active_at, search, updated_at, external_ids}') as changed
    ) as c,
    lateral (values
      -- Any change without an event of its own.
      ('user.updated',     not c.changed <@ '{status}'
       or o.status <> n.status and n.status = 'invited'),
      ('user.activated',   o.status <> n.status and n.status = 'active'),
      ('user.deactivated', o.status <> n.status and n.status = 'deactivated')
    ) as change (type, happened)
    where change.happened;
  end if;
  return null;
end
$$;

comment on function private.user_events() is 'Trigger: writes the events of users.';

create trigger users_events_insert after insert on public.users
  referencing new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_update after update on public.users
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.user_events();
create trigger users_events_delete after delete on public.users
  referencing old table as old_rows
  for each statement execute function private.user_events();

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

-- Records: the stages of the pipeline. A tenant starts with four.

create table public.pipeline_stages (
  id          uuid        not null default gen_random_uuid(),
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  name        text        not null check (btrim(name) <> ''),
  position    integer     not null,
  probability integer     not null check (probability between 0 and 100),
  created_at  timestamptz not null default statement_timestamp(),
  primary key (tenant_id, id)
);

comment on table  public.pipeline_stages is 'Pipeline stages of deals, ordered by position.';
comment on column public.pipeline_stages.position is 'Sort order; gaps are allowed.';
comment on column public.pipeline_stages.probability is 'Probability of winning, in percent.';

create unique index pipeline_stages_name_idx on public.pipeline_stages (tenant_id, lower(name));
create index pipeline_stages_position_idx    on public.pipeline_stages (tenant_id, position, name);

alter table public.pipeline_stages enable row level security;
grant select on public.pipeline_stages to api, service_role;

create policy "A tenant sees its own stages" on public.pipeline_stages
  for select to api using (tenant_id = (select app.tenant_id()));

create function app.stage_record(tenant_id uuid, stage_id uuid) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('id', s.id, 'name', s.name, 'probability', s.probability)
    from public.pipeline_stages s
    where s.tenant_id = stage_record.tenant_id and s.id = stage_record.stage_id
  );
end
$$;

comment on function app.stage_record(uuid, uuid) is 'A stage as shown in deals.';

grant execute on function app.stage_record(uuid, uuid) to api;

-- When a tenant is created (tenants/tenants.sql).

create function private.add_first_stages() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.pipeline_stages (tenant_id, name, position, probability)
  values (new.id, 'Prospecting', 1, 10), (new.id, 'Qualification', 2, 25),
         (new.id, 'Proposal', 3, 50),    (new.id, 'Negotiation', 4, 75);
  return null;
end
$$;

comment on function private.add_first_stages() is 'Trigger: a new tenant starts with four stages.';

create trigger tenants_add_first_stages
  after insert on public.tenants
  for each row execute function private.add_first_stages();

create function app.stage_of(choice jsonb) returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
  chosen uuid;
begin
  if choice ->> 'stage_id' is not null then
    select s.id into chosen from public.pipeline_stages s
    where s.tenant_id = app.tenant_id() and s.id = (choice ->> 'stage_id')::uuid;
    return coalesce(chosen, (app.raise_domain_error('stage_missing') ->> 0)::uuid);
  elsif choice ->> 'stage' is not null then
    select s.id into chosen from public.pipeline_stages s
    where s.tenant_id = app.tenant_id()
      and (lower(normalize(s.name, nfc)) = lower(choice ->> 'stage') or s.id::text = lower(choice ->> 'stage'))
    -- Names that differed only in their Unicode form exist from before they were compared without it.
    order by lower(s.name) = lower(choice ->> 'stage') desc limit 1;
    return coalesce(chosen, (app.raise_domain_error('stage_unknown') ->> 0)::uuid);
  end if;
  select s.id into chosen from public.pipeline_stages s where s.tenant_id = app.tenant_id() order by s.position, s.name limit 1;
  return coalesce(chosen, (app.raise_domain_error('pipeline_empty') ->> 0)::uuid);
end
$$;

comment on function app.stage_of(jsonb) is
  'The stage that a body specifies by stage_id or stage, otherwise the first stage; fails with PL400 if there is no such stage.';

grant execute on function app.stage_of(jsonb) to api;

-- Records: deals, each in one stage (stages.sql), open until won or lost.
--
-- Every change of a deal, through the API or by SQL, writes its events in the same transaction. Triggers run per
-- statement.
--
-- Triggers defined in other files: logged activities earn points (gamification/point-rules.sql); owners are queued for a
-- recount (gamification/recount-queue.sql). Effects of events such as deal.won are in webhooks/events.sql.

create table public.deals (
  id                  uuid             not null default gen_random_uuid(),
  tenant_id           uuid             not null references public.tenants (id) on delete cascade,
  name                text             not null check (btrim(name) <> ''),
  value               double precision not null,
  currency            text             not null default 'BRL',
  stage_id            uuid             not null,
  status              text             not null default 'open' check (status in ('open', 'won', 'lost')),
  contact_name        text,
  contact_email       text,
  company             text,
  owner_id            uuid,
  expected_close_date date,
  priority            text             not null default 'medium' check (priority in ('high', 'medium', 'low')),
  lead_id             uuid,
  products            jsonb            not null default '[]' check (jsonb_typeof(products) = 'array'),
  custom_fields       jsonb            not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
  tags                text[]           not null default '{}',
  loss_reason         text,
  closed_at           timestamptz,
  external_ids        jsonb            not null default '{}' check (jsonb_typeof(external_ids) = 'object'),
  created_at          timestamptz      not null default statement_timestamp(),
  updated_at          timestamptz      not null default statement_timestamp(),
  search              text             generated always as (
    app.fold(name || E'\n' || coalesce(contact_name, '') || E'\n' || coalesce(contact_email, ''))
  ) stored,
  primary key (tenant_id, id),
  foreign key (tenant_id, stage_id) references public.pipeline_stages (tenant_id, id),
  foreign key (tenant_id, owner_id) references public.users (tenant_id, id) on delete set null (owner_id),
  foreign key (tenant_id, lead_id)  references public.leads (tenant_id, id) on delete set null (lead_id)
);

comment on table  public.deals is
  'Deals (opportunities); changes through the API or by SQL emit events, earn points and run automations.';
comment on column public.deals.value is
  'Amount in currency units (1250.5 means 1250.50); not numeric, because its comparisons cannot use an index under row-level security.';
comment on column public.deals.status is 'open until won or lost; can be reopened.';
comment on column public.deals.lead_id is 'The lead that the deal originated from.';
comment on column public.deals.products is 'Products sold, as the caller sent them.';
comment on column public.deals.custom_fields is 'Custom fields of the tenant, by name.';
comment on column public.deals.loss_reason is 'Free-text reason for losing the deal.';
comment on column public.deals.closed_at is 'When the deal was won or lost; used by statistics.';
comment on column public.deals.external_ids is
  'Ids that records clients use for the deal: one list per client id, whose first id is shown.';
comment on column public.deals.search is 'Searchable text: name, contact name and contact email address.';

-- Each index serves one query or foreign key.
create index deals_created_idx on public.deals (tenant_id, created_at, id); -- newest first; created_after, created_before
create index deals_updated_idx on public.deals (tenant_id, updated_at, id); -- polling by updated_after
create index deals_name_idx    on public.deals (tenant_id, name collate "und-x-icu", id);       -- sorting by name
create index deals_value_idx   on public.deals (tenant_id, value, id);      -- sorting by value; min_value, max_value
-- Sorting by close date, and the filters close_date_after and close_date_before. Deals without a date come last in both
-- directions.
create index deals_close_date_idx      on public.deals (tenant_id, expected_close_date, id);
create index deals_close_date_desc_idx on public.deals (tenant_id, expected_close_date desc nulls last, id desc);
create index deals_status_idx  on public.deals (tenant_id, status, created_at, id);   -- filter by status
create index deals_stage_idx   on public.deals (tenant_id, stage_id, created_at, id); -- filter by stage; admin.stages; deleting a stage
-- Deals of an owner; deals_created of statistics, badges and challenges; deleting a user.
create index deals_owner_idx   on public.deals (tenant_id, owner_id, created_at, id) where owner_id is not null;
create index deals_lead_idx    on public.deals (tenant_id, lead_id) where lead_id is not null; -- a lead's history; deleting a lead
-- Won and lost deals in statistics, badges and challenges.
create index deals_closed_idx  on public.deals (tenant_id, owner_id, closed_at) include (id, status, value, created_at)
  where closed_at is not null;
create index deals_search_idx  on public.deals using gin (tenant_id, search extensions.gin_trgm_ops); -- search

alter table public.deals enable row level security;
grant select, insert, update, delete on public.deals to api, service_role;

create policy "A tenant manages its own deals" on public.deals
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.prepare_deal() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.status = 'open' then
    new.closed_at   := null;
    new.loss_reason := null;
  elsif tg_op = 'INSERT' or old.status = 'open' then
    new.closed_at := coalesce(new.closed_at, clock_timestamp());
  end if;
  return new;
end
$$;

comment on function private.prepare_deal() is 'Trigger: sets the closing time of closed deals and clears it on open ones.';

create trigger deals_prepare
  before insert or update of status on public.deals
  for each row execute function private.prepare_deal();

create trigger deals_stay_where_closed
  before update of stage_id on public.deals
  for each row when (old.status <> 'open' and new.stage_id <> old.stage_id and current_user = 'api')
  execute function private.raise_domain_error('deal_closed');

create trigger deals_set_updated_at
  before update on public.deals
  for each row execute function private.set_updated_at('search');

create function app.deal_record(d public.deals) returns jsonb
language plpgsql stable
set search_path = ''
as $$
begin
  return to_jsonb(d) - '{tenant_id,search,stage_id}'::text[]
      || jsonb_build_object('stage', app.stage_record(d.tenant_id, d.stage_id));
end
$$;

comment on function app.deal_record(public.deals) is
  'A deal in stored form, with its stage; responses and events are rendered from it.';

grant execute on function app.deal_record(public.deals) to api;

create function private.deal_events() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    insert into public.events (tenant_id, interface, type, data)
    select n.tenant_id, 'records', change.type, app.deal_record(n)
    from new_rows n,
    lateral (values
      ('deal.created', true),
      ('deal.won',     n.status = 'won'),
      ('deal.lost',    n.status = 'lost')
    ) as change (type, happened)
    where change.happened;
  elsif tg_op = 'DELETE' then
    insert into public.events (tenant_id, interface, type, data)
    select o.tenant_id, 'records', 'deal.deleted', app.deal_record(o) from old_rows o;
  else
    insert into public.events (tenant_id, interface, type, changed, data)
    select n.tenant_id, 'records', change.type, c.changed,
           r.after || case when change.type in ('deal.stage_changed', 'deal.won')
             then jsonb_build_object('previous_stage', r.before -> 'stage') else '{}' end
    from new_rows n
    join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    -- offset 0 makes Postgres evaluate each expression once.
    lateral (select app.deal_record(o) as before, app.deal_record(n) as after offset 0) as r,
    lateral (select private.changed_members(r.before, r.after, '{updated_at, external_ids}') as changed offset 0) as c,
    lateral (values
      -- Any change without an event of its own. Closing includes the final value, the reason and the time.
      ('deal.updated',
       not c.changed <@ case when o.status = n.status then '{stage}'::text[]
                             else '{stage, status, value, loss_reason, closed_at}' end
       or o.status <> n.status and n.status = 'open'),
      ('deal.stage_changed', o.stage_id <> n.stage_id),
      ('deal.won',           o.status <> n.status and n.status = 'won'),
      ('deal.lost',          o.status <> n.status and n.status = 'lost')
    ) as change (type, happened)
    where change.happened and private.merged_lead() is null;
  end if;
  return null;
end
$$;

comment on function private.deal_events() is 'Trigger: writes the events of deals.';

create trigger deals_events_insert after insert on public.deals
  referencing new table as new_rows
  for each statement execute function private.deal_events();
create trigger deals_events_update after update on public.deals
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.deal_events();
create trigger deals_events_delete after delete on public.deals
  referencing old table as old_rows
  for each statement execute function private.deal_events();

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.expect_stage(tenant_id uuid, stage_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if not exists (select from public.pipeline_stages s where s.tenant_id = expect_stage.tenant_id and s.id = expect_stage.stage_id) then
    perform private.refuse_argument(
      'stage_id', format('stage %s does not exist in this tenant', stage_id),
      array(select format('%s (%s)', s.id, s.name) from public.pipeline_stages s
            where s.tenant_id = expect_stage.tenant_id order by s.position));
  end if;
end
$$;

comment on function private.expect_stage(uuid, uuid) is 'Rejects an unknown stage id and lists the tenant''s stages.';

create function admin.create_stage(tenant_id uuid, name text, "position" integer, probability integer) returns uuid
language sql
set search_path = ''
as $$
  select private.expect_tenant(tenant_id), private.expect_filled('name', name), private.expect_number('position', "position"),
         private.expect_number('probability', probability, 0, 100);
  insert into public.pipeline_stages (tenant_id, name, position, probability)
  values (tenant_id, name, "position", probability)
  returning id
$$;

comment on function admin.create_stage(uuid, text, integer, integer) is
  'Creates a pipeline stage, sorted by position and with a probability of 0 to 100 percent, and returns its id.';

create view admin.stages with (security_invoker = true) as
  select s.tenant_id, s.position, s.id, s.name, s.probability,
         (select count(*) from public.deals d where d.tenant_id = s.tenant_id and d.stage_id = s.id and d.status = 'open')
           as open_deals
  from public.pipeline_stages s;

comment on view admin.stages is 'Pipeline stages of all tenants, with the number of their open deals.';

-- Records: calls, meetings and notes of a deal, or of a lead without a deal.

create table public.deal_activities (
  id               uuid        not null default gen_random_uuid(),
  tenant_id        uuid        not null references public.tenants (id) on delete cascade,
  type             text        not null check (type in ('note', 'call', 'email', 'meeting', 'task')),
  title            text,
  description      text,
  date             timestamptz,
  due_date         timestamptz,
  duration_minutes integer     check (duration_minutes >= 0),
  deal_id          uuid,
  lead_id          uuid,
  owner_id         uuid,
  created_at       timestamptz not null default statement_timestamp(),
  primary key (tenant_id, id),
  foreign key (tenant_id, deal_id)  references public.deals (tenant_id, id) on delete cascade,
  foreign key (tenant_id, lead_id)  references public.leads (tenant_id, id) on delete cascade,
  foreign key (tenant_id, owner_id) references public.users (tenant_id, id) on delete set null (owner_id)
);

comment on table  public.deal_activities is
  'Calls, meetings and notes of a deal or a lead; activity sync uses the table activities.';
comment on column public.deal_activities.date is 'When the activity took place.';
comment on column public.deal_activities.due_date is 'Due date of a task.';
comment on column public.deal_activities.lead_id is
  'The lead of an activity without a deal; activities of a deal belong to the deal''s lead.';
comment on column public.deal_activities.owner_id is
  'The user who did the activity; defaults to the owner of the deal or lead at the time of logging.';

-- Each index serves one query. An activity has either a deal or a lead, so it is in only one of those two indexes.
create index deal_activities_created_idx on public.deal_activities (tenant_id, created_at, id);       -- newest first
create index deal_activities_type_idx    on public.deal_activities (tenant_id, type, created_at, id); -- filter by type
-- Activities of a deal or lead, read along with it; deleting the deal or lead.
create index deal_activities_deal_idx    on public.deal_activities (tenant_id, deal_id, created_at, id) where deal_id is not null;
create index deal_activities_lead_idx    on public.deal_activities (tenant_id, lead_id, created_at, id) where lead_id is not null;
-- Activities of an owner; activities_logged of statistics, badges and challenges; deleting a user.
create index deal_activities_owner_idx   on public.deal_activities (tenant_id, owner_id, created_at) include (id) where owner_id is not null;

alter table public.deal_activities enable row level security;
grant select, insert on public.deal_activities to api;
grant select, insert, update, delete on public.deal_activities to service_role;

create policy "A tenant manages its own deal activities" on public.deal_activities
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));

create function private.assign_activity() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  -- The lock skips an owner who is being deleted concurrently.
  if new.owner_id is null and new.deal_id is not null then
    select u.id into new.owner_id
    from public.deals d join public.users u on u.tenant_id = d.tenant_id and u.id = d.owner_id
    where d.tenant_id = new.tenant_id and d.id = new.deal_id
    for key share of u;
  elsif new.owner_id is null and new.lead_id is not null then
    select u.id into new.owner_id
    from public.leads l join public.users u on u.tenant_id = l.tenant_id and u.id = l.owner_id
    where l.tenant_id = new.tenant_id and l.id = new.lead_id
    for key share of u;
  end if;
  return new;
end
$$;

comment on function private.assign_activity() is
  'Trigger: assigns an activity to the owner of its deal or lead unless an owner is given.';

create trigger deal_activities_assign
  before insert on public.deal_activities
  for each row execute function private.assign_activity();

create function app.lock_acting_user(client_id text) returns uuid
language sql
set search_path = ''
as $$
  select u.id
  from (select nullif(current_setting('app.actor', true), '')::jsonb as given) as g
  join public.users u on u.tenant_id = app.tenant_id() and u.id = case g.given ->> 'kind'
    when 'person' then (g.given ->> 'id')::uuid
    else (select c.user_id from public.oauth_clients c where c.tenant_id = app.tenant_id() and c.client_id = lock_acting_user.client_id)
  end
  for key share of u
$$;

comment on function app.lock_acting_user(text) is
  'The person who sent the request, or the user that its client acts for, locked until the transaction ends; null if none.';

grant execute on function app.lock_acting_user(text) to api;

-- Records: external ids, by which clients identify leads, deals and users. Each client has its own ids and cannot see
-- another client's.
--
--   external_ids of leads, deals, users   external ids of a record by client; responses, lists and events show them
--   external_ids                          reverse lookup from external id to record; maintained by trigger
--
-- After a merge a record can have several ids of one client. All of them resolve to the record; the first one is shown.

create table public.external_ids (
  tenant_id   uuid not null references public.tenants (id) on delete cascade,
  client_id   text not null,
  source      text not null check (source in ('leads', 'deals', 'users')),
  external_id text not null,
  record_id   uuid not null,
  primary key (tenant_id, client_id, source, external_id)
);

comment on table  public.external_ids is
  'Reverse lookup from a records client''s external id to the record, maintained by trigger.';
comment on column public.external_ids.source is 'Table of the record.';
comment on column public.external_ids.external_id is 'The id as the client sent it; case-sensitive.';

create index external_ids_record_idx on public.external_ids (tenant_id, record_id); -- changing or deleting a record

alter table public.external_ids enable row level security;
grant select on public.external_ids to api;

create policy "A tenant sees its own external ids" on public.external_ids
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.keep_external_ids() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    delete from public.external_ids e
    where e.tenant_id = old.tenant_id and e.record_id = old.id and e.source = tg_table_name
      and (tg_op = 'DELETE' or not coalesce(new.external_ids -> e.client_id, '[]') ? e.external_id);
  end if;
  if tg_op <> 'DELETE' then
    insert into public.external_ids (tenant_id, client_id, source, external_id, record_id)
    select new.tenant_id, c.client_id, tg_table_name, one, new.id
    from jsonb_each(new.external_ids) as c (client_id, ids), jsonb_array_elements_text(c.ids) as one
    where tg_op = 'INSERT' or not coalesce(old.external_ids -> c.client_id, '[]') ? one;
  end if;
  return null;
end
$$;

comment on function private.keep_external_ids() is
  'Trigger: keeps the lookup of external ids in sync; fails if another record of the same kind already has an id.';

create trigger leads_external_ids_insert after insert on public.leads
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger leads_external_ids_update after update of external_ids on public.leads
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger leads_external_ids_delete after delete on public.leads
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();
create trigger deals_external_ids_insert after insert on public.deals
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger deals_external_ids_update after update of external_ids on public.deals
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger deals_external_ids_delete after delete on public.deals
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();
create trigger users_external_ids_insert after insert on public.users
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger users_external_ids_update after update of external_ids on public.users
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger users_external_ids_delete after delete on public.users
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();

create function app.with_external_id(external_ids jsonb, client_id text, external_id text) returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  if external_id is null then
    return external_ids - client_id;
  end if;
  -- Replaces the first id, which is the one shown; the client's other ids of the record stay.
  return external_ids || jsonb_build_object(client_id, jsonb_build_array(external_id)
    || ((coalesce(external_ids -> client_id, '[]') - 0) - external_id));
end
$$;

comment on function app.with_external_id(jsonb, text, text) is
  'Returns a record''s external ids with this one as the id shown to the client; null removes all ids of the client.';

grant execute on function app.with_external_id(jsonb, text, text) to api;

create function app.lock_external_ids(client_id text, source text, external_ids text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Postgres keeps all locks in one table of fixed size, so a batch takes at most this many, regardless of its number
  -- of ids.
  max_locks constant integer := 64;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'external', app.tenant_id(), client_id, source, slot), 0))
  from (
    select distinct hashtextextended(name, 0) & (max_locks - 1) as slot from unnest(external_ids) as name order by 1
  ) as taken;
end
$$;

comment on function app.lock_external_ids(text, text, text[]) is
  'Serializes writes by external id, so that the first creates the record and others find it; may also block other ids of the client.';

grant execute on function app.lock_external_ids(text, text, text[]) to api;

-- Passes the result to later statements in two settings of the transaction: app.record_id (empty for a new record) and
-- app.made (whether the record is new).
--
-- makes: whether the body is valid for a new record. change: why the body is not valid for an existing record. With
-- `invalid` it fails before preconditions are checked, with `refused` afterwards.
create function app.begin_upsert(
  client_id   text,
  source      text,
  external_id text,
  makes       boolean,
  change      text,
  only_new    boolean,
  conditional boolean,
  versions    timestamptz[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_id uuid;
  present  timestamptz;
begin
  loop
    select e.record_id into found_id from public.external_ids e
    where e.tenant_id = app.tenant_id() and e.client_id = begin_upsert.client_id and e.source = begin_upsert.source
      and e.external_id = begin_upsert.external_id;
    exit when found_id is null;
    execute format('select r.updated_at from public.%I r where r.tenant_id = app.tenant_id() and r.id = $1 for no key update', source)
      into present using found_id;
    exit when present is not null;
    -- The record was deleted concurrently with its external id, or was merged into another record that now has the id.
  end loop;
  if found_id is null and not makes then
    perform app.raise_domain_error('upsert_not_new');
  elsif found_id is not null and change = 'invalid' then
    perform app.raise_domain_error('upsert_no_change');
  elsif found_id is not null and (only_new or present <> all (versions)) or found_id is null and conditional then
    raise exception 'the record has another version' using errcode = 'PL412';
  elsif found_id is not null and change = 'refused' then
    perform app.raise_domain_error('upsert_no_change');
  end if;
  perform set_config('app.record_id', coalesce(found_id::text, ''), true),
          set_config('app.made', (found_id is null)::text, true);
end
$$;

comment on function app.begin_upsert(text, text, text, boolean, text, boolean, boolean, timestamptz[]) is
  'Finds and locks the record of a locked external id for an upsert; fails if the body or a precondition (PL412) does not allow it.';

grant execute on function app.begin_upsert(text, text, text, boolean, text, boolean, boolean, timestamptz[]) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.move_external_ids(from_client text, to_client text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  tenant constant uuid := (select c.tenant_id from public.oauth_clients c where c.client_id = from_client);
  taken  text;
  source text;
  n      bigint;
  moved  bigint := 0;
begin
  if tenant is null then
    perform private.refuse_argument('from_client', format('OAuth client %s does not exist', from_client));
  elsif from_client = to_client
        or not exists (select from public.oauth_clients c where c.client_id = to_client and c.tenant_id = tenant) then
    perform private.refuse_argument('to_client', format('%s is not another client of the same tenant', to_client), array(
      select c.client_id from public.oauth_clients c
      where c.tenant_id = tenant and c.client_id <> from_client and c.revoked_at is null order by c.client_id));
  end if;
  select f.external_id into taken
  from public.external_ids f
  join public.external_ids t on t.tenant_id = f.tenant_id and t.client_id = to_client and t.source = f.source
    and t.external_id = f.external_id and t.record_id <> f.record_id
  where f.tenant_id = tenant and f.client_id = from_client
  order by f.external_id limit 1;
  if taken is not null then
    perform private.refuse_argument('to_client', format('already uses %s for another record', taken));
  end if;
  foreach source in array array['leads', 'deals', 'users'] loop
    execute format(
      'update public.%I r set external_ids = r.external_ids - $2 || jsonb_build_object($3, (
         select jsonb_agg(id order by place) from (
           select id, min(place) as place
           from jsonb_array_elements_text(coalesce(r.external_ids -> $3, ''[]'') || (r.external_ids -> $2))
             with ordinality as m (id, place)
           group by id
         ) as own))
       where r.tenant_id = $1 and r.id in (
         select e.record_id from public.external_ids e where e.tenant_id = $1 and e.client_id = $2 and e.source = $4)', source)
    using tenant, from_client, to_client, source;
    get diagnostics n = row_count;
    moved := moved + n;
  end loop;
  return moved;
end
$$;

comment on function private.move_external_ids(text, text) is
  'Moves external ids to another OAuth client of the tenant, whose own ids stay first; returns the number of changed records.';

-- Records: merging two leads of the same person. The winner stays and the loser is deleted. The winner keeps its own
-- values, takes missing ones from the loser, and receives the loser's deals, activities and external ids.
--
--   merged_leads  merged leads, the lead that each was merged into, and their former email address
--
-- A merge writes a single event, lead.merged (records/leads.sql, records/deals.sql). It neither awards nor reverses points,
-- because those depend on other events.

create table public.merged_leads (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  lead_id     uuid        not null,
  merged_into uuid        not null,
  email       text        not null,
  merged_at   timestamptz not null default clock_timestamp(),
  primary key (tenant_id, lead_id)
);

comment on table  public.merged_leads is
  'Leads that were merged into another lead; kept until retention, even if that lead is deleted, to find a person by any former address.';
comment on column public.merged_leads.lead_id is 'The loser, which was deleted by the merge; or a winner that was deleted later.';
comment on column public.merged_leads.merged_into is
  'The lead that it was merged into, updated when that lead is itself merged; for a deleted winner, its own id.';
comment on column public.merged_leads.email is 'Email address when the lead was deleted.';
comment on column public.merged_leads.merged_at is 'When the lead was merged or deleted.';

-- The first index finds the losers of a lead when it is merged again, read or erased with its person; the second one
-- finds a person's former leads by email address.
create index merged_leads_into_idx  on public.merged_leads (tenant_id, merged_into);
create index merged_leads_email_idx on public.merged_leads (tenant_id, email);

alter table public.merged_leads enable row level security;
grant select on public.merged_leads to api;

create policy "A tenant sees its own merged leads" on public.merged_leads
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.keep_deleted_winners() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if private.merged_lead() is null then
    insert into public.merged_leads (tenant_id, lead_id, merged_into, email)
    select o.tenant_id, o.id, o.id, o.email from old_rows o
    where exists (select from public.merged_leads m where m.tenant_id = o.tenant_id and m.merged_into = o.id)
    on conflict do nothing;
  end if;
  return null;
end
$$;

comment on function private.keep_deleted_winners() is
  'Trigger: keeps the email address of a deleted lead for as long as the leads merged into it are kept.';

create trigger leads_keep_deleted_winners after delete on public.leads
  referencing old table as old_rows
  for each statement execute function private.keep_deleted_winners();

create function app.raise_lead_missing(lead_id uuid) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  winner_id constant uuid := (
    select m.merged_into from public.merged_leads m
    join public.leads l on l.tenant_id = m.tenant_id and l.id = m.merged_into
    where m.tenant_id = app.tenant_id() and m.lead_id = raise_lead_missing.lead_id
  );
begin
  if winner_id is not null then
    raise exception 'lead_merged' using errcode = 'PL400', detail = winner_id;
  end if;
  return app.raise_domain_error('lead_missing');
end
$$;

comment on function app.raise_lead_missing(uuid) is
  'Fails with PL400 because a lead does not exist: lead_missing, or lead_merged with the id of the lead it was merged into as detail.';

grant execute on function app.raise_lead_missing(uuid) to api;

-- The merge -----------------------------------------------------------------------------------------------------------

create function private.hold_leads_to_merge(tenant_id uuid, winner_id uuid, loser_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  lead_to_lock uuid;
begin
  -- Lock users and teams first, because deleting one locks it before its leads, deals and activities. It then locks
  -- those in an order that differs from a merge's.
  perform from public.users u
  where u.tenant_id = tenant_id and u.id in (
    select l.owner_id from public.leads l where l.tenant_id = tenant_id and l.id in (winner_id, loser_id)
    union
    select d.owner_id from public.deals d where d.tenant_id = tenant_id and d.lead_id = loser_id
    union
    select a.owner_id from public.deal_activities a where a.tenant_id = tenant_id and a.lead_id = loser_id
  )
  order by u.id for key share;
  perform from public.teams t
  where t.tenant_id = tenant_id and t.id in (
    select l.team_id from public.leads l where l.tenant_id = tenant_id and l.id in (winner_id, loser_id)
  )
  order by t.id for key share;
  -- Locking in sorted order serializes merges of the same leads. The loser's lock also keeps others from adding deals,
  -- which would lose their lead; deals can still be added to the winner.
  foreach lead_to_lock in array array[least(winner_id, loser_id), greatest(winner_id, loser_id)] loop
    if lead_to_lock = loser_id then
      perform from public.leads l where l.tenant_id = tenant_id and l.id = lead_to_lock for update;
    else
      perform from public.leads l where l.tenant_id = tenant_id and l.id = lead_to_lock for no key update;
    end if;
  end loop;
end
$$;

comment on function private.hold_leads_to_merge(uuid, uuid, uuid) is
  'Locks the users and teams that a merge refers to, then the two leads, until the transaction ends; missing leads are ignored.';

create function private.is_empty(value jsonb) returns boolean
language sql immutable parallel safe
return coalesce(value, 'null') = 'null' or jsonb_typeof(value) = 'string' and btrim(value #>> '{}') = '';

comment on function private.is_empty(jsonb) is 'Whether a value is missing, null, or a text of spaces only.';

create function private.merge_held_leads(tenant_id uuid, winner_id uuid, loser_id uuid) returns public.leads
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  loser  public.leads;
  before public.leads;
  winner public.leads;
  merged jsonb;
  silent text[];
begin
  select * into strict loser  from public.leads l where l.tenant_id = tenant_id and l.id = loser_id;
  select * into strict before from public.leads l where l.tenant_id = tenant_id and l.id = winner_id;
  silent := array(select u.metric from private.uncounted u where u.tenant_id = tenant_id and u.record_id = loser_id);
  -- Event triggers check this setting until the merge is finished.
  perform set_config('app.merged_lead', loser_id::text, true);
  update public.deals d set lead_id = winner_id where d.tenant_id = tenant_id and d.lead_id = loser_id;
  update public.deal_activities a set lead_id = winner_id where a.tenant_id = tenant_id and a.lead_id = loser_id;
  -- The loser is deleted first, so that its external ids become available for the winner.
  delete from public.leads l where l.tenant_id = tenant_id and l.id = loser_id;

  -- The winner takes every value that it lacks, also of columns that are not named here.
  select coalesce(jsonb_object_agg(m.key, m.value), '{}') into merged
  from jsonb_each(to_jsonb(loser)) as m (key, value)
  where private.is_empty(to_jsonb(before) -> m.key) and not private.is_empty(m.value);
  merged := merged || jsonb_build_object(
    'status', case when loser.status = 'converted' then 'converted' else before.status end,
    'custom_fields', before.custom_fields || (
      select coalesce(jsonb_object_agg(m.key, m.value), '{}') from jsonb_each(loser.custom_fields) as m (key, value)
      where private.is_empty(before.custom_fields -> m.key) and not private.is_empty(m.value)
    ),
    'tags', before.tags || array(
      select tag from unnest(loser.tags) with ordinality as t (tag, place)
      where tag <> all (before.tags) group by tag order by min(place)
    ),
    -- An owner who qualified neither lead gets no credit for the qualification.
    'qualified_at', coalesce(before.qualified_at, case
      when coalesce(before.owner_id, loser.owner_id) is not distinct from loser.owner_id then loser.qualified_at end),
    'external_ids', before.external_ids || (
      select coalesce(jsonb_object_agg(client_id, coalesce(before.external_ids -> client_id, '[]') || ids), '{}')
      from jsonb_each(loser.external_ids) as c (client_id, ids)
    ));
  execute (
    select format('update public.leads w set (%1$s) = (select %1$s from jsonb_populate_record(w, $1)) where w.tenant_id = $2 and w.id = $3 returning w.*',
                  string_agg(quote_ident(name), ', '))
    from jsonb_object_keys(merged) as name)
    into strict winner using merged, tenant_id, winner_id;
  perform set_config('app.merged_lead', '', true);
  -- Values taken from a silently imported loser do not count for the winner's owner.
  insert into private.uncounted (tenant_id, metric, record_id)
  select tenant_id, m.metric, winner_id
  from (values
    ('leads_created',   'leads_created'   = any (silent) and winner.owner_id is distinct from before.owner_id),
    ('leads_qualified', 'leads_qualified' = any (silent) and winner.qualified_at is distinct from before.qualified_at
                     or 'leads_created'   = any (silent) and winner.owner_id is distinct from before.owner_id
                        and winner.qualified_at is not null)
  ) as m (metric, happened)
  where m.happened
  on conflict do nothing;

  update public.merged_leads m set merged_into = winner_id where m.tenant_id = tenant_id and m.merged_into = loser_id;
  insert into public.merged_leads (tenant_id, lead_id, merged_into, email) values (tenant_id, loser_id, winner_id, loser.email);
  return winner;
end
$$;

comment on function private.merge_held_leads(uuid, uuid, uuid) is
  'Merges the loser into the winner, both locked by private.hold_leads_to_merge, and returns the winner.';

create function app.merge_leads(winner_id uuid, loser_id uuid, versions timestamptz[] default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  tenant  constant uuid := app.tenant_id();
  present timestamptz;
begin
  perform private.hold_leads_to_merge(tenant, winner_id, loser_id);
  select l.updated_at into present from public.leads l where l.tenant_id = tenant and l.id = winner_id;
  if present is null then
    perform app.raise_lead_missing(winner_id);
  elsif present <> all (versions) then
    raise exception 'the record has another version' using errcode = 'PL412';
  elsif winner_id = loser_id then
    perform app.raise_domain_error('loser_is_winner');
  elsif not exists (select from public.leads l where l.tenant_id = tenant and l.id = loser_id) then
    perform app.raise_domain_error(case
      when exists (select from public.merged_leads m where m.tenant_id = tenant and m.lead_id = merge_leads.loser_id)
      then 'loser_merged' else 'loser_missing' end);
  end if;
  return app.lead_record(private.merge_held_leads(tenant, winner_id, loser_id));
end
$$;

comment on function app.merge_leads(uuid, uuid, timestamptz[]) is
  'Merges a lead into the winner and returns the winner in stored form; fails with PL412 if the winner has none of these versions (null: any).';

grant execute on function app.merge_leads(uuid, uuid, timestamptz[]) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.merge_leads(tenant_id uuid, winner_id uuid, loser_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
begin
  perform private.expect_tenant(tenant_id);
  perform private.hold_leads_to_merge(tenant_id, winner_id, loser_id);
  if not exists (select from public.leads l where l.tenant_id = tenant_id and l.id = winner_id) then
    perform private.refuse_argument('winner_id', format('lead %s does not exist in this tenant', winner_id));
  elsif winner_id = loser_id then
    perform private.refuse_argument('loser_id', 'must not be the winner');
  elsif not exists (select from public.leads l where l.tenant_id = tenant_id and l.id = loser_id) then
    perform private.refuse_argument('loser_id', format('lead %s does not exist in this tenant', loser_id));
  end if;
  perform private.merge_held_leads(tenant_id, winner_id, loser_id);
end
$$;

comment on function private.merge_leads(uuid, uuid, uuid) is
  'Permanently merges two leads of one person: the winner gets missing values and the loser''s deals, activities, tags and external ids.';

-- Records: which Supabase Auth accounts Placar may ban and delete, and which account each user has.
--
-- Auth belongs to the whole deployment: other programs have accounts there, and operators may ban anyone. A tenant can
-- enter any email address, which must not affect the account with that address in any way. An account is therefore
-- linked to Placar only when one of our invitations created it or its owner accepted one. Only linked accounts are
-- changed: Placar lifts only its own bans, and deletes only accounts that it created. Users are linked by account id,
-- because people change their address in Auth.

create table private.auth_accounts (
  auth_user_id uuid        primary key references auth.users (id) on delete cascade,
  tie          text        not null check (tie in ('invited', 'accepted')),
  made         boolean     not null,
  tied_at      timestamptz not null default clock_timestamp(),
  ban_seconds  bigint      not null default (876000 * 3600.0 + (1 + 9 * random()) * 365 * 86400)::bigint,
  ban_asked_at timestamptz
);

comment on table  private.auth_accounts is
  'Auth accounts that Placar may ban, and delete if it created them; other accounts are never changed.';
comment on column private.auth_accounts.auth_user_id is 'Account id in Auth, because an email address can move to another account.';
comment on column private.auth_accounts.tie is
  'invited: our invitation created the account; accepted: its owner accepted an invitation.';
comment on column private.auth_accounts.made is 'Whether our invitation created the account; other accounts are never deleted.';
comment on column private.auth_accounts.tied_at is 'When the account was linked.';
comment on column private.auth_accounts.ban_seconds is
  'Duration of our bans: over a hundred years and random per account, which distinguishes them from an operator''s bans.';
comment on column private.auth_accounts.ban_asked_at is 'When a ban was last requested from Auth; null if never.';

alter table private.auth_accounts enable row level security;

create table private.user_accounts (
  tenant_id    uuid not null,
  user_id      uuid not null,
  auth_user_id uuid not null references auth.users (id) on delete cascade,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references public.users (tenant_id, id) on delete cascade
);

comment on table  private.user_accounts is
  'Account of each user who is or was active, found by email address on activation and kept when the address changes.';
comment on column private.user_accounts.auth_user_id is 'Account id in Auth.';

create index user_accounts_account_idx on private.user_accounts (auth_user_id);

alter table private.user_accounts enable row level security;

create function private.find_auth_account(email text) returns uuid
language sql stable
set search_path = ''
as $$
  select a.id from auth.users a where a.email = find_auth_account.email and not a.is_sso_user and a.deleted_at is null
$$;

comment on function private.find_auth_account(text) is 'The account that currently has this email address.';

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
  'Links the account with this email address to Placar because our invitation created it or its owner accepted one.';

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
  'Links active users with this email address to its account; existing links stay.';

-- Auth does not store who set a ban, and its response can get lost. Placar therefore recognizes its own bans by their
-- duration, which no operator would choose.
create function private.is_own_ban(account private.auth_accounts, banned_until timestamptz) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(abs(extract(epoch from banned_until - account.ban_asked_at) - account.ban_seconds) < 600, false)
$$;

comment on function private.is_own_ban(private.auth_accounts, timestamptz) is
  'Whether a ban that ends at this time is the one that Placar requested, with a tolerance of ten minutes.';

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

  -- Merely entering an email address does not affect its account, except that a pending invitation postpones its
  -- deletion.
  wanted := case
    when active then 'open'
    when people > 0 then 'banned'
    when not account.made then 'open'
    when invited_until is not null then case account.tie when 'accepted' then 'banned' else 'unchanged' end
    when account.tie = 'invited' and exists (select from public.users u where u.email = address and u.status = 'deactivated')
      then 'banned'
    else 'gone'
  end;

  auth_user_id := account.auth_user_id;
  if ends_at is not null and not private.is_own_ban(account, ends_at) then
    -- Never change an operator's ban or delete the banned account. If that ban ends before ours would, ours follows.
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
  'Next action in Auth for an account (by id or email address): ban, lift, delete or wait; no row if none (worker only).';

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
  'Auth accounts that Placar may ban: those it invited or that accepted an invitation; other accounts are never changed.';
comment on column admin.auth_accounts.email is 'Email address of the account in Auth.';
comment on column admin.auth_accounts.auth_user_id is 'Account id in Auth.';
comment on column admin.auth_accounts.tie is
  'invited: an invitation from Placar created the account; accepted: its owner accepted an invitation.';
comment on column admin.auth_accounts.made is
  'Whether an invitation from Placar created the account; other accounts are never deleted.';
comment on column admin.auth_accounts.tied_at is 'When the account was linked.';
comment on column admin.auth_accounts.banned_until is 'End of the ban in Auth; null or in the past if not banned.';
comment on column admin.auth_accounts.banned_by is
  'placar: lifted when the user becomes active again; operator: stays until an operator lifts it; null if not banned.';
comment on column admin.auth_accounts.tenants is
  'Number of tenants in which the owner is or was an active user; tenants with only an invitation do not count.';

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

-- Records: pages of the lists of leads, deals, users, teams, activities, invitations and webhooks.
--
-- Under row-level security only leakproof operators can use an index, and LIKE is not leakproof. These functions
-- therefore run as the owner with an explicit tenant condition to find the ids of a page; the rows are then read by id
-- under row-level security.

create function private.list_filter(conditions jsonb) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  filter    text := 'true';
  condition jsonb;
begin
  for condition in select c from jsonb_array_elements(conditions) as c where c ->> 'op' <> 'search' loop
    filter := filter || ' and ' || case condition ->> 'op'
      when 'eq'      then format('r.%I = %L',  condition ->> 'column', condition ->> 'value')
      when 'gt'      then format('r.%I > %L',  condition ->> 'column', condition ->> 'value')
      when 'lt'      then format('r.%I < %L',  condition ->> 'column', condition ->> 'value')
      when 'gte'     then format('r.%I >= %L', condition ->> 'column', condition ->> 'value')
      when 'lte'     then format('r.%I <= %L', condition ->> 'column', condition ->> 'value')
      when 'in'      then format('r.%I = any (%L)', condition ->> 'column', condition ->> 'value')
      when 'after_day'  then format('r.%I > %L', condition ->> 'column', app.local_midnight((condition ->> 'value')::date))
      when 'before_day' then format('r.%I < %L', condition ->> 'column', app.local_midnight((condition ->> 'value')::date))
      when 'invitation_status' then format('app.invitation_status(r) = %L', condition ->> 'value')
      when 'stage'   then format(
        'r.stage_id = any (array(select s.id from public.pipeline_stages s
                                 where s.tenant_id = %L and (lower(normalize(s.name, nfc)) = lower(normalize(%L, nfc)) or s.id::text = lower(%2$L))))',
        app.tenant_id(), condition ->> 'value')
      when 'owner_team' then format(
        'r.owner_id = any (array(select u.id from public.users u where u.tenant_id = %L and u.team_id = %L))',
        app.tenant_id(), condition ->> 'value')
      when 'of_user' then format(
        'r.player_id = %L',
        (select u.player_id from public.users u where u.tenant_id = app.tenant_id() and u.id = (condition ->> 'value')::uuid))
      when 'external_id' then format(
        'r.id = any (array(select e.record_id from public.external_ids e
                           where e.tenant_id = %L and e.client_id = %L and e.source = %L and e.external_id = %L))',
        app.tenant_id(), condition ->> 'client_id', condition ->> 'source', condition ->> 'value')
      when 'of_lead' then format(
        '(r.lead_id = %L or r.deal_id = any (array(select d.id from public.deals d where d.tenant_id = %L and d.lead_id = %1$L)))',
        condition ->> 'value', app.tenant_id())
    end;
  end loop;
  return filter;
end
$$;

comment on function private.list_filter(jsonb) is 'SQL conditions on a row r for all list conditions except the search.';

-- Volatile, because only volatile functions may run EXPLAIN.
create function private.planned(statement text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  plan json;
begin
  execute 'explain (format json) ' || statement into plan;
  return plan -> 0 -> 'Plan';
end
$$;

comment on function private.planned(text) is 'Query plan of a statement, including the estimated number of rows.';

-- Samples the rows with the lowest ids, which are random. The planner has statistics only for all tenants together.
create function private.sample_search(
  source     text,
  filter     text,
  pattern    text,
  out share  double precision,
  out rarest text
)
language plpgsql stable
set search_path = ''
as $$
declare
  sample_size constant integer := 300;
  -- Each word with the character before it, because the start of a word has its own trigrams. Parts of fewer than three
  -- characters have none.
  parts constant text[] := array(
    select distinct '%' || m[1] || '%'
    from regexp_matches(substr(pattern, 2, length(pattern) - 2), '((?:\\.|[^[:alnum:]])?[[:alnum:]]+)', 'g') as m
    where length(m[1]) >= 3
  );
  numbers integer[];
begin
  execute format(
    'select count(*) filter (where r.search like %L and %s) / greatest(count(*), 1)::double precision, array[%s]::integer[]
     from (select r.* from public.%I r where r.tenant_id = %L order by r.id limit %s) as r',
    pattern, filter,
    (select string_agg(format('count(*) filter (where r.search like %L)', part), ', ' order by n)
     from unnest(parts) with ordinality as p (part, n)),
    source, app.tenant_id(), sample_size
  ) into share, numbers;
  select p.part into rarest
  from unnest(parts, numbers) as p (part, number)
  order by p.number, length(p.part) desc, p.part limit 1;
end
$$;

comment on function private.sample_search(text, text, text) is
  'Estimates the share of a tenant''s rows that a search matches, and its rarest part that can use the index (null if none).';

-- For a tenant with many rows, this first scans a limited number of rows in sort order if that is likely to fill the
-- page. Otherwise it finds the matching rows by index, counts up to ten thousand and sorts them.
create function app.list_page(
  source      text,
  conditions  jsonb,
  sort        text,
  descending  boolean,
  page_size   integer,
  page_offset bigint
) returns table (ids text[], total bigint)
-- Volatile, because only volatile functions may run EXPLAIN.
language plpgsql volatile security definer rows 1
set search_path = ''
set jit = off
as $$
declare
  exact_up_to  constant integer := 10000;
  -- If this many rows are expected, there are certainly more than exact_up_to, although the number is an estimate.
  surely_more  constant integer := 50000;
  -- 15 of the 300 sampled rows.
  surely_share constant double precision := 0.05;
  walk_at_least constant integer := 2000;
  tables constant text := format('public.%I r', source) || case when sort = 'total_points'
    then ' join public.players p on p.tenant_id = r.tenant_id and p.id = r.player_id' else '' end;
  -- Names have one order, whatever the locale of the database.
  key constant text := case sort
    when 'total_points' then 'p.total_points' when 'name' then 'r.name collate "und-x-icu"' else format('r.%I', sort) end;
  direction constant text := case when descending then 'desc' else 'asc' end;
  key_direction constant text := direction
    || case when descending and sort = 'expected_close_date' then ' nulls last' else '' end;
  slice constant text := format('limit %s offset %s', page_size + 1, page_offset);
  of_tenant constant text := format('r.tenant_id = %L', app.tenant_id());
  filter constant text := private.list_filter(conditions);
  pattern constant text := (
    select app.search_pattern(c ->> 'value') from jsonb_array_elements(conditions) as c where c ->> 'op' = 'search'
  );
  matching constant text := concat_ws(' and ', of_tenant, filter, 'r.search like ' || quote_literal(pattern));
  -- The same condition, rewritten so that the best index is used.
  found_by text := matching;
  in_order constant text := format(
    'select r.id::text from %s where %%s order by %s %s, r.id %s %s', tables, key, key_direction, direction, slice
  );
  put_in_order constant text := format(
    'with matching as materialized (select r.id, %s as key from %s where %%s limit %%s)
     select array(select m.id::text from matching m order by m.key %s, m.id %s %s), (select count(*) from matching)',
    key, tables, key_direction, direction, slice
  );
  rows_of_table  constant double precision := (
    select c.reltuples from pg_catalog.pg_class c where c.oid = format('public.%I', source)::regclass
  );
  rows_of_tenant double precision := 0;
  expected double precision := 0;
  plan     jsonb;
  part     text;
  -- Whether no index returns exactly the matching rows in order, so that rows must be filtered or sorted.
  walks    boolean := false;
  steps    double precision;
  bound    record;
  counted  bigint;
  exact    boolean := false;
begin
  if rows_of_table > surely_more then
    rows_of_tenant := private.planned(format('select from public.%I r where %s', source, of_tenant)) ->> 'Plan Rows';
  end if;
  if rows_of_tenant > surely_more then
    if pattern is null then
      plan := private.planned(format(in_order, matching)) -> 'Plans' -> 0;
      expected := plan ->> 'Plan Rows';
      walks := plan ->> 'Node Type' = 'Sort' or jsonb_path_exists(plan, '$.**.Filter');
    else
      select s.share * rows_of_tenant, s.rarest into expected, part from private.sample_search(source, filter, pattern) as s;
      walks := true;
      if part is not null then
        -- With the plain condition, the index would combine the rows of every word and of the tenant, but one rare word
        -- is enough. "is not distinct from" and an expression on the column keep the other conditions out of the index.
        found_by := format('%s and %s and r.search like %L and r.search || '''' like %L',
          case when filter = 'true' and rows_of_tenant > rows_of_table / 4
            then format('r.tenant_id is not distinct from %L', app.tenant_id()) else of_tenant end,
          filter, part, pattern);
      end if;
    end if;

    -- Scan twice as many rows as expected, then ten times as many if the page is not full, as long as that is cheaper
    -- than sorting all matches.
    steps := ceil(2 * (page_offset + page_size + 1) * rows_of_tenant / nullif(expected, 0));
    while walks and ids is null and steps <= greatest(expected, walk_at_least) loop
      execute format(
        'select %s::text as key, r.id::text as id from %s where %s order by %s %s, r.id %s offset %s limit 1',
        key, tables, of_tenant, key, key_direction, direction, steps
      ) into bound;
      exit when bound.key is null;
      execute format('select array(%s)', format(in_order, format(
        '%s and (%s, r.id) %s (%L, %L)', matching, key, case when descending then '>=' else '<=' end, bound.key, bound.id
      ))) into ids;
      ids := case when cardinality(ids) > page_size then ids end;
      steps := steps * 10;
    end loop;
  end if;

  if expected > greatest(surely_more, surely_share * rows_of_tenant) then
    counted := expected;
    if walks and ids is null then
      execute format(put_in_order, found_by, 'all') into ids, counted;
      exact := true;
    end if;
  elsif walks and ids is null then
    execute format(put_in_order, found_by, surely_more) into ids, counted;
    exact := counted < surely_more;
    ids := case when exact then ids end;
  else
    execute format('select count(*) from (select from %s where %s limit %s) as counted',
      tables, found_by, exact_up_to + 1) into counted;
    exact := counted <= exact_up_to;
  end if;
  if ids is null then
    execute format('select array(%s)', format(in_order, matching)) into ids;
  end if;

  if exact then
    total := counted;
  elsif cardinality(ids) <= page_size and (page_offset = 0 or cardinality(ids) > 0) then
    total := page_offset + cardinality(ids);
  else
    total := greatest(expected, counted, page_offset + cardinality(ids));
  end if;
  ids := ids[:page_size];
  return next;
end
$$;

comment on function app.list_page(text, jsonb, text, boolean, integer, bigint) is
  'Ids of one page of a list and the total: exact up to 10000 and on the last page, otherwise an estimate that is '
  'never too low for the page.';

grant execute on function app.list_page(text, jsonb, text, boolean, integer, bigint) to api;

-- Versions ------------------------------------------------------------------------------------------------------------

-- A record's version is its updated_at, which changes exactly when the row changes. A writer can
-- require that the record has not changed since it was read.

create function app.expect_version(source text, missing text, id uuid, versions timestamptz[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  present timestamptz;
begin
  -- A concurrent writer waits here and then sees the changes of the first one.
  execute format('select r.updated_at from public.%I r where r.tenant_id = app.tenant_id() and r.id = $1 for no key update', source)
    into present using id;
  if present is null and source = 'leads' then
    perform app.raise_lead_missing(id);
  elsif present is null then
    perform app.raise_domain_error(missing);
  elsif present <> all (versions) then
    raise exception 'the record has another version' using errcode = 'PL412';
  end if;
end
$$;

comment on function app.expect_version(text, text, uuid, timestamptz[]) is
  'Locks a record until the transaction ends; fails if it is missing (PL400) or has none of these versions (PL412, null means any).';

grant execute on function app.expect_version(text, text, uuid, timestamptz[]) to api;

-- Records: batches. Operations on one kind of record run in order, as if each were a separate request; errors affect
-- only their own operation. Consecutive new records, including those of upserts, are inserted in one statement unless
-- one of them fails. Updates run one by one, so that their events follow the order of the operations.
--
-- An operation is an object with `method` and, depending on it: `id` or `external_id` of the record; `create` and
-- `change`, bodies in stored form (an upsert may lack one, with the reason in `change_fault`, see app.begin_upsert);
-- `conditional` and `versions` from If-Match; and `names`, the external id that it assigns. Its result is an object
-- with `record`, plus `made` if the record is new; an empty object for a deletion; or an object with `error`.

create function app.record_of(source text) returns text
language sql immutable parallel safe
set search_path = ''
return case source when 'leads' then 'app.lead_record(t)' when 'deals' then 'app.deal_record(t)' else 'to_jsonb(t)' end;

comment on function app.record_of(text) is 'SQL expression for the stored form of a row t of a table.';

create function app.raise_missing(source text, record_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  if source = 'leads' then
    perform app.raise_lead_missing(record_id);
  end if;
  perform app.raise_domain_error('deal_missing');
end
$$;

comment on function app.raise_missing(text, uuid) is
  'Fails with PL400 because the record does not exist; for a merged lead, includes the lead it was merged into.';

create function app.create_in_batch(source text, client_id text, columns text[], bodies jsonb) returns setof jsonb
language plpgsql
set search_path = ''
as $$
begin
  return query execute format(
    'insert into public.%1$I as t (tenant_id, %2$s)
     select app.tenant_id(), %3$s
     from jsonb_array_elements($1) with ordinality as o (body, place), lateral jsonb_populate_record(null::public.%1$I, o.body) as r
     order by o.place
     returning %4$s',
    source,
    (select string_agg(quote_ident(c), ', ' order by c) from unnest(columns) as c)
      || case source when 'deals' then ', stage_id' when 'deal_activities' then ', owner_id' else '' end,
    (select string_agg('r.' || quote_ident(c), ', ' order by c) from unnest(columns) as c)
      || case source
           when 'deals' then ', app.stage_of(o.body)'
           -- Without a deal, the activity belongs to the person, or to the user that the client acts for.
           when 'deal_activities' then
             ', case when r.deal_id is null then app.lock_acting_user($2) end'
           else ''
         end,
    app.record_of(source))
  using bodies, client_id;
end
$$;

comment on function app.create_in_batch(text, text, text[], jsonb) is
  'Creates records from these bodies, in order; returns their stored forms in the same order.';

create function app.change_in_batch(source text, client_id text, columns text[], record_id uuid, change jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  changed jsonb;
begin
  execute format(
    'update public.%1$I t set (%2$s) = (select %3$s from jsonb_populate_record(t, $1) as r) %4$s
     where t.tenant_id = app.tenant_id() and t.id = $2 returning %5$s',
    source,
    (select string_agg(quote_ident(c), ', ' order by c) from unnest(columns) as c),
    (select string_agg('r.' || quote_ident(c), ', ' order by c) from unnest(columns) as c),
    case when change ? 'external_id' then ', external_ids = app.with_external_id(t.external_ids, $3, $1 ->> ''external_id'')' else '' end
      || case when source = 'deals' and coalesce(change ->> 'stage_id', change ->> 'stage') is not null
           then ', stage_id = app.stage_of($1)' else '' end,
    app.record_of(source))
  into changed
  using change, record_id, client_id;
  if changed is null then
    perform app.raise_missing(source, record_id);
  end if;
  return changed;
end
$$;

comment on function app.change_in_batch(text, text, text[], uuid, jsonb) is
  'Updates the given members of a record; returns its stored form.';

create function app.apply_operation(source text, client_id text, new_columns text[], columns text[], operation jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  method     constant text := operation ->> 'method';
  record_id  uuid := (operation ->> 'id')::uuid;
  deleted_id uuid;
  versions   constant timestamptz[] := case when jsonb_typeof(operation -> 'versions') = 'array'
    then array(select v::timestamptz from jsonb_array_elements_text(operation -> 'versions') as v) end;
begin
  if method = 'upsert' then
    perform app.begin_upsert(client_id, source, operation ->> 'external_id', operation ? 'create', operation ->> 'change_fault', false,
      operation ? 'versions', versions);
    record_id := nullif(current_setting('app.record_id', true), '')::uuid;
  elsif operation ? 'external_id' then
    select e.record_id into record_id from public.external_ids e
    where e.tenant_id = app.tenant_id() and e.client_id = apply_operation.client_id and e.source = apply_operation.source
      and e.external_id = operation ->> 'external_id';
    if record_id is null then perform app.raise_missing(source, null); end if;
  end if;
  if method in ('update', 'delete') and operation ? 'versions' then
    perform app.expect_version(source, 'deal_missing', record_id, versions);
  end if;

  if record_id is null then
    return jsonb_build_object('made', true, 'record',
      app.create_in_batch(source, client_id, new_columns, jsonb_build_array(operation -> 'create')));
  elsif method = 'delete' then
    execute format('delete from public.%I t where t.tenant_id = app.tenant_id() and t.id = $1 returning t.id', source)
      into deleted_id using record_id;
    if deleted_id is null then perform app.raise_missing(source, record_id); end if;
    return '{}';
  elsif operation ? 'change_fault' then
    perform app.raise_domain_error('operation_refused');
  end if;
  return jsonb_build_object('record', app.change_in_batch(source, client_id, columns, record_id, operation -> 'change'));
end
$$;

comment on function app.apply_operation(text, text, text[], text[], jsonb) is
  'Runs one operation of a batch and returns its result.';

create function app.operation_error(source text, client_id text, operation jsonb, error jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
declare
  record_id uuid := (operation ->> 'id')::uuid;
  names     constant text := operation ->> 'names';
  present   jsonb;
begin
  if error ->> 'constraint' = 'leads_tenant_id_email_key' then
    select l.id into record_id from public.leads l
    where l.tenant_id = app.tenant_id()
      and l.email = any (array[operation #>> '{create,email}', operation #>> '{change,email}']) limit 1;
    return error || jsonb_build_object('existing_id', record_id);
  elsif error ->> 'constraint' = 'external_ids_pkey' or record_id is null and error ->> 'code' = 'PL412' then
    select e.record_id into record_id from public.external_ids e
    where e.tenant_id = app.tenant_id() and e.client_id = operation_error.client_id and e.source = operation_error.source
      and e.external_id = coalesce(case when error ->> 'code' = 'PL412' then operation ->> 'external_id' end, names);
    error := error || jsonb_build_object('existing_id', record_id);
  end if;
  if error ->> 'code' = 'PL412' then
    execute format('select %s from public.%I t where t.tenant_id = app.tenant_id() and t.id = $1', app.record_of(source), source)
      into present using record_id;
    error := error || jsonb_build_object('current', present);
  end if;
  return error;
end
$$;

comment on function app.operation_error(text, text, jsonb, jsonb) is
  'Why an operation failed, with the conflicting record: existing_id, or current for a version conflict.';

create function app.apply_operations(
  source text, client_id text, new_columns text[], columns text[], operations jsonb, atomic boolean, rejected boolean
) returns setof jsonb
language plpgsql
set search_path = ''
as $$
declare
  n        constant integer := jsonb_array_length(operations);
  outcomes jsonb[] := '{}';
  made     jsonb[];
  place    integer := 0;
  last     integer;
  failed   boolean := rejected;
  problem  jsonb;
  present  text[];
  body     jsonb;
begin
  -- Serializes batches, which could otherwise deadlock on the same email addresses in different orders. A single
  -- operation needs no lock, because it never waits while holding a row that a batch waits for.
  if n > 1 and operations @? '$[*].*.email' then
    perform pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'batch', app.tenant_id(), source), 0));
  end if;
  perform app.lock_external_ids(client_id, source, array(
    select o ->> 'names' from jsonb_array_elements(operations) as o where o ? 'names'));
  if source <> 'deal_activities' then
    execute format(
      'select from public.%I t
       where t.tenant_id = app.tenant_id() and t.id in (
         select (o ->> ''id'')::uuid from jsonb_array_elements($1) as o where o ? ''id''
         union all
         select e.record_id from jsonb_array_elements($1) as o
         join public.external_ids e on e.tenant_id = app.tenant_id() and e.client_id = $2 and e.source = $3 and e.external_id = o ->> ''external_id'')
       order by t.id for no key update', source)
    using operations, client_id, source;
  end if;

  present := array(
    select e.external_id from public.external_ids e
    where e.tenant_id = app.tenant_id() and e.client_id = apply_operations.client_id and e.source = apply_operations.source
      and e.external_id in (select o ->> 'external_id' from jsonb_array_elements(operations) as o where o ->> 'method' = 'upsert'));

  <<batch>>
  begin
    while place < n loop
      last := place;
      loop
        body := operations -> last;
        -- An upsert whose record did not exist inserts it. If an earlier operation inserted it, the statement fails and
        -- the operations run one by one.
        exit when last = n or not coalesce(body ->> 'method' = 'create' or body ->> 'method' = 'upsert'
          and body ? 'create' and not body ? 'versions' and body ->> 'external_id' <> all (present), false);
        last := last + 1;
      end loop;
      if last > place + 1 then
        begin
          select array_agg(jsonb_build_object('made', true, 'record', r)) into made
          from app.create_in_batch(source, client_id, new_columns, (
            select jsonb_agg(o -> 'create' order by i) from jsonb_array_elements(operations) with ordinality as e (o, i) where i > place and i <= last
          )) as r;
          outcomes := outcomes || made;
          place := last;
          continue;
        exception when sqlstate 'PL400' or integrity_constraint_violation or data_exception then
          null; -- Run the operations one by one to find the one that fails.
        end;
      end if;
      last := greatest(last, place + 1);
      while place < last loop
        declare
          operation constant jsonb := operations -> place;
          code      text;
          message   text;
          broken    text;
          detail    text;
        begin
          outcomes := outcomes || app.apply_operation(source, client_id, new_columns, columns, operation);
        exception when sqlstate 'PL400' or sqlstate 'PL412' or integrity_constraint_violation or data_exception then
          get stacked diagnostics code = returned_sqlstate, message = message_text, detail = pg_exception_detail,
            broken = constraint_name;
          problem := app.operation_error(source, client_id, operation, jsonb_build_object(
            'code', code, 'message', message, 'detail', detail, 'constraint', broken));
          outcomes := outcomes || jsonb_build_object('error', problem);
          failed := true;
        end;
        place := place + 1;
      end loop;
    end loop;
    if atomic and failed then
      raise exception 'the batch was rolled back' using errcode = 'PL424';
    end if;
  exception when sqlstate 'PL424' then
    -- Look up conflicting records again, because the rollback may have removed or reverted them.
    select array_agg(case when o ? 'error' then jsonb_build_object('error', app.operation_error(
             source, client_id, operations -> (i - 1)::integer, (o -> 'error') - '{existing_id, current}'::text[])) else o end order by i)
    into outcomes
    from unnest(outcomes) with ordinality as u (o, i);
  end;
  perform set_config('app.batch_rejected', (atomic and failed)::text, true);
  return query select o from unnest(outcomes) with ordinality as u (o, i) order by i;
end
$$;

comment on function app.apply_operations(text, text, text[], text[], jsonb, boolean, boolean) is
  'Runs a batch in order and returns the results; an atomic batch with a failed or rejected operation changes nothing (app.batch_rejected is true).';

grant execute on function
  app.record_of(text), app.raise_missing(text, uuid), app.create_in_batch(text, text, text[], jsonb),
  app.change_in_batch(text, text, text[], uuid, jsonb), app.apply_operation(text, text, text[], text[], jsonb),
  app.operation_error(text, text, jsonb, jsonb), app.apply_operations(text, text, text[], text[], jsonb, boolean, boolean)
to api;
