// Generates docs/database.md: the domains with their tables, and a diagram of the foreign keys between domains.
import postgres from 'postgres';
import { readSources } from './sources.ts';

const PREFACE = `# Database reference

The domains with their tables. Each is a folder of [database](../database) with the SQL of its tables and functions. Every table, column and function has a comment (\`\\d+ leads\` and \`\\df+ app.*\` in psql). Names without a schema are in
\`public\`.

This page is generated from the migrated database by \`npm run database\`, and a test fails if it is outdated. Do not edit it.

This query lists the triggers of a table in firing order. If a trigger writes to another table, that table's triggers fire before the next
trigger of the first table:

\`\`\`sql
select tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'public.leads'::regclass and not tgisinternal
order by case when tgtype & 2 = 2 then tgtype & 1 else 3 - (tgtype & 1) end, tgname;
\`\`\``;

interface Table {
  /** Includes the schema. */
  name: string;
  comment: string | null;
  /** Tables that it references by foreign keys. */
  references: string[];
}

/** The text of docs/database.md for the database at this URL. */
export async function databasePage(databaseUrl: string): Promise<string> {
  const [tables, domainOf] = await Promise.all([readTables(databaseUrl), readDomains()]);
  const lost = tables.filter(({ name }) => !domainOf.has(name)).map(({ name }) => name);
  if (lost.length > 0) throw new Error(`No file of database/ creates ${lost.join(', ')}`);
  const domains = [...new Set(domainOf.values())];
  const sections = domains.flatMap((domain) => {
    const own = tables.filter(({ name }) => domainOf.get(name) === domain);
    const lines = own.map(({ name, comment }) => `- \`${name.replace(/^public\./, '')}\`: ${comment}`);
    return own.length > 0 ? [`## ${titleOf(domain)}\n\n${lines.join('\n')}`] : [];
  });
  return `${[PREFACE, diagram(tables, domainOf), ...sections].join('\n\n')}\n`;
}

/** An arrow from a domain to each domain that its tables reference, without the tenant, which every domain references. */
function diagram(tables: Table[], domainOf: Map<string, string>): string {
  const arrows = tables.flatMap(({ name, references }) => {
    const from = domainOf.get(name) ?? '';
    return references
      .flatMap((reference) => domainOf.get(reference) ?? [])
      .filter((to) => to !== from && to !== 'tenants')
      .map((to) => `  ${from}["${titleOf(from)}"] --> ${to}["${titleOf(to)}"]`);
  });
  return ['```mermaid', 'flowchart LR', ...[...new Set(arrows)].sort(), '```'].join('\n');
}

/** Our own tables, without partitions, which change every month. Sorted bytewise, as in every database. */
async function readTables(databaseUrl: string): Promise<Table[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await sql<Table[]>`
      select n.nspname || '.' || c.relname as name, obj_description(c.oid, 'pg_class') as comment,
             array(select distinct fn.nspname || '.' || f.relname
                   from pg_constraint k join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
                   where k.conrelid = c.oid and k.contype = 'f') as "references"
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'app', 'admin', 'private') and c.relkind in ('r', 'p') and not c.relispartition
      order by n.nspname collate "C", c.relname collate "C"`;
  } finally {
    await sql.end();
  }
}

/** The domain of each table, in the order of `database/order.txt`. */
async function readDomains(): Promise<Map<string, string>> {
  const sources = await readSources();
  return new Map(
    sources.flatMap(({ path, sql }) =>
      Array.from(sql.matchAll(/^create table ([a-z_]+\.\w+)/gim), ([, name = '']): [string, string] => [
        name,
        path.split('/')[0] ?? '',
      ]),
    ),
  );
}

const titleOf = (domain: string) => domain.charAt(0).toUpperCase() + domain.slice(1);
