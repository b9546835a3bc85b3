-- Moves of tenants: the steps of a move, which the command calls on either side. Each may be called twice. A step that does
-- not follow from the move's state fails with PL409.

create function private.reject_step(problem text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'move_id: %', problem using errcode = 'PL409';
end
$$;

comment on function private.reject_step(text) is 'Rejects a step of a move that does not follow from its state (PL409).';

create function private.expect_move(move_id uuid, step text, states text[], directions text[] default '{out,in}')
returns private.tenant_moves
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves;
begin
  select m.* into move from private.tenant_moves m where m.id = move_id for no key update;
  if not found then
    perform private.refuse_argument('move_id', case when move_id is null then 'is required' else format('move %s does not exist', move_id) end,
      array(select format('%s (%s)', m.id, m.slug) from private.tenant_moves m order by m.created_at desc));
  elsif not move.direction = any (directions) then
    perform private.reject_step(format('%s is a step of the %s', step, case directions[1] when 'out' then 'source' else 'destination' end));
  elsif not move.state = any (states) then
    perform private.reject_step(format('%s does not follow the state %s', step, move.state));
  end if;
  return move;
end
$$;

comment on function private.expect_move(uuid, text, text[], text[]) is 'Locks and returns a move; rejects it in another state or direction.';

create function private.has_expired(move private.tenant_moves) returns boolean
language sql stable
set search_path = ''
as $$ select coalesce(move.frozen_until <= clock_timestamp(), true) $$;

comment on function private.has_expired(private.tenant_moves) is 'Whether the window of a move has passed, so that the tenant may have written.';

-- Copying -------------------------------------------------------------------------------------------------------------

create function private.expect_move_address(argument text, address text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if address is null or address !~ '^https?://[^/\s?#@]+(/[^\s?#]*)?$' then
    perform private.refuse_argument(argument, 'is not a valid URL', array['such as https://<ref>.supabase.co/functions/v1']);
  elsif address !~ '^https://' and app.environment() = 'production' then
    perform private.refuse_argument(argument, 'must begin with https in production');
  end if;
end
$$;

comment on function private.expect_move_address(text, text) is 'Rejects an address of functions that is not a valid URL, or not https in production.';

create function admin.move_out(tenant_id uuid, moved_to text) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  present private.tenant_moves;
  new_id  uuid;
begin
  perform private.expect_tenant(tenant_id), private.expect_move_address('moved_to', moved_to);
  select m.* into present from private.tenant_moves m
  where m.tenant_id = move_out.tenant_id and m.state in ('copying', 'frozen', 'verified', 'moved');
  if found and present.direction = 'out' and present.moved_to = rtrim(move_out.moved_to, '/') then
    return present.id;
  elsif found then
    perform private.reject_step(format('the tenant has another move, %s, in the state %s', present.id, present.state));
  end if;
  update private.tenant_moves m set state = 'finished', finished_at = clock_timestamp()
  where m.tenant_id = move_out.tenant_id and m.direction = 'in' and m.state = 'open';
  insert into private.tenant_moves (tenant_id, slug, direction, moved_to)
  select t.id, t.slug, 'out', rtrim(move_out.moved_to, '/') from public.tenants t where t.id = move_out.tenant_id
  returning id into new_id;
  return new_id;
end
$$;

comment on function admin.move_out(uuid, text) is
  'Begins to move a tenant to the project with this FUNCTIONS_URL and returns the id of the move; npx placar tenant move does the rest.';

create function admin.move_in(move_id uuid, tenant jsonb, moved_from text) returns uuid
language plpgsql
set search_path = ''
as $$
declare
  own     constant uuid := tenant ->> 'id';
  present private.tenant_moves;
  names   text;
begin
  perform private.expect_move_address('moved_from', moved_from), private.expect_plan(tenant ->> 'plan');
  select m.* into present from private.tenant_moves m where m.id = move_id for no key update;
  if not found then
    select m.* into present from private.tenant_moves m
    where m.tenant_id = own and m.state in ('copying', 'frozen', 'verified', 'moved');
    if found then
      perform private.reject_step(format('the tenant has another move, %s, in the state %s', present.id, present.state));
    elsif exists (select from public.tenants t where t.id = own or t.slug = tenant ->> 'slug') then
      perform private.refuse_argument('tenant', format('a tenant with the id %s or the slug "%s" exists already', own, tenant ->> 'slug'));
    end if;
    insert into private.tenant_moves (id, tenant_id, slug, direction, moved_from, closed)
    values (move_id, own, tenant ->> 'slug', 'in', rtrim(move_in.moved_from, '/'), true);
    perform private.close_tables(move_id, own);
  elsif present.direction <> 'in' or present.tenant_id <> own or present.state not in ('copying', 'verified') then
    perform private.reject_step(format('move_in does not follow the state %s', present.state));
  end if;
  -- The tenant's row changes with that of the source. Triggers, such as the one that creates stages, are disabled.
  select string_agg(format('%I', a.attname), ', ') into strict names from pg_catalog.pg_attribute a
  where a.attrelid = 'public.tenants'::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '';
  set local session_replication_role = replica;
  execute format(
    'insert into public.tenants (%1$s) select %1$s from jsonb_populate_record(null::public.tenants, $1)
     on conflict (id) do update set (%1$s) = row (%2$s)', names, regexp_replace(names, '(\w+)', 'excluded.\1', 'g')) using tenant;
  set local session_replication_role = origin;
  return own;
end
$$;

comment on function admin.move_in(uuid, jsonb, text) is
  'Prepares this project to receive a tenant (its row as JSON, with a plan of this project); it stays closed until admin.open_tenant.';

create function admin.record_move_progress(move_id uuid, rows_copied bigint default null, rows_total bigint default null, last_error text default null)
returns void
language sql
set search_path = ''
as $$
  update private.tenant_moves m
  set rows_copied = coalesce(record_move_progress.rows_copied, m.rows_copied), rows_total = coalesce(record_move_progress.rows_total, m.rows_total),
      last_error = record_move_progress.last_error,
      progressed_at = case when record_move_progress.last_error is null then clock_timestamp() else m.progressed_at end
  where m.id = record_move_progress.move_id
$$;

comment on function admin.record_move_progress(uuid, bigint, bigint, text) is
  'Records the progress of a move, or the error that stopped the command; null keeps a number.';

-- The window ----------------------------------------------------------------------------------------------------------

create function admin.freeze_tenant(move_id uuid) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves;
begin
  select m.* into move from private.tenant_moves m where m.id = move_id;
  if move.state in ('frozen', 'verified') and not move.closed and not private.has_expired(move) then
    return admin.renew_freeze(move_id);
  end if;
  -- Tables first: a writer whose window has passed locks its table and then the move.
  if move.state in ('copying', 'frozen', 'verified', 'open') and (move.direction = 'out' or move.switched_at is not null) then
    perform private.close_tables(move_id, move.tenant_id);
  end if;
  move := private.expect_move(move_id, 'freeze_tenant', case move.direction when 'in' then '{open,frozen,verified}'::text[] else '{copying,frozen,verified}' end);
  if move.closed then
    perform private.reject_step('this side is closed already');
  end if;
  update private.tenant_moves m
  set state = 'frozen', frozen_until = clock_timestamp() + interval '60 seconds', settled_at = null, verified_at = null,
      progressed_at = clock_timestamp()
  where m.id = move_id
  returning m.frozen_until into move.frozen_until;
  return move.frozen_until;
end
$$;

comment on function admin.freeze_tenant(uuid) is
  'Closes a tenant for writes for 60 seconds, which admin.renew_freeze extends; fails with 55P03 if its locks take over a second.';

create function admin.freeze_settled(move_id uuid) returns boolean
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'freeze_settled', '{frozen,verified}');
begin
  if private.has_expired(move) then
    perform private.reject_step('the window has passed');
  elsif exists (
    select from public.jobs j
    where j.tenant_id = move.tenant_id and j.locked_until > clock_timestamp() and j.finished_at is null and j.failed_at is null
  ) then
    return false;
  end if;
  -- Waits for transactions of jobs that may still write: they hold a lock on this row.
  update private.tenant_moves m set settled_at = coalesce(m.settled_at, clock_timestamp()) where m.id = move_id;
  perform set_config('app.moving', move_id::text, true), set_config('app.tenant_id', move.tenant_id::text, true);
  while app.number_events() loop
  end loop;
  perform set_config('app.moving', '', true), set_config('app.tenant_id', '', true);
  return true;
end
$$;

comment on function admin.freeze_settled(uuid) is
  'Whether nothing can write for a frozen tenant anymore: its jobs have ended and its events have positions in the feed.';

create function admin.renew_freeze(move_id uuid) returns timestamptz
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'renew_freeze', '{frozen,verified}');
begin
  if move.closed or private.has_expired(move) then
    perform private.reject_step('the window has passed; freeze the tenant again');
  end if;
  update private.tenant_moves m set frozen_until = clock_timestamp() + interval '60 seconds', progressed_at = clock_timestamp()
  where m.id = move_id
  returning m.frozen_until into move.frozen_until;
  return move.frozen_until;
end
$$;

comment on function admin.renew_freeze(uuid) is 'Keeps a tenant closed for another 60 seconds; refused once the window has passed.';

create function private.store_approvals(move_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
  update public.payouts p set approved_transfer = a.transfer_id
  from private.approvals_while_moving a
  where a.move_id = store_approvals.move_id and p.id = a.order_id and p.approved_transfer is null;
  update public.refunds r set approved_for = a.transfer_id
  from private.approvals_while_moving a
  where a.move_id = store_approvals.move_id and r.id = a.order_id and r.approved_for is null;
  delete from private.approvals_while_moving a where a.move_id = store_approvals.move_id;
end
$$;

comment on function private.store_approvals(uuid) is 'Stores transfers and refunds that were approved in the window in their orders.';

create function private.receive_approvals(move_id uuid, approvals jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'receive_approvals', '{verified,moved}');
begin
  perform set_config('app.moving', move_id::text, true);
  update public.payouts p set approved_transfer = a.transfer_id
  from jsonb_to_recordset(approvals) as a (order_id text, transfer_id text)
  where p.tenant_id = move.tenant_id and p.id = a.order_id and p.approved_transfer is null;
  update public.refunds r set approved_for = a.transfer_id
  from jsonb_to_recordset(approvals) as a (order_id text, transfer_id text)
  where r.tenant_id = move.tenant_id and r.id = a.order_id and r.approved_for is null;
  perform set_config('app.moving', '', true);
end
$$;

comment on function private.receive_approvals(uuid, jsonb) is
  'Stores transfers and refunds that the other project approved during its window. Call it on the project that opens next, before it opens.';

create function admin.thaw_tenant(move_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'thaw_tenant', '{copying,frozen,verified,open}');
begin
  update private.tenant_moves m
  set state = case when m.direction = 'in' and not m.closed then 'open' else 'copying' end, frozen_until = null, settled_at = null, verified_at = null
  where m.id = move_id;
  if not move.closed then
    perform private.store_approvals(move_id), private.open_tables(move_id);
  end if;
end
$$;

comment on function admin.thaw_tenant(uuid) is 'Lets a frozen tenant write again.';

create function admin.verify_move(move_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  move private.tenant_moves := private.expect_move(move_id, 'verify_move', '{copying,frozen,verified,moved}');
begin
  if move.state = 'moved' then
    return;
  elsif not move.closed and (move.state = 'copying' or move.settled_at is null or private.has_expired(move)) then
    perform private.reject_step('the tenant is not frozen and settled');
  end if;
  update private.tenant_moves m set state = 'verified', verified_at = clock_timestamp(), progressed_at = clock_timestamp() where m.id = move_id;
end
$$;

comment on function admin.verify_move(uuid) is 'Records that both sides of a move were found to be equal; the command calls it on both.';

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
