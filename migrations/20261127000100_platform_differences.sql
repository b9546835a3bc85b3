-- Supabase lets only its own roles use the schema `extensions`, and prints numbers of type double precision with 15 digits.

set local lock_timeout = '3s';

-- `payments` and `manage` inherit from `api`.
grant usage on schema extensions to api, worker;

-- A double has up to 17 digits; with fewer, a value that is read would differ from the one that was stored. Applies to new connections.
do $$ begin execute format('alter database %I set extra_float_digits = 1', current_database()); end $$;

-- Supabase permits `set log_min_messages` to postgres, but not set_config(), which does the same.
create or replace function private.keep_errors_out_of_log() returns boolean
language plpgsql
set search_path = ''
as $$
begin
  set local log_min_messages = panic;
  return true;
exception when insufficient_privilege then
  return false;
end
$$;
