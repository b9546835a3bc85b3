-- Ids, tokens and search.

-- Ids and tokens ------------------------------------------------------------------------------------------------------

create function private.random_base62(length integer) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  result   text := '';
  byte     integer;
begin
  while char_length(result) < length loop
    -- Discard bytes of 248 and above (248 = 4 * 62) so that every character is equally likely.
    foreach byte in array (
      select array_agg(get_byte(random_bytes, i))
      from extensions.gen_random_bytes(64) as random_bytes, generate_series(0, 63) as i
    ) loop
      if byte < 248 and char_length(result) < length then
        result := result || substr(alphabet, byte % 62 + 1, 1);
      end if;
    end loop;
  end loop;
  return result;
end
$$;

comment on function private.random_base62(integer) is
  'Random text of the given length from 0-9A-Za-z, from a cryptographically secure source.';

create function app.random_token() returns text
language sql volatile security definer
set search_path = ''
as $$ select private.random_base62(32) $$;

comment on function app.random_token() is 'Random token with 190 bits of entropy, for URLs that need no authentication.';

grant execute on function app.random_token() to api, worker;

create function app.typeid(prefix text) returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  alphabet     constant text   := '0123456789abcdefghjkmnpqrstvwxyz';
  microseconds constant bigint := date_part('epoch', clock_timestamp()) * 1000000;
  -- A UUIDv7 (RFC 9562) whose twelve bits after the version hold the sub-millisecond fraction, so ids within one
  -- millisecond also sort by time. Two leading zero bits pad it to 26 characters of five bits each.
  bits constant bit(130) := b'00' || ('x' || lpad(to_hex(microseconds / 1000), 12, '0')
    || '7' || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(128);
  id text := prefix || '_';
begin
  -- A loop, because an expression with 26 terms takes longer to set up than to evaluate.
  for place in 0..25 loop
    id := id || substr(alphabet, substring(bits from place * 5 + 1 for 5)::integer + 1, 1);
  end loop;
  return id;
end
$$;

comment on function app.typeid(text) is
  'Generates a TypeID, sortable by creation time: the prefix, "_" and a UUIDv7 as 26 characters of Crockford base32.';

grant execute on function app.typeid(text) to api, worker;

-- Search --------------------------------------------------------------------------------------------------------------

create function app.fold(value text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, value));
end
$$;

comment on function app.fold(text) is
  'Normalizes text for search by removing case and accents; immutable as long as the unaccent dictionary does not change.';

grant execute on function app.fold(text) to api, service_role;

create function private.composed(value jsonb) returns jsonb
language sql immutable parallel safe
set search_path = ''
as $$ select case when value::text is nfc normalized then value else normalize(value::text, nfc)::jsonb end $$;

comment on function private.composed(jsonb) is 'JSON with its texts in Unicode normalization form C, so that texts typed on any system are equal.';

create function app.search_pattern(words text) returns text
language plpgsql immutable parallel safe security definer
set search_path = ''
as $$
begin
  return '%' || regexp_replace(app.fold(normalize(btrim(words), nfc)), '([\\%_])', '\\\1', 'g') || '%';
end
$$;

comment on function app.search_pattern(text) is 'LIKE pattern for a search term, to compare with a "search" column.';

grant execute on function app.search_pattern(text) to api;
