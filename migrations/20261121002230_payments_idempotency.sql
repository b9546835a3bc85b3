-- Payments: idempotency keys. Which request a key belongs to, how far it came, and what was answered.
--
-- A request claims its key under an id of its own making (`claimed_by`), and in the same transaction begins its work, where the
-- key is its own and nothing was begun or answered:
--
--   where k.tenant_id = ... and k.key = ... and k.claimed_by = <its id> and k.resource_id is null and k.response_status is null
--
-- It then asks the provider outside any transaction, and in a second one locks the claimed key, writes the effect and stores the
-- response. Whoever claims a key after the lease is over goes on with what was begun; the attempt before it can store nothing
-- any more, because the key has another id.

create table public.idempotency_keys (
  tenant_id       uuid        not null references public.tenants (id) on delete cascade,
  key             text        not null check (char_length(key) between 1 and 255),
  fingerprint     text        not null,
  claimed_by      uuid        not null,
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
comment on column public.idempotency_keys.claimed_by is
  'Id of the last attempt at the request. Also the fencing token: only that one may finish it.';
comment on column public.idempotency_keys.locked_until is 'A running request holds the key until then.';
comment on column public.idempotency_keys.resource_id is 'What the request is making; a retry goes on with it.';
comment on column public.idempotency_keys.response_status is 'HTTP status that it was answered with; null until then.';
comment on column public.idempotency_keys.snapshot is
  'What a success showed, as stored; its rendering is the body. Failures have response_body.';
comment on column public.idempotency_keys.snapshot_kind is 'What kind of resource the snapshot is of.';

create index idempotency_keys_created_idx  on public.idempotency_keys (created_at);
create index idempotency_keys_resource_idx on public.idempotency_keys (tenant_id, resource_id);

alter table public.idempotency_keys enable row level security;
grant select, insert, update on public.idempotency_keys to api;
grant select, update, delete on public.idempotency_keys to worker;

create policy "A tenant keeps its own keys" on public.idempotency_keys
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs complete and remove keys" on public.idempotency_keys
  for all to worker using (true) with check (true);

create function app.claim_key(key text, fingerprint text, attempt_id uuid, lease_seconds double precision)
returns table (
  outcome text, again boolean, response_status smallint, response_body jsonb, snapshot jsonb, snapshot_kind text
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
    insert into public.idempotency_keys as i (tenant_id, key, fingerprint, claimed_by, locked_until)
    values (app.tenant_id(), claim_key.key, claim_key.fingerprint, attempt_id, lease)
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
      set fingerprint = claim_key.fingerprint, claimed_by = attempt_id, locked_until = lease, created_at = k.created_at,
          resource_id = k.resource_id, response_status = null, response_body = null, snapshot = null, snapshot_kind = null
      where i.tenant_id = k.tenant_id and i.key = k.key
      returning i.* into k;
    end if;
  end if;
  return query select outcome, again, k.response_status, k.response_body, k.snapshot, k.snapshot_kind;
end
$$;

comment on function app.claim_key(text, text, uuid, double precision) is
  'Takes a key for an attempt at a request: claimed (`again` after an attempt without an answer), replay, reused (another request''s), or in_use.';

grant execute on function app.claim_key(text, text, uuid, double precision) to api;

create function app.set_key_resource(key text, resource_id text) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.idempotency_keys i set resource_id = set_key_resource.resource_id
  where i.tenant_id = app.tenant_id() and i.key = set_key_resource.key;
end
$$;

comment on function app.set_key_resource(text, text) is 'Notes what the request of a key is making.';

grant execute on function app.set_key_resource(text, text) to api;

create function app.lock_claimed_key(key text, attempt_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform from public.idempotency_keys i
  where i.tenant_id = app.tenant_id() and i.key = lock_claimed_key.key
    and i.claimed_by = attempt_id and i.response_status is null
  for update;
  if not found then
    raise exception 'this attempt at the key is over' using errcode = 'PL001';
  end if;
end
$$;

comment on function app.lock_claimed_key(text, uuid) is
  'First statement of finishing: fails (PL001) unless this attempt is the last one and nothing was answered yet.';

grant execute on function app.lock_claimed_key(text, uuid) to api;

create function app.store_response(
  key text, status integer, body jsonb default null, snapshot jsonb default null, snapshot_kind text default null
) returns jsonb
language sql
set search_path = ''
as $$
  update public.idempotency_keys i
  set response_status = status, response_body = body, snapshot = store_response.snapshot,
      snapshot_kind = store_response.snapshot_kind
  where i.tenant_id = app.tenant_id() and i.key = store_response.key
  returning i.snapshot
$$;

comment on function app.store_response(text, integer, jsonb, jsonb, text) is
  'Stores what a request is answered with, in the transaction of its effect.';

grant execute on function app.store_response(text, integer, jsonb, jsonb, text) to api;

create function app.release_key(key text, attempt_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.idempotency_keys i set locked_until = now()
  where i.tenant_id = app.tenant_id() and i.key = release_key.key and i.claimed_by = attempt_id;
end
$$;

comment on function app.release_key(text, uuid) is
  'Lets a retry go on at once, after an attempt that ended without an answer to keep.';

grant execute on function app.release_key(text, uuid) to api;
