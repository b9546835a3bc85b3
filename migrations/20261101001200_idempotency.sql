-- Idempotency keys of payments: which request a key belongs to, how far it came, and what was answered.

create table public.idempotency_keys (
  tenant_id       uuid not null references public.tenants (id) on delete cascade,
  key             text not null check (char_length(key) between 1 and 255),
  fingerprint     text not null,
  attempt         integer not null default 1,
  locked_until    timestamptz not null,
  resource_id     text,
  response_status smallint,
  response_body   jsonb,
  snapshot        jsonb,
  snapshot_kind   text,
  created_at      timestamptz not null default now(),
  primary key (tenant_id, key)
);

comment on table  public.idempotency_keys is 'One row per Idempotency-Key of a tenant, kept for 24 hours.';
comment on column public.idempotency_keys.fingerprint is 'SHA-256 of method, path and body with sorted members.';
comment on column public.idempotency_keys.attempt is 'How often the request was begun. Also the fencing token: only the last one may finish it.';
comment on column public.idempotency_keys.locked_until is 'A running request holds the key until then.';
comment on column public.idempotency_keys.resource_id is 'What the request is making; a retry goes on with it.';
comment on column public.idempotency_keys.snapshot is 'What a success showed, as stored; its rendering is the body. Failures have response_body.';

create index idempotency_keys_created_idx  on public.idempotency_keys (created_at);
create index idempotency_keys_resource_idx on public.idempotency_keys (tenant_id, resource_id);

alter table public.idempotency_keys enable row level security;
grant select, insert, update on public.idempotency_keys to api;
grant select, update, delete on public.idempotency_keys to worker;

create policy "A tenant keeps its own keys" on public.idempotency_keys
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs complete and remove keys" on public.idempotency_keys
  for all to worker using (true) with check (true);

create function app.claim_key(key text, fingerprint text, lease_seconds double precision)
returns table (
  outcome text, attempt integer, again boolean, response_status smallint, response_body jsonb, snapshot jsonb, snapshot_kind text
)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  lease constant timestamptz := now() + make_interval(secs => lease_seconds);
  k     public.idempotency_keys;
begin
  again := false;
  loop
    insert into public.idempotency_keys as i (tenant_id, key, fingerprint, locked_until)
    values (app.tenant_id(), claim_key.key, claim_key.fingerprint, lease)
    on conflict (tenant_id, key) do nothing
    returning i.* into k;
    if found then
      outcome := 'claimed';
      exit;
    end if;
    select i.* into k from public.idempotency_keys i
    where i.tenant_id = app.tenant_id() and i.key = claim_key.key
    for update;
    exit when found; -- else it was removed in between
  end loop;

  if outcome is null then
    if k.created_at <= now() - interval '24 hours'
       and (k.response_status is not null or k.locked_until <= clock_timestamp()) then
      outcome := 'claimed';
      k.created_at := now();
      k.resource_id := null;
    elsif k.fingerprint <> claim_key.fingerprint then
      outcome := 'reused';
    elsif k.response_status is not null then
      outcome := 'replay';
    elsif k.locked_until > clock_timestamp() then
      outcome := 'in_use';
    else
      outcome := 'claimed';
      again := true;
    end if;
    if outcome = 'claimed' then
      update public.idempotency_keys i
      set fingerprint = claim_key.fingerprint, attempt = i.attempt + 1, locked_until = lease, created_at = k.created_at,
          resource_id = k.resource_id, response_status = null, response_body = null, snapshot = null, snapshot_kind = null
      where i.tenant_id = k.tenant_id and i.key = k.key
      returning i.* into k;
    end if;
  end if;

  -- Statements behind this one in the transaction begin the work only when the key is theirs and nothing was begun.
  perform set_config('app.may_begin', case when outcome = 'claimed' and k.resource_id is null then 'yes' else '' end, true);
  return query select outcome, k.attempt, again, k.response_status, k.response_body, k.snapshot, k.snapshot_kind;
end
$$;

comment on function app.claim_key(text, text, double precision) is
  'Takes a key for a request: claimed (`again` after an attempt without an answer), replay, reused (another request''s), or in_use.';

create function app.may_begin() returns boolean
language sql stable
set search_path = ''
as $$ select coalesce(current_setting('app.may_begin', true), '') = 'yes' $$;

comment on function app.may_begin() is 'Whether this transaction claimed a key whose work was not begun yet.';

create function app.note_resource(key text, resource_id text) returns void
language sql
set search_path = ''
as $$
  update public.idempotency_keys i set resource_id = note_resource.resource_id
  where i.tenant_id = app.tenant_id() and i.key = note_resource.key
$$;

comment on function app.note_resource(text, text) is 'Notes what the request of a key is making.';

create function app.hold_key(key text, attempt integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.idempotency_keys i
  where i.tenant_id = app.tenant_id() and i.key = hold_key.key and i.attempt = hold_key.attempt and i.response_status is null
  for update;
  if not found then
    raise exception 'this attempt at the key is over' using errcode = 'PL001';
  end if;
end
$$;

comment on function app.hold_key(text, integer) is
  'First statement of finishing: fails (PL001) unless this attempt is the last one and nothing was answered yet.';

create function app.finish_key(
  key text, status integer, body jsonb default null, snapshot jsonb default null, snapshot_kind text default null
) returns jsonb
language sql
set search_path = ''
as $$
  update public.idempotency_keys i
  set response_status = status, response_body = body, snapshot = finish_key.snapshot, snapshot_kind = finish_key.snapshot_kind
  where i.tenant_id = app.tenant_id() and i.key = finish_key.key
  returning i.snapshot
$$;

comment on function app.finish_key(text, integer, jsonb, jsonb, text) is 'Stores what a request is answered with, in the transaction of its effect.';

create function app.release_key(key text, attempt integer) returns void
language sql
set search_path = ''
as $$
  update public.idempotency_keys i set locked_until = now()
  where i.tenant_id = app.tenant_id() and i.key = release_key.key and i.attempt = release_key.attempt
$$;

comment on function app.release_key(text, integer) is 'Lets a retry go on at once, after an attempt that ended without an answer to keep.';

create function app.remove_old_keys() returns void
language sql
set search_path = ''
as $$
  delete from public.idempotency_keys where created_at < now() - interval '48 hours' and locked_until < now()
$$;

comment on function app.remove_old_keys() is 'Removes keys that no request can be replayed with any more.';

grant execute on function app.remove_old_keys() to worker;
grant execute on function app.claim_key(text, text, double precision) to api;
grant execute on function app.may_begin() to api;
grant execute on function app.note_resource(text, text) to api;
grant execute on function app.hold_key(text, integer) to api;
grant execute on function app.finish_key(text, integer, jsonb, jsonb, text) to api;
grant execute on function app.release_key(text, integer) to api;
