// What an operation of a domain is given besides its input.
import type { Rows, Sql, Statement } from './db/database.ts';
import type { Logger } from './logging/logger.ts';

/** Who makes the request. */
export type Actor =
  | { type: 'api_key'; id: string; scopes: readonly string[] }
  | { type: 'oauth_client'; clientId: string; scopes: readonly string[]; variant: 'a' | 'b' | 'c' };

export interface Context {
  tenantId: string;
  actor: Actor;
  requestId: string;
  log: Logger;
  /** Runs the statements in one transaction of the tenant's; they leave together. */
  transaction(build: (sql: Sql) => Statement[]): Promise<Rows[]>;
  /** The same, and logs the request in it as the success that it is: for the transaction that completes the work. */
  write(build: (sql: Sql) => Statement[]): Promise<Rows[]>;
}
