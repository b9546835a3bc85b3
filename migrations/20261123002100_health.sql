-- Health: the queries of the functions' readiness check (`GET /health/ready`).

set local lock_timeout = '3s';

create table private.write_probes (
  function   text        primary key check (function ~ '^[a-z0-9-]{1,40}$'),
  payload    bytea       not null check (octet_length(payload) <= 16384),
  written_at timestamptz not null
);

comment on table  private.write_probes is 'One row per function, which its readiness check replaces to find out whether the database accepts writes.';
comment on column private.write_probes.payload is '16 KiB of random bytes, so that a full disk makes the check fail.';

-- Random bytes do not compress, so do not try.
alter table private.write_probes alter column payload set storage external;
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
