// The context that an operation of a domain gets in addition to its input.
import type { Fragment, RowsOf, Sql, Transaction, Work } from '../db/database.ts';
import type { Logger } from '../logger.ts';

/** The response of an endpoint. Without `body`, the response has no body. */
export interface EndpointResponse {
  status: number;
  body?: unknown;
  /** Sent as it is produced, instead of `body`, with the `Content-Type` in `headers`. If it fails, the connection breaks. */
  stream?: ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
}

/** Naming variants that clients of the records interface can use. */
export const namingVariants = ['a', 'b', 'c'] as const;
export type NamingVariant = (typeof namingVariants)[number];

/** The authenticated caller of a request. */
export type Actor =
  | { type: 'api_key'; id: string; scopes: readonly string[] }
  | { type: 'oauth_client'; clientId: string; scopes: readonly string[]; variant: NamingVariant }
  | { type: 'person'; userId: string; scopes: readonly string[] };

/** The id of the actor's OAuth client; null for an API key or a person. */
export const clientOf = (actor: Actor): string | null =>
  actor.type === 'oauth_client' ? actor.clientId : null;

/** The user id of the actor if it is a person; otherwise null. */
export const personOf = (actor: Actor): string | null => (actor.type === 'person' ? actor.userId : null);

/** The response's status, or SQL that computes it from the results of the work's statements. */
export type LoggedStatus = number | ((sql: Sql) => Fragment);

/** A transaction that completes a request. `status` overrides the usual status of the response in the request log. */
export type Completion = <const W extends Work>(
  build: (sql: Sql) => W,
  status?: LoggedStatus,
) => Promise<RowsOf<W>>;

/** A tenant's request and its transactions. Each transaction takes one network round trip. */
export interface Context {
  tenantId: string;
  actor: Actor;
  requestId: string;
  log: Logger;
  /** Runs a read-only transaction. */
  read: Transaction;
  /** Stores the request's progress before a call to an external service, and publishes its jobs. Does not complete the request. */
  checkpoint: Transaction;
  /** Stores the consequences of a failure. Its jobs wait for the sweep, so that the caller's retry usually comes first. */
  writeAfterFailure: Transaction;
  /** Throws 401 if the caller's credential expired or was revoked in the meantime. For requests that wait. */
  recheck(): Promise<void>;
  /** Completes the request. The same transaction writes its row in the request log, with its status. */
  write: Completion;
}
