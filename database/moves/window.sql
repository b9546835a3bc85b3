-- Moves of tenants: closing a tenant for writes.
--
-- Triggers reject writes of one tenant and are created only for its window (freeze_tenant), for the destination until it
-- opens, and for the source after the switch. Nothing else costs anything while no tenant moves. A trigger decides by the
-- move's row, which it locks, so that it never decides by an old snapshot:
--
--   closed                      rejects everything
--   frozen until a later time   rejects everything, except jobs that were running when the window opened
--   otherwise                   lets the write through, for example when the command was killed and the window has passed
--
-- Jobs are skipped instead: a statement that claims or publishes jobs of several tenants must not fail because of one.

create function private.is_write_rejected(move_id uuid) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  move private.tenant_moves;
begin
  if current_setting('app.moving', true) = move_id::text then
    return false;
  end if;
  -- The lock returns the latest row even to a transaction with an old snapshot, and makes changes of the state wait for this one.
  select m.* into move from private.tenant_moves m where m.id = move_id for share;
  return move.closed
    or (move.state in ('frozen', 'verified') and move.frozen_until > clock_timestamp()
        and not (move.settled_at is null and current_setting('role') = 'worker'));
end
$$;

comment on function private.is_write_rejected(uuid) is 'Whether a move currently rejects writes of its tenant by this session.';

create function private.reject_while_moving() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_of_tenant boolean;
begin
  -- The second argument is a condition, for tables without tenant_id.
  if tg_nargs > 1 then
    execute format('select exists (select from (select ($1).*) as t where %s)', tg_argv[1])
    into is_of_tenant using case tg_op when 'DELETE' then old else new end;
    if not is_of_tenant then
      return case tg_op when 'DELETE' then old else new end;
    end if;
  end if;
  if private.is_write_rejected(tg_argv[0]::uuid) is not true then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  -- The daily maintenance works for all tenants at once: it skips these rows, or deletes them where they are no longer needed.
  if current_setting('role') = 'worker' and (tg_table_name = 'ledger_sums' or current_setting('app.maintenance', true) = 'on') then
    return case when tg_op = 'DELETE'
      and exists (select from private.tenant_moves m where m.id = tg_argv[0]::uuid and m.direction = 'out' and m.closed) then old end;
  end if;
  raise exception 'This workspace is being moved. Nothing was done; please retry.'
    using errcode = 'PL503', hint = 'select * from admin.tenant_moves shows the state of the move.';
end
$$;

comment on function private.reject_while_moving() is
  'Trigger: rejects writes (PL503) of a tenant that is being moved; its argument is the id of the move.';

create function private.skip_jobs_while_moving() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  is_begun constant boolean := tg_op = 'UPDATE' and (new.attempts > old.attempts or new.announcements > old.announcements);
begin
  -- A job that was running when the window opened may record its outcome and create jobs, but no job begins.
  if private.is_write_rejected(tg_argv[0]::uuid) is not true
     and not (is_begun and exists (
       select from private.tenant_moves m
       where m.id = tg_argv[0]::uuid and m.state in ('frozen', 'verified') and m.frozen_until > clock_timestamp())
       and current_setting('app.moving', true) is distinct from tg_argv[0]) then
    return case tg_op when 'DELETE' then old else new end;
  elsif current_setting('role') = 'worker' then
    return null;
  end if;
  raise exception 'This workspace is being moved. Nothing was done; please retry.'
    using errcode = 'PL503', hint = 'select * from admin.tenant_moves shows the state of the move.';
end
$$;

comment on function private.skip_jobs_while_moving() is
  'Trigger: skips claims and announcements of jobs of a tenant that is being moved, and rejects other writes of them.';

create function private.moving_trigger(move_id uuid, suffix text) returns text
language sql immutable
set search_path = ''
as $$ select format('000_moving_%s_%s', left(replace(move_id::text, '-', ''), 12), suffix) $$;

comment on function private.moving_trigger(uuid, text) is 'Name of a trigger of a move; it sorts before all other triggers of its table.';

