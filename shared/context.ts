// What an operation of a domain is given besides its input.
import type { Rows, Sql, Statement } from './db/database.ts';
import type { Logger } from './log.ts';

/** Who makes the request. */
export type Actor =
  | { type: 'api_key'; id: string; scopes: readonly string[] }
  | { type: 'oauth_client'; id: string; clientId: string; scopes: readonly string[] };

export interface Context {
  tenantId: string;
  actor: Actor;
  requestId: string;
  log: Logger;
  /** Reads in one transaction of the tenant's; the statements leave together. */
  read(build: (sql: Sql) => Statement[]): Promise<Rows[]>;
  /** Writes likewise, and logs the request in the same transaction. */
  write(build: (sql: Sql) => Statement[]): Promise<Rows[]>;
}
