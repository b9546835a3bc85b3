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
