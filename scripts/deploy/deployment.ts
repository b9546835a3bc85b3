// The deployment that `npm run migrate` and `npm run deploy` change: its settings, from a file.
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import postgres from 'postgres';
import { IPV6_ONLY, isDirectHost, NO_ROUTE } from '../../clients/typescript/src/cli/doctor/check.ts';
import { StartError } from '../../local/start-error.ts';

export interface Deployment {
  envFile: string;
  /** `production` or `staging`. */
  environment: string;
  /** Address of the database as the owner of the tables. */
  databaseUrl: URL;
  /** Base URL of the functions, without a slash at the end. Undefined if the file has none. */
  functionsUrl: string | undefined;
  /** Reference of the Supabase project; undefined if no setting has it. */
  projectRef: string | undefined;
  /** Address and token of QStash; undefined if the file has no token. */
  qstash: { qstashUrl: string; token: string } | undefined;
  /** Functions that are not deployed here. */
  excludedFunctions: readonly string[];
  /** Replaces all secrets of the file in a text. */
  hideSecrets(text: string): string;
}

const DEFAULT_QSTASH = 'https://qstash.upstash.io';

/** Reads the file. Throws a {@link StartError} that names the missing settings. */
export function readDeployment(envFile: string): Deployment {
  let text: string;
  try {
    text = readFileSync(envFile, 'utf8');
  } catch {
    throw new StartError(`Cannot read ${envFile}.`);
  }
  rejectCutValues(text, envFile);
  const settings = parseEnv(text);
  const { APP_ENV, FUNCTIONS_URL, SUPABASE_URL, SUPABASE_PROJECT_ID, DEPLOY_MCP = 'true' } = settings;
  const { QSTASH_URL, QSTASH_TOKEN } = settings;
  if (APP_ENV !== 'production' && APP_ENV !== 'staging')
    throw new StartError(`APP_ENV in ${envFile} must be production or staging.`);
  if (DEPLOY_MCP !== 'true' && DEPLOY_MCP !== 'false')
    throw new StartError(`DEPLOY_MCP in ${envFile} must be true or false.`);
  const databaseUrl = databaseUrlOf(settings, envFile);
  const hosted = /^https:\/\/([a-z0-9]{20})\.supabase\.co\b/;
  const secrets = secretsOf(settings, databaseUrl);
  return {
    envFile,
    environment: APP_ENV,
    databaseUrl,
    functionsUrl: FUNCTIONS_URL?.replace(/\/+$/, '') || undefined,
    projectRef:
      SUPABASE_PROJECT_ID || hosted.exec(SUPABASE_URL ?? '')?.[1] || hosted.exec(FUNCTIONS_URL ?? '')?.[1],
    qstash: QSTASH_TOKEN ? { qstashUrl: QSTASH_URL || DEFAULT_QSTASH, token: QSTASH_TOKEN } : undefined,
    excludedFunctions: DEPLOY_MCP === 'false' ? ['mcp'] : [],
    hideSecrets: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text),
  };
}

