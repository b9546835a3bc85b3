set local check_function_bodies = off;

-- Moves of tenants to another project: their state.
--
--   private.tenant_moves               one row per move, on both sides
--   private.tenant_move_chunks         chunks that the destination has
--   private.moved_callers              credentials and links of tenants that left, to tell their callers the new address
--   private.tables_of_tenants_to_move  what a move does with each table
--
-- `npx placar tenant move` drives a move and calls the functions in admin on both sides. All state is in the two databases, so
-- a command that was killed can be resumed from anywhere. See docs/operations/moving-a-tenant.md.

create table private.tenant_moves (
  id            uuid        primary key default gen_random_uuid(),
  tenant_id     uuid        not null,
  slug          text        not null,
  direction     text        not null check (direction in ('out', 'in')),
  state         text        not null default 'copying'
                            check (state in ('copying', 'frozen', 'verified', 'moved', 'open', 'finished', 'rolled_back')),
  moved_to      text        check (moved_to ~ '^https?://[^/]'),
  moved_from    text        check (moved_from ~ '^https?://[^/]'),
  closed        boolean     not null default false,
  frozen_until  timestamptz,
  settled_at    timestamptz,
  verified_at   timestamptz,
  switched_at   timestamptz,
  finished_at   timestamptz,
  forgotten_at  timestamptz,
  rows_copied   bigint      not null default 0,
  rows_total    bigint,
  last_error    text,
  progressed_at timestamptz not null default clock_timestamp(),
  created_at    timestamptz not null default clock_timestamp(),
  copied_accounts uuid[]    not null default '{}'
);

comment on table  private.tenant_moves is 'Moves of tenants from and to this project; a row outlives its tenant.';
comment on column private.tenant_moves.direction is 'out: this project is the source; in: it is the destination.';
comment on column private.tenant_moves.moved_to is 'FUNCTIONS_URL of the destination, which callers are told; null at the destination.';
comment on column private.tenant_moves.moved_from is 'FUNCTIONS_URL of the source; null at the source.';
comment on column private.tenant_moves.closed is
  'Whether this side refuses all writes of the tenant: the destination until it opens, the source after the switch.';
comment on column private.tenant_moves.frozen_until is 'When the tenant can write again unless the window is renewed; null outside a window.';
comment on column private.tenant_moves.settled_at is 'When no job of the tenant was running anymore; from then on, jobs cannot write either.';
comment on column private.tenant_moves.forgotten_at is 'When the tombstones of the tenant''s callers were deleted.';
comment on column private.tenant_moves.copied_accounts is 'Accounts in Auth that the move created here, which it may change and delete.';
comment on column private.tenant_moves.progressed_at is 'When the move last made progress.';

create unique index tenant_moves_unfinished_idx on private.tenant_moves (tenant_id) where state in ('copying', 'frozen', 'verified', 'moved');
create index tenant_moves_tenant_idx on private.tenant_moves (tenant_id);

alter table private.tenant_moves enable row level security;

create table private.tenant_move_chunks (
  move_id    uuid        not null references private.tenant_moves (id) on delete cascade,
  table_name text        not null,
  chunk      integer     not null,
  rows       bigint      not null,
  copies     integer     not null default 1,
  copied_at  timestamptz not null default clock_timestamp(),
  primary key (move_id, table_name, chunk)
);

comment on table  private.tenant_move_chunks is 'Chunks of a move that the destination has received, without their rows.';
comment on column private.tenant_move_chunks.chunk is 'Number of the chunk in the order of the table''s key.';
comment on column private.tenant_move_chunks.copies is 'How many times the chunk was copied because its rows had changed at the source.';

alter table private.tenant_move_chunks enable row level security;

create table private.moved_callers (
  kind          text        not null check (kind in ('api_key', 'oauth_client', 'provider_account', 'file', 'invitation')),
  name          text        not null,
  move_id       uuid        not null references private.tenant_moves (id) on delete cascade,
  secret_hashes text[],
  ip_allowlist  cidr[],
  expires_at    timestamptz,
  primary key (kind, name)
);

