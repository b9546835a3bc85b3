// What stands before every endpoint for integrators, whichever credentials it takes: `require-signature.ts` and
// `require-token.ts` make them.
import type { MiddlewareHandler } from 'hono';
import type { Transaction, WriteTransaction } from '../db/database.ts';
import type { BodyVariables } from '../request/body.ts';
import type { RequestVariables } from '../request/request-context.ts';
import type { Actor } from './context.ts';
import type { Scope } from './scopes.ts';

/** Who was let in. */
export interface Caller {
  tenantId: string;
  actor: Actor;
  session: CallerSession;
}

/** Transactions of the caller's tenant. */
export interface CallerSession {
  read: Transaction;
  write: WriteTransaction;
}

/** What a guard sets. */
export interface CallerVariables {
  caller: Caller;
}

/** What an endpoint asks of its caller. */
export interface AccessRule {
  /** Any one of these. */
  scopes: readonly Scope[];
  /** Whether the endpoint only reads, so that its work may begin before the caller is let in. */
  reads: boolean;
  /** Whether its work asks somebody outside before the database: then the caller is let in before that. */
  asksOutside?: boolean;
}

/** Middleware that sets `caller` and reads the body, or throws 401, 403 or 429, in that order. Nobody's body is not read. */
export type Guard = (
  rule: AccessRule,
) => MiddlewareHandler<{ Variables: RequestVariables & BodyVariables & CallerVariables }>;