/** Without quotes, a value ends at the first `#`. */
function rejectCutValues(text: string, envFile: string): void {
  const [, name] = /^\s*(?:export\s+)?(\w+)\s*=[ \t]*[^\s'"`#][^\s'"`#]*#/m.exec(text) ?? [];
  if (name === undefined) return;
  throw new StartError(
    `${name} in ${envFile} has a # without quotes, so its value ends there. Put the value in single quotes. In a URL, write %23.`,
  );
}

/** The file takes precedence. The environment is used only if the file has no address, so that a local stack is never changed by mistake. */
function databaseUrlOf(settings: NodeJS.Dict<string>, envFile: string): URL {
  const { PLACAR_DATABASE_URL, SUPABASE_DB_URL, DATABASE_URL, DATABASE_POOLER } = settings;
  const owner = PLACAR_DATABASE_URL || SUPABASE_DB_URL;
  const text = owner || DATABASE_URL || process.env.PLACAR_DATABASE_URL || '';
  const isAddress = /^postgres(ql)?:\/\//.test(text);
  if (isAddress && !isWellFormed(text)) {
    throw new StartError(
      `The address of the database in ${envFile} is not a valid URL. Percent-encode special characters of its password: % is %25, # is %23, @ is %40, / is %2F, ? is %3F.`,
    );
  }
  if (!isAddress) {
    throw new StartError(
      `${envFile} has no address of the database. Add SUPABASE_DB_URL: the direct address, or a pooler in session mode, with the user postgres.`,
    );
  }
  const url = new URL(text);
  const isTransactionPooler = !owner && text === DATABASE_URL && DATABASE_POOLER === 'transaction';
  if (isTransactionPooler || url.port === '6543' || url.searchParams.get('pgbouncer') === 'true')
    throw new StartError(TRANSACTION_POOLER);
  return url;
}

function isWellFormed(address: string): boolean {
  try {
    const { hash, pathname, username, password } = new URL(address);
    return hash === '' && !pathname.includes('@') && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** The password of a URL as written and decoded; nothing for other values. */
function passwordsOf(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { password } = new URL(value);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

export const TRANSACTION_POOLER =
  'The address of the database is a pooler in transaction mode, which cannot run migrations. Set SUPABASE_DB_URL to the direct address, or to a pooler in session mode.';

function secretsOf(settings: NodeJS.Dict<string>, databaseUrl: URL): string[] {
  const values = Object.entries(settings).flatMap(([name, value = '']) => {
    if (/TOKEN|KEY|SECRET|PASSWORD/.test(name)) return [value];
    return passwordsOf(value);
  });
  const { SUPABASE_ACCESS_TOKEN = '', GITHUB_TOKEN = '' } = process.env;
  return [...values, ...passwordsOf(databaseUrl.href), SUPABASE_ACCESS_TOKEN, GITHUB_TOKEN].filter(
    (value) => value.length > 3,
  );
}

/** Whether the host is this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname);

/** A connection that stays open until it is ended, with TLS unless the address specifies otherwise. */
const connect = ({ databaseUrl }: Deployment): postgres.Sql =>
  postgres(databaseUrl.href, {
    max: 1,
    ...(!databaseUrl.searchParams.has('sslmode') && { ssl: isLoopback(databaseUrl) ? false : 'require' }),
    connect_timeout: 10,
    max_lifetime: null,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    connection: { application_name: 'placar deploy' },
  });

/** The keys of the advisory lock, derived from "placar" and "deploy". */
const LOCK = [0x706c6163, 0x64706c79] as const;

/**
 * Runs the work while no other migration or deployment runs in this environment. The session of the connection holds the lock, so
 * that it ends with the process. Throws a {@link StartError} if the lock is taken, or the database is not the deployment's.
 */
export const withDeployLock = <T>(
  deployment: Deployment,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> =>
  withDatabase(deployment, async (sql) => {
    const [row] = await sql`select pg_try_advisory_lock(${LOCK[0]}, ${LOCK[1]}) as locked`;
    if (row?.locked) return work(sql);
    throw new StartError(
      `Another deployment to ${deployment.environment} is running. Wait until it has ended.`,
    );
  });

/** Runs the work on one connection. Throws a {@link StartError} if the database is unreachable or not the deployment's. */
export async function withDatabase<T>(
  deployment: Deployment,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = connect(deployment);
  try {
    await checkDatabase(sql, deployment).catch((error: unknown) => {
      if (error instanceof StartError) throw error;
      const { code = '' } = error as { code?: string };
      const isUnreachable = isDirectHost([deployment.databaseUrl.hostname]) && NO_ROUTE.test(code);
      const hint = isUnreachable ? `. SUPABASE_DB_URL: ${IPV6_ONLY}` : '';
      throw new StartError(deployment.hideSecrets(`The database: ${describe(error)}${hint}`));
    });
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function checkDatabase(sql: postgres.Sql, deployment: Deployment): Promise<void> {
  if (await sharesServerConnections(sql, deployment)) throw new StartError(TRANSACTION_POOLER);
  const [row] = await sql`
    select current_user as role, exists (select from pg_catalog.pg_proc where pronamespace = to_regnamespace('app') and proname = 'environment') as migrated,
           (select pg_has_role(relowner, 'usage') from pg_catalog.pg_class where oid = to_regclass('public.tenants')) as owns`;
  if (row?.owns === false) {
    throw new StartError(
      `The role ${row.role} does not own the tables. Set SUPABASE_DB_URL in ${deployment.envFile} to the address with the user postgres.`,
    );
  }
  if (!row?.migrated || row.owns === null) return;
  const [{ environment } = { environment: null }] = await sql`select app.environment() as environment`;
  const [{ inUse } = { inUse: false }] = await sql`select exists (select from public.tenants) as "inUse"`;
  if (inUse && environment !== null && environment !== deployment.environment) {
    throw new StartError(
      `The database belongs to ${environment}, and ${deployment.envFile} has APP_ENV=${deployment.environment}. Correct one of them: select admin.set_environment('...') sets the database's.`,
    );
  }
}

/** Whether the connection goes through a pooler in transaction mode, which shares server connections between sessions. */
async function sharesServerConnections(sql: postgres.Sql, deployment: Deployment): Promise<boolean> {
  const processOf = async (one: postgres.Sql) =>
    (await one.unsafe('select pg_backend_pid() as pid').simple())[0]?.pid;
  const other = connect(deployment);
  try {
    const first = await processOf(sql);
    return (await processOf(other)) === first || (await processOf(sql)) !== first;
  } finally {
    await other.end({ timeout: 1 });
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as { code?: unknown }).code ?? error.name);
};
