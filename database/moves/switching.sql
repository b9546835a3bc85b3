-- Moves: the switch to the destination, and the end.

-- The switch ----------------------------------------------------------------------------------------------------------

create function private.store_tombstones(move private.tenant_moves) returns void
language sql
set search_path = ''
as $$
  insert into private.moved_callers as c (kind, name, move_id, secret_hashes, ip_allowlist, expires_at)
  select 'api_key', encode(k.key_hash, 'hex'), move.id, null::text[], k.ip_allowlist, k.expires_at
  from public.api_keys k where k.tenant_id = move.tenant_id and k.revoked_at is null
  union all
  select 'oauth_client', o.client_id, move.id,
         array(select encode(s.secret_hash, 'hex') from private.oauth_client_secrets s where s.oauth_client_id = o.id and coalesce(s.expires_at > now(), true)),
         null, null
  from public.oauth_clients o where o.tenant_id = move.tenant_id and o.revoked_at is null
  union all
  select 'provider_account', a.id, move.id, null, null, null from public.provider_accounts a where a.tenant_id = move.tenant_id
  union all
  -- Accounts at CRMs, whose ids differ from those at providers.
  select 'provider_account', a.id, move.id, null, null, null from public.crm_accounts a where a.tenant_id = move.tenant_id
  union all
  select 'file', encode(sha256(convert_to(f.token, 'UTF8')), 'hex'), move.id, null, null, null
  from (
    select i.public_token as token from public.invoices i where i.tenant_id = move.tenant_id
    union all select d.public_token from public.tax_documents d where d.tenant_id = move.tenant_id
  ) as f where f.token is not null
  union all
  select 'invitation', encode(i.token_hash, 'hex'), move.id, null, null, i.expires_at
  from public.invitations i where i.tenant_id = move.tenant_id and i.token_hash is not null
  on conflict (kind, name) do update
  set move_id = excluded.move_id, secret_hashes = excluded.secret_hashes, ip_allowlist = excluded.ip_allowlist, expires_at = excluded.expires_at
$$;

comment on function private.store_tombstones(private.tenant_moves) is 'Stores the tombstones of a tenant''s callers and links.';

create function admin.switch_tenant(move_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'switch_tenant', '{verified,moved,finished}', '{out}');
begin
  if move.state <> 'verified' then
    return;
  end if;
  perform private.store_tombstones(move);
  update private.tenant_moves m
  set state = 'moved', closed = true, frozen_until = null, switched_at = clock_timestamp(), progressed_at = clock_timestamp()
  where m.id = move_id and m.frozen_until > clock_timestamp();
  if not found then
    perform private.reject_step('the window has passed; freeze the tenant again');
  end if;
end
$$;

comment on function admin.switch_tenant(uuid) is
  'Source: permanently stops serving a verified tenant; its callers get 421 with the new address. Open the destination next.';

create function private.advance_sequence(sequence_name text, at_least bigint) returns void
language plpgsql
set search_path = ''
as $$
declare
  last_used bigint;
begin
  execute format('select case when is_called then last_value else 0 end from %s', sequence_name) into last_used;
  -- Setting the value could take back numbers that others draw at the same moment, so a small gap is drawn instead.
  if at_least - last_used between 1 and 100000 then
    perform nextval(sequence_name::regclass) from generate_series(last_used, at_least);
  elsif at_least > last_used then
    perform setval(sequence_name::regclass, at_least);
  end if;
end
$$;

comment on function private.advance_sequence(text, bigint) is 'Raises a sequence so that its next value is above at_least.';

