-- Records: external ids, by which clients identify leads, deals and users. Each client has its own ids and cannot see
-- another client's.
--
--   external_ids of leads, deals, users   external ids of a record by client; responses, lists and events show them
--   external_ids                          reverse lookup from external id to record; maintained by trigger
--
-- After a merge a record can have several ids of one client. All of them resolve to the record; the first one is shown.

create table public.external_ids (
  tenant_id   uuid not null references public.tenants (id) on delete cascade,
  client_id   text not null,
  source      text not null check (source in ('leads', 'deals', 'users')),
  external_id text not null,
  record_id   uuid not null,
  primary key (tenant_id, client_id, source, external_id)
);

comment on table  public.external_ids is
  'Reverse lookup from a records client''s external id to the record, maintained by trigger.';
comment on column public.external_ids.source is 'Table of the record.';
comment on column public.external_ids.external_id is 'The id as the client sent it; case-sensitive.';

create index external_ids_record_idx on public.external_ids (tenant_id, record_id); -- changing or deleting a record

alter table public.external_ids enable row level security;
grant select on public.external_ids to api;

create policy "A tenant sees its own external ids" on public.external_ids
  for select to api using (tenant_id = (select app.tenant_id()));

create function private.keep_external_ids() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op <> 'INSERT' then
    delete from public.external_ids e
    where e.tenant_id = old.tenant_id and e.record_id = old.id and e.source = tg_table_name
      and (tg_op = 'DELETE' or not coalesce(new.external_ids -> e.client_id, '[]') ? e.external_id);
  end if;
  if tg_op <> 'DELETE' then
    insert into public.external_ids (tenant_id, client_id, source, external_id, record_id)
    select new.tenant_id, c.client_id, tg_table_name, one, new.id
    from jsonb_each(new.external_ids) as c (client_id, ids), jsonb_array_elements_text(c.ids) as one
    where tg_op = 'INSERT' or not coalesce(old.external_ids -> c.client_id, '[]') ? one;
  end if;
  return null;
end
$$;

comment on function private.keep_external_ids() is
  'Trigger: keeps the lookup of external ids in sync; fails if another record of the same kind already has an id.';

create trigger leads_external_ids_insert after insert on public.leads
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger leads_external_ids_update after update of external_ids on public.leads
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger leads_external_ids_delete after delete on public.leads
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();
create trigger deals_external_ids_insert after insert on public.deals
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger deals_external_ids_update after update of external_ids on public.deals
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger deals_external_ids_delete after delete on public.deals
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();
create trigger users_external_ids_insert after insert on public.users
  for each row when (new.external_ids <> '{}') execute function private.keep_external_ids();
create trigger users_external_ids_update after update of external_ids on public.users
  for each row when (old.external_ids is distinct from new.external_ids) execute function private.keep_external_ids();
create trigger users_external_ids_delete after delete on public.users
  for each row when (old.external_ids <> '{}') execute function private.keep_external_ids();

create function app.with_external_id(external_ids jsonb, client_id text, external_id text) returns jsonb
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  if external_id is null then
    return external_ids - client_id;
  end if;
  -- Replaces the first id, which is the one shown; the client's other ids of the record stay.
  return external_ids || jsonb_build_object(client_id, jsonb_build_array(external_id)
    || ((coalesce(external_ids -> client_id, '[]') - 0) - external_id));
end
$$;

comment on function app.with_external_id(jsonb, text, text) is
  'Returns a record''s external ids with this one as the id shown to the client; null removes all ids of the client.';

grant execute on function app.with_external_id(jsonb, text, text) to api;

create function app.lock_external_ids(client_id text, source text, external_ids text[]) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Postgres keeps all locks in one table of fixed size, so a batch takes at most this many, regardless of its number
  -- of ids.
  max_locks constant integer := 64;
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'external', app.tenant_id(), client_id, source, slot), 0))
  from (
    select distinct hashtextextended(name, 0) & (max_locks - 1) as slot from unnest(external_ids) as name order by 1
  ) as taken;
end
$$;

comment on function app.lock_external_ids(text, text, text[]) is
  'Serializes writes by external id, so that the first creates the record and others find it; may also block other ids of the client.';

grant execute on function app.lock_external_ids(text, text, text[]) to api;

