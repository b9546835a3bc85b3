-- Records: merging leads. Of two that are one person the winner stays and the loser goes: what the winner has stays, what it lacks
-- comes from the loser, and deals, activities and external ids of the loser become the winner's.
--
--   merged_leads  which lead became part of which, and the e-mail that it had
--
-- Nothing else happens to anybody: one event, lead.merged, tells of all of it (records_leads, records_deals), and no points are given or
-- taken, since these hang on other events.

create table public.merged_leads (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  lead_id     uuid        not null,
  merged_into uuid        not null,
  email       text        not null,
  merged_at   timestamptz not null default clock_timestamp(),
  primary key (tenant_id, lead_id)
);

comment on table  public.merged_leads is
  'Leads that became part of another one. Rows stay when that one is deleted, until their time is past, so that a person is found by every e-mail that they had.';
comment on column public.merged_leads.lead_id is 'The loser, which is gone; or a winner that was deleted.';
comment on column public.merged_leads.merged_into is
  'The lead that it is part of, the last one when that was merged in turn; of a winner that was deleted itself.';
comment on column public.merged_leads.email is 'The e-mail that it had when it went.';
comment on column public.merged_leads.merged_at is 'When it went.';

-- Those of a lead: when that is merged in turn, is read, or is erased with its person; by an e-mail when its person is looked for.
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
  'Trigger: whose e-mail a lead had that is deleted is known for as long as those are known that were merged into it.';

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
  'Ends a transaction because there is no such lead (PL400): lead_missing, or lead_merged, whose detail is the lead that it is part of.';

grant execute on function app.raise_lead_missing(uuid) to api;

-- The merge -----------------------------------------------------------------------------------------------------------

create function private.hold_leads_to_merge(tenant_id uuid, winner_id uuid, loser_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  one uuid;
begin
  -- Whoever removes a user or a team takes that first, and then all that is theirs in an order of its own.
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
  -- In one order, so that two merges of the same leads come one after the other. Deals may be given to the winner meanwhile, and not
  -- to the loser: one that came unseen would lose its lead.
  foreach one in array array[least(winner_id, loser_id), greatest(winner_id, loser_id)] loop
    if one = loser_id then
      perform from public.leads l where l.tenant_id = tenant_id and l.id = one for update;
    else
      perform from public.leads l where l.tenant_id = tenant_id and l.id = one for no key update;
    end if;
  end loop;
end
$$;

comment on function private.hold_leads_to_merge(uuid, uuid, uuid) is
  'Holds two leads until the transaction ends, those that are there, and before them the users and teams that merging them has to do with.';

create function private.filled(own text, other text) returns text
language sql immutable parallel safe
return case when btrim(own) <> '' or coalesce(btrim(other), '') = '' then own else other end;

comment on function private.filled(text, text) is 'A text, or where it is empty the other one, unless that is empty as well.';

create function private.merge_held_leads(tenant_id uuid, winner_id uuid, loser_id uuid) returns public.leads
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
declare
  loser  public.leads;
  before public.leads;
  winner public.leads;
  silent text[];
begin
  select * into strict loser  from public.leads l where l.tenant_id = tenant_id and l.id = loser_id;
  select * into strict before from public.leads l where l.tenant_id = tenant_id and l.id = winner_id;
  silent := array(select u.metric from private.uncounted u where u.tenant_id = tenant_id and u.record_id = loser_id);
  -- Triggers of events ask it, until the merge is done.
  perform set_config('app.merged_lead', loser_id::text, true);
  update public.deals d set lead_id = winner_id where d.tenant_id = tenant_id and d.lead_id = loser_id;
  update public.deal_activities a set lead_id = winner_id where a.tenant_id = tenant_id and a.lead_id = loser_id;
  -- First, so that the winner can have its external ids.
  delete from public.leads l where l.tenant_id = tenant_id and l.id = loser_id;

  update public.leads w
  set phone         = private.filled(w.phone, loser.phone),
      company       = private.filled(w.company, loser.company),
      position      = private.filled(w.position, loser.position),
      source        = private.filled(w.source, loser.source),
      status        = case when loser.status = 'converted' then 'converted' else w.status end,
      score         = coalesce(w.score, loser.score),
      owner_id      = coalesce(w.owner_id, loser.owner_id),
      team_id       = coalesce(w.team_id, loser.team_id),
      custom_fields = w.custom_fields || (
        select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(loser.custom_fields) as m (key, value)
        where private.filled(w.custom_fields ->> key, value #>> '{}') is distinct from w.custom_fields ->> key
      ),
      tags          = w.tags || array(
        select tag from unnest(loser.tags) with ordinality as t (tag, place)
        where tag <> all (w.tags) group by tag order by min(place)
      ),
      -- Whoever did not qualify either of them is not counted for it.
      qualified_at  = coalesce(w.qualified_at, case
        when coalesce(w.owner_id, loser.owner_id) is not distinct from loser.owner_id then loser.qualified_at end),
      external_ids  = w.external_ids || (
        select coalesce(jsonb_object_agg(client_id, coalesce(w.external_ids -> client_id, '[]') || ids), '{}')
        from jsonb_each(loser.external_ids) as c (client_id, ids)
      )
  where w.tenant_id = tenant_id and w.id = winner_id
  returning w.* into strict winner;
  perform set_config('app.merged_lead', '', true);
  -- What was imported in silence does not count for whom the winner has from it.
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
  'Makes the loser a part of the winner, both of which are there and held (private.hold_leads_to_merge). Returns the winner.';

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
  'Makes a lead of the session''s tenant a part of another one, the winner, which it returns in stored form. The winner must have one of these versions (else PL412); null is any. Raises lead_missing, lead_merged, loser_is_winner, loser_missing, loser_merged.';

grant execute on function app.merge_leads(uuid, uuid, timestamptz[]) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function admin.merge_leads(tenant_id uuid, winner_id uuid, loser_id uuid) returns void
language plpgsql
set search_path = ''
as $$
#variable_conflict use_variable
begin
  perform private.expect_tenant(tenant_id);
  perform private.hold_leads_to_merge(tenant_id, winner_id, loser_id);
  if not exists (select from public.leads l where l.tenant_id = tenant_id and l.id = winner_id) then
    perform private.refuse_argument('winner_id', format('the tenant has no lead %s', winner_id));
  elsif winner_id = loser_id then
    perform private.refuse_argument('loser_id', 'must be another lead than the winner');
  elsif not exists (select from public.leads l where l.tenant_id = tenant_id and l.id = loser_id) then
    perform private.refuse_argument('loser_id', format('the tenant has no lead %s', loser_id));
  end if;
  perform private.merge_held_leads(tenant_id, winner_id, loser_id);
end
$$;

comment on function admin.merge_leads(uuid, uuid, uuid) is
  'Makes one lead a part of another one, both of one person, for good: the winner keeps what it has and gets what it lacks, and deals, activities, tags and external ids of the loser. It cannot be undone.';
