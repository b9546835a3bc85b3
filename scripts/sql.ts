// `npm run sql`: runs statements in one transaction and prints each result. On the database at PLACAR_DATABASE_URL, else that of the
// stack in LOCAL_DIR.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { stackFolder } from '../local/environment.ts';
import { type SqlStatement, splitStatements } from './sql-statements.ts';

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
  const files = (values.file ?? []).map(readSqlFile);
  const given = [...positionals, ...files].join(';\n');
  const statements = given || (process.stdin.isTTY ? '' : await text(process.stdin));
  if (statements.replace(/--.*$/gm, '').trim() === '') throw new WrongUse(`No statement.\n${USAGE}`);
  const { tenant, json = false } = values;
  if (tenant === undefined) return { statements, json };
  return { statements: statements.replace(SNIPPET_TENANT, () => `'${tenant.replaceAll("'", "''")}'`), json };
}

function readSqlFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new WrongUse(`Cannot read the file: ${error instanceof Error ? error.message : error}`);
  }
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
  const { statements: text, json } = await readCall();
  const statements = splitStatements(text);
  if (statements.some(({ endsTransaction }) => endsTransaction)) {
    throw new WrongUse('All statements run in one transaction. Remove begin, commit and rollback.');
  }
  let running: SqlStatement | undefined;
  const sql = postgres(databaseUrl(), {
    max: 1,
    connection: { application_name: 'npm run sql' },
    onnotice: ({ message }) => console.error(message),
  });
  try {
    const results = await sql.begin(async (transaction) => {
      const list: postgres.RowList<postgres.Row[]>[] = [];
      for (running of statements) list.push(await transaction.unsafe(running.text).simple());
      running = undefined;
      return list;
    });
    for (const rows of results) print(rows, json);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error;
    console.error(describe(error, text, running));
    process.exitCode = 1;
  } finally {
    await sql.end();
  }
}

/** The error with the line and the statement that caused it. Constraints that are checked at the end have neither. */
function describe(
  { message, detail, hint, position = '1' }: postgres.PostgresError,
  text: string,
  statement: SqlStatement | undefined,
): string {
  const lines = [message, detail, hint].filter(Boolean);
  if (statement) {
    // Postgres counts code points.
    const before = [...statement.text].slice(0, Number(position) - 1).join('');
    const line = statement.line + before.split('\n').length - 1;
    lines.unshift(`line ${line}: ${text.split('\n')[line - 1]?.trim() ?? ''}`);
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
