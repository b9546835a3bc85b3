// The table of leads, the same for each peer but for the type of `tags`.
import postgres from 'postgres';

/** Type of a peer's `tags`, and the value of filled rows. */
export interface Tags {
  type: string;
  value: string;
}

export const tagsAsArray: Tags = { type: `text[] default '{}'`, value: `'{trial,events}'` };
export const tagsAsJson: Tags = { type: `jsonb default '[]'`, value: `'["trial", "events"]'` };

/** Makes the table with its indexes. Most columns may be null: Platformatic wants the others in every update. */
export async function createLeads(databaseUrl: string, tags: Tags): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`
      create table leads (
        id            uuid primary key default gen_random_uuid(),
        name          text,
        email         text unique,
        phone         text,
        company       text,
        position      text,
        source        text,
        status        text default 'new',
        owner_id      uuid,
        custom_fields jsonb default '{}',
        tags          ${tags.type},
        created_at    timestamptz not null default now(),
        updated_at    timestamptz not null default now()
      );
      create index on leads (status, created_at);
      create index on leads (created_at);`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** As many ids that requests of one row rarely meet at the same row. */
const SAMPLE = 1000;

/** Adds rows of four statuses in turn, a minute apart from each other; returns ids of some of them. */
export async function fillLeads(sql: postgres.Sql, rows: number, tags: Tags): Promise<string[]> {
  await sql`
    insert into leads
      (name, email, phone, company, position, source, status, owner_id, custom_fields, tags, created_at, updated_at)
    select
      'Lead ' || n,
      'lead-' || n || '@filled.example',
      '+55119' || lpad(n::text, 8, '0'),
      'Company ' || n % 1000,
      'Manager',
      'website',
      (array['new', 'contacted', 'qualified', 'lost'])[1 + n % 4],
      gen_random_uuid(),
      jsonb_build_object('budget', n, 'segment', 'retail'),
      ${sql.unsafe(tags.value)},
      now() - make_interval(mins => n),
      now() - make_interval(mins => n)
    from generate_series(1, ${rows}::int) as n`;
  await sql`vacuum analyze leads`;
  const sample = await sql`select id from leads order by random() limit ${SAMPLE}`;
  return sample.map(({ id }) => String(id));
}
