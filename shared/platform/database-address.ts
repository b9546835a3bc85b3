// Where the database is and how it is reached, read from its address.

export interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Shown for its connections in `pg_stat_activity`. */
  application_name: string;
  /** How TLS verifies the server; false for a connection without TLS. */
  ssl: false | { rejectUnauthorized: boolean; ca?: string };
}

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * What an address says. `sslmode=require` encrypts; `verify-ca` and `verify-full` also verify the server's certificate and its name, with
 * `ca` (PEM) in place of the usual authorities. Deno verifies it with `require` too, and so does a given `ca`. Throws for any
 * other `sslmode`.
 */
export function readAddress(address: string, ca?: string): Address {
  const { hostname, port, username, password, pathname, searchParams } = new URL(address);
  const mode = TLS_MODES.find((known) => known === (searchParams.get('sslmode') ?? 'disable'));
  if (!mode) throw new Error(`expected sslmode to be one of ${TLS_MODES.join(', ')}`);
  return {
    // IPv6 addresses are in brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || 'postgres',
    application_name: searchParams.get('application_name') ?? 'placar',
    ssl: mode !== 'disable' && {
      rejectUnauthorized: mode !== 'require' || ca !== undefined,
      ...(ca && { ca }),
    },
  };
}

/** Whether an address says that a pooler in transaction mode answers there. */
export function namesTransactionPooler(address: string): boolean {
  const { port, searchParams } = new URL(address);
  return port === '6543' || searchParams.get('pgbouncer') === 'true';
}
