-- Gamification: silent imports earn nothing, neither immediately nor later. Statistics include imported records; badges
-- and challenges ignore them, so that no later change reaches a threshold because of an import. Position changes caused
-- by silent imports are not announced either.
--
--   uncounted  records that a metric ignores
--
-- Only silent writes insert rows here, so other writes need at most a lookup.

create table private.uncounted (
  tenant_id uuid             not null references public.tenants (id) on delete cascade,
  metric    text             not null check (metric = any (private.metrics())),
  record_id uuid             not null,
  amount    double precision check ((amount is null) = (metric <> 'revenue_closed')),
  primary key (tenant_id, metric, record_id)
);

comment on table  private.uncounted is
  'Leads, deals and logged activities that badge and challenge metrics ignore, because they would count only due to a silent import.';
comment on column private.uncounted.metric is 'The metric that ignores the record; deals_won also covers revenue_closed.';
comment on column private.uncounted.amount is
  'For revenue_closed: the ignored amount by which silent changes raised the value of a deal that counts as won.';

create index uncounted_record_idx on private.uncounted (tenant_id, record_id); -- deleting and merging records

alter table private.uncounted enable row level security;

create function private.has_uncounted(tenant_id uuid) returns boolean
language sql stable
set search_path = ''
as $$ select exists (select from private.uncounted u where u.tenant_id = has_uncounted.tenant_id) $$;

comment on function private.has_uncounted(uuid) is 'Whether the tenant has any records that metrics ignore.';

create function private.is_uncounted(tenant_id uuid, metric text, record_id uuid) returns boolean
language sql stable
return exists (
  select from private.uncounted u
  where u.tenant_id = is_uncounted.tenant_id and u.metric = is_uncounted.metric and u.record_id = is_uncounted.record_id
);

comment on function private.is_uncounted(uuid, text, uuid) is 'Whether a metric ignores this record.';

create function private.uncounted_amount(tenant_id uuid, deal_id uuid) returns double precision
language sql stable
return coalesce((
  select u.amount from private.uncounted u
  where u.tenant_id = uncounted_amount.tenant_id and u.metric = 'revenue_closed' and u.record_id = uncounted_amount.deal_id
), 0);

comment on function private.uncounted_amount(uuid, uuid) is 'The part of a deal''s value that revenue_closed ignores.';

-- Silent writes (records/leads.sql, records/deals.sql) ------------------------------------------------------------------------

create function private.leave_new_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  case tg_table_name
    when 'leads' then
      insert into private.uncounted (tenant_id, metric, record_id)
      select n.tenant_id, m.metric, n.id from new_rows n,
      lateral (values ('leads_created', true), ('leads_qualified', n.qualified_at is not null)) as m (metric, happened)
      where m.happened;
    when 'deals' then
      insert into private.uncounted (tenant_id, metric, record_id)
      select n.tenant_id, m.metric, n.id from new_rows n,
      lateral (values ('deals_created', true), ('deals_won', n.status = 'won')) as m (metric, happened)
      where m.happened;
    when 'deal_activities' then
      insert into private.uncounted (tenant_id, metric, record_id) select n.tenant_id, 'activities_logged', n.id from new_rows n;
  end case;
  return null;
end
$$;

comment on function private.leave_new_uncounted() is 'Trigger: excludes records created by a silent import from metrics.';

create trigger leads_leave_uncounted_insert after insert on public.leads
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();
create trigger deals_leave_uncounted_insert after insert on public.deals
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();
create trigger deal_activities_leave_uncounted_insert after insert on public.deal_activities
  referencing new table as new_rows for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_new_uncounted();

create function private.leave_changed_leads_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.uncounted (tenant_id, metric, record_id)
  select n.tenant_id, m.metric, n.id
  from new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
  -- A silently assigned lead does not count as created by its new owner.
  lateral (select n.owner_id is not null and n.owner_id is distinct from o.owner_id as given) as g,
  lateral (values
    ('leads_created',   g.given),
    ('leads_qualified', n.qualified_at is not null and (g.given or o.qualified_at is null))
  ) as m (metric, happened)
  where m.happened
  on conflict do nothing;
  return null;
end
$$;

comment on function private.leave_changed_leads_uncounted() is
  'Trigger: excludes leads that are assigned or qualified silently from the corresponding metrics.';

create trigger leads_leave_uncounted_update after update on public.leads
  referencing old table as old_rows new table as new_rows
  for each statement when (current_setting('app.silent', true) = 'on') execute function private.leave_changed_leads_uncounted();

