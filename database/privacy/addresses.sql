-- The export and the erasure of a person find whole email addresses: mariana@example.com does not contain ana@example.com.

-- A character as it stands, or percent-encoded (once or again), or escaped as in JSON.
create function private.address_pattern(email text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select
    -- In the text of JSON, a line break before the address is the escape \n, whose letter is no part of the address. Neither are the
    -- digits of a percent-encoded character that addresses do not contain.
    '(?:(?<=\\[bfnrt])|(?<=%(?:25)*(?:[01][0-9a-f]|2[0-24689acf]|3[a-f]|40|5[b-e]|60|7[b-f]))|(?<![[:alnum:]][._%+''-]*))'
    || (select string_agg(
          format('(?:%s|%s%s)', regexp_replace(c, '([^[:alnum:]])', '\\\1'),
                 regexp_replace(encode(convert_to(c, 'UTF8'), 'hex'), '(..)', '%(?:25)*\1', 'g'),
                 case when c ~ '^[[:ascii:]]$' then '|\\u00' || encode(convert_to(c, 'UTF8'), 'hex') else '' end),
          '' order by place)
        from string_to_table(email, null) with ordinality as s (c, place))
    || '(?!(?:-|%(?:25)*2d)*[[:alnum:]]|(?:\.|%(?:25)*2e)[[:alnum:]])'
$$;

comment on function private.address_pattern(text) is
  'Regular expression that finds an email address, encoded or not, in a text or in the text of JSON, but not as a part of another address.';

create function private.mentions(value text, email text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  -- The expression is slow, so most texts are excluded before.
  select case when position(email in lower(value)) > 0 or value ~* '%(25)*[0-9a-f]{2}|\\u00' then value ~* private.address_pattern(email) else false end
$$;

comment on function private.mentions(text, text) is 'Whether a text contains this email address, encoded or not.';

create function private.erased_text(value text, address text, replacement text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case when private.mentions(value, address) then regexp_replace(
    value, private.address_pattern(address),
    'erased-' || left(encode(sha256(convert_to(value || replacement, 'UTF8')), 'hex'), 16) || '@erased.invalid', 'gi') else value end
$$;

comment on function private.erased_text(text, text, text) is
  'A text or JSON without an email address. Different texts stay different, because unique ones can contain the address in several spellings.';

create function app.erased_external_id(value text) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select 'erased:' || encode(sha256(convert_to(value, 'UTF8')), 'hex') $$;

comment on function app.erased_external_id(text) is
  'Replaces the external id of an activity that contained an address. An activity that is sent again is recognized by it, and earns no more points.';

grant execute on function app.erased_external_id(text) to api;

-- Texts that callers and admins wrote, in all tables of tenants: a new column needs no change here. The replacement can be longer than the
-- address, and texts have at most 255 characters where their length is checked.
create function private.erase_texts(tenant_id uuid, address text, replacement text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  t     record;
  n     bigint;
  total bigint := 0;
begin
  for t in
    select c.oid::regclass as name,
           string_agg(format(case
             when (c.relname, a.attname) = ('activities', 'external_id')
               then '%1$I = case when private.mentions(%1$I, $2) then app.erased_external_id(%1$I) else %1$I end'
             when a.atttypid = 'text[]'::regtype
               then '%1$I = case when %1$I is not null then array(select left(private.erased_text(i.x, $2, $3), greatest(char_length(i.x), 255)) from unnest(%1$I) with ordinality as i (x, n) order by i.n) end'
             when a.atttypid = 'text'::regtype then '%1$I = left(private.erased_text(%1$I, $2, $3), greatest(char_length(%1$I), 255))'
             else '%1$I = private.erased_text(%1$I::text, $2, $3)::jsonb' end, a.attname), ', ') as changes,
           string_agg(format('%I::text', a.attname), ', ') as texts
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace and s.nspname in ('public', 'private')
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype)
    where c.relkind in ('r', 'p') and not c.relispartition
      and exists (select from pg_catalog.pg_attribute o where o.attrelid = c.oid and o.attname = 'tenant_id' and not o.attisdropped)
      -- Other rows refer to the value, deliveries go to it, or the law keeps it. docs/personal-data.md lists them.
      and not exists (select from pg_catalog.pg_constraint k
                      where k.contype = 'f' and (k.conrelid = c.oid and a.attnum = any (k.conkey) or k.confrelid = c.oid and a.attnum = any (k.confkey)))
      and (c.relname, a.attname) not in (('webhook_endpoints', 'url'), ('idempotency_keys', 'key'), ('request_answers', 'key'))
      and c.relname not in ('tax_documents', 'erasures', 'event_values', 'request_log')
    group by c.oid
  loop
    execute format('update %s set %s where tenant_id = $1 and private.mentions(concat_ws('' '', %s), $2)', t.name, t.changes, t.texts)
      using tenant_id, address, replacement;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end
$$;

comment on function private.erase_texts(uuid, text, text) is
  'Replaces an email address, encoded or not, in all texts of a tenant, and returns the number of changed rows.';
