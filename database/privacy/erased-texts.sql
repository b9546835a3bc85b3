-- Privacy: what an erasure leaves of texts and JSON about a person.

create function private.without_address(value text, email text, replacement text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select case when private.mentions(value, email) then regexp_replace(value, private.address_pattern(email), replacement, 'gi') else value end
$$;

comment on function private.without_address(text, text, text) is 'Replaces an email address in a text.';

create function private.erased_party(value jsonb, replacement text) returns jsonb
language sql immutable
set search_path = ''
as $$
  select case jsonb_typeof(value)
    when 'object' then (
      select coalesce(jsonb_object_agg(key, case
        when key in ('type', 'key_type', 'country', 'currency') then member
        when key = 'name' then '"Erased person"'
        when key = 'email' then to_jsonb(replacement)
        else private.erased_party(member, replacement)
      end), '{}')
      from jsonb_each(value) as m (key, member)
    )
    when 'array' then '[]'::jsonb
    when 'null' then value
    else '"erased"'::jsonb
  end
$$;

comment on function private.erased_party(jsonb, text) is
  'An invoice''s customer or payout''s beneficiary with the same members and no personal data.';

create function private.empty_texts(of_table regclass, kept text[] default '{}') returns text
language sql stable
set search_path = ''
as $$
  select string_agg(format('%I = null', name), ', ') from unnest(private.optional_texts(of_table)) as name where name <> all (kept)
$$;

comment on function private.empty_texts(regclass, text[]) is
  'Assignments that empty the optional texts of a row, so that the text of a column that is added later is erased as well.';

create function private.personal_keys() returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(distinct name)
  from unnest('{public.users,public.collaborators,public.leads,public.deals}'::regclass[]) as t, unnest(private.optional_texts(t)) as name
$$;

comment on function private.personal_keys() is 'Names of the optional texts about a person, which private.empty_texts empties in rows.';

create function private.erased_json(
  value jsonb, email text, replacement text, ids text[], personal text[] default private.personal_keys()) returns jsonb
language plpgsql immutable
set search_path = ''
as $$
declare
  own boolean;
begin
  case jsonb_typeof(value)
    when 'object' then
      own := value ->> 'id' = any (ids) or exists (
        select from jsonb_each(value) as m (key, member)
        where jsonb_typeof(member) = 'string' and lower(member #>> '{}') = email
      );
      return (
        select coalesce(jsonb_object_agg(key, case
          when not coalesce(own, false) or member = 'null' then private.erased_json(member, email, replacement, ids, personal)
          when key in ('name', 'contact_name') then '"Erased person"'
          when key in ('email', 'contact_email', 'to') then to_jsonb(replacement)
          when key in ('description', 'title', 'subject', 'text') then '"Erased"'
          -- Collaborators' roles are free texts; those of users are not personal, and events must have them.
          when key = 'role' and member #>> '{}' in ('admin', 'manager', 'sales_rep', 'viewer') then member
          when key = any (personal) or key in ('tax_id', 'cancel_reason', 'external_id', 'metadata', 'search', 'reason') then 'null'
          when key in ('customer', 'beneficiary') then private.erased_party(member, replacement)
          when key in ('custom_fields', 'external_ids') then '{}'
          when key = 'tags' then '[]'
          else private.erased_json(member, email, replacement, ids, personal)
        end), '{}')
        from jsonb_each(value) as m (key, member)
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(private.erased_json(member, email, replacement, ids, personal) order by place), '[]')
        from jsonb_array_elements(value) with ordinality as e (member, place)
      );
    when 'string' then
      return to_jsonb(private.without_address(value #>> '{}', email, replacement));
    else
      return value;
  end case;
end
$$;

comment on function private.erased_json(jsonb, text, text, text[], text[]) is
  'Erases a person from JSON: objects with one of the ids or the address lose name, contact, personal texts and free text; the '
  'address is removed from all text.';
