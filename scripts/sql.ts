// `npm run sql`: runs statements in one transaction and prints each result. On the database at PLACAR_DATABASE_URL, else that of the
// stack in LOCAL_DIR.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { stackFolder } from '../local/environment.ts';

/** Exit code for usage errors: no statement, no database, or an unknown option. */
const WRONG_USE = 2;
/** The tenant of the snippets. */
const SNIPPET_TENANT = /'acme'/g;

const USAGE = `Usage: npm run sql -- "<statements>"   or   -- --file x.sql   or on stdin
  --json           one line per row
  --tenant <slug>  replaces the literal 'acme' of the snippets`;

class WrongUse extends Error {}

interface Call {
  statements: string;
  json: boolean;
}

async function readCall(): Promise<Call> {
  const { values, positionals } = parse();
  const files = (values.file ?? []).map((path) => readFileSync(path, 'utf8'));
  const given = [...positionals, ...files].join(';\n');
  const statements = given || (process.stdin.isTTY ? '' : await text(process.stdin));
  if (statements.replace(/--.*$/gm, '').trim() === '') throw new WrongUse(`No statement.\n${USAGE}`);
  const { tenant, json = false } = values;
  if (tenant === undefined) return { statements, json };
  return { statements: statements.replace(SNIPPET_TENANT, () => `'${tenant.replaceAll("'", "''")}'`), json };
}

function parse() {
  // A statement may begin with a comment, which is not an option.
  const args = process.argv.slice(2);
  const commented = args.filter((arg) => /^--\s/.test(arg));
  try {
    const { values, positionals } = parseArgs({
      args: args.filter((arg) => !commented.includes(arg)),
      allowPositionals: true,
      options: {
        file: { type: 'string', multiple: true },
        json: { type: 'boolean' },
        tenant: { type: 'string' },
      },
    });
    return { values, positionals: [...commented, ...positionals] };
  } catch (error) {
    throw new WrongUse(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

function databaseUrl(): string {
  const { PLACAR_DATABASE_URL } = process.env;
  if (PLACAR_DATABASE_URL) return PLACAR_DATABASE_URL;
  try {
    return JSON.parse(readFileSync(join(stackFolder(), 'stack.json'), 'utf8')).database_url;
  } catch {
    throw new WrongUse('No database. Run npm start, or set LOCAL_DIR or PLACAR_DATABASE_URL.');
  }
}

async function main(): Promise<void> {
  if (process.argv.slice(2).includes('--help')) return console.log(USAGE);
  const { statements, json } = await readCall();
  const sql = postgres(databaseUrl(), {
    max: 1,
    connection: { application_name: 'npm run sql' },
    onnotice: ({ message }) => console.error(message),
  });
  try {
    // The server runs the statements of one simple query as one transaction.
    const results = await sql.unsafe(statements).simple();
    // A single statement returns its rows; several return a list of results.
    const list = Array.isArray(results[0])
      ? (results as unknown as postgres.RowList<postgres.Row[]>[])
      : [results];
    for (const rows of list) print(rows, json);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    console.error(describe(error, statements));
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
}

/** The error with the line and the statement that caused it, if Postgres reports a position. */
function describe({ message, detail, hint, position }: postgres.PostgresError, statements: string): string {
  const lines = [message, message.includes(detail ?? '') ? undefined : detail, hint].filter(Boolean);
  if (position) {
    const before = statements.slice(0, Number(position) - 1);
    const line = before.split('\n').length;
    lines.unshift(`line ${line}: ${statements.split('\n')[line - 1]?.trim() ?? ''}`);
  }
  return [...lines, 'Nothing was changed.'].join('\n');
}

function print(rows: postgres.RowList<postgres.Row[]>, json: boolean): void {
  if (rows.columns === undefined || rows.columns.length === 0) return;
  if (json) {
    for (const row of rows) console.log(JSON.stringify(row));
    return;
  }
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

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(error instanceof WrongUse ? WRONG_USE : 1);
}
