// Parses the database's connection URL.
import { decodePercent } from './percent-encoding.ts';

export interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** The connections' name in `pg_stat_activity`. */
  application_name: string;
  /** How TLS verifies the server; false without TLS. */
  ssl: false | { rejectUnauthorized: boolean; ca?: string };
}

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/**
 * Parses a connection URL. `sslmode=require` encrypts; `verify-ca` and `verify-full` also verify the server's certificate and host name.
 * `ca` (PEM) replaces the default certificate authorities. With `ca`, and on Deno, `require` also verifies. Throws for an unknown
 * `sslmode`.
 */
export function readAddress(address: string, ca?: string): Address {
  const { hostname, port, username, password, pathname, searchParams, hash } = new URL(address);
  const mode = TLS_MODES.find((known) => known === (searchParams.get('sslmode') ?? 'disable'));
  if (!mode) throw new Error(`sslmode must be one of ${TLS_MODES.join(', ')}`);
  if (hash !== '' || decodePercent(username + password + pathname) === undefined)
    throw new Error(
      'has a character in its password that must be percent-encoded, such as % (%25) or # (%23)',
    );
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

/** Whether a connection URL indicates a pooler in transaction mode. */
export function namesTransactionPooler(address: string): boolean {
  const { port, searchParams } = new URL(address);
  return port === '6543' || searchParams.get('pgbouncer') === 'true';
}
