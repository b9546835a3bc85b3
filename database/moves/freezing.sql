-- Moves: the time in which the tenant is closed on both sides.

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
