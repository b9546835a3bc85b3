// The guard of activity sync and payments: who calls with an API key, whether the signature is right, and whether the
// key's limit allows it.
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import { waitUntil } from '../background.ts';
import type { Database, Session } from '../db/database.ts';
import { ApiError, insufficientScope } from '../errors.ts';
import { createBodiesInFlight } from '../request/bodies-in-flight.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type ApiKeyRow, findApiKey, touchApiKey } from './api-keys.ts';
import { type AuthFailure, type Credentials, parseAuthorization } from './authorization-header.ts';
import { equalInConstantTime } from './constant-time.ts';
import type { Guard } from './guard.ts';
import { type Counter, rateLimited, type Usage } from './request-counter.ts';
import { signRequest } from './signature.ts';
import { createUnknownCallerLimit } from './unknown-caller-limit.ts';

export const MAX_CLOCK_SKEW_SECONDS = 300;
const MAX_REMEMBERED = 1000;
const KEY_FORMAT = /^sk_(?:live|test)_[0-9A-Za-z]{32}$/;

export interface SignatureOptions {
  database: Database;
  counter: Counter;
  /** `production` takes `sk_live_` keys alone, `staging` `sk_test_` keys alone. */
  environment: 'production' | 'staging';
  /** What its transactions run as. */
  role: 'api' | 'payments';
  /** Whether the earlier form `Bearer <API_KEY>` is taken as well. */
  allowBearer: boolean;
}

/** Lets callers in by `SVC-SIGN-V1`, or `Bearer` where it is allowed. */
export function requireSignature(options: SignatureOptions): Guard {
  const { database, counter, environment, role, allowBearer } = options;
  const prefix = environment === 'production' ? 'sk_live_' : 'sk_test_';
  const bodies = createBodiesInFlight();
  const unknown = createUnknownCallerLimit();
  /** Keys that were let in of late: a guess of who comes next; what they may do is read anew each time. */
  const knownKeys = new QuickLRU<string, KnownKey>({ maxSize: MAX_REMEMBERED });

  return ({ scopes }) =>
    async function authorize(c, next) {
      const { requestContext, log } = c.var;
      const credentials = parseAuthorization(c.req.header('authorization'), allowBearer);
      if (typeof credentials === 'string') throw unauthorized(credentials);
      if (!KEY_FORMAT.test(credentials.apiKey)) throw unauthorized('unknown_key');

      const hash = createHash('sha256').update(credentials.apiKey).digest('hex');
      const read = (tenantId: string) => bodies.read(c.req.raw, tenantId, requestContext);
      // A caller that was let in lately will most likely be let in again: count it while the database is asked.
      const memory = `${hash} ${scopes.join(' ')} ${requestContext.address ?? ''}`;
      const remembered = knownKeys.get(memory);
      // Nobody's body is read. Somebody's is read first, so that the signature is known before anything is counted.
      let body = remembered ? await read(remembered.tenantId) : undefined;
      const fault =
        headerFault(credentials, prefix) ?? (body && signatureFault(credentials, requestContext, body));
      const expected = fault ? undefined : remembered;
      const counting = expected && counter.count('apiKey', expected.id, log, expected);
      const isKnown = remembered ? undefined : unknown.attempt(requestContext.address);
      let row: ApiKeyRow;
      try {
        const found = await findApiKey(database, hash, requestContext.address);
        if (found) isKnown?.();
        row = acceptKey(found, fault, requestContext);
        if (!body) {
          body = await read(row.tenant_id);
          const failure = signatureFault(credentials, requestContext, body);
          if (failure) throw unauthorized(failure);
        }
        checkAccess(row, scopes);
        c.set('rawBody', body);
      } catch (error) {
        if (expected && error instanceof ApiError) {
          knownKeys.delete(memory);
          waitUntil(async () => {
            const usage = await counting;
            if (usage) await counter.uncount('apiKey', expected.id, log, usage);
          });
        }
        throw error;
      }
      const known = { id: row.id, tenantId: row.tenant_id, allowed: row.requests_per_hour };
      knownKeys.set(memory, known);
      if (row.touch_due) waitUntil(() => touchApiKey(database, row));
      checkLimit(await (counting || counter.count('apiKey', row.id, log, known)), row.requests_per_hour);

      const session: Session = { role, tenantId: row.tenant_id, hasWritten: false };
      c.set('caller', {
        tenantId: row.tenant_id,
        actor: { type: 'api_key', id: row.id, scopes: row.scopes },
        session: {
          read: (build) => database.transaction({ ...session, reads: true }, build),
          async write(build, ending) {
            const rows = await database.transaction(session, build, ending);
            session.hasWritten = true;
            return rows;
          },
        },
      });
      await next();
    };
}

interface KnownKey {
  id: string;
  tenantId: string;
  /** Requests an hour when it was last let in. */
  allowed: number;
}

/** For the request log: the SHA-256 of the API key that a header names. */
export async function identifyKey(authorization: string): Promise<{ keyHash: string } | undefined> {
  const credentials = parseAuthorization(authorization, true);
  if (typeof credentials === 'string' || !KEY_FORMAT.test(credentials.apiKey)) return undefined;
  return { keyHash: createHash('sha256').update(credentials.apiKey).digest('hex') };
}

/** What the header alone shows to be wrong. */
function headerFault({ apiKey, signature }: Credentials, prefix: string): AuthFailure | undefined {
  if (!apiKey.startsWith(prefix)) return 'wrong_environment';
  if (!signature) return undefined;
  const skewSeconds = Math.abs(Date.now() / 1000 - Number(signature.timestamp));
  return skewSeconds > MAX_CLOCK_SKEW_SECONDS ? 'stale_timestamp' : undefined;
}

/** The key's row when it is good. Throws 401; the request log learns whose key it was in either case. */
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

/** Whether the request is signed with its key, which signs with its own bytes. */
function signatureFault(
  { apiKey, signature }: Credentials,
  { method, target }: RequestContext,
  body: Uint8Array,
): AuthFailure | undefined {
  if (!signature) return undefined;
  const { timestamp, value } = signature;
  const correct = signRequest(apiKey, { timestamp, method, target, body });
  return equalInConstantTime(value, correct) ? undefined : 'bad_signature';
}

/** Throws 401 for an address that is not on the key's list, then 403. */
function checkAccess(row: ApiKeyRow, scopes: readonly string[]): void {
  if (!row.address_allowed) throw unauthorized('address_not_allowed');
  if (!scopes.some((scope) => row.scopes.includes(scope))) throw insufficientScope('API key', scopes);
}

function keyFault({ revoked, expired }: ApiKeyRow): AuthFailure | undefined {
  if (revoked) return 'revoked';
  return expired ? 'expired' : undefined;
}

/** One answer for every reason: the caller learns nothing about keys, the request log everything. */
function unauthorized(reason: AuthFailure): ApiError {
  const message = 'The API key or its signature is missing, invalid or expired. See docs/authentication.md.';
  return new ApiError('unauthorized', message, { reason });
}

function checkLimit(usage: Usage | undefined, allowed: number): void {
  if (!usage || usage.used <= allowed) return;
  throw rateLimited(`This API key's limit of ${allowed} requests an hour is reached`, usage.resetsAtMs);
}
