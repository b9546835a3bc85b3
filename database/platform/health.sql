-- Health: the queries of the functions' readiness check (`GET /health/ready`).

create table private.write_probes (
  function   text        primary key check (function ~ '^[a-z0-9-]{1,40}$'),
  -- Random bytes do not compress, so do not try.
  payload    bytea       storage external not null check (octet_length(payload) <= 16384),
  written_at timestamptz not null
);

comment on table  private.write_probes is 'One row per function, which its readiness check replaces to find out whether the database accepts writes.';
comment on column private.write_probes.payload is '16 KiB of random bytes, so that a full disk makes the check fail.';

alter table private.write_probes enable row level security;

create function app.write_probe(function text) returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
begin
  insert into private.write_probes as p (function, payload, written_at)
  -- gen_random_bytes returns at most 1 KiB.
  select write_probe.function, string_agg(extensions.gen_random_bytes(1024), ''), now() from generate_series(1, 16)
  on conflict on constraint write_probes_pkey do update set payload = excluded.payload, written_at = excluded.written_at;
end
$$;

comment on function app.write_probe(text) is
  'Replaces the row of a function with 16 KiB of random bytes; fails if the database accepts no writes or the row is locked (worker only).';

grant execute on function app.write_probe(text) to worker;

create function app.missing_migrations(needed text[]) returns text[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select version from unnest(needed) as version
    except
    select m.version from supabase_migrations.schema_migrations m
    order by 1);
end
$$;

comment on function app.missing_migrations(text[]) is 'Which of these migrations have not been applied (worker only).';

grant execute on function app.missing_migrations(text[]) to worker;

-- Whether a request could write ---------------------------------------------------------------------------------------

-- The readiness check stores a lead as requests do and takes it back.

create function app.create_probe_tenant() returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.tenants (id, name, slug) values (app.tenant_id(), 'Write probe', 'write-probe-' || app.tenant_id());
end
$$;

comment on function app.create_probe_tenant() is 'Creates the transaction''s tenant, which the transaction cannot commit.';

create function private.reject_probe_tenant() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'The tenant of a write probe must not be stored' using errcode = 'integrity_constraint_violation';
end
$$;

comment on function private.reject_probe_tenant() is 'Rejects the tenant of a write probe when its transaction commits.';

create constraint trigger reject_probe_tenant after insert on public.tenants
  deferrable initially deferred
  for each row when (new.slug = 'write-probe-' || new.id) execute function private.reject_probe_tenant();

-- The caller's own privileges, defaults, generated columns, policies and triggers are what it tries.
create function app.probe_request() returns void
language plpgsql
set search_path = ''
as $$
begin
  perform app.create_probe_tenant();
  insert into public.leads (tenant_id, name, email) values (app.tenant_id(), 'Write probe', 'write-probe@example.com');
  raise exception 'probed' using errcode = 'PL299';
end
$$;

comment on function app.probe_request() is
  'Stores a lead of a tenant that exists in this transaction only, with the caller''s privileges; always fails, with PL299 if the lead was stored.';

grant execute on function app.create_probe_tenant(), app.probe_request() to api;
