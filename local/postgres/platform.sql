-- What a Supabase project on Postgres 17 contains before the first migration: roles, memberships, settings of roles, schemas, extensions,
-- default privileges and event triggers. The facts are those of the repository supabase/postgres: migrations/db/, nix/tests/expected/
-- and ansible/files/postgresql_config/. tests/platform/supabase-privileges.ts lists every privilege, and a test compares.

-- Roles ---------------------------------------------------------------------------------------------------------------

create role anon          nologin;
create role authenticated nologin;
create role service_role  nologin bypassrls;
create role authenticator login noinherit;
-- Not a superuser, so that migrations that require one fail here, too.
create role postgres login createdb createrole replication bypassrls;
create role dashboard_user nologin createdb createrole replication;
create role pgbouncer login;
create role supabase_auth_admin        login noinherit;
create role supabase_etl_admin         login replication;
create role supabase_functions_admin   login noinherit createrole;
create role supabase_privileged_role   nologin;
create role supabase_read_only_user    login bypassrls;
create role supabase_realtime_admin    login noinherit createrole replication;
create role supabase_replication_admin login replication;
create role supabase_storage_admin     login noinherit createrole;

grant anon, authenticated, service_role to authenticator;
grant authenticator to supabase_storage_admin;
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres with admin option;
grant pg_create_subscription, supabase_privileged_role to postgres;
grant supabase_privileged_role to supabase_etl_admin;
grant pg_read_all_data to supabase_read_only_user, supabase_etl_admin;

alter role anon          set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
-- The backslash is Supabase's: the first schema of this path never exists. Other logins have the path of Postgres.
alter role postgres                set search_path = '\$user', public, extensions;
alter role supabase_auth_admin     set search_path = auth;
alter role supabase_auth_admin     set idle_in_transaction_session_timeout = 60000;
alter role supabase_realtime_admin set search_path = realtime;
alter role supabase_storage_admin  set search_path = storage;

-- Supabase's extension supautils lets `postgres` set these with SET, but not with set_config() or in the definition of a function, which a
-- test of the migrations forbids.
grant set on parameter log_min_messages, session_replication_role to postgres;

-- Schemas and extensions ----------------------------------------------------------------------------------------------

alter database postgres owner to postgres;
grant all on database postgres to dashboard_user;
grant create on database postgres to supabase_auth_admin;

create schema auth;
create schema storage;
create schema realtime;
create schema graphql_public;
create schema pgbouncer;
create schema vault;
create schema extensions authorization postgres;

grant usage on schema public         to postgres, anon, authenticated, service_role;
grant usage on schema auth           to postgres, anon, authenticated, service_role;
grant usage on schema realtime       to anon, authenticated, service_role;
grant usage on schema graphql_public to anon, authenticated, service_role;
grant usage on schema extensions     to anon, authenticated, service_role;
grant usage on schema vault          to service_role;
grant usage on schema storage        to anon, authenticated, service_role;
grant usage on schema storage, realtime, graphql_public, vault to postgres with grant option;
grant all on schema auth       to supabase_auth_admin, dashboard_user;
grant all on schema storage    to supabase_storage_admin, dashboard_user;
grant all on schema extensions to dashboard_user;
grant all on schema realtime   to supabase_realtime_admin with grant option;

create extension pgcrypto    with schema extensions;
create extension "uuid-ossp" with schema extensions;

grant all on all routines in schema extensions to dashboard_user;
grant all on all routines in schema extensions to postgres with grant option;

create publication supabase_realtime;
alter publication supabase_realtime owner to postgres;

-- Default privileges --------------------------------------------------------------------------------------------------

-- The API roles can use everything that postgres and supabase_admin create in public.
alter default privileges for role postgres, supabase_admin in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres, supabase_admin in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres, supabase_admin in schema public
  grant all on sequences to postgres, anon, authenticated, service_role;

alter default privileges for role postgres in schema storage grant all on tables    to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema storage grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema storage grant all on sequences to postgres, anon, authenticated, service_role;

alter default privileges in schema graphql_public grant all on tables    to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql_public grant all on functions to postgres, anon, authenticated, service_role;
alter default privileges in schema graphql_public grant all on sequences to postgres, anon, authenticated, service_role;

alter default privileges for role supabase_auth_admin in schema auth grant all on tables    to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth grant all on routines  to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth grant all on sequences to postgres, dashboard_user;

alter default privileges in schema realtime grant all on tables    to postgres, dashboard_user;
alter default privileges in schema realtime grant all on routines  to postgres, dashboard_user;
alter default privileges in schema realtime grant all on sequences to postgres, dashboard_user;

alter default privileges in schema extensions grant all on tables    to postgres with grant option;
alter default privileges in schema extensions grant all on routines  to postgres with grant option;
alter default privileges in schema extensions grant all on sequences to postgres with grant option;

-- Event triggers ------------------------------------------------------------------------------------------------------

-- Every change of the schema notifies PostgREST.
create function extensions.pgrst_ddl_watch() returns event_trigger
language plpgsql as $$ begin notify pgrst, 'reload schema'; end $$;

create function extensions.pgrst_drop_watch() returns event_trigger
language plpgsql as $$ begin notify pgrst, 'reload schema'; end $$;

create event trigger pgrst_ddl_watch  on ddl_command_end execute function extensions.pgrst_ddl_watch();
create event trigger pgrst_drop_watch on sql_drop        execute function extensions.pgrst_drop_watch();