-- Passes the result to later statements in two settings of the transaction: app.record_id (empty for a new record) and
-- app.made (whether the record is new).
--
-- makes: whether the body is valid for a new record. change: why the body is not valid for an existing record. With
-- `invalid` it fails before preconditions are checked, with `refused` afterwards.
create function app.begin_upsert(
  client_id   text,
  source      text,
  external_id text,
  makes       boolean,
  change      text,
  only_new    boolean,
  conditional boolean,
  versions    timestamptz[]
) returns void
language plpgsql
set search_path = ''
as $$
declare
  found_id uuid;
  present  timestamptz;
begin
  loop
    select e.record_id into found_id from public.external_ids e
    where e.tenant_id = app.tenant_id() and e.client_id = begin_upsert.client_id and e.source = begin_upsert.source
      and e.external_id = begin_upsert.external_id;
    exit when found_id is null;
    execute format('select r.updated_at from public.%I r where r.tenant_id = app.tenant_id() and r.id = $1 for no key update', source)
      into present using found_id;
    exit when present is not null;
    -- The record was deleted concurrently with its external id, or was merged into another record that now has the id.
  end loop;
  if found_id is null and not makes then
    perform app.raise_domain_error('upsert_not_new');
  elsif found_id is not null and change = 'invalid' then
    perform app.raise_domain_error('upsert_no_change');
  elsif found_id is not null and (only_new or present <> all (versions)) or found_id is null and conditional then
    raise exception 'the record has another version' using errcode = 'PL412';
  elsif found_id is not null and change = 'refused' then
    perform app.raise_domain_error('upsert_no_change');
  end if;
  perform set_config('app.record_id', coalesce(found_id::text, ''), true),
          set_config('app.made', (found_id is null)::text, true);
end
$$;

comment on function app.begin_upsert(text, text, text, boolean, text, boolean, boolean, timestamptz[]) is
  'Finds and locks the record of a locked external id for an upsert; fails if the body or a precondition (PL412) does not allow it.';

grant execute on function app.begin_upsert(text, text, text, boolean, text, boolean, boolean, timestamptz[]) to api;

-- In Studio -----------------------------------------------------------------------------------------------------------

create function private.move_external_ids(from_client text, to_client text) returns bigint
language plpgsql
set search_path = ''
as $$
declare
  tenant constant uuid := (select c.tenant_id from public.oauth_clients c where c.client_id = from_client);
  taken  text;
  source text;
  n      bigint;
  moved  bigint := 0;
begin
  if tenant is null then
    perform private.refuse_argument('from_client', format('OAuth client %s does not exist', from_client));
  elsif from_client = to_client
        or not exists (select from public.oauth_clients c where c.client_id = to_client and c.tenant_id = tenant) then
    perform private.refuse_argument('to_client', format('%s is not another client of the same tenant', to_client), array(
      select c.client_id from public.oauth_clients c
      where c.tenant_id = tenant and c.client_id <> from_client and c.revoked_at is null order by c.client_id));
  end if;
  select f.external_id into taken
  from public.external_ids f
  join public.external_ids t on t.tenant_id = f.tenant_id and t.client_id = to_client and t.source = f.source
    and t.external_id = f.external_id and t.record_id <> f.record_id
  where f.tenant_id = tenant and f.client_id = from_client
  order by f.external_id limit 1;
  if taken is not null then
    perform private.refuse_argument('to_client', format('already uses %s for another record', taken));
  end if;
  foreach source in array array['leads', 'deals', 'users'] loop
    execute format(
      'update public.%I r set external_ids = r.external_ids - $2 || jsonb_build_object($3, (
         select jsonb_agg(id order by place) from (
           select id, min(place) as place
           from jsonb_array_elements_text(coalesce(r.external_ids -> $3, ''[]'') || (r.external_ids -> $2))
             with ordinality as m (id, place)
           group by id
         ) as own))
       where r.tenant_id = $1 and r.id in (
         select e.record_id from public.external_ids e where e.tenant_id = $1 and e.client_id = $2 and e.source = $4)', source)
    using tenant, from_client, to_client, source;
    get diagnostics n = row_count;
    moved := moved + n;
  end loop;
  return moved;
end
$$;

comment on function private.move_external_ids(text, text) is
  'Moves external ids to another OAuth client of the tenant, whose own ids stay first; returns the number of changed records.';