comment on table  private.moved_callers is
  'Tombstones of tenants that moved: whose callers and links are answered with the new address. Contains hashes and ids only.';
comment on column private.moved_callers.name is 'Hex SHA-256 of a key or token, or id of a client or provider account.';
comment on column private.moved_callers.secret_hashes is 'Hex SHA-256 of an OAuth client''s secrets.';
comment on column private.moved_callers.ip_allowlist is 'Networks that may use an API key; empty means any.';

create index moved_callers_move_idx on private.moved_callers (move_id);

alter table private.moved_callers enable row level security;

create table private.approvals_while_moving (
  order_id    text        primary key,
  move_id     uuid        not null references private.tenant_moves (id) on delete cascade,
  transfer_id text        not null,
  approved_at timestamptz not null default clock_timestamp()
);

comment on table private.approvals_while_moving is
  'Transfers and refunds that Asaas asked about while their tenant could not write; stored in their orders when the window ends.';
comment on column private.approvals_while_moving.order_id is 'The payout or refund.';
comment on column private.approvals_while_moving.transfer_id is 'Id of the transfer or refund at Asaas that was approved.';

create index approvals_while_moving_move_idx on private.approvals_while_moving (move_id);

alter table private.approvals_while_moving enable row level security;

-- Tables --------------------------------------------------------------------------------------------------------------

create table private.tables_of_tenants_to_move (
  table_name  text    primary key,
  how         text    not null check (how in ('copy', 'renumber', 'vault', 'auth', 'stay')),
  why         text    not null,
  key_columns text[],
  condition   text,
  own_columns text[]  not null default '{}',
  kept        boolean not null default false
);

comment on table  private.tables_of_tenants_to_move is
  'What a move does with each table in public and private; a test fails for a table that is missing.';
comment on column private.tables_of_tenants_to_move.table_name is 'Name with its schema.';
comment on column private.tables_of_tenants_to_move.how is
  'copy; renumber: copied with new surrogate ids; vault: keys get new Vault ids; auth: linked to accounts in Auth; stay: not moved.';
comment on column private.tables_of_tenants_to_move.key_columns is
  'Columns that order the rows for chunks; null for the primary key without tenant_id, if it has other columns.';
comment on column private.tables_of_tenants_to_move.condition is
  'For tables without tenant_id: condition on a row t of the tenant $tenant; empty if the table has no rows of tenants.';
comment on column private.tables_of_tenants_to_move.own_columns is 'Columns that each side has its own values for.';
comment on column private.tables_of_tenants_to_move.kept is 'Whether the source keeps the rows when the move finishes.';

alter table private.tables_of_tenants_to_move enable row level security;

