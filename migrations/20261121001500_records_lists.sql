-- Records: the pages of lists, for leads, deals, users, teams, activities, invitations and webhooks alike.

-- Row-level security lets only leakproof operators use an index, and LIKE is none. So the ids of a page are found here,
-- as the owner and with the tenant named; the rows are then read by these ids, under row-level security.
create function app.list_page(
  source      text,
  conditions  jsonb,
  sort        text,
  descending  boolean,
  page_size   integer,
  page_offset bigint
) returns table (ids text[], total bigint)
-- Volatile, for only such functions may EXPLAIN.
language plpgsql volatile security definer rows 1
set search_path = ''
set jit = off
as $$
declare
  exact_up_to constant integer := 10000;
  large_from  constant integer := 100000;
  tables constant text := format('public.%I r', source);
  joined constant text := case when sort = 'total_points'
    then ' join public.players p on p.tenant_id = r.tenant_id and p.id = r.player_id' else '' end;
  sorted_by constant text := case when sort = 'total_points' then 'p.total_points' else format('r.%I', sort) end;
  direction constant text := case when descending then 'desc' else 'asc' end;
  filter    text := format('r.tenant_id = %L', app.tenant_id());
  condition jsonb;
  plan      json;
  counted   bigint;
  exact     boolean := false;
begin
  for condition in select jsonb_array_elements(conditions) loop
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
      when 'search'  then format('r.search like %L', app.search_pattern(condition ->> 'value'))
      when 'stage'   then format(
        'r.stage_id = any (array(select s.id from public.pipeline_stages s
                                 where s.tenant_id = %L and (lower(s.name) = lower(%L) or s.id::text = lower(%2$L))))',
        app.tenant_id(), condition ->> 'value')
      when 'owner_team' then format(
        'r.owner_id = any (array(select u.id from public.users u where u.tenant_id = %L and u.team_id = %L))',
        app.tenant_id(), condition ->> 'value')
      when 'of_lead' then format(
        '(r.lead_id = %L or r.deal_id = any (array(select d.id from public.deals d where d.tenant_id = %L and d.lead_id = %1$L)))',
        condition ->> 'value', app.tenant_id())
    end;
  end loop;

  execute format(
    'select array(select r.id::text from %s%s where %s order by %s %s%s, r.id %s limit %s offset %s)',
    tables, joined, filter, sorted_by, direction,
    case when descending and sort = 'expected_close_date' then ' nulls last' else '' end, direction,
    page_size + 1, page_offset
  ) into ids;
  -- Counting ten thousand rows takes longer than finding a page: where a table is large, the planner is asked first.
  if (select c.reltuples from pg_catalog.pg_class c where c.oid = format('public.%I', source)::regclass) > large_from then
    execute format('explain (format json) select from %s where %s', tables, filter) into plan;
    total := (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
  end if;
  if total is null or total <= 5 * exact_up_to then
    execute format('select count(*) from (select from %s where %s limit %s) as counted', tables, filter, exact_up_to + 1)
    into counted;
    exact := counted <= exact_up_to;
    total := case when exact then counted else greatest(total, counted) end;
  end if;
  if not exact then
    total := case when cardinality(ids) between 1 and page_size then page_offset + cardinality(ids)
                  else greatest(total, page_offset + cardinality(ids)) end;
  end if;
  ids := ids[:page_size];
  return next;
end
$$;

comment on function app.list_page(text, jsonb, text, boolean, integer, bigint) is
  'Ids of one page of a list in order, and how many rows there are in all: exact up to 10000; beyond it an estimate, which is never less than what was seen, and exact again on the last page.';

grant execute on function app.list_page(text, jsonb, text, boolean, integer, bigint) to api;
