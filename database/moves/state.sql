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