create function private.condition_of_tenant(table_name text, tenant_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select replace(coalesce(m.condition, 't.tenant_id = $tenant'), '$tenant', quote_literal(condition_of_tenant.tenant_id) || '::uuid')
  from private.tables_of_tenants_to_move m
  where m.table_name = condition_of_tenant.table_name and m.condition is distinct from ''
$$;

comment on function private.condition_of_tenant(text, uuid) is
  'SQL condition on a row t for the rows of a tenant in a table; null for a table without rows of tenants.';

create function private.tables_to_copy(tenant_id uuid)
returns table (table_name text, how text, condition text, columns text[], key_columns text[], key_types text[], own_columns text[])
language sql stable
set search_path = ''
as $$
  select m.table_name, m.how, private.condition_of_tenant(m.table_name, tables_to_copy.tenant_id),
         array(
           select a.attname::text from pg_catalog.pg_attribute a
           where a.attrelid = m.table_name::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             and not a.attname = any (m.own_columns) and not (m.how = 'renumber' and a.attidentity <> '')
           order by a.attname
         ),
         k.names, k.types, m.own_columns
  from private.tables_of_tenants_to_move m
  cross join lateral (
    select array_agg(a.attname::text order by keys.place) as names,
           array_agg(pg_catalog.format_type(a.atttypid, a.atttypmod) order by keys.place) as types
    from unnest(coalesce(m.key_columns, nullif(array(
      select i.attname::text from pg_catalog.pg_constraint c
      cross join unnest(c.conkey) with ordinality as o (attnum, place)
      join pg_catalog.pg_attribute i on i.attrelid = c.conrelid and i.attnum = o.attnum
      where c.conrelid = m.table_name::regclass and c.contype = 'p' and i.attname <> 'tenant_id'
      order by o.place
    ), '{}'), '{tenant_id}')) with ordinality as keys (name, place)
    join pg_catalog.pg_attribute a on a.attrelid = m.table_name::regclass and a.attname = keys.name
  ) as k
  where m.how <> 'stay' and m.condition is distinct from ''
  order by m.table_name
$$;

comment on function private.tables_to_copy(uuid) is
  'Tables that a move copies, with the condition for the tenant''s rows, the columns to copy and the columns that order them.';

-- In Studio -----------------------------------------------------------------------------------------------------------

create view admin.tenant_moves with (security_invoker = true) as
  select m.id as move_id, m.tenant_id, m.slug, m.direction, m.state, m.moved_to, m.rows_copied, m.rows_total, m.frozen_until,
         m.verified_at, m.switched_at, m.finished_at, m.last_error, m.moved_from, m.progressed_at, m.created_at
  from private.tenant_moves m;

comment on view admin.tenant_moves is 'Moves of tenants from this project (out) and to it (in). The request log of a moved tenant stays at its source.';
comment on column admin.tenant_moves.move_id is 'Id of the move, the same on both sides.';
comment on column admin.tenant_moves.tenant_id is 'The tenant, whose id stays the same.';
comment on column admin.tenant_moves.slug is 'Slug of the tenant.';
comment on column admin.tenant_moves.direction is 'out: this project is the source; in: it is the destination.';
comment on column admin.tenant_moves.state is
  'copying, frozen, verified, then moved (source) or open (destination), then finished; rolled_back if the move was undone.';
comment on column admin.tenant_moves.moved_to is 'Address of the functions of the destination, which callers are told; null at the destination.';
comment on column admin.tenant_moves.rows_copied is 'Rows copied so far; rows that changed meanwhile count again.';
comment on column admin.tenant_moves.rows_total is 'Rows of the tenant when copying began.';
comment on column admin.tenant_moves.frozen_until is 'When the tenant can write again unless the command renews the window.';
comment on column admin.tenant_moves.verified_at is 'When both sides were found to be equal.';
comment on column admin.tenant_moves.switched_at is 'When the source stopped or the destination began to serve the tenant.';
comment on column admin.tenant_moves.finished_at is 'When the source had deleted the tenant''s rows.';
comment on column admin.tenant_moves.last_error is 'Why the command last stopped.';
comment on column admin.tenant_moves.moved_from is 'Address of the functions of the source; null at the source. The request log of earlier calls is there.';
comment on column admin.tenant_moves.progressed_at is 'When the move last made progress.';
comment on column admin.tenant_moves.created_at is 'When the move began.';

-- Moves: every table with rows of tenants, and what a move does with them.

insert into private.tables_of_tenants_to_move (table_name, how, why)
select 'public.' || name, 'copy', 'data of the tenant'
from unnest('{activities, automation_runs, automations, badges, balance_transactions, boards, challenges, collaborators,
  completed_challenges, cost_centers, deal_activities, deals, document_numbers, earned_badges, event_positions, event_values,
  external_ids, idempotency_keys, invitations, invoices, ledger_sums, leads, merged_leads, mission_codes, missions, oauth_clients,
  payout_approval_rules, payouts, pipeline_stages, players, point_days, point_entries, point_rules, provider_account_events,
  provider_accounts, provider_statement_lines, rankings, request_answers, seasons, tax_documents, teams, tiers, users,
  webhook_deliveries, webhook_endpoints, webhook_replay_deliveries, webhook_replays}'::text[]) as name;

insert into private.tables_of_tenants_to_move (table_name, how, why, key_columns, condition, own_columns, kept) values
('public.api_keys',  'copy', 'the same keys work at the destination', null, null, '{last_used_at}', false),
  ('public.events',    'copy', 'keeps ids and sequences',              '{sequence}', null, '{}', false),
  ('public.event_feeds', 'copy', 'cursors continue; the progress refers to transactions of one database', '{tenant_id}', null, '{settled,checkpoint,checkpoint_xid}', false),
  ('public.jobs',      'copy', 'jobs run at the destination once it is open', '{id}', null, '{published_at,announcements}', false),
  ('public.provider_routes', 'copy', 'routes of the tenant; default routes belong to the deployment', '{tenant_id}', null, '{}', false),
  ('public.tenants',   'copy', 'the tenant itself, with the plan of the destination', '{id}', 't.id = $tenant', '{plan}', false),
  ('public.provider_differences', 'renumber', 'ids are internal', '{account_id,kind,subject}', null, '{}', false),
  ('public.webhook_attempts',     'renumber', 'ids are internal', '{delivery_id}', null, '{}', false),
  ('public.request_log', 'stay', 'largest table, nothing refers to it; copied with --with-log', null, null, '{}', true),
  ('public.plans',       'stay', 'each deployment has its own plans', null, '', '{}', true),
  ('private.erasures',   'renumber', 'erasures are recorded on both sides', '{email_hash}', null, '{}', true),
  ('private.found_point_differences', 'stay', 'found again by the daily check', null, null, '{}', false),
  ('private.invitation_mails', 'copy', 'limits of emails continue', null, null, '{}', false),
  ('private.pending_recounts', 'renumber', 'ids are internal', '{player_id}', null, '{}', false),
  ('private.uncounted',        'copy', 'data of the tenant', null, null, '{}', false),
  ('private.user_accounts',    'auth', 'refer to accounts in Auth, which each project has its own of', '{user_id}', null, '{auth_user_id}', false),
  ('private.auth_accounts',    'auth', 'belong to accounts in Auth, which several tenants can share', null, '', '{}', true),
  ('private.webhook_folded_events', 'copy', 'data of the tenant', null, null, '{}', false),
  ('private.webhook_mails',    'copy', 'limits of emails continue', null, null, '{}', false),
  ('private.oauth_client_secrets', 'renumber', 'the same secrets work at the destination', '{oauth_client_id}',
   't.oauth_client_id in (select c.id from public.oauth_clients c where c.tenant_id = $tenant)', '{}', false),
  ('private.revoked_tokens', 'stay', 'access tokens end with the move, because the source issued them', null,
   't.oauth_client_id in (select c.id from public.oauth_clients c where c.tenant_id = $tenant)', '{}', false),
  ('private.user_access', 'copy', 'users may do the same at the destination', null, null, '{}', false),
  ('private.trusted_sso', 'copy', 'data of the tenant', '{sso_provider_id}', null, '{}', false),
  ('private.revoked_person_tokens', 'stay', 'access tokens end with the move, because the source issued them', null, null, '{}', false),
  ('private.admitted_clients', 'stay', 'derived from clients and plans by triggers', null, null, '{}', false),
  ('private.webhook_headers', 'copy', 'data of the tenant', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_keys', 'copy', 'receivers keep the key that verifies deliveries', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_secrets', 'renumber', 'receivers keep the secret that verifies deliveries', '{endpoint_id}',
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_routes', 'stay', 'the destination resolves hosts itself', null,
   't.endpoint_id in (select w.id from public.webhook_endpoints w where w.tenant_id = $tenant)', '{}', false),
  ('private.webhook_requests', 'stay', 'deliveries in flight; none when the tenant is settled', null, '', '{}', true),
  ('private.provider_secrets', 'vault', 'keys of providers are in Vault, whose ids differ', '{account_id}',
   't.account_id in (select a.id from public.provider_accounts a where a.tenant_id = $tenant)', '{api_key,webhook_secret}', false),
  ('private.provider_orders_to_compare', 'renumber', 'ids are internal', '{account_id,kind,order_id}',
   't.account_id in (select a.id from public.provider_accounts a where a.tenant_id = $tenant)', '{}', false),
  ('private.sandbox_orders', 'copy', 'orders of the tenant at the simulated provider', '{kind,reference}',
   't.kind = ''charge'' and t.reference in (select i.id from public.invoices i where i.tenant_id = $tenant)
    or t.kind = ''payout'' and t.reference in (select p.id from public.payouts p where p.tenant_id = $tenant)
    or t.kind = ''tax_document'' and t.reference in (select d.id from public.tax_documents d where d.tenant_id = $tenant)', '{}', false),
  ('private.approvals_while_moving', 'stay', 'part of a move', null, '', '{}', true),
  ('private.deployment',  'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.moved_callers', 'stay', 'part of a move', null, '', '{}', true),
  ('private.retention',   'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.sweep_runs',  'stay', 'state of the deployment', null, '', '{}', true),
  ('private.tables_of_tenants_to_move', 'stay', 'describes moves', null, '', '{}', true),
  ('private.tenant_move_chunks', 'stay', 'part of a move', null, '', '{}', true),
  ('private.tenant_moves', 'stay', 'part of a move', null, null, '{}', true),
  ('public.provider_fiscal_codes', 'stay', 'read again from the provider every day', null, null, '{}', false),
  ('public.refunds', 'copy', 'data of the tenant', null, null, '{}', false),
  ('public.disputes', 'copy', 'data of the tenant', null, null, '{}', false),
  ('public.provider_balance_events', 'copy', 'events whose statement lines are still awaited', null, null, '{}', false),
  ('public.due_limits', 'copy', 'limits of the tenant', '{tenant_id}', null, '{}', false),
  ('public.admin_changes', 'stay', 'a record of what was done in this project', null, null, '{}', true),
  ('private.credential_holders', 'copy', 'the same credentials work at the destination', null, null, '{}', false),
  ('private.write_probes', 'stay', 'state of the deployment', null, '', '{}', true),
  ('private.metric_sums', 'stay', 'figures of the deployment', null, '', '{}', true),
  ('private.fiscal_rules', 'stay', 'settings of the deployment', null, '', '{}', true),
  ('private.payment_providers', 'stay', 'the same in every project', null, '', '{}', true),
  ('private.sandbox_tax_regimes', 'copy', 'data of the tenant', '{tenant_id}', null, '{}', false),
  ('private.sandbox_refunds', 'copy', 'orders of the tenant at the simulated provider', '{reference}',
   't.reference in (select r.id from public.refunds r where r.tenant_id = $tenant)', '{}', false),
  ('private.ledger_exports', 'stay', 'downloads in progress', null, null, '{}', false);

create function app.measure_moves() returns table (metric text, labels jsonb, value double precision)
language sql stable security definer
set search_path = ''
as $$
  select 'placar_tenant_moves', jsonb_build_object('state', m.state), count(*)::double precision from private.tenant_moves m group by m.state
$$;

comment on function app.measure_moves() is 'Metrics: moves of tenants by state (worker only).';

grant execute on function app.measure_moves() to worker;

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

-- Moves of tenants: accounts of people in Auth, and keys of payment providers in Vault. The command reads both at the source and
-- stores them here, at the destination; they pass through its memory only.

create function private.accounts_to_move(tenant_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'user_id', u.user_id, 'account', to_jsonb(a), 'tie', to_jsonb(t),
    'identities', (select coalesce(jsonb_agg(to_jsonb(i)), '[]') from auth.identities i where i.user_id = a.id),
    'shared', exists (select from private.user_accounts o where o.auth_user_id = u.auth_user_id and o.tenant_id <> u.tenant_id)
  )), '[]')
  from private.user_accounts u
  join auth.users a on a.id = u.auth_user_id
  left join private.auth_accounts t on t.auth_user_id = a.id
  where u.tenant_id = accounts_to_move.tenant_id
