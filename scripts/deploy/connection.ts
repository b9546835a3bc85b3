// The connection of `npm run migrate` and `npm run deploy`, and their lock.
import postgres from 'postgres';
import { addressOf, sharesServerConnections } from '../../clients/typescript/src/cli/database.ts';
import { IPV6_ONLY, isDirectHost, NO_ROUTE } from '../../clients/typescript/src/cli/doctor/check.ts';
import { StartError } from '../../local/start-error.ts';
import { reasonOf } from '../reason.ts';
import { type Deployment, isLoopback, TRANSACTION_POOLER } from './deployment.ts';

/** A connection that stays open until it is ended, with TLS unless the address specifies otherwise. */
function connect({ databaseUrl }: Deployment): postgres.Sql {
  const losing = new Set<Lose>();
  const sql = postgres(databaseUrl.href, {
    ...addressOf(databaseUrl),
    max: 1,
    onclose() {
      for (const lose of losing) lose(new Error('the connection to the database was lost'));
    },
    ...(!databaseUrl.searchParams.has('sslmode') && { ssl: isLoopback(databaseUrl) ? false : 'require' }),
    connect_timeout: 10,
    max_lifetime: null,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
    connection: { application_name: 'placar deploy' },
  });
  listeners.set(sql, losing);
  return sql;
}

type Lose = (error: Error) => void;
/** What to call when a connection ends. */
const listeners = new WeakMap<postgres.Sql, Set<Lose>>();

/** Rejects if the connection ends before `work` does: the driver leaves some statements of such a connection pending. */
export async function whileConnected<T>(sql: postgres.Sql, work: Promise<T>): Promise<T> {
  let lose: Lose = () => {};
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  listeners.get(sql)?.add(lose);
  try {
    return await Promise.race([work, lost]);
  } finally {
    work.catch(() => {});
    listeners.get(sql)?.delete(lose);
  }
}

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
      throw new StartError(deployment.hideSecrets(`The database: ${reasonOf(error)}${hint}`));
    });
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function checkDatabase(sql: postgres.Sql, deployment: Deployment): Promise<void> {
  if (await sharesServerConnections(sql, connect(deployment))) throw new StartError(TRANSACTION_POOLER);
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
