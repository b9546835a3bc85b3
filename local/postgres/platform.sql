-- What a Supabase project has before the first migration: roles, schemas and extensions, with the rights that they
-- have there. In particular `postgres` is no superuser, so a migration that needs one fails here as it would there.

create role anon          nologin noinherit;
create role authenticated nologin noinherit;
create role service_role  nologin noinherit bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin    nologin noinherit createrole;
create role supabase_storage_admin nologin noinherit createrole;
create role postgres login nosuperuser createdb createrole replication bypassrls;

-- So that a call with a secret in it can keep its errors out of the log.
grant set on parameter log_min_messages to postgres;
-- So that the data of a backup comes in as it is, without triggers.
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

-- What postgres creates in public is everybody's there, unless a migration takes it back.
alter default privileges for role postgres in schema public grant all on tables    to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;

create extension pgcrypto    with schema extensions;
create extension "uuid-ossp" with schema extensions;

alter database postgres set search_path = "$user", public, extensions;
