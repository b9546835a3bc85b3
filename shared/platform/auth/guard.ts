// What stands before every endpoint for integrators, whichever credentials it takes.
import type { Actor } from '../context.ts';
import type { Rows, Sql, Statement } from '../db/database.ts';
import type { Call } from '../http/request-context.ts';
import type { Logger } from '../logging/logger.ts';

export interface GuardedRequest {
  call: Call;
  headers: Headers;
  body: Uint8Array;
  /** What the caller must be allowed to do. */
  scope: string;
  /** Whether the endpoint only reads, so that its work may begin before the caller is let in. */
  reads: boolean;
  log: Logger;
}

export interface Caller {
  tenantId: string;
  actor: Actor;
  /** What the request says of its cause; events of its changes carry it. */
  origin?: string | undefined;
  /** Present when the caller is let in by the first transaction of the work. */
  entrance?: Entrance;
}

export interface Entrance {
  /** Lets the caller in and does the work in one transaction. Throws 401 or 429. */
  transaction(build: (sql: Sql) => Statement[]): Promise<Rows[]>;
  /** Lets the caller in where no transaction did. Throws 401 or 429. */
  settle(): Promise<void>;
}

/** Lets a caller in, or throws 401, 403 or 429, in that order. */
export type Guard = (request: GuardedRequest) => Promise<Caller>;
