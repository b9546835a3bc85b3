// The guard of activity sync and payments: checks the API key, its signature, scopes and hourly limit.
import QuickLRU from 'quick-lru';
import { waitUntil } from '../background.ts';
import { constantTimeEqual, sha256Hex } from '../crypto.ts';
import type { Database, Session } from '../db/database.ts';
import { ApiError, insufficientScope } from '../errors.ts';
import { createBodiesInFlight } from '../request/bodies-in-flight.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  type ApiKeyRow,
  type AuthFailure,
  type Credentials,
  findApiKey,
  parseAuthorization,
  signRequest,
  touchApiKey,
} from './api-keys.ts';
import { auditActorOf, type Guard } from './guard.ts';
import { type Counter, rejectExcess } from './request-counter.ts';
import { isApiKeyScope } from './scopes.ts';
import { rejectClosedTenant } from './tenant-moves.ts';
import { createUnknownCallerLimit, isOutage, lookUpCaller } from './unknown-caller-limit.ts';

const MAX_CLOCK_SKEW_SECONDS = 300;
const MAX_REMEMBERED = 1000;
const KEY_FORMAT = /^sk_(?:live|test)_[0-9A-Za-z]{32}$/;

interface SignatureOptions {
  database: Database;
  counter: Counter;
  /** `production` accepts only `sk_live_` keys, `staging` only `sk_test_` keys. */
  environment: 'production' | 'staging';
  /** The database role of the request's transactions. */
  role: 'api' | 'payments';
  /** Whether `Bearer <API_KEY>` is also accepted. */
  allowBearer: boolean;
}

/** Authenticates callers by `SVC-SIGN-V1`, or by `Bearer` if `allowBearer` is set. */
export function requireSignature(options: SignatureOptions): Guard {
  const { database, counter, environment, role, allowBearer } = options;
  const prefix = environment === 'production' ? 'sk_live_' : 'sk_test_';
  const bodies = createBodiesInFlight();
  const unknownCallers = createUnknownCallerLimit();
  /** Recently accepted keys. They only allow counting early; the key itself is looked up for each request. */
  const knownKeys = new QuickLRU<string, KnownKey>({ maxSize: MAX_REMEMBERED });

  return ({ scopes: anyScopes }) => {
    const scopes = anyScopes.filter(isApiKeyScope);
    return async function authorize(c, next) {
      const { requestContext, log } = c.var;
      const credentials = parseAuthorization(c.req.header('authorization'), allowBearer);
      if (typeof credentials === 'string')
        throw unauthorized(credentials, allowBearer ? undefined : UNSIGNED);
      if (!KEY_FORMAT.test(credentials.apiKey)) throw unauthorized('unknown_key');

      const hash = sha256Hex(credentials.apiKey);
      const read = (tenantId: string) => bodies.read(c.req.raw, tenantId, requestContext);
      // A recently accepted key will most likely be accepted again, so the request is counted during the lookup.
      const cacheKey = `${hash} ${scopes.join(' ')} ${requestContext.address ?? ''}`;
      const cached = knownKeys.get(cacheKey);
      // For a recently accepted key the body is read first, to check the signature before counting. Unknown callers' bodies are not read.
      let body = cached ? await read(cached.tenantId) : undefined;
      const fault =
        headerFailure(credentials, prefix) ?? (body && signatureFailure(credentials, requestContext, body));
      const expected = fault ? undefined : cached;
      const counting = expected && counter.count('apiKey', expected.id, log, expected);
      const uncountAttempt = cached ? undefined : unknownCallers.attempt(requestContext.address);
      let row: ApiKeyRow;
      try {
        const found = await lookUpCaller(uncountAttempt, () =>
          findApiKey(database, hash, requestContext.address),
        );
        if (found) uncountAttempt?.();
        row = acceptKey(found, fault, requestContext);
        if (!body) {
          body = await read(row.tenant_id);
          const failure = signatureFailure(credentials, requestContext, body);
          if (failure) throw unauthorized(failure);
        }
        checkAccess(row, scopes);
        requestContext.trace?.trustCaller();
        c.set('rawBody', body);
      } catch (error) {
        if (expected && error instanceof ApiError) {
          if (!isOutage(error)) knownKeys.delete(cacheKey);
          waitUntil(async () => {
            const usage = await counting;
            if (usage) await counter.uncount('apiKey', expected.id, log, usage);
          });
        }
        throw error;
      }
      const known = { id: row.id, tenantId: row.tenant_id, allowed: row.requests_per_hour };
      knownKeys.set(cacheKey, known);
      if (row.touch_due) waitUntil(() => touchApiKey(database, row));
      rejectExcess(
        await (counting || counter.count('apiKey', row.id, log, known)),
        row.requests_per_hour,
        `Rate limit exceeded: this API key allows ${row.requests_per_hour} requests per hour.`,
      );

      const auditActor = auditActorOf({ kind: 'api_key', id: row.id }, requestContext, c.req);
      const reading = { role, tenantId: row.tenant_id, reads: true } as const;
      const session: Session = { role, tenantId: row.tenant_id, hasWritten: false, auditActor };
      c.set('caller', {
        tenantId: row.tenant_id,
        actor: { type: 'api_key', id: row.id, scopes: row.scopes },
        session: {
          read: (build) =>
            database.transaction({ ...reading, hasWritten: session.hasWritten ?? false }, build),
          async write(build, ending) {
            const rows = await database.transaction(session, build, ending);
            session.hasWritten = true;
            return rows;
          },
          async recheck() {
            checkAccess(
              acceptKey(await findApiKey(database, hash, requestContext.address), undefined, requestContext),
              scopes,
            );
          },
        },
      });
      await next();
    };
  };
}