create function private.close_tables(move_id uuid, tenant_id uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
  -- Less than deadlock_timeout, so that this function gives up first if a writer waits for it as well.
  most_ms     constant integer := 800;
  began_at    constant timestamptz := clock_timestamp();
  earlier     constant text := current_setting('lock_timeout');
  part        record;
  left_ms     integer;
  own_columns text;
begin
  -- Locking waits for transactions in progress, and new writers queue behind it. So all locks together may take at most one second.
  for part in
    select m.table_name from private.tables_of_tenants_to_move m
    where m.how <> 'stay' and m.condition is distinct from '' order by m.table_name
  loop
    left_ms := most_ms - extract(epoch from clock_timestamp() - began_at) * 1000;
    if left_ms <= 0 then
      raise exception 'The tables could not be locked within % ms.', most_ms using errcode = 'lock_not_available';
    end if;
    perform set_config('lock_timeout', left_ms::text, true);
    execute format('lock table %s in share row exclusive mode', part.table_name);
  end loop;
  perform set_config('lock_timeout', earlier, true);
  for part in
    select m.table_name, m.own_columns, m.condition,
           private.condition_of_tenant(m.table_name, close_tables.tenant_id) as of_tenant,
           case m.table_name when 'public.jobs' then 'private.skip_jobs_while_moving' else 'private.reject_while_moving' end as call,
           case m.table_name when 'public.tenants' then 'id' else 'tenant_id' end as tenant_column
    from private.tables_of_tenants_to_move m
    where m.how <> 'stay' and m.condition is distinct from ''
  loop
    if part.condition is not null and part.table_name <> 'public.tenants' then
      execute format('create or replace trigger %I before insert or update or delete on %s for each row execute function %s(%L, %L)',
                     private.moving_trigger(move_id, 'all'), part.table_name, part.call, move_id, part.of_tenant);
      continue;
    end if;
    -- A change of nothing but these columns, such as the last use of a key, is no write of the tenant.
    own_columns := case when part.table_name = 'public.api_keys'
      then format(' and to_jsonb(old) - %L::text[] is distinct from to_jsonb(new) - %L::text[]', part.own_columns, part.own_columns) else '' end;
    execute format('create or replace trigger %I before insert on %s for each row when (new.%I = %L) execute function %s(%L)',
                   private.moving_trigger(move_id, 'insert'), part.table_name, part.tenant_column, tenant_id, part.call, move_id);
    execute format('create or replace trigger %I before update on %s for each row when ((new.%I = %L or old.%I = %L)%s) execute function %s(%L)',
                   private.moving_trigger(move_id, 'update'), part.table_name, part.tenant_column, tenant_id, part.tenant_column, tenant_id,
                   own_columns, part.call, move_id);
    execute format('create or replace trigger %I before delete on %s for each row when (old.%I = %L) execute function %s(%L)',
                   private.moving_trigger(move_id, 'delete'), part.table_name, part.tenant_column, tenant_id, part.call, move_id);
  end loop;
end
$$;

comment on function private.close_tables(uuid, uuid) is
  'Creates the triggers that reject writes of a tenant, after writers in progress have ended; fails (55P03) if that takes over a second.';

create function private.open_tables(move_id uuid) returns integer
language plpgsql
set search_path = ''
as $$
declare
  most     constant interval := interval '700 milliseconds';
  began_at constant timestamptz := clock_timestamp();
  earlier  constant text := current_setting('lock_timeout');
  prefix   constant text := private.moving_trigger(move_id, '');
  part     record;
  remain   integer := 0;
begin
  for part in
    select t.tgname as name, t.tgrelid::regclass as table_name from pg_catalog.pg_trigger t
    where not t.tgisinternal and starts_with(t.tgname, prefix) order by t.tgrelid
  loop
    begin
      if clock_timestamp() > began_at + most then
        raise lock_not_available;
      end if;
      perform set_config('lock_timeout', '50', true);
      execute format('drop trigger %I on %s', part.name, part.table_name);
    exception when lock_not_available then
      remain := remain + 1;
    end;
  end loop;
  perform set_config('lock_timeout', earlier, true);
  return remain;
end
$$;

comment on function private.open_tables(uuid) is
  'Drops the triggers of a move from tables that are free, and returns how many remain; those let all writes through and can be dropped later.';
