// The table of leads for the peers and bare handlers, filled with Placar's rows.
import postgres from 'postgres';

/** Columns of a lead in all responses. */
export const LEAD_COLUMNS = [
  'id',
  'name',
  'email',
  'phone',
  'company',
  'position',
  'source',
  'status',
  'owner_id',
  'team_id',
  'custom_fields',
  'tags',
  'created_at',
  'updated_at',
] as const;

/** Type and default of `tags`. */
export type Tags = `text[] default '{}'` | `jsonb default '[]'`;

const columns = (tags: Tags) => `
  name          text,
  email         text,
  phone         text,
  company       text,
  position      text,
  source        text,
  status        text default 'new',
  owner_id      uuid,
  team_id       uuid,
  custom_fields jsonb default '{}',
  tags          ${tags},
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()`;

/** The table for products without tenants. Most columns are nullable: Platformatic requires the others in every update. */
export const leadsOfOneTenant = (tags: Tags) => `
  create table leads (
    id uuid primary key default gen_random_uuid(),
    ${columns(tags)},
    unique (email)
  );
  create index on leads (status, created_at);
  create index on leads (created_at);`;

/** The table under row-level security, with the same policy, role and setting as Placar. */
export const leadsOfTenants = `
  create schema app;
  create function app.tenant_id() returns uuid language sql stable parallel safe set search_path = ''
    as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;
  create function app.touch() returns trigger language plpgsql
    as $$ begin new.updated_at := statement_timestamp(); return new; end $$;

  create table leads (
    tenant_id uuid not null default app.tenant_id(),
    id uuid not null default gen_random_uuid(),
    ${columns(`text[] default '{}'`)},
    primary key (tenant_id, id),
    unique (tenant_id, email)
  );
  create index on leads (tenant_id, status, created_at, id);
  create index on leads (tenant_id, created_at, id);
  create trigger touch before update on leads for each row execute function app.touch();

  alter table leads enable row level security;
  create policy "A tenant keeps its own leads" on leads
    for all to api using (tenant_id = (select app.tenant_id())) with check (tenant_id = (select app.tenant_id()));
  grant usage on schema app, public to api;
  grant select, insert, update, delete on leads to api;`;

export interface Database {
  /** URL with a role that can create databases. Its own database is not changed. */
  serverUrl: string;
  name: string;
  /** SQL of its tables. */
  schema: string;
}

/** Creates a database, replacing an existing one with that name. Returns its URL. */
export async function createDatabase({ serverUrl, name, schema }: Database): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await using(serverUrl, async (sql) => {
    await sql`drop database if exists ${sql(name)} with (force)`;
    await sql`create database ${sql(name)}`;
  });
  await using(url.href, (sql) => sql.unsafe(schema));
  return url.href;
}

/** Copies a tenant's leads from Placar to the table `leads` of another database. */
export async function copyLeads(from: postgres.Sql, tenantId: string, to: string): Promise<void> {
  const names = LEAD_COLUMNS.join(', ');
  const [row] = await from`
    select jsonb_agg(to_jsonb(l))::text as leads
    from (select ${from.unsafe(names)} from public.leads where tenant_id = ${tenantId}) as l`;
  await using(to, async (sql) => {
    // For the table under row-level security, whose default tenant is that of the session.
    await sql`select set_config('app.tenant_id', ${tenantId}, false)`;
    await sql`
      insert into leads (${sql.unsafe(names)})
      select ${sql.unsafe(names)} from jsonb_populate_recordset(null::leads, ${row?.leads}::text::jsonb)`;
    await sql`vacuum analyze leads`;
  });
}

async function using(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
