// A connection to the deployment's database, for what has no API: the request log and the doctor.
import type postgres from 'postgres';

/** For one statement after another, as the role of the address. Errors name no statement and no value. */
export async function connectDatabase(url: string): Promise<postgres.Sql> {
  const { default: connect } = await import('postgres');
  return connect(url, {
    max: 1,
    connect_timeout: 10,
    idle_timeout: 5,
    // Each check of the doctor asks once; none is to wait for those that failed before it.
    backoff: () => 0,
    // A pooler in transaction mode has none.
    prepare: false,
    onnotice: () => {},
    connection: { application_name: 'placar', statement_timeout: 30_000 },
  });
}
