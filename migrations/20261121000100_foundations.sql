-- Foundations: the schemas, the roles that requests and jobs run as, and the small functions that every other file
-- builds on.
--
--   public   the tenants' tables
--   app      functions that the edge functions call
--   admin    functions and views for admins in Studio
--   private  secrets and trigger functions; no request role can enter it
--
-- The files are read in order. A table comes with its constraints, indexes, policies, grants and triggers, and nothing is
-- defined twice. Where a domain reacts to a change of another's table, the trigger stands in the file of the domain that
-- reacts, under a heading that says so. docs/database.md has every table with all triggers on it.

create schema app;
create schema admin;
create schema private;

comment on schema app     is 'Functions that the edge functions call.';
comment on schema admin   is 'What admins call and look at in Studio: one function per act, one view per list.';
comment on schema private is 'Secrets and trigger functions. Closed to the roles of requests.';

-- A function in SQL that the planner cannot put in the place of its call is planned again by every statement that calls it,
-- which takes longer than most of them run. So what requests call is an expression (`return ...`), which is put in place, or
-- PL/pgSQL, which plans once in a session.

-- Functions are callable by whom they are granted to, and by nobody else.
alter default privileges revoke execute on functions from public;

-- Supabase grants whatever postgres creates in public to the roles of its own API. Here nobody has a right that a migration
-- does not grant: what is there loses them, what comes never gets them, partitions of later years included.
revoke all on all tables    in schema public from anon, authenticated;
revoke all on all sequences in schema public from anon, authenticated;
revoke all on all functions in schema public from anon, authenticated;
alter default privileges in schema public revoke all on tables    from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- A type or table of a session's own must never stand in for one of ours.
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;

create extension if not exists pg_trgm   with schema extensions;
create extension if not exists unaccent  with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- Roles ---------------------------------------------------------------------------------------------------------------