create function private.advance_sequences(tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  part    record;
  highest bigint;
begin
  for part in
    select m.table_name, a.attname as column_name, pg_get_serial_sequence(m.table_name, a.attname) as sequence_name
    from private.tables_of_tenants_to_move m
    join pg_catalog.pg_attribute a on a.attrelid = m.table_name::regclass and a.attidentity <> ''
    where m.how = 'copy'
    union all
    select 'public.events', 'sequence', 'private.event_sequence'
  loop
    execute format('select max(t.%I) from %s t where %s', part.column_name, part.table_name, private.condition_of_tenant(part.table_name, tenant_id))
    into highest;
    perform private.advance_sequence(part.sequence_name, highest);
  end loop;
end
$$;

comment on function private.advance_sequences(uuid) is 'Raises all sequences above the numbers of a tenant''s rows.';

create function private.prepare_to_open(move private.tenant_moves) returns void
language plpgsql
set search_path = ''
as $$
begin
  perform set_config('app.moving', move.id::text, true), private.advance_sequences(move.tenant_id);
  -- All events have positions, so the search for events without one starts after them.
  update public.event_feeds f
  set settled = coalesce((select max(e.sequence) from public.events e where e.tenant_id = move.tenant_id), 0), checkpoint = null, checkpoint_xid = null
  where f.tenant_id = move.tenant_id;
  -- Tombstones of an earlier move from here.
  delete from private.moved_callers c using private.tenant_moves m where m.id = c.move_id and m.tenant_id = move.tenant_id;
  perform set_config('app.moving', '', true);
end
$$;

comment on function private.prepare_to_open(private.tenant_moves) is
  'Adapts what depends on this database: sequences, the progress of the event feed and tombstones.';

create function admin.open_tenant(move_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'open_tenant', '{verified,open,finished}', '{in}');
begin
  if move.state = 'verified' then
    if not move.closed then
      perform private.reject_step('the tenant is open already');
    end if;
    perform private.prepare_to_open(move);
    update private.tenant_moves m
    set state = 'open', closed = false, switched_at = clock_timestamp(), progressed_at = clock_timestamp()
    where m.id = move_id;
  end if;
  if not move.closed or move.state = 'verified' then
    perform private.open_tables(move_id);
  end if;
end
$$;

comment on function admin.open_tenant(uuid) is 'Destination: begins to serve a verified tenant. Call it only after admin.switch_tenant at the source.';

-- The end -------------------------------------------------------------------------------------------------------------

create function private.delete_rows_of_move(move private.tenant_moves, at_most integer) returns integer
language plpgsql
set search_path = ''
as $$
declare
  part    record;
  deleted integer := 0;
  n       integer;
begin
  -- Triggers and foreign keys are disabled: no events, no emails. Tables that refer to others by a condition come first.
  set local session_replication_role = replica;
  delete from vault.secrets s
  where s.id in (
    select unnest(array[p.api_key, p.webhook_secret]) from private.provider_secrets p
    join public.provider_accounts a on a.id = p.account_id where a.tenant_id = move.tenant_id);
  for part in
    select m.table_name, private.condition_of_tenant(m.table_name, move.tenant_id) as of_tenant
    from private.tables_of_tenants_to_move m
    where m.condition is distinct from '' and (not m.kept or (move.direction = 'in' and m.how <> 'stay'))
    order by m.table_name = 'public.tenants', m.condition is null, m.table_name
  loop
    exit when deleted >= at_most;
    execute format('delete from %1$s where ctid = any (array(select t.ctid from %1$s t where %2$s limit %3$s))',
                   part.table_name, part.of_tenant, at_most - deleted);
    get diagnostics n = row_count;
    deleted := deleted + n;
  end loop;
  set local session_replication_role = origin;
  return deleted;
end
$$;

comment on function private.delete_rows_of_move(private.tenant_moves, integer) is
  'Deletes up to at_most rows of a moved tenant and its Vault secrets, without events and emails; returns the number of rows.';

create function admin.finish_move(move_id uuid, confirm_slug text) returns integer
language plpgsql
set search_path = ''
as $$
declare
  most    constant integer := 10000;
  move    private.tenant_moves := private.expect_move(move_id, 'finish_move', '{moved,open,finished}');
  deleted integer := 0;
begin
  if confirm_slug is distinct from move.slug then
    perform private.refuse_argument('confirm_slug', format('"%s" is not the slug of the tenant', confirm_slug), array[move.slug]);
  elsif move.state = 'finished' then
    return 0;
  end if;
  if move.direction = 'out' then
    -- Accounts in Auth that an invitation created here, and that no other tenant has, are deleted by jobs.
    perform private.schedule_auth_sync(null, u.email, a.auth_user_id)
    from public.users u join private.user_accounts a on a.tenant_id = u.tenant_id and a.user_id = u.id
    where u.tenant_id = move.tenant_id
      and not exists (select from public.jobs j where j.name = 'sync-auth-user' and j.payload ->> 'auth_user_id' = a.auth_user_id::text and j.finished_at is null and j.tenant_id is null);
    deleted := private.delete_rows_of_move(move, most);
  end if;
  if deleted < most then
    update private.tenant_moves m set state = 'finished', closed = false, finished_at = clock_timestamp(), progressed_at = clock_timestamp() where m.id = move_id;
    perform private.open_tables(move_id);
  else
    update private.tenant_moves m set progressed_at = clock_timestamp() where m.id = move_id;
  end if;
  return deleted;
end
$$;

comment on function admin.finish_move(uuid, text) is
  'Source: deletes up to 10 000 rows of a moved tenant; call it until it returns 0. The tombstones stay. confirm_slug is the tenant''s slug.';

create function admin.roll_back_move(move_id uuid) returns integer
language plpgsql
set search_path = ''
as $$
declare
  most    constant integer := 10000;
  move    private.tenant_moves := private.expect_move(move_id, 'roll_back_move', '{copying,frozen,verified,moved,rolled_back}');
  deleted integer := 0;
begin
  if move.direction = 'out' then
    if move.state = 'moved' and current_setting('app.moving', true) is distinct from move_id::text then
      perform private.reject_step('the tenant is served by the destination; use npx placar tenant rollback');
    elsif move.state = 'moved' then
      perform private.prepare_to_open(move);
    end if;
    update private.tenant_moves m
    set state = 'rolled_back', closed = false, frozen_until = null, settled_at = null, finished_at = coalesce(m.finished_at, clock_timestamp())
    where m.id = move_id;
    delete from private.moved_callers c where c.move_id = roll_back_move.move_id;
    perform private.store_approvals(move_id), private.open_tables(move_id);
    return 0;
  end if;
  if not move.closed and move.state <> 'rolled_back' then
    -- The destination served the tenant: it stops for good before the source opens again.
    if move.state <> 'verified' or private.has_expired(move) then
      perform private.reject_step('the tenant is not frozen and verified');
    end if;
    update private.tenant_moves m
    set state = 'rolled_back', closed = true, frozen_until = null, finished_at = clock_timestamp(), moved_to = m.moved_from
    where m.id = move_id;
    perform private.store_tombstones(move);
    return most;
  end if;
  deleted := private.delete_rows_of_move(move, most);
  update private.tenant_moves m
  set state = 'rolled_back', finished_at = coalesce(m.finished_at, clock_timestamp()), closed = deleted >= most, progressed_at = clock_timestamp()
  where m.id = move_id;
  if deleted < most then
    perform private.open_tables(move_id);
  end if;
  return deleted;
end
$$;

comment on function admin.roll_back_move(uuid) is
  'Undoes a move: the source writes again; the destination deletes up to 10 000 rows, so call it there until it returns 0.';

create function admin.forget_move(move_id uuid) returns integer
language plpgsql
set search_path = ''
as $$
declare
  kept_for constant interval := interval '400 days';
  move     private.tenant_moves := private.expect_move(move_id, 'forget_move', '{finished,rolled_back}');
  n        integer;
begin
  if move.state = 'finished' and move.direction = 'out' and move.switched_at > clock_timestamp() - kept_for then
    perform private.reject_step(format('callers are told the new address until %s', (move.switched_at + kept_for)::date));
  end if;
  delete from private.moved_callers c where c.move_id = forget_move.move_id;
  get diagnostics n = row_count;
  update private.tenant_moves m set forgotten_at = coalesce(m.forgotten_at, clock_timestamp()) where m.id = move_id;
  return n;
end
$$;

comment on function admin.forget_move(uuid) is
  'Deletes the tombstones of a finished move, at the earliest 400 days after the switch; its callers then get 401. Returns their number.';
