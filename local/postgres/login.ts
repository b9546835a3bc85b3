// The login of the functions in a local database.
import type postgres from 'postgres';

const ROLE = 'placar_functions';

/** Creates the login if missing and sets its password. */
export async function provideLogin(sql: postgres.Sql, password: string): Promise<void> {
  const known = await sql`select from pg_roles where rolname = ${ROLE}`;
  if (known.length === 0) {
    await sql`select admin.create_login(${ROLE})`;
    // Allows postgres to end its sessions.
    await sql.unsafe(`grant ${ROLE} to postgres with inherit true, set false`);
  }
  await sql.unsafe(`alter role ${ROLE} password '${password}'`);
}

/** The URL of the same database for the functions. */
export function urlForFunctions(databaseUrl: string, password: string): string {
  const url = new URL(databaseUrl);
  url.username = ROLE;
  url.password = encodeURIComponent(password);
  return url.href;
}
