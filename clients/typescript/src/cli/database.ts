// Connects to the deployment's database, for features outside the API: the request log and the doctor's checks.
import type postgres from 'postgres';

/** A single connection with the role of the URL. Errors contain no statements or values. */
export async function connectDatabase(url: string): Promise<postgres.Sql> {
  const { default: connect } = await import('postgres');
  return connect(url, {
    max: 1,
    connect_timeout: 10,
    idle_timeout: 5,
    // Each check reconnects, and must not wait because an earlier check failed.
    backoff: () => 0,
    // Poolers in transaction mode do not support prepared statements.
    prepare: false,
    onnotice: () => {},
    // Poolers reject other startup parameters.
    connection: { application_name: 'placar' },
  });
}