create function private.leave_changed_deals_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if app.is_silent() then
    insert into private.uncounted as u (tenant_id, metric, record_id, amount)
    select n.tenant_id, m.metric, n.id, m.amount
    from new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id,
    lateral (select n.owner_id is not null and n.owner_id is distinct from o.owner_id as given) as g,
    lateral (values
      ('deals_created',  g.given, null),
      ('deals_won',      n.status = 'won' and (g.given or o.status <> 'won'), null),
      ('revenue_closed', n.status = 'won' and o.status = 'won' and n.value <> o.value, n.value - o.value)
    ) as m (metric, happened, amount)
    where m.happened
    on conflict (tenant_id, metric, record_id) do update set amount = u.amount + excluded.amount;
  elsif exists (select from private.uncounted u where u.tenant_id in (select n.tenant_id from new_rows n)) then
    -- Winning a deal in a regular request counts, regardless of earlier silent changes.
    delete from private.uncounted u
    using new_rows n join old_rows o on o.tenant_id = n.tenant_id and o.id = n.id
    where u.tenant_id = n.tenant_id and u.record_id = n.id and n.status = 'won'
      and (o.status <> 'won' and u.metric in ('deals_won', 'revenue_closed')
           or n.value <> o.value and u.metric = 'revenue_closed');
  end if;
  return null;
end
$$;

comment on function private.leave_changed_deals_uncounted() is
  'Trigger: excludes silent assignments, wins and value changes of deals from metrics; a win in a regular request counts.';

create trigger deals_leave_uncounted_update after update on public.deals
  referencing old table as old_rows new table as new_rows
  for each statement execute function private.leave_changed_deals_uncounted();

create function private.forget_uncounted() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.uncounted u using old_rows o where u.tenant_id = o.tenant_id and u.record_id = o.id;
  return null;
end
$$;

comment on function private.forget_uncounted() is 'Trigger: removes exclusions of deleted records.';

create trigger leads_forget_uncounted after delete on public.leads
  referencing old table as old_rows for each statement execute function private.forget_uncounted();
create trigger deals_forget_uncounted after delete on public.deals
  referencing old table as old_rows for each statement execute function private.forget_uncounted();
create trigger deal_activities_forget_uncounted after delete on public.deal_activities
  referencing old table as old_rows for each statement execute function private.forget_uncounted();

-- Users added or removed silently (records/people.sql) ----------------------------------------------------------------------------

create function private.place_silently() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  one   record;
  place bigint;
begin
  for one in select c.tenant_id, c.player_id from changed c order by c.tenant_id, c.player_id loop
    -- Serializes with recounts, because they announce changes relative to these positions.
    perform pg_advisory_xact_lock(hashtextextended('recount:' || one.tenant_id::text, 0));
    if tg_op = 'INSERT' then
      insert into public.rankings (tenant_id, player_id, position)
      select p.tenant_id, p.id, 1 + (
        select count(*) from app.ranked_players o
        where o.tenant_id = p.tenant_id and not o.opted_out_of_rankings and o.total_points > p.total_points
      )
      from public.players p
      where p.tenant_id = one.tenant_id and p.id = one.player_id and not p.opted_out_of_rankings
      on conflict do nothing
      returning position into place;
      update public.rankings r set position = r.position + 1
      from public.players lower, public.players own
      where r.tenant_id = one.tenant_id and r.position >= place
        and lower.tenant_id = r.tenant_id and lower.id = r.player_id
        and own.tenant_id = one.tenant_id and own.id = one.player_id and lower.total_points < own.total_points;
    elsif not exists (select from public.collaborators c where c.tenant_id = one.tenant_id and c.player_id = one.player_id) then
      delete from public.rankings r where r.tenant_id = one.tenant_id and r.player_id = one.player_id
      returning r.position into place;
      update public.rankings r set position = r.position - 1 where r.tenant_id = one.tenant_id and r.position > place;
    end if;
  end loop;
  return null;
end
$$;

comment on function private.place_silently() is
  'Trigger: updates stored positions when users are added or removed silently, so that no ranking change is announced.';

create trigger users_place_silently_insert after insert on public.users
  referencing new table as changed for each statement when (current_setting('app.silent', true) = 'on') execute function private.place_silently();
create trigger users_place_silently_delete after delete on public.users
  referencing old table as changed for each statement when (current_setting('app.silent', true) = 'on') execute function private.place_silently();
