// Generates row types of all tables with the Supabase CLI. Keeps only the rows of tables: partitions change every month, and
// functions are called by SQL.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';

const root = fileURLToPath(new URL('../..', import.meta.url));
const HEADER = `// Generated from the migrated database by \`npm run database:types\`. Do not edit.
// Rows in the format of \`to_jsonb\`.
`;

/** Returns the text of `shared/platform/db/database.types.ts` for the database at this URL. */
export async function databaseTypes(databaseUrl: string): Promise<string> {
  const [output, partitions] = await Promise.all([generateTypes(databaseUrl), findPartitions(databaseUrl)]);
  const tables = readTables(output).filter(({ name }) => !partitions.has(name));
  const interfaces = tables.map(
    ({ name, columns }) =>
      `  ${name}: {\n${columns.map((column) => `    ${column.name}: ${column.type};\n`).join('')}  };\n`,
  );
  return `${HEADER}\n${readJson(output)}\n\nexport interface Tables {\n${interfaces.join('')}}\n`;
}

async function generateTypes(databaseUrl: string): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const quiet = { NO_COLOR: '1', SUPABASE_TELEMETRY_DISABLED: '1', SUPABASE_NO_UPDATE_NOTIFIER: '1' };
  const { stdout } = await promisify(execFile)(
    `${root}/node_modules/.bin/supabase`,
    ['gen', 'types', `--remote=${databaseUrl}`, '--schema', 'public'],
    { cwd: root, env: { PATH, HOME, PGSSLMODE: 'disable', ...quiet }, maxBuffer: 64 * 1024 * 1024 },
  );
  return stdout;
}

async function findPartitions(databaseUrl: string): Promise<Set<string>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relispartition and relkind in ('r', 'p')`;
    return new Set(rows.map(({ name }) => name));
  } finally {
    await sql.end();
  }
}

interface TableType {
  name: string;
  columns: { name: string; type: string }[];
}

/** Parses the CLI's unformatted output: each table is `"name": { Row: { "column": type,... } ...`. */
function readTables(output: string): TableType[] {
  const tables = [
    ...output.matchAll(/"(\w+)": \{\s*Row: \{\s*([^{}]*?)\s*\}\s*ComputedFields: never\b/g),
  ].map(([, name = '', row = '']) => ({
    name,
    columns: row.split(/,(?=")/).map((column) => {
      const [, columnName = '', type = ''] = column.match(/^"(\w+)": (.+)$/) ?? [];
      if (!type) throw new Error(`The CLI output has an unknown format for a column of ${name}: ${column}`);
      return { name: columnName, type: readType(type.trim()) };
    }),
  }));
  const rows = output.match(/\bRow: \{/g)?.length ?? 0;
  if (tables.length === 0 || tables.length !== rows) {
    throw new Error(
      `The CLI output has ${rows} tables and views, but only ${tables.length} could be parsed.`,
    );
  }
  return tables.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Types that the CLI does not know (`inet`, `cidr`) are strings in JSON. */
const readType = (type: string) => type.replace(/\((\w+)\)\[\]/g, '$1[]').replace(/\bunknown\b/g, 'string');

function readJson(output: string): string {
  const line = output.split('\n').find((text) => text.startsWith('export type Json ='));
  if (!line) throw new Error('The CLI output has no type Json.');
  return `${line.replace(/;$/, '')};`;
}
