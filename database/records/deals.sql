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
