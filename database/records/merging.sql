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
