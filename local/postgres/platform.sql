-- What a Supabase project contains before the first migration: roles, schemas, extensions and their grants. As on Supabase,
-- `postgres` is not a superuser, so migrations that require one fail here, too.

create role anon          nologin noinherit;
create role authenticated nologin noinherit;
create role service_role  nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin    nologin noinherit createrole;
create role supabase_storage_admin nologin noinherit createrole;
create role postgres login nosuperuser createdb createrole replication bypassrls;

-- Shows the sessions of all roles.
grant pg_monitor to postgres;
-- Allows functions that receive secrets to keep their errors out of the log.
grant set on parameter log_min_messages to postgres;
-- Allows restoring a backup without firing triggers.
grant set on parameter session_replication_role to postgres;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role to postgres with admin option;

alter database postgres owner to postgres;

create schema auth       authorization supabase_auth_admin;
create schema storage    authorization supabase_storage_admin;
create schema extensions authorization postgres;

grant usage on schema auth, storage to postgres, anon, authenticated, service_role;
grant usage on schema extensions to public;
grant usage on schema public to anon, authenticated, service_role;

-- Objects that postgres creates in public are accessible to all API roles by default, as on Supabase.
alter default privileges for role postgres in schema public grant all on tables    to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;

create extension pgcrypto    with schema extensions;
create extension "uuid-ossp" with schema extensions;

alter database postgres set search_path = "$user", public, extensions;
