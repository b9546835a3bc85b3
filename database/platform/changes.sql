-- Which columns of a row changed, and which there are.

-- The list names ignored members rather than tracked ones, so that new columns are tracked by default.
create function private.changed_members(before jsonb, after jsonb, ignored text[]) returns text[]
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return array(
    select key from jsonb_each(after) as a (key, value)
    where value is distinct from before -> key and not key = any (ignored) order by key
  );
end
$$;

comment on function private.changed_members(jsonb, jsonb, text[]) is
  'Members that differ between two versions of a record, except the ignored ones, sorted by name.';

create function private.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  new_external_ids jsonb;
  changed          boolean;
begin
  if tg_argv[0] = 'search' then
    -- Ignore the generated column: Postgres computes it after before triggers and discards the value set here.
    new.search := old.search;
    -- External ids belong to clients; changing them does not count as a change of the record.
    new_external_ids := new.external_ids;
    new.external_ids := old.external_ids;
  end if;
  -- Compare whole rows first, which takes a tenth of the time of comparing members.
  changed := new is distinct from old;
  if changed and tg_nargs > 1 then
    changed := to_jsonb(new) - tg_argv <> to_jsonb(old) - tg_argv;
  end if;
  if new_external_ids is not null then
    new.external_ids := new_external_ids;
  end if;
  if changed then
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end
$$;

comment on function private.set_updated_at() is
  'Trigger: increases updated_at when a row changes, ignoring the columns in its arguments (and external_ids if the first is search).';
create function private.optional_texts(of_table regclass) returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(a.attname::text order by a.attnum)
  from pg_catalog.pg_attribute a
  where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype and not a.attnotnull and a.attgenerated = ''
$$;

comment on function private.optional_texts(regclass) is
  'Columns of a table with texts that may be empty. What applies to all of them applies to a column that is added later.';
