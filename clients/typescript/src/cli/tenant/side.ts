// The two projects of a move: their settings, which never come from arguments, and a connection to their databases.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type postgres from 'postgres';
import { addressOf, hasTransactionPooler } from '../database.ts';
import { CliError, exitCodes, usageError } from '../exit-codes.ts';
import { handleLostConnections, isConnectionEnd } from '../lost-connections.ts';
import type { Output } from '../output.ts';
import { secretKeyOf } from '../project-file.ts';
import { hidePassword } from '../settings.ts';
import type { ProjectStorage } from '../storage/project-bucket.ts';

/** Copying uses this many connections to each database. */
export const CONNECTIONS = 2;

const NAMES = ['DATABASE_URL', 'FUNCTIONS_URL', 'SUPABASE_URL', 'SUPABASE_SECRET_KEYS'] as const;
type Name = (typeof NAMES)[number];

export interface Side {
  /** `source` or `destination`, for messages. */
  name: string;
  sql: postgres.Sql;
  /** Without a trailing slash. */
  functionsUrl: string;
  storage: ProjectStorage;
  /** Called when a connection ends. */
  whenLost: Set<(error: Error) => void>;
}

/** Opens a side. Settings come from `file`, or from the environment with the prefix `FROM_` or `TO_`. Throws usage errors. */
export async function openSide(flag: 'from' | 'to', file: string | undefined, out: Output): Promise<Side> {
  const values = readValues(flag, file);
  const databaseUrl = checkDatabaseUrl(values.DATABASE_URL, flag);
  hidePassword(databaseUrl.href, out);
  out.hide(secretKeyOf(values.SUPABASE_SECRET_KEYS));
  const { default: connect } = await import('postgres');
  const name = flag === 'from' ? 'source' : 'destination';
  const whenLost: Side['whenLost'] = new Set();
  const sql = connect(databaseUrl.href, {
    ...addressOf(databaseUrl),
    max: CONNECTIONS,
    max_lifetime: null,
    onclose() {
      for (const lose of whenLost) lose(new Error(`The connection to the ${name} was lost.`));
    },
    connect_timeout: 10,
    prepare: false,
    onnotice: () => {},
    ...(!isLoopback(databaseUrl) &&
      !/^verify/.test(databaseUrl.searchParams.get('sslmode') ?? '') && { ssl: 'require' }),
    // Poolers reject other startup parameters.
    connection: { application_name: 'placar tenant' },
  });
  return {
    name,
    whenLost,
    sql,
    functionsUrl: checkUrl(values.FUNCTIONS_URL, 'FUNCTIONS_URL', flag),
    storage: {
      SUPABASE_URL: checkUrl(values.SUPABASE_URL, 'SUPABASE_URL', flag),
      SUPABASE_SECRET_KEYS: values.SUPABASE_SECRET_KEYS,
    },
  };
}

/** Settings of the sessions. Both sides must write values in the same way. */
const SESSION = {
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** Connects and sets up the sessions. Throws if the database admits no connection. */
export async function connectSide({ name, sql }: Side): Promise<void> {
  try {
    // The driver rejects a statement if it cannot connect, but leaves a reservation pending.
    await sql`select`;
    const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => sql.reserve()));
    const settings = JSON.stringify(SESSION);
    for (const session of sessions) {
      await session`
        select set_config(key, value, false) from pg_catalog.jsonb_each_text(${settings}::text::jsonb)`;
      session.release();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message || codeOf(error) : String(error);
    throw new CliError(
      `The database of the ${name}: ${reason}. Correct the cause and run the same command again.`,
      exitCodes.resumable,
    );
  }
}

function readValues(flag: 'from' | 'to', file: string | undefined): Record<Name, string> {
  const prefix = `${flag.toUpperCase()}_`;
  const found = file === undefined ? withoutPrefix(prefix) : readEnvFile(file);
  const missing = NAMES.filter((name) => !found[name]);
  if (missing.length === 0) return found as Record<Name, string>;
  const names = missing.map((name) => (file === undefined ? prefix + name : name)).join(', ');
  throw usageError(
    `${file ?? `--${flag}`} lacks ${names}. Pass --${flag} with a file that has them, or set ${prefix}... in the environment.`,
  );
}

function withoutPrefix(prefix: string): Partial<Record<Name, string>> {
  return Object.fromEntries(NAMES.map((name) => [name, process.env[prefix + name]]));
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    throw usageError(`${file} cannot be read.`);
  }
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** Throws for a pooler in transaction mode, and for a connection without TLS to another machine. */
function checkDatabaseUrl(text: string, flag: string): URL {
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw usageError(`DATABASE_URL of --${flag} must be a postgres:// URL.`);
  }
  const url = new URL(text);
  if (hasTransactionPooler(text)) {
    throw usageError(
      `DATABASE_URL of --${flag} is a pooler in transaction mode. Use the direct address or session mode.`,
    );
  }
  if (!isLoopback(url) && ['disable', 'allow', 'prefer'].includes(url.searchParams.get('sslmode') ?? '')) {
    throw usageError(`DATABASE_URL of --${flag} must use TLS: remove sslmode or set it to require.`);
  }
  return url;
}

function checkUrl(text: string, name: Name, flag: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    return text.replace(/\/+$/, '');
  throw usageError(`${name} of --${flag} must be an https URL.`);
}

/** Whether the database rejected a step because of the state of the move. */
export const isRefusedStep = (error: unknown): boolean => codeOf(error) === 'PL409';
/** Whether a lock timed out. */
export const isLockTimeout = (error: unknown): boolean => ['55P03', '40P01'].includes(codeOf(error));

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Exits with 75 if the command can be resumed: after an interruption, or if a database or Storage is unreachable. */
export function toCliError(error: unknown, signal: AbortSignal): CliError {
  if (error instanceof CliError) return error;
  const message = signal.aborted
    ? 'Interrupted.'
    : error instanceof Error
      ? error.message || error.name
      : String(error);
  return new CliError(
    `${message} Run npx placar tenant resume with the same arguments to continue.`,
    exitCodes.resumable,
  );
}

/** Rejects if a connection ends before `work` does: the driver leaves some statements and streams of such a connection pending. */
export async function whileConnected<T>(sides: readonly Side[], work: Promise<T>): Promise<T> {
  let lose = (_error: Error): void => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  for (const { whenLost } of sides) whenLost.add(lose);
  try {
    return await Promise.race([work, lost]);
  } finally {
    work.catch(() => {});
    for (const { whenLost } of sides) whenLost.delete(lose);
  }
}

/** Rejects when the driver lost a statement with its connection, which can stay pending. */
export const rejectOnConnectionLoss = (): Promise<never> =>
  new Promise((_, reject) => {
    handleLostConnections(() => reject(new Error('The connection to a database was lost.')), isConnectionEnd);
  });

/** Ends the connections. Never throws. */
export const closeSide = ({ sql }: Side): Promise<void> => sql.end({ timeout: 2 }).catch(() => {});

/** Returns the value of a statement that returns one row with `value`. */
export async function readOne<T>(rows: PromiseLike<readonly postgres.Row[]>): Promise<T> {
  const [row] = await rows;
  if (!row) throw new CliError('The database returned no row.');
  return row.value as T;
}
