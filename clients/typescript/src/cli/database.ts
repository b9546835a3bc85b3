// Connects to the deployment's database, for features outside the API: the request log and the doctor's checks.
import type postgres from 'postgres';

/** A single connection with the role of the URL. Errors contain no statements or values. */
export async function connectDatabase(url: string): Promise<postgres.Sql> {
  const { default: connect } = await import('postgres');
  return connect(url, {
    ...(URL.canParse(url) && addressOf(new URL(url))),
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

/** The driver ends a host name at the first colon, so an IPv6 address is passed separately, as a list. */
export function addressOf({ hostname, port }: URL): Pick<postgres.Options<never>, 'host' | 'port'> {
  if (!hostname.startsWith('[')) return {};
  // The driver accepts lists, but its types do not.
  return { host: [hostname.slice(1, -1)], port: [Number(port || 5432)] } as object;
}

/**
 * Whether two connections go through a pooler in transaction mode, which shares server connections between sessions. Ends the second
 * one. The statements have no parameters, because such a pooler can leave statements with parameters pending.
 */
export async function sharesServerConnections(sql: postgres.Sql, other: postgres.Sql): Promise<boolean> {
  const processOf = async (one: postgres.Sql) =>
    (await one.unsafe('select pg_backend_pid() as pid').simple())[0]?.pid;
  try {
    const first = await processOf(sql);
    return (await processOf(other)) === first || (await processOf(sql)) !== first;
  } finally {
    await other.end({ timeout: 1 });
  }
}

/** Whether an address names a pooler in transaction mode by its port or its option. */
export function hasTransactionPooler(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { port, searchParams } = new URL(address);
  return port === '6543' || searchParams.get('pgbouncer') === 'true';
}
