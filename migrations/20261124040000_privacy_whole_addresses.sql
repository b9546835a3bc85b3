-- The export and the erasure of a person find whole email addresses: mariana@example.com does not contain ana@example.com.

set local lock_timeout = '3s';

create function private.address_pattern(email text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  -- In the text of JSON, a line break before the address is the escape \n, whose letter is no part of the address.
  select '(?:(?<=\\[bfnrt])|(?<![[:alnum:]][._%+''-]*))' || regexp_replace(email, '([^[:alnum:]])', '\\\1', 'g')
         || '(?!-*[[:alnum:]]|\.[[:alnum:]])'
$$;

comment on function private.address_pattern(text) is
  'Regular expression that finds an email address in a text or in the text of JSON, but not as a part of another address.';

create or replace function private.is_about(value jsonb, email text, ids text[]) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select case when position(email in lower(value::text)) > 0 then value::text ~* private.address_pattern(email) else false end
         or exists (select from unnest(ids) as own (id) where position(own.id in value::text) > 0)
$$;

create or replace function private.without_address(value text, email text, replacement text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select regexp_replace(value, private.address_pattern(email), replacement, 'gi')
$$;
