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