-- Roles outlive a database reset, hence the guard.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['api', 'payments', 'worker'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
      execute format('create role %I nologin %s nobypassrls', role_name, case role_name when 'payments' then 'inherit' else 'noinherit' end);
    end if;
    -- The functions log in as postgres and become one of these for each transaction.
    execute format('grant %I to postgres with inherit false, set true', role_name);
  end loop;
  -- Payments may do what any request may, and read its tenant's keys of payment providers.
  grant api to payments with inherit true, set false;
end
$$;

grant usage on schema public, app to api, worker;
-- Programs of the deployment's own that hold its secret key, such as an app on supabase-js, work on tables of records directly.
grant usage on schema app to service_role;

create function app.tenant_id() returns uuid
language sql stable parallel safe
return nullif(current_setting('app.tenant_id', true), '')::uuid;

comment on function app.tenant_id() is
  'Tenant of the running transaction, set by the session that opened it; null when none is set. Policies compare with it.';

grant execute on function app.tenant_id() to api, worker;

-- Environment ---------------------------------------------------------------------------------------------------------

create table private.deployment (
  only_row    boolean primary key default true check (only_row),
  environment text not null default 'staging' check (environment in ('staging', 'production')),
  sweep_url   text check (sweep_url ~ '^https?://'),
  sweep_token uuid
);

comment on table private.deployment is
  'One row: the environment of this deployment, the same as APP_ENV of its functions, which decides the prefix of API keys; and how the database calls the sweep.';
comment on column private.deployment.sweep_url is 'Where the sweep answers; null when the database does not call it.';
comment on column private.deployment.sweep_token is 'The secret in Vault that a call carries.';

alter table private.deployment enable row level security;

insert into private.deployment default values;

create function app.environment() returns text
language sql stable security definer
set search_path = ''
as $$ select environment from private.deployment $$;

comment on function app.environment() is 'Environment of this deployment: staging or production.';

grant execute on function app.environment() to api, worker;

create function admin.set_environment(environment text) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform private.expect_one_of('environment', environment, '{staging,production}');
  update private.deployment set environment = set_environment.environment;
end
$$;

comment on function admin.set_environment(text) is
  'Makes this deployment "production" or "staging"; keys created from then on are sk_live_ or sk_test_. Set APP_ENV of the functions alike.';

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
    -- Bytes of 248 and above are dropped, so that every character is equally likely (248 = 4 * 62).
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

comment on function private.random_base62(integer) is 'Text of the given length from 0-9A-Za-z, from a cryptographic source.';

create function app.random_token() returns text
language sql volatile security definer
set search_path = ''
as $$ select private.random_base62(32) $$;

comment on function app.random_token() is 'An unguessable token of 190 bits, for addresses that open without authentication.';

grant execute on function app.random_token() to api, worker;

create function app.typeid(prefix text) returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  alphabet     constant text   := '0123456789abcdefghjkmnpqrstvwxyz';
  microseconds constant bigint := date_part('epoch', clock_timestamp()) * 1000000;
  -- A UUIDv7 (RFC 9562), whose twelve bits after the version hold the fraction of the millisecond: so ids sort by time within one
  -- as well. Two zero bits before it make 26 characters of five bits each.
  bits constant bit(130) := b'00' || ('x' || lpad(to_hex(microseconds / 1000), 12, '0')
    || '7' || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(128);
  id text := prefix || '_';
begin
  -- A loop, since an expression of 26 terms takes longer to set up than to evaluate.
  for place in 0..25 loop
    id := id || substr(alphabet, substring(bits from place * 5 + 1 for 5)::integer + 1, 1);
  end loop;
  return id;
end
$$;

comment on function app.typeid(text) is
  'TypeID: the prefix, "_", and a UUIDv7 as 26 characters of Crockford base32. Sorts by the time it was made.';

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
  'Text as search compares it: without case and accents. Immutable as long as nobody changes the dictionary of unaccent.';

grant execute on function app.fold(text) to api, service_role;

create function app.search_pattern(words text) returns text
language plpgsql immutable parallel safe security definer
set search_path = ''
as $$
begin
  return '%' || regexp_replace(app.fold(btrim(words)), '([\\%_])', '\\\1', 'g') || '%';
end
$$;

comment on function app.search_pattern(text) is
  'LIKE pattern for what somebody searches for, to be compared with a column "search".';

grant execute on function app.search_pattern(text) to api;

-- Refusing ------------------------------------------------------------------------------------------------------------

-- Raised inside a statement, so that a request that is refused leaves nothing behind, the log row of its success included.
create function app.raise_domain_error(reason text) returns jsonb
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', reason using errcode = 'PL400';
end
$$;

comment on function app.raise_domain_error(text) is
  'Ends a transaction because the request cannot be done (PL400); shared/records/domain-errors.ts knows the reasons by name.';

grant execute on function app.raise_domain_error(text) to api;

create function private.raise_domain_error() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  perform app.raise_domain_error(tg_argv[0]);
  return null;
end
$$;

comment on function private.raise_domain_error() is 'Trigger: refuses a change, for the reason that is its argument.';

-- What admins call says what it expects: errors begin with the argument's name and list what is allowed.

create function private.refuse_argument(argument text, problem text, allowed text[] default null) returns void
language plpgsql
set search_path = ''
as $$
declare
  most constant integer := 20;
begin
  raise exception '%', argument || ': ' || problem || case
      when allowed is null then ''
      when cardinality(allowed) = 0 then '; there is none'
      else '; allowed: ' || array_to_string(allowed[1:most], ', ')
           || case when cardinality(allowed) > most then format(' and %s more', cardinality(allowed) - most) else '' end
    end
    using errcode = 'invalid_parameter_value';
end
$$;

comment on function private.refuse_argument(text, text, text[]) is
  'Ends an admin''s call: names the argument, what is wrong with it, and what is allowed (the first twenty).';

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

comment on function private.expect_filled(text, text) is 'Refuses a text that is missing, empty or blank.';

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

comment on function private.expect_one_of(text, text, text[]) is 'Refuses a word that is none of these.';

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

comment on function private.expect_all_of(text, text[], text[]) is 'Refuses a list that is empty or has a word that is none of these.';

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

comment on function private.expect_number(text, numeric, numeric, numeric) is 'Refuses a number that is missing or outside these bounds.';

create function private.refuse_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  -- Erasing a person, deleting a tenant and dropping what is past its time set this for themselves alone (privacy). It opens
  -- nothing to the roles of requests, which have no right to change such tables.
  if tg_op <> 'TRUNCATE' and current_setting('app.upkeep', true) = 'on' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  raise exception '% is append-only: % is not allowed', tg_table_name, tg_op
    using errcode = 'insufficient_privilege',
          hint    = 'Add an opposite entry instead.';
end
$$;

comment on function private.refuse_change() is
  'Trigger of append-only tables: stops UPDATE, DELETE and TRUNCATE, the owner''s too, but for erasing a person, deleting a tenant and dropping what is past its time.';

-- Noticing changes ----------------------------------------------------------------------------------------------------

-- What does not count is named, so that a new column counts by itself.
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
  'Members in which two versions of a record differ, but for these, in the order of their names.';

create function private.set_updated_at() returns trigger
language plpgsql
set search_path = ''
as $$
declare
  given   jsonb;
  changed boolean;
begin
  if tg_argv[0] = 'search' then
    -- Generated: not computed yet, and computed whatever is set here.
    new.search := old.search;
    -- What a client calls a record is the client's, and no change of the record.
    given := new.external_ids;
    new.external_ids := old.external_ids;
  end if;
  -- Rows are compared first, which takes a tenth of the time that their members take.
  changed := new is distinct from old;
  if changed and tg_nargs > 1 then
    changed := to_jsonb(new) - tg_argv <> to_jsonb(old) - tg_argv;
  end if;
  if given is not null then
    new.external_ids := given;
  end if;
  if changed then
    new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  end if;
  return new;
end
$$;

comment on function private.set_updated_at() is
  'Trigger: a row that changed has a later updated_at than before, whatever the clock does, so that changes can be told apart and put in order. '
  'Its arguments are columns that do not count, the generated one, search, before others: tables that have it have external ids as well, which never count.';
