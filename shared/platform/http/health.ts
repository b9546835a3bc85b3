// GET /health: whether the function can do its work. Nobody has to be known for it, and it is not logged.
import type { Database } from '../db/database.ts';
import { errorFields, type Logger } from '../logging/logger.ts';

export interface HealthOptions {
  database: Database;
  /** Must equal the environment that the database was set to. */
  environment: 'production' | 'staging';
  log: Logger;
}

/** 200 once the database answers and is of the same environment, else 503; why goes to the log alone. */
export async function checkHealth({ database, environment, log }: HealthOptions): Promise<Response> {
  try {
    const [row] = await database.asOwner<{ environment: string }>(
      'reads',
      (sql) => sql`select app.environment() as environment`,
    );
    if (row?.environment === environment) return Response.json({ status: 'ok' });
    const hint = 'set APP_ENV of the functions and admin.set_environment() of the database alike';
    log.error('APP_ENV differs from the environment of the database', { hint });
  } catch (error) {
    log.error('health check failed', errorFields(error));
  }
  return Response.json({ status: 'unavailable' }, { status: 503 });
}