$$;

comment on function private.accounts_to_move(uuid) is
  'Source: accounts of a tenant''s users with their password hashes, for private.link_accounts at the destination.';

create function private.insertable_columns(table_name regclass) returns text[]
language sql stable
set search_path = ''
as $$
  select array_agg(quote_ident(a.attname) order by a.attnum) from pg_catalog.pg_attribute a
  where a.attrelid = insertable_columns.table_name and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;

comment on function private.insertable_columns(regclass) is 'Columns of a table that are not generated, quoted.';

create function private.link_accounts(move_id uuid, people jsonb) returns table (user_id uuid, outcome text)
language plpgsql
set search_path = ''
as $$
#variable_conflict use_column
declare
  move     private.tenant_moves := private.expect_move(move_id, 'link_accounts', '{copying,verified,moved}');
  copied   jsonb;
  target   record;
begin
  set local session_replication_role = replica;
  -- Only accounts that no other tenant of the source has, and that no user has here, except by this move or, at its source, this tenant.
  select coalesce(jsonb_agg(p.value), '[]') into copied
  from jsonb_array_elements(people) as p (value), lateral (values ((p.value #>> '{account,id}')::uuid)) as a (id)
  where not (p.value ->> 'shared')::boolean
    and not exists (select from auth.users o where o.email = p.value #>> '{account,email}' and not o.is_sso_user and o.id <> a.id)
    and not exists (select from private.user_accounts o where o.auth_user_id = a.id and o.tenant_id <> move.tenant_id)
    and (a.id = any (move.copied_accounts)
         or not exists (select from auth.users o where o.id = a.id)
         or move.direction = 'out' and exists (select from private.user_accounts o where o.auth_user_id = a.id));
  if move.direction = 'in' then
    update private.tenant_moves m
    set copied_accounts = array(select unnest(m.copied_accounts) union select (c.value #>> '{account,id}')::uuid from jsonb_array_elements(copied) as c (value))
    where m.id = move_id;
  end if;
  for target in
    select * from (values
      ('auth.users'::regclass, 'id', (
        -- The role is part of the tokens that Auth issues.
        select coalesce(jsonb_agg(c.value -> 'account' || '{"aud": "authenticated", "role": "authenticated", "is_super_admin": null}'), '[]')
        from jsonb_array_elements(copied) as c (value))),
      ('auth.identities', 'id', (
        select coalesce(jsonb_agg(i.value || jsonb_build_object('user_id', c.value #> '{account,id}')), '[]')
        from jsonb_array_elements(copied) as c (value), jsonb_array_elements(c.value -> 'identities') as i (value)
        where not exists (select from auth.identities o where o.id = (i.value ->> 'id')::uuid and o.user_id <> (c.value #>> '{account,id}')::uuid))),
      ('private.auth_accounts', 'auth_user_id', (
        select coalesce(jsonb_agg(c.value -> 'tie' || jsonb_build_object('auth_user_id', c.value #> '{account,id}')), '[]')
        from jsonb_array_elements(copied) as c (value) where c.value ->> 'tie' is not null))
    ) as t (name, key_column, rows)
  loop
    execute format(
      'insert into %1$s (%2$s) select %2$s from jsonb_populate_recordset(null::%1$s, $1) on conflict (%3$I) do update set (%2$s) = row (%4$s)',
      target.name, array_to_string(private.insertable_columns(target.name), ', '), target.key_column,
      (select string_agg('excluded.' || c, ', ') from unnest(private.insertable_columns(target.name)) as c)) using target.rows;
  end loop;

  delete from private.user_accounts u where u.tenant_id = move.tenant_id;
  return query
    with linked as (
      insert into private.user_accounts (tenant_id, user_id, auth_user_id)
      select move.tenant_id, (p.value ->> 'user_id')::uuid, a.id
      from jsonb_array_elements(people) as p (value)
      join auth.users a on a.deleted_at is null
        and (a.id = (p.value #>> '{account,id}')::uuid or (a.email = p.value #>> '{account,email}' and not a.is_sso_user))
      on conflict do nothing
      returning user_accounts.user_id, user_accounts.auth_user_id
    )
    select (p.value ->> 'user_id')::uuid,
           case when l.user_id is null then 'missing' when p.value #>> '{account,id}' = l.auth_user_id::text then 'copied' else 'linked' end
    from jsonb_array_elements(people) as p (value)
    left join linked l on l.user_id = (p.value ->> 'user_id')::uuid;
  set local session_replication_role = origin;
end
$$;

comment on function private.link_accounts(uuid, jsonb) is
  'Receiving side: copies accounts that only this tenant has, and links users to known accounts; missing are those that other tenants share.';

create function private.forget_copied_accounts(move_id uuid, account_ids uuid[]) returns void
language sql
set search_path = ''
as $$
  delete from auth.users a
  using private.tenant_moves m
  where m.id = move_id and a.id = any (account_ids) and a.id = any (m.copied_accounts)
    and not exists (select from private.user_accounts u where u.auth_user_id = a.id and u.tenant_id <> m.tenant_id)
$$;

comment on function private.forget_copied_accounts(uuid, uuid[]) is
  'Destination of a move that is rolled back: deletes those of these accounts that the move created, unless other tenants use them.';

create function private.provider_secrets_to_move(tenant_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object(
    'api_key', (select jsonb_build_object('secret', v.decrypted_secret, 'name', v.name, 'description', v.description)
                from vault.decrypted_secrets v where v.id = s.api_key),
    'webhook_secret', (select jsonb_build_object('secret', v.decrypted_secret, 'name', v.name, 'description', v.description)
                       from vault.decrypted_secrets v where v.id = s.webhook_secret))), '[]')
  from private.provider_secrets s
  join public.provider_accounts a on a.id = s.account_id
  where a.tenant_id = provider_secrets_to_move.tenant_id
$$;

comment on function private.provider_secrets_to_move(uuid) is 'Source: keys of a tenant''s provider accounts, for private.store_provider_secrets.';

create function private.store_provider_secrets(move_id uuid, secrets jsonb) returns integer
language plpgsql
set search_path = ''
as $$
declare
  move    private.tenant_moves := private.expect_move(move_id, 'store_provider_secrets', '{copying,verified,moved}');
  item    jsonb;
  present private.provider_secrets;
  n       integer := 0;
begin
  if exists (
    select from jsonb_array_elements(secrets) as o (value)
    where not exists (select from public.provider_accounts a where a.tenant_id = move.tenant_id and a.id = o.value ->> 'account_id')
  ) then
    perform private.refuse_argument('secrets', 'are of an account that the tenant does not have');
  end if;
  set local session_replication_role = replica;
  -- Accounts that the sending side no longer has.
  delete from vault.secrets v using private.provider_secrets s, public.provider_accounts a
  where a.tenant_id = move.tenant_id and s.account_id = a.id and v.id in (s.api_key, s.webhook_secret)
    and not exists (select from jsonb_array_elements(secrets) as o (value) where o.value ->> 'account_id' = s.account_id);
  delete from private.provider_secrets s using public.provider_accounts a
  where a.tenant_id = move.tenant_id and s.account_id = a.id
    and not exists (select from jsonb_array_elements(secrets) as o (value) where o.value ->> 'account_id' = s.account_id);
  for item in select value from jsonb_array_elements(secrets) loop
    select s.* into present from private.provider_secrets s where s.account_id = item ->> 'account_id';
    present.api_key := case when item -> 'api_key' ->> 'secret' is not null then private.keep_secret(
      present.api_key, item #>> '{api_key,secret}', item #>> '{api_key,name}', item #>> '{api_key,description}') end;
    present.webhook_secret := case when item -> 'webhook_secret' ->> 'secret' is not null then private.keep_secret(
      present.webhook_secret, item #>> '{webhook_secret,secret}', item #>> '{webhook_secret,name}', item #>> '{webhook_secret,description}') end;
    insert into private.provider_secrets as s (account_id, api_key, api_key_hash, webhook_secret, webhook_reference, withdrawal_token_hash)
    values (item ->> 'account_id', present.api_key, (item ->> 'api_key_hash')::bytea, present.webhook_secret, item ->> 'webhook_reference',
            (item ->> 'withdrawal_token_hash')::bytea)
    on conflict (account_id) do update
    set api_key = excluded.api_key, api_key_hash = excluded.api_key_hash, webhook_secret = excluded.webhook_secret,
        webhook_reference = excluded.webhook_reference, withdrawal_token_hash = excluded.withdrawal_token_hash;
    n := n + 1;
  end loop;
  set local session_replication_role = origin;
  return n;
end
$$;

comment on function private.store_provider_secrets(uuid, jsonb) is
  'Receiving side: stores keys of provider accounts in Vault under new ids, and returns the number of accounts.';

-- Moves of tenants: responses to callers. A caller with a valid credential gets the new address after the switch, and a 503
-- at the destination before it opens. All others get the same 401 as ever.

create function private.is_closed(tenant_id uuid) returns boolean
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return exists (select from private.tenant_moves m where m.tenant_id = is_closed.tenant_id and m.closed);
end
$$;

comment on function private.is_closed(uuid) is 'Whether this project does not serve the tenant: it is not open yet, or has moved.';

create function app.find_caller_key(key_hash bytea, address text)
returns table (
  id                uuid,
  tenant_id         uuid,
  scopes            text[],
  requests_per_hour integer,
  expired           boolean,
  revoked           boolean,
  address_allowed   boolean,
  touch_due         boolean,
  closed            boolean,
  moved_to          text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select m.id, m.tenant_id, '{}'::text[], 1, coalesce(c.expires_at <= now(), false), false,
           cardinality(c.ip_allowlist) = 0
             or case when pg_input_is_valid(address, 'inet') then address::inet <<= any (c.ip_allowlist) else false end,
           false, true, m.moved_to
    from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = 'api_key' and c.name = encode(find_caller_key.key_hash, 'hex');
  if found then
    return;
  end if;
  return query
    select k.id, k.tenant_id, k.scopes, k.requests_per_hour, k.expired, k.revoked, k.address_allowed, k.touch_due,
           private.is_closed(k.tenant_id), null::text
    from app.find_api_key(find_caller_key.key_hash, find_caller_key.address) as k;
end
$$;

comment on function app.find_caller_key(bytea, text) is
  'Like app.find_api_key, with whether the key''s tenant is closed because of a move, and its new address after one (login role only).';

create function app.find_caller_client(id text)
returns table (
  tenant_id           uuid,
  client_id           text,
  scopes              text[],
  variant             text,
  plan                text,
  requests_per_minute integer,
  revoked             boolean,
  secret_hashes       text[],
  closed              boolean,
  moved_to            text
)
language plpgsql stable security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
  return query
    select m.tenant_id, c.name, '{}'::text[], 'a', '', 1, false, c.secret_hashes, true, m.moved_to
    from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = 'oauth_client' and c.name = find_caller_client.id;
  if found then
    return;
  end if;
  return query
    select o.tenant_id, o.client_id, o.scopes, o.variant, o.plan, o.requests_per_minute, o.revoked, o.secret_hashes,
           private.is_closed(o.tenant_id), null::text
    from app.find_oauth_client(find_caller_client.id) as o;
end
$$;

comment on function app.find_caller_client(text) is
  'Like app.find_oauth_client, with whether the client''s tenant is closed because of a move, and its new address after one (login role only).';

create function app.moved_link(kind text, name text) returns text
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select m.moved_to from private.moved_callers c join private.tenant_moves m on m.id = c.move_id
    where c.kind = moved_link.kind and c.name = moved_link.name
  );
end
$$;

comment on function app.moved_link(text, text) is
  'New address of the tenant of a link: a file or invitation by hex SHA-256 of its token, or a provider account by id; null if it has not moved.';

grant execute on function app.moved_link(text, text) to worker;

grant execute on function app.find_caller_key(bytea, text), app.find_caller_client(text) to placar_login;
