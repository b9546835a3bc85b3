// The middleware that authenticates callers before an endpoint runs, which `require-signature.ts` and `require-token.ts` implement.
import type { HonoRequest, MiddlewareHandler } from 'hono';
import type { AuditActor, Transaction, WriteTransaction } from '../db/database.ts';
import type { BodyVariables } from '../request/body.ts';
import type { RequestContext, RequestVariables } from '../request/request-context.ts';
import type { Actor } from './context.ts';
import type { Scope } from './scopes.ts';

/** An authenticated and authorized caller. */
export interface Caller {
  tenantId: string;
  actor: Actor;
  session: CallerSession;
}

/** Runs transactions for the caller's tenant. */
export interface CallerSession {
  read: Transaction;
  write: WriteTransaction;
  /** Throws 401 if the credential expired or was revoked in the meantime. For requests that wait. */
  recheck(): Promise<void>;
}

/** The context variables that a guard sets. */
export interface CallerVariables {
  caller: Caller;
}

/** The requirements of an endpoint for its caller, whose client must have the scopes at the time of the request and not only in its token. */
export interface AccessRule {
  /** The caller needs any one of these. */
  scopes: readonly Scope[];
  /** Whether every person may call it, whichever scopes the token has. */
  everyPerson?: boolean;
  /** Whether the endpoint only reads. Its work may then start before the rate limit is checked. */
  reads: boolean;
  /** Whether the endpoint calls an external service before the database. The caller is then admitted before that call. */
  callsExternalService?: boolean;
  /** Scopes that the endpoint uses besides: the client must still have those of them that its token has. */
  usesScopes?: readonly Scope[] | undefined;
  /** The database role of an administrative endpoint. */
  administersAs?: 'manage' | 'payments' | undefined;
}

/**
 * Middleware that sets `caller` and reads the body, or throws 401, 403 or 429, in that order. The body of an unauthenticated request is
 * not read.
 */
export type Guard = (
  rule: AccessRule,
) => MiddlewareHandler<{ Variables: RequestVariables & BodyVariables & CallerVariables }>;

const MAX_CLAIM_LENGTH = 255;

/** `User-Agent` and `X-On-Behalf-Of` are claims of the caller and are not verified. */
export const auditActorOf = (
  by: Pick<AuditActor, 'kind' | 'id' | 'scopes'>,
  { requestId }: RequestContext,
  request: HonoRequest,
): AuditActor => ({
  ...by,
  request_id: requestId,
  program: request.header('user-agent')?.slice(0, MAX_CLAIM_LENGTH),
  on_behalf_of: request.header('x-on-behalf-of')?.slice(0, MAX_CLAIM_LENGTH),
});