interface KnownKey {
  id: string;
  tenantId: string;
  /** Requests per hour when the key was last accepted. */
  allowed: number;
}

/** For the request log: the SHA-256 (hex) of the API key in an Authorization header. */
export async function identifyKey(authorization: string): Promise<{ keyHash: string } | undefined> {
  const credentials = parseAuthorization(authorization, true);
  if (typeof credentials === 'string' || !KEY_FORMAT.test(credentials.apiKey)) return undefined;
  return { keyHash: sha256Hex(credentials.apiKey) };
}

/** Faults that the Authorization header shows without a lookup. */
function headerFailure({ apiKey, signature }: Credentials, prefix: string): AuthFailure | undefined {
  if (!apiKey.startsWith(prefix)) return 'wrong_environment';
  if (!signature) return undefined;
  const skewSeconds = Math.abs(Date.now() / 1000 - Number(signature.timestamp));
  return skewSeconds > MAX_CLOCK_SKEW_SECONDS ? 'stale_timestamp' : undefined;
}

/** Returns the key's row if the key is valid, else throws 401. In both cases the request log gets the key's owner. */
function acceptKey(
  row: ApiKeyRow | undefined,
  fault: AuthFailure | undefined,
  requestContext: RequestContext,
): ApiKeyRow {
  if (row) Object.assign(requestContext, { tenantId: row.tenant_id, apiKeyId: row.id });
  if (fault === 'wrong_environment') throw unauthorized(fault);
  if (!row) throw unauthorized('unknown_key');
  const failure = keyFault(row) ?? fault;
  if (failure) throw unauthorized(failure);
  return row;
}

/** Checks the request's signature, which is keyed with the API key itself. */
function signatureFailure(
  { apiKey, signature }: Credentials,
  { method, target }: RequestContext,
  body: Uint8Array,
): AuthFailure | undefined {
  if (!signature) return undefined;
  const { timestamp, value } = signature;
  const correct = signRequest(apiKey, { timestamp, method, target, body });
  return constantTimeEqual(value, correct) ? undefined : 'bad_signature';
}

/** Throws 401 for an address that is not on the key's list, 421 or 503 for a tenant that is not served here, and 403 for a missing scope. */
function checkAccess(row: ApiKeyRow, scopes: readonly string[]): void {
  if (!row.address_allowed) throw unauthorized('address_not_allowed');
  rejectClosedTenant(row);
  if (!scopes.some((scope) => row.scopes.includes(scope))) throw insufficientScope('API key', scopes);
}

function keyFault({ revoked, expired }: ApiKeyRow): AuthFailure | undefined {
  if (revoked) return 'revoked';
  return expired ? 'expired' : undefined;
}

const REJECTED = 'The API key or its signature is missing, invalid or expired.';
/** For a header that contains no signature. It says nothing about the key, which is not looked up. */
const UNSIGNED =
  'Requests to this interface must be signed. Send Authorization: SVC-SIGN-V1 <API_KEY>:<TIMESTAMP>:<SIGNATURE>.';

/** The same message for every reason that concerns the key, so that callers learn nothing about keys. The request log contains the reason. */
function unauthorized(reason: AuthFailure, message: string = REJECTED): ApiError {
  return new ApiError('unauthorized', message, { reason, page: 'authentication' });
}
