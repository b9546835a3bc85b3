// `npm run sql`: runs SQL on the database at PLACAR_DATABASE_URL and prints each result. Accepts any number of statements,
// as arguments, in files, or on stdin.
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { exitBecause, StartError } from '../local/start-error.ts';

async function main(): Promise<void> {
  const { PLACAR_DATABASE_URL } = process.env;
  if (!PLACAR_DATABASE_URL) {
    throw new StartError('PLACAR_DATABASE_URL is not set. For the local stack: eval "$(npm run -s env)"');
  }
  const given = process.argv.slice(2);
  const statements =
    given.length === 0
      ? await text(process.stdin)
      : given.map((one) => (existsSync(one) ? readFileSync(one, 'utf8') : one)).join(';\n');
  const sql = postgres(PLACAR_DATABASE_URL, {
    max: 1,
    connection: { application_name: 'npm run sql' },
    onnotice: ({ message }) => console.error(message),
  });
  try {
    const results = await sql.unsafe(statements).simple();
    // A single statement returns its rows; several return a list of results.
    const list = Array.isArray(results[0])
      ? (results as unknown as postgres.RowList<postgres.Row[]>[])
      : [results];
    for (const rows of list) print(rows);
  } catch (error) {
    throw error instanceof postgres.PostgresError ? new StartError(describe(error)) : error;
  } finally {
    await sql.end();
  }
}

const describe = ({ message, detail, hint }: postgres.PostgresError): string =>
  [message, detail, hint].filter(Boolean).join('\n');

function print(rows: postgres.RowList<postgres.Row[]>): void {
  if (rows.columns === undefined || rows.columns.length === 0) return;
  const names = rows.columns.map(({ name }) => name);
  const lines = [names, ...rows.map((row) => names.map((name) => shown(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const show = (line: string[]) =>
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  const [header = [], ...body] = lines;
  show(header);
  show(widths.map((width) => '-'.repeat(width)));
  for (const line of body) show(line);
  console.log(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`);
}

const shown = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : value instanceof Date
      ? value.toISOString()
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value).replaceAll('\n', ' ');

await main().catch(exitBecause);
