set local check_function_bodies = off;

-- Foundations: schemas, database roles, and the helper functions that all other files use.
--
--   public   tenant tables
--   app      functions that the edge functions call
--   admin    functions and views for admins in Studio
--   private  secrets and trigger functions; request roles have no access
--
-- order.txt lists the files in the order in which they run. Each table is defined together with its constraints, indexes, policies, grants
-- and triggers. When one domain reacts to changes in another domain's table, the trigger is defined in the reacting
-- domain's file, under its own heading. docs/database.md has a query for the triggers of a table.

create schema app;
create schema admin;
create schema private;

comment on schema app     is 'Functions that the edge functions call.';
comment on schema admin   is 'Functions and views that admins use in Studio: one function per action, one view per list.';
comment on schema private is 'Secrets and trigger functions, without access for request roles.';

-- A SQL function that Postgres cannot inline is planned again by every statement that calls it, which usually takes
-- longer than running it. Functions on the request path are therefore inlinable expressions (`return ...`) or PL/pgSQL,
-- which is planned once per session.

-- Only roles with an explicit grant can execute a function.
alter default privileges revoke execute on functions from public;

-- Supabase grants its API roles access to everything that postgres creates in public. Revoke it for existing objects
-- and change the defaults for future ones, including partitions created later, so that roles have only the access that
-- these files grant.
revoke all on all tables    in schema public from anon, authenticated;
revoke all on all sequences in schema public from anon, authenticated;
revoke all on all functions in schema public from anon, authenticated;
alter default privileges in schema public revoke all on tables    from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- Without temporary objects, a session cannot shadow our types and tables.
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;

create extension if not exists pg_trgm   with schema extensions;
create extension if not exists unaccent  with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- Roles ---------------------------------------------------------------------------------------------------------------

-- Roles survive a database reset, so create only those that are missing.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['api', 'payments', 'worker'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
      execute format('create role %I nologin %s nobypassrls', role_name, case role_name when 'payments' then 'inherit' else 'noinherit' end);
    end if;
    -- The functions log in as postgres and switch to one of these roles for each transaction.
    execute format('grant %I to postgres with inherit false, set true', role_name);
  end loop;
  -- The role payments can do everything that api can, and can also read its tenant's payment provider keys.
  grant api to payments with inherit true, set false;
end
$$;

grant usage on schema public, app to api, worker;
-- Programs that hold the project's secret key, such as an app built on supabase-js, access record tables directly.
grant usage on schema app to service_role;

create function app.tenant_id() returns uuid
language sql stable parallel safe
return nullif(current_setting('app.tenant_id', true), '')::uuid;

comment on function app.tenant_id() is
  'Tenant of the current transaction, which row-level security policies compare with tenant_id; null if none is set.';

grant execute on function app.tenant_id() to api, worker;

-- Environment ---------------------------------------------------------------------------------------------------------

create table private.deployment (
  only_row    boolean primary key default true check (only_row),
  environment text not null default 'staging' check (environment in ('staging', 'production')),
  sweep_url   text check (sweep_url ~ '^https?://'),
  sweep_token uuid
);

comment on table private.deployment is
  'Settings of this deployment in one row: its environment (same as APP_ENV; determines the API key prefix) and how '
  'the database calls the sweep.';
comment on column private.deployment.sweep_url is 'URL of the sweep; null when the database does not call it.';
comment on column private.deployment.sweep_token is 'Id of the Vault secret with the bearer token for sweep calls.';

alter table private.deployment enable row level security;

insert into private.deployment default values;

create function app.environment() returns text
language sql stable security definer
set search_path = ''
as $$ select environment from private.deployment $$;

comment on function app.environment() is 'Environment of this deployment: staging or production.';

grant execute on function app.environment() to api, worker;

create function private.set_environment(environment text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_one_of('environment', environment, '{staging,production}');
  update private.deployment set environment = set_environment.environment;
end
$$;

comment on function private.set_environment(text) is
  'Sets the environment, which must match APP_ENV and determines whether new API keys begin with sk_live_ or sk_test_.';

-- The platform -----------------------------------------------------------------------------------------------------------

-- Supabase lets only its own roles use the schema `extensions`, and prints numbers of type double precision with 15 digits.

-- `payments` and `manage` inherit from `api`.
grant usage on schema extensions to api, worker;

-- A double has up to 17 digits; with fewer, a value that is read would differ from the one that was stored. Applies to new connections.
do $$ begin execute format('alter database %I set extra_float_digits = 1', current_database()); end $$;

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
