-- Payments: idempotency keys, the progress of their requests and the stored responses.
--
-- A request claims its key with an id that it generates (`claimed_by`). In the same transaction it starts its work if
-- the key is its own and has neither a resource nor a response:
--
--   where k.tenant_id = ... and k.key = ... and k.claimed_by = <its id> and k.resource_id is null and k.response_status is null
--
-- It then calls the provider outside any transaction. In a second transaction it locks the claimed key, writes the
-- effect and stores the response. A request that claims the key after the lease expires resumes the work; the earlier
-- attempt can no longer store anything, because the key now has another id.

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
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
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.idempotency_keys is
  'One row per Idempotency-Key of a tenant, kept for 24 hours, or for 90 days if its request created a payout.';
comment on column public.idempotency_keys.fingerprint is 'SHA-256 of the method, path and body with sorted members.';
comment on column public.idempotency_keys.claimed_by is
  'Id of the latest attempt, which is also the fencing token: only this attempt may finish the request.';
comment on column public.idempotency_keys.locked_until is 'When the running request''s lease on the key expires.';
comment on column public.idempotency_keys.resource_id is 'The resource that the request creates; a retry resumes it.';
comment on column public.idempotency_keys.response_status is 'HTTP status of the response; null until the response is stored.';
comment on column public.idempotency_keys.snapshot is
  'Stored form of a successful response, rendered into the body; failures have response_body instead.';
comment on column public.idempotency_keys.snapshot_kind is 'Kind of resource in the snapshot.';

create index idempotency_keys_created_idx  on public.idempotency_keys ((coalesce(resource_id, '') like 'po\_%'), created_at);
create index idempotency_keys_resource_idx on public.idempotency_keys (tenant_id, resource_id);

alter table public.idempotency_keys enable row level security;
grant select, insert, update on public.idempotency_keys to api;
grant select, update, delete on public.idempotency_keys to worker;

create policy "A tenant manages its own keys" on public.idempotency_keys
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs complete and delete keys" on public.idempotency_keys
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
    exit when found; -- otherwise the row was deleted in between
  end loop;

  if outcome is null then
    -- A payout that is sent again by mistake, days later, must not be paid twice.
    if k.created_at <= now() - (case when k.resource_id like 'po\_%' then interval '90 days' else interval '24 hours' end)
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
  'Claims a key for an attempt; returns claimed (also after an attempt without a response), replay, reused (different request) or in_use.';

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

comment on function app.set_key_resource(text, text) is 'Records the resource that the request of a key creates.';

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
    raise exception 'this attempt no longer holds the key' using errcode = 'PL001';
  end if;
end
$$;

comment on function app.lock_claimed_key(text, uuid) is
  'First statement of the final transaction: fails with PL001 unless this is the latest attempt and there is no response yet.';

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
  'Stores the response to a request in the transaction of its effect.';

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
  'Ends the lease after an attempt without a response to store, so that a retry can start immediately.';

grant execute on function app.release_key(text, uuid) to api;
