-- Request log: all requests except health checks, kept for seven years in monthly partitions, append-only.
--
-- A write request adds its row in its own transaction; a rejected request adds it afterwards as the role worker. Daily
-- maintenance creates partitions for the coming months and drops expired ones.
--
-- The reason of a 401 is one of missing, malformed, unknown_key, wrong_environment, revoked, expired, stale_timestamp,
-- bad_signature and address_not_allowed.

create table public.request_log (
  at          timestamptz not null default clock_timestamp(),
  request_id  text        not null,
  tenant_id   uuid,
  api_key_id  uuid,
  client_id   text,
  user_id     uuid,
  function    text        not null,
  method      text        not null,
  path        text        not null,
  status      smallint    not null,
  reason      text,
  fields      text[],
  query       text[],
  ip          inet,
  duration_ms integer     not null,
  requests    integer     not null default 1,
  waited_ms   integer,
  trace_id    uuid
) partition by range (at);

comment on table  public.request_log is
  'Requests with caller, time and outcome, without bodies, keys or signatures; kept for seven years.';
comment on column public.request_log.tenant_id is 'Null when the caller could not be identified.';
comment on column public.request_log.api_key_id is
  'The API key that signed the request; not a foreign key, because the log outlives the key.';
comment on column public.request_log.client_id is 'The OAuth client of the request''s token.';
comment on column public.request_log.user_id is 'The user who signed in, if the token is that of a person.';
comment on column public.request_log.function is 'The edge function that handled the request.';
comment on column public.request_log.path is
  'Path without query string, with * in place of secret tokens; the route pattern or "unknown route" when the tenant is unknown.';
comment on column public.request_log.reason is
  'Error name of a rejected request; for a 401 a specific cause such as unknown_key, expired, stale_timestamp or bad_signature.';
comment on column public.request_log.fields is 'Names of the invalid members, never their values; at most 20.';
comment on column public.request_log.query is
  'Names of the query parameters, never their values; at most 20, and not recorded for write requests.';
comment on column public.request_log.requests is
  'Number of similar requests within ten seconds that this row summarizes; 1 unless a caller exceeds the rows allowed per minute.';
comment on column public.request_log.duration_ms is 'Duration in milliseconds; for write requests, up to the end of their transaction.';

comment on column public.request_log.waited_ms is
  'Milliseconds that the request waited for a database connection of its worker, in total; null if it did not wait.';
comment on column public.request_log.trace_id is
  'Trace of the request, as sent by its caller or begun by the function; null if none. Callers choose it, so it proves nothing.';

create index request_log_tenant_idx  on public.request_log (tenant_id, at desc);
create index request_log_request_idx on public.request_log (request_id);
create index request_log_at_idx      on public.request_log using brin (at) with (autosummarize = on);
create index request_log_trace_idx   on public.request_log (trace_id) where trace_id is not null;

alter table public.request_log enable row level security;
grant insert on public.request_log to api, worker;

create policy "A tenant's requests are logged under that tenant" on public.request_log
  for insert to api with check (tenant_id = (select app.tenant_id()));
create policy "Rejected requests are logged for any tenant" on public.request_log
  for insert to worker with check (true);

create trigger request_log_append_only
  before update or delete on public.request_log
  for each row execute function private.refuse_change();
create trigger request_log_no_truncate
  before truncate on public.request_log
  execute function private.refuse_change();

-- Security definer, so that the request log can look up only the owner of a key.
create function app.owner_of_key(key_hash bytea)
returns table (id uuid, tenant_id uuid)
language sql stable security definer
set search_path = ''
as $$ select k.id, k.tenant_id from public.api_keys k where k.key_hash = owner_of_key.key_hash $$;

comment on function app.owner_of_key(bytea) is
  'Owner of the API key with this SHA-256, in any state; used to log calls that were rejected before authentication.';

grant execute on function app.owner_of_key(bytea) to worker;

-- Partitions ----------------------------------------------------------------------------------------------------------

-- The default partition stores rows of months without their own partition, so that requests do not fail.
create table public.request_log_default partition of public.request_log default;

comment on table public.request_log_default is 'Request log of months without their own partition.';

alter table public.request_log_default enable row level security;

create trigger request_log_default_no_truncate
  before truncate on public.request_log_default
  execute function private.refuse_change();

create function private.create_month_partition(parent text, month date, about text, at_most integer default 50000) returns void
language plpgsql
set search_path = ''
as $$
declare
  starts_at    constant timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  ends_at      constant timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
  partition    constant text := parent || '_' || to_char(month, 'YYYY_MM');
  rest         constant text := parent || '_default';
  was_maintained constant text := coalesce(current_setting('app.maintenance', true), '');
  move         constant text := format('with moved as (delete from public.%I where at >= $1 and at < $2 returning *) insert into public.%I overriding system value select * from moved', rest, partition);
  rows_in_rest integer;
