// What an operation of a domain is given besides its input.
import type { Fragment, RowsOf, Sql, Transaction, Work } from '../db/database.ts';
import type { Logger } from '../logger.ts';

/** What an endpoint answers with. No body means none is sent. */
export interface EndpointAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** How a client of records names things. */
export const namingVariants = ['a', 'b', 'c'] as const;
export type NamingVariant = (typeof namingVariants)[number];

/** Who makes the request. */
export type Actor =
  | { type: 'api_key'; id: string; scopes: readonly string[] }
  | { type: 'oauth_client'; clientId: string; scopes: readonly string[]; variant: NamingVariant };

/** The OAuth client that acts, if it is one. */
export const clientOf = (actor: Actor): string | null =>
  actor.type === 'oauth_client' ? actor.clientId : null;

/** The status of an answer, or SQL that knows it where only the work's statements do. */
export type LoggedStatus = number | ((sql: Sql) => Fragment);

/** A transaction that ends a request, with the status of its answer where that is another than the usual one. */
export type Completion = <const W extends Work>(
  build: (sql: Sql) => W,
  status?: LoggedStatus,
) => Promise<RowsOf<W>>;

/** One request of a tenant's, and the transactions that it may be made of: each waits on the network once. */
export interface Context {
  tenantId: string;
  actor: Actor;
  requestId: string;
  log: Logger;
  /** Only reads. */
  read: Transaction;
  /** Stores how far the request came before something outside is asked; does not end it. */
  checkpoint: Transaction;
  /** Completes the request: its row in the request log is written in the same transaction, with its status. */
  write: Completion;
}
