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