begin
  if to_regclass('public.' || partition) is not null then
    return;
  end if;
  execute format('select count(*) from (select from public.%I where at >= $1 and at < $2 limit $3) as r', rest)
    into rows_in_rest using starts_at, ends_at, at_most + 1;
  -- Requests wait while rows are moved. monitor.missing_partitions reports a month with more rows.
  if rows_in_rest > at_most then
    return;
  end if;
  if rows_in_rest = 0 then
    execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', partition, parent, starts_at, ends_at);
  else
    -- Inserts lock the parent first, too.
    execute format('lock table public.%I, public.%I in access exclusive mode', parent, rest);
    execute format('create table public.%I (like public.%I including defaults including constraints including storage)', partition, parent);
    perform set_config('app.maintenance', 'on', true);
    execute move using starts_at, ends_at;
    perform set_config('app.maintenance', was_maintained, true);
    execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, partition, starts_at, ends_at);
  end if;
  execute format('alter table public.%I enable row level security', partition);
  -- Rows are only inserted, so that inserts must trigger vacuum; otherwise it runs for the first time to prevent wraparound.
  execute format('alter table public.%I set (autovacuum_vacuum_insert_scale_factor = 0.05)', partition);
  execute format('comment on table public.%I is %L', partition, about || ' of ' || to_char(month, 'YYYY-MM') || ' (UTC).');
  execute format('create trigger %I before truncate on public.%I execute function private.refuse_change()',
                 partition || '_no_truncate', partition);
end
$$;

comment on function private.create_month_partition(text, date, text, integer) is
  'Creates the partition of a month unless it exists, with its rows of the default partition if those are at most at_most.';

create function private.create_request_log_partition(month date) returns void
language sql
set search_path = ''
as $$ select private.create_month_partition('request_log', month, 'Request log') $$;

comment on function private.create_request_log_partition(date) is 'Creates the request log''s partition of a month unless it exists.';

create function app.maintain_request_log(at timestamptz default now())
returns table (created integer, dropped integer)
language plpgsql security definer
set search_path = ''
as $$
declare
  months_ahead constant integer := 12;
  years_kept   constant integer := 7;
  before_count integer;
  old_name     text;
begin
  select count(*) into before_count from pg_catalog.pg_inherits where inhparent = 'public.request_log'::regclass;
  perform private.create_request_log_partition(m.month)
  from (
    select (date_trunc('month', maintain_request_log.at at time zone 'UTC') + make_interval(months => i))::date as month
    from generate_series(0, months_ahead) as i
    union
    select distinct date_trunc('month', d.at at time zone 'UTC')::date from public.request_log_default d
  ) as m;
  select count(*) - before_count into created
  from pg_catalog.pg_inherits where inhparent = 'public.request_log'::regclass;

  dropped := 0;
  for old_name in
    select c.relname
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass
      and c.relname ~ '^request_log_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month'
          <= (least(at, now()) at time zone 'UTC') - make_interval(years => years_kept)
  loop
    execute format('drop table public.%I', old_name);
    dropped := dropped + 1;
  end loop;
  return next;
end
$$;

comment on function app.maintain_request_log(timestamptz) is
  'Creates partitions for the coming twelve months and for rows of the default partition; drops those older than seven years.';

grant execute on function app.maintain_request_log(timestamptz) to worker;

select app.maintain_request_log();
-- Rows of past months no longer change. Freezing them immediately means that they are never read again to prevent wraparound.
create function app.freeze_ended_months(at timestamptz default now()) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  partition text;
  changed   integer := 0;
begin
  for partition in
    select c.relname
    from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.request_log'::regclass and c.relname ~ '^request_log_\d{4}_\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= at at time zone 'UTC'
      and not coalesce(c.reloptions @> '{autovacuum_freeze_min_age=0}', false)
  loop
    execute format('alter table public.%I set (autovacuum_freeze_min_age = 0)', partition);
    changed := changed + 1;
  end loop;
  return changed;
end
$$;

comment on function app.freeze_ended_months(timestamptz) is
  'Makes autovacuum freeze all rows of request log partitions of past months; returns how many partitions it changed (worker only).';

grant execute on function app.freeze_ended_months(timestamptz) to worker;

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.request_log with (security_invoker = true) as
  select at, request_id, tenant_id, api_key_id, client_id, function, method, path, status, reason, fields, query, ip,
         duration_ms, requests, trace_id
  from public.request_log;

comment on view admin.request_log is 'All requests of the last seven years; filter them by tenant_id and at, or by request_id.';
comment on column admin.request_log.trace_id is 'Trace of the request; null if none.';
