// GET /health: whether the function can do its work. Nobody has to be known for it, and it is not logged; so that nobody can have
// the database asked as often as they like, an answer holds for a second.
import { type Database, WORKER_SESSION } from '../db/database.ts';
import { errorFields, type Logger } from '../logger.ts';

export interface HealthOptions {
  database: Database;
  /** Must equal the environment that the database was set to. */
  environment: 'production' | 'staging';
  log: Logger;
}

const HOLDS_MS = 1000;

/** 200 once the database answers and is of the same environment, else 503; why goes to the log alone. */
export function createHealthCheck(options: HealthOptions): () => Promise<Response> {
  let asked: Promise<boolean> | undefined;
  let askedAt = 0;
  return async () => {
    if (!asked || performance.now() > askedAt + HOLDS_MS) {
      askedAt = performance.now();
      asked = isHealthy(options);
    }
    return (await asked)
      ? Response.json({ status: 'ok' })
      : Response.json({ status: 'unavailable' }, { status: 503 });
  };
}

async function isHealthy({ database, environment, log }: HealthOptions): Promise<boolean> {
  try {
    // As a request does: a transaction, and a statement with a parameter. So health is not green where requests fail.
    const [row] = await database.transaction(
      { ...WORKER_SESSION, reads: true },
      (sql) => sql<{ same: boolean }>`select app.environment() = ${environment} as same`,
    );
    if (row?.same) return true;
    const hint = 'set APP_ENV of the functions and admin.set_environment() of the database alike';
    log.error('APP_ENV differs from the environment of the database', { hint });
  } catch (error) {
    log.error('health check failed', errorFields(error));
  }
  return false;
}
