-- Request answers: stored responses to requests with an Idempotency-Key, so that a retry gets the same response.
--
-- Used by records and activity sync, where a request is a single transaction: locking the key, doing the work and
-- storing the response commit together. A payments request calls a provider in between, so payments use
-- idempotency_keys instead.

-- Many updates and deletions: by default, vacuum waits until a fifth of the table is dead.
create table public.request_answers (
  tenant_id   uuid        not null references public.tenants (id) on delete cascade,
  scope       text        not null,
  key         text        not null check (char_length(key) between 1 and 255),
  fingerprint text        not null,
  status      smallint    not null,
  body        jsonb,
  headers     jsonb       not null,
  created_at  timestamptz not null default now(),
  primary key (tenant_id, scope, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.02);

comment on table  public.request_answers is
  'Responses to records and activity sync requests with an Idempotency-Key, kept for 24 hours.';
comment on column public.request_answers.scope is
  'Owner of the key: an OAuth client id, or activity-sync for a tenant''s API keys.';
comment on column public.request_answers.fingerprint is
  'SHA-256 of the method, path, body with sorted members, and everything else that the response depends on.';
comment on column public.request_answers.headers is 'Response headers that describe the body, such as ETag.';

create index request_answers_age_idx on public.request_answers using brin (created_at);

alter table public.request_answers enable row level security;
grant select, insert, update on public.request_answers to api;
grant select, delete on public.request_answers to worker;

create policy "A tenant manages its own responses" on public.request_answers
  for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
create policy "Jobs delete old responses" on public.request_answers
  for all to worker using (true) with check (true);

create function app.hold_request_key(scope text, key text, fingerprint text) returns void
language plpgsql
set search_path = ''
as $$
declare
  kept public.request_answers;
begin
  if not pg_try_advisory_xact_lock(hashtextextended(
    concat_ws(chr(10), app.tenant_id(), hold_request_key.scope, hold_request_key.key), 0)) then
    raise exception 'another request with this key is in progress' using errcode = 'PL409';
  end if;
  select a.* into kept from public.request_answers a
  where a.tenant_id = app.tenant_id() and a.scope = hold_request_key.scope and a.key = hold_request_key.key
    and a.created_at > now() - interval '24 hours';
  if not found then
    return;
  elsif kept.fingerprint <> hold_request_key.fingerprint then
    raise exception 'the key was used for a different request' using errcode = 'PL422';
  end if;
  raise exception 'the key already has a response' using errcode = 'PL208';
end
$$;

comment on function app.hold_request_key(text, text, text) is
  'First statement of a request: locks its key, or fails with PL409 (in use), PL422 (different request) or PL208 (has a response).';

grant execute on function app.hold_request_key(text, text, text) to api;

create function app.keep_request_answer(
  scope text, key text, fingerprint text, status integer, body jsonb, headers jsonb
) returns void
language sql
set search_path = ''
as $$
  insert into public.request_answers as a (tenant_id, scope, key, fingerprint, status, body, headers)
  values (app.tenant_id(), keep_request_answer.scope, keep_request_answer.key, keep_request_answer.fingerprint,
    keep_request_answer.status, keep_request_answer.body, keep_request_answer.headers)
  on conflict (tenant_id, scope, key) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, headers = excluded.headers,
        created_at = now()
$$;

comment on function app.keep_request_answer(text, text, text, integer, jsonb, jsonb) is
  'Stores a response in the transaction that locked its key, replacing one older than 24 hours.';

grant execute on function app.keep_request_answer(text, text, text, integer, jsonb, jsonb) to api;
