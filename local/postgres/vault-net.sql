-- The documented SQL interfaces of two extensions that are not installed here: Vault (secrets) and pg_net (HTTP requests
-- after commit, sent by local/emulators/pg-net.ts).

create schema net;

create table vault.secrets (
  id          uuid        primary key default gen_random_uuid(),
  name        text        unique,
  description text        not null default '',
  secret      text        not null,
  key_id      uuid,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);

-- The encryption key. Only the superuser can read it.
create table vault.local_key (key text not null);
insert into vault.local_key values (encode(extensions.gen_random_bytes(32), 'hex'));

create function vault.encrypt_locally(value text) returns text
language sql security definer set search_path = ''
as $$ select encode(extensions.pgp_sym_encrypt(value, key), 'base64') from vault.local_key $$;

create function vault.decrypt_locally(value text) returns text
language sql stable security definer set search_path = ''
as $$ select extensions.pgp_sym_decrypt(decode(value, 'base64'), key) from vault.local_key $$;

create view vault.decrypted_secrets as
  select id, name, description, secret, vault.decrypt_locally(secret) as decrypted_secret, key_id, created_at, updated_at
  from vault.secrets;

create function vault.create_secret(
  new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
) returns uuid
language sql security definer set search_path = ''
as $$
  insert into vault.secrets (secret, name, description, key_id)
  values (vault.encrypt_locally(new_secret), new_name, new_description, new_key_id)
  returning id
$$;

create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
  new_key_id uuid default null
) returns void
language sql security definer set search_path = ''
as $$
  update vault.secrets s
  set secret = coalesce(vault.encrypt_locally(new_secret), s.secret), name = coalesce(new_name, s.name),
      description = coalesce(new_description, s.description), key_id = coalesce(new_key_id, s.key_id), updated_at = now()
  where s.id = update_secret.secret_id
$$;

revoke all on all functions in schema vault from public;
grant select, delete on vault.secrets, vault.decrypted_secrets to service_role;
grant select, delete on vault.secrets, vault.decrypted_secrets to postgres with grant option;
grant execute on function
  vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault.decrypt_locally(text)
to service_role;
grant execute on function
  vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault.decrypt_locally(text)
to postgres with grant option;

create table net.http_request_queue (
  id                   bigint generated always as identity primary key,
  method               text    not null,
  url                  text    not null,
  headers              jsonb   not null,
  body                 bytea,
  timeout_milliseconds integer not null
);

create function net.announce() returns trigger
language plpgsql set search_path = ''
as $$ begin perform pg_notify('pg_net', ''); return null; end $$;

create trigger announce after insert on net.http_request_queue
  for each statement execute function net.announce();

create function net.http_post(
  url text, body jsonb default '{}', params jsonb default '{}', headers jsonb default '{"Content-Type": "application/json"}',
  timeout_milliseconds integer default 5000
) returns bigint
language sql security definer set search_path = ''
as $$
  insert into net.http_request_queue (method, url, headers, body, timeout_milliseconds)
  select 'POST',
         http_post.url || coalesce('?' || nullif((select string_agg(key || '=' || value, '&') from jsonb_each_text(params)), ''), ''),
         http_post.headers, convert_to(http_post.body::text, 'UTF8'), http_post.timeout_milliseconds
  returning id
$$;

revoke all on all functions in schema net from public;
grant usage on schema net to supabase_functions_admin, postgres, anon, authenticated, service_role;
grant select on net.http_request_queue to postgres;
grant execute on function net.http_post(text, jsonb, jsonb, jsonb, integer) to postgres, service_role;
