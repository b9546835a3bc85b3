-- Tables of Supabase Auth and Storage that this project uses, with the columns, owners and grants of a hosted project. Run
-- once by the superuser, after platform.sql.

create table auth.users (
  instance_id                 uuid,
  id                          uuid not null primary key,
  aud                         character varying(255),
  role                        character varying(255),
  email                       character varying(255),
  encrypted_password          character varying(255),
  email_confirmed_at          timestamptz,
  invited_at                  timestamptz,
  confirmation_token          character varying(255),
  confirmation_sent_at        timestamptz,
  recovery_token              character varying(255),
  recovery_sent_at            timestamptz,
  email_change_token_new      character varying(255),
  email_change                character varying(255),
  email_change_sent_at        timestamptz,
  last_sign_in_at             timestamptz,
  raw_app_meta_data           jsonb,
  raw_user_meta_data          jsonb,
  is_super_admin              boolean,
  created_at                  timestamptz,
  updated_at                  timestamptz,
  phone                       text default null unique,
  phone_confirmed_at          timestamptz,
  phone_change                text default '',
  phone_change_token          character varying(255) default '',
  phone_change_sent_at        timestamptz,
  confirmed_at                timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
  email_change_token_current  character varying(255) default '',
  email_change_confirm_status smallint default 0 check (email_change_confirm_status between 0 and 2),
  banned_until                timestamptz,
  reauthentication_token      character varying(255) default '',
  reauthentication_sent_at    timestamptz,
  is_sso_user                 boolean not null default false,
  deleted_at                  timestamptz,
  is_anonymous                boolean not null default false
);
comment on table auth.users is 'Auth: Stores user login data within a secure schema.';

create index users_instance_id_idx on auth.users (instance_id);
create index users_instance_id_email_idx on auth.users (instance_id, lower(email));
create index users_is_anonymous_idx on auth.users (is_anonymous);
create unique index users_email_partial_key on auth.users (email) where (is_sso_user = false);
create unique index confirmation_token_idx on auth.users (confirmation_token)
  where (confirmation_token !~ '^[0-9 ]*$');
create unique index recovery_token_idx on auth.users (recovery_token) where (recovery_token !~ '^[0-9 ]*$');

alter table auth.users owner to supabase_auth_admin;
alter table auth.users enable row level security;

create table auth.identities (
  provider_id     text        not null,
  user_id         uuid        not null references auth.users (id) on delete cascade,
  identity_data   jsonb       not null,
  provider        text        not null,
  last_sign_in_at timestamptz,
  created_at      timestamptz,
  updated_at      timestamptz,
  email           text        generated always as (lower(identity_data ->> 'email')) stored,
  id              uuid        not null default gen_random_uuid() primary key,
  unique (provider_id, provider)
);
comment on table auth.identities is 'Auth: Stores identities associated to a user.';

create index identities_user_id_idx on auth.identities (user_id);

alter table auth.identities owner to supabase_auth_admin;
alter table auth.identities enable row level security;

create function auth.uid() returns uuid language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')
  )::uuid
$$;

create function auth.role() returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role')
  )::text
$$;

create function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;

alter function auth.uid()  owner to supabase_auth_admin;
alter function auth.role() owner to supabase_auth_admin;
alter function auth.jwt()  owner to supabase_auth_admin;

grant all on all tables in schema auth to postgres, dashboard_user;
grant all on all routines in schema auth to postgres, dashboard_user;

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.buckets (
  id                 text not null primary key,
  name               text not null,
  owner              uuid,
  created_at         timestamptz default now(),
  updated_at         timestamptz default now(),
  public             boolean default false,
  avif_autodetection boolean default false,
  file_size_limit    bigint,
  allowed_mime_types text[],
  owner_id           text,
  type               storage.buckettype not null default 'STANDARD'
);
comment on column storage.buckets.owner is 'Field is deprecated, use owner_id instead';
create unique index bname on storage.buckets (name);

create table storage.objects (
  id               uuid not null default gen_random_uuid() primary key,
  bucket_id        text references storage.buckets (id),
  name             text,
  owner            uuid,
  created_at       timestamptz default now(),
  updated_at       timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata         jsonb,
  path_tokens      text[] generated always as (string_to_array(name, '/')) stored,
  version          text,
  owner_id         text,
  user_metadata    jsonb
);
comment on column storage.objects.owner is 'Field is deprecated, use owner_id instead';
create unique index bucketid_objname on storage.objects (bucket_id, name);
create index name_prefix_search on storage.objects (name text_pattern_ops);

create function storage.protect_delete() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('storage.can_delete', true), 'false') <> 'true' then
    raise exception 'Direct deletion from storage tables is not allowed. Use the Storage API instead.'
      using hint = 'This prevents accidental data loss from orphaned objects.', errcode = '42501';
  end if;
  return null;
end
$$;

create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();

alter type storage.buckettype owner to supabase_storage_admin;
alter function storage.protect_delete() owner to supabase_storage_admin;
alter table storage.buckets owner to supabase_storage_admin;
alter table storage.objects owner to supabase_storage_admin;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
