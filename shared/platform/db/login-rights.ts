// Warns about a login with more rights than the functions need.
import { unref, waitUntil } from '../background.ts';
import type { Logger } from '../logger.ts';
import type { Database } from './database.ts';

/** By then, the first request has opened a connection that the check can use. */
const DELAY_MS = 1000;

/** Logs a warning soon if the login is a superuser, bypasses row-level security or may create roles. */
export function checkLoginRights(database: Database, log: Logger): void {
  waitUntil(async () => {
    await new Promise<void>((resolve) => unref(setTimeout(resolve, DELAY_MS)));
    const [login] = await database.asLogin<{ excessive: boolean }>(
      'reads',
      (sql) => sql`
        select rolsuper or rolbypassrls or rolcreaterole as excessive
        from pg_catalog.pg_roles where rolname = session_user`,
    );
    if (login?.excessive) log.warn('logged in with more rights than needed');
  });
}
