-- Errors that functions raise, and checks of arguments.

-- Raising an error in the statement rolls back the whole transaction, including the log row that records success.
create function app.raise_domain_error(reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', reason using errcode = 'PL400';
end
$$;

comment on function app.raise_domain_error(text) is
  'Rolls back the transaction with a domain error (PL400); shared/records/domain-errors.ts lists the reasons.';

grant execute on function app.raise_domain_error(text) to api;

create function app.raise_domain_error(reason text, detail jsonb) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', reason using errcode = 'PL400', detail = raise_domain_error.detail;
end
$$;

comment on function app.raise_domain_error(text, jsonb) is
  'Rolls back the transaction with a domain error (PL400) and values for its sentence; shared/administration/reasons.ts lists the reasons.';

grant execute on function app.raise_domain_error(text, jsonb) to api;

create function private.raise_domain_error() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.raise_domain_error(tg_argv[0]);
  return null;
end
$$;

comment on function private.raise_domain_error() is 'Trigger: rejects a change with the domain error named by its argument.';

-- Errors of admin functions begin with the argument's name and list the allowed values.

create function private.refuse_argument(argument text, problem text, allowed text[] default null, reason text default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  max_listed constant integer := 20;
begin
  raise exception '%', argument || ': ' || problem || case
      when allowed is null then ''
      when cardinality(allowed) = 0 then '; none exist'
      else '; allowed: ' || array_to_string(allowed[1:max_listed], ', ')
           || case when cardinality(allowed) > max_listed then format(' and %s more', cardinality(allowed) - max_listed) else '' end
    end
    using errcode = 'invalid_parameter_value', column = argument, constraint = coalesce(reason, '');
end
$$;

comment on function private.refuse_argument(text, text, text[], text) is
  'Raises an error that names an admin function''s argument, the problem, up to twenty allowed values, and a code of the reason.';

create function private.expect_filled(argument text, value text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(value), '') = '' then
    perform private.refuse_argument(argument, 'is required and may not be empty');
  end if;
end
$$;

comment on function private.expect_filled(text, text) is 'Rejects a text argument that is missing, empty or blank.';

create function private.expect_one_of(argument text, value text, allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  if (value = any (allowed)) is not true then
    perform private.refuse_argument(argument, case when value is null then 'is required' else format('"%s" is unknown', value) end,
                                    allowed);
  end if;
end
$$;

comment on function private.expect_one_of(text, text, text[]) is 'Rejects a value that is not in the allowed list.';

create function private.expect_all_of(argument text, items text[], allowed text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(cardinality(items), 0) = 0 then
    perform private.refuse_argument(argument, 'at least one is required', allowed);
  end if;
  perform private.expect_one_of(argument, item, allowed) from unnest(items) as item where (item = any (allowed)) is not true;
end
$$;

comment on function private.expect_all_of(text, text[], text[]) is
  'Rejects an empty list or a list with a value that is not allowed.';

create function private.expect_number(argument text, value numeric, at_least numeric default null, at_most numeric default null)
returns void
language plpgsql
set search_path = ''
as $$
begin
  if value is null then
    perform private.refuse_argument(argument, 'is required');
  elsif value < at_least or value > at_most then
    perform private.refuse_argument(argument, format('%s is out of range', value), array[
      case when at_most is null then format('%s or more', at_least) else format('%s to %s', at_least, at_most) end]);
  end if;
end
$$;

comment on function private.expect_number(text, numeric, numeric, numeric) is
  'Rejects a number that is missing or out of range.';

create function private.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Privacy functions set app.maintenance to erase a person, delete a tenant or drop expired rows. Request roles gain
  -- nothing from setting it, because they have no right to change these tables.
  if tg_op <> 'TRUNCATE' and current_setting('app.maintenance', true) = 'on' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  raise exception '% is append-only: % is not allowed', tg_table_name, tg_op
    using errcode = 'insufficient_privilege',
          hint    = 'Add a reversing entry instead.';
end
$$;

comment on function private.refuse_change() is
  'Trigger of append-only tables: blocks UPDATE, DELETE and TRUNCATE, even by the owner, except for erasure, tenant '
  'deletion and retention.';
