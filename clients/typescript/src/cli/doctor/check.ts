// Types and helpers of the doctor's checks.
import type postgres from 'postgres';

export type Status = 'ok' | 'warning' | 'failed' | 'not checked';

export interface Finding {
  check: string;
  status: Status;
  found: string;
  /** How to fix it. */
  todo?: string;
  /** Names of what fails, such as alerts: another name is another failure. */
  failing?: string[];
}

export interface Deployment {
  /** Base URL of the functions. */
  url: string;
  /** Function settings, from the environment or the file. */
  env: Readonly<Record<string, string | undefined>>;
  apiKey: string | undefined;
  /** Connects as the owner. Undefined without a database URL whose user may read the schema `admin`. */
  sql: postgres.Sql | undefined;
  /** Whether the owner's address is a pooler in transaction mode, on which statements would not end: `sql` is undefined. */
  sharesConnections: boolean;
  /** Connects with the URL and login of the functions, if it is known. */
  functionsSql: postgres.Sql | undefined;
  signal: AbortSignal;
}

/** Each finding is one line of the report. A check that throws counts as failed. */
export interface Check {
  name: string;
  /** Settings that the check requires: variables of the functions or of the CLI. */
  needs: readonly string[];
  run(deployment: Deployment): Promise<Finding | Finding[]>;
  /** The fix to show if the check throws. */
  todo: string;
}

type Look = (sql: postgres.Sql, deployment: Deployment) => Promise<Omit<Finding, 'check'> | Finding[]>;

/** Builds a check that queries the database. */
export const ofDatabase = (name: string, todo: string, look: Look): Check => ({
  name,
  needs: ['PLACAR_DATABASE_URL'],
  todo,
  run: (deployment) => lookInto(deployment.sql, { name, look, deployment }),
});

/** Builds a check that queries the database with the login of the functions. */
export const ofFunctionsLogin = (name: string, todo: string, look: Look): Check => ({
  name,
  needs: ['DATABASE_URL'],
  todo,
  run: (deployment) => lookInto(deployment.functionsSql, { name, look, deployment }),
});

async function lookInto(
  sql: postgres.Sql | undefined,
  { name, look, deployment }: { name: string; look: Look; deployment: Deployment },
): Promise<Finding | Finding[]> {
  if (!sql && deployment.sharesConnections) return reportPooler(name);
  if (!sql) throw new Error('no database connection');
  try {
    const found = await look(sql, deployment);
    return Array.isArray(found) ? found : { check: name, ...found };
  } catch (error) {
    const code = codeOf(error);
    if (!NO_CONNECTION.test(code)) throw error;
    if (REPORT_CONNECTIONS.has(name) && isDirectHost(sql.options.host) && NO_ROUTE.test(code)) {
      const found = error instanceof Error ? error.message || code : code;
      return { check: name, status: 'failed', found, todo: IPV6_ONLY };
    }
    if (!REPORT_CONNECTIONS.has(name))
      return { check: name, status: 'not checked', found: 'no connection to the database' };
    if (code !== '53300') throw error;
    const todo = 'end sessions that are not needed: see Incidents, The database is unreachable';
    return { check: name, status: 'failed', found: 'all connections are in use', todo };
  }
}

const reportPooler = (check: string): Finding =>
  check === 'database'
    ? {
        check,
        status: 'failed',
        found: 'the address is a pooler in transaction mode',
        todo: 'set SUPABASE_DB_URL to the direct address, or to a pooler in session mode; DATABASE_URL of the functions may stay',
      }
    : { check, status: 'not checked', found: 'the address of the database is a pooler in transaction mode' };

/** Checks that report why the database accepts no connection. The others cannot know more. */
const REPORT_CONNECTIONS = new Set(['database', 'login']);

/** Codes of connections that did not come to be: of Postgres, of sockets, and of the driver. */
const NO_CONNECTION =
  /^(28P01|28000|3D000|53300|57P03|CONNECT_TIMEOUT|CONNECTION_.*|ECONN.*|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/;

/** Codes of a host that this network cannot reach. */
export const NO_ROUTE =
  /^(CONNECT_TIMEOUT|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)$/;

/** Whether one of the hosts is the direct address of a Supabase project. */
export const isDirectHost = (hosts: readonly string[]): boolean =>
  hosts.some((host) => /^db\.[a-z0-9]{20}\.supabase\.co$/.test(host));

export const IPV6_ONLY =
  'the direct address has IPv6 only, unless the project has the IPv4 add-on: use the session pooler, port 5432 (Connect in the dashboard)';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const TIMEOUT_MS = 10_000;

/** Sends an HTTP request with a timeout of ten seconds. */
export async function ask(
  url: string,
  { signal, ...init }: RequestInit & { signal: AbortSignal },
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(url, { ...init, redirect: 'manual', signal: ends });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Members of a response body; empty if it is not an object. */
export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
