// GET /health: whether the function can serve requests. It needs no authentication and is not logged. The result is cached for a second,
// which limits the queries that callers can cause.
import { type Database, WORKER_SESSION } from '../db/database.ts';
import { errorFields, type Logger } from '../logger.ts';

export interface HealthOptions {
  database: Database;
  /** Must equal the environment that is set in the database. */
  environment: 'production' | 'staging';
  log: Logger;
}

const CACHE_MS = 1000;

/** Responds with 200 if the database responds and has the same environment, else with 503. The reason is only logged. */
export function createHealthCheck(options: HealthOptions): () => Promise<Response> {
  let check: Promise<boolean> | undefined;
  let checkedAtMs = 0;
  return async () => {
    if (!check || performance.now() > checkedAtMs + CACHE_MS) {
      checkedAtMs = performance.now();
      check = isHealthy(options);
    }
    return (await check)
      ? Response.json({ status: 'ok' })
      : Response.json({ status: 'unavailable' }, { status: 503 });
  };
}

async function isHealthy({ database, environment, log }: HealthOptions): Promise<boolean> {
  try {
    // Like requests, it uses a transaction and a statement with a parameter, so that it fails when requests fail.
    const [row] = await database.transaction(
      { ...WORKER_SESSION, reads: true },
      (sql) => sql<{ same: boolean }>`select app.environment() = ${environment} as same`,
    );
    if (row?.same) return true;
    const hint = 'set the same environment in APP_ENV and with admin.set_environment()';
    log.error('APP_ENV differs from the environment of the database', { hint });
  } catch (error) {
    log.error('health check failed', errorFields(error));
  }
  return false;
}
