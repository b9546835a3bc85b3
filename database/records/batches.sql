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
