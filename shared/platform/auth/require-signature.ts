// The guard of activity sync and payments: who calls with an API key, whether the signature is right, and whether the
// key's limit allows it.
import { createHash } from 'node:crypto';
import QuickLRU from 'quick-lru';
import type { Database } from '../db/database.ts';
import { ApiError, insufficientScope } from '../errors.ts';
import type { Guard } from '../http/guard.ts';
import type { RequestContext } from '../http/request-context.ts';
import { type Counter, rateLimited, type Usage } from '../limits/request-counter.ts';
import { waitUntil } from '../wait-until.ts';
import { type ApiKeyRow, findApiKey, touchApiKey } from './api-keys.ts';
import { type AuthFailure, type Credentials, parseAuthorization } from './authorization-header.ts';
import { equalInConstantTime } from './constant-time.ts';
import { signRequest } from './signature.ts';

export const MAX_CLOCK_SKEW_SECONDS = 300;
const MAX_REMEMBERED = 1000;
const KEY_FORMAT = /^sk_(?:live|test)_[0-9A-Za-z]{32}$/;

export interface SignatureOptions {
  database: Database;
  counter: Counter;
  /** `production` takes `sk_live_` keys alone, `staging` `sk_test_` keys alone. */
  environment: 'production' | 'staging';
  /** Whether the earlier form `Bearer <API_KEY>` is taken as well. */
  allowBearer: boolean;
}

/** Lets callers in by `SVC-SIGN-V1`, or `Bearer` where it is allowed. */
export function requireSignature(options: SignatureOptions): Guard {
  const { database, counter, environment, allowBearer } = options;
  const prefix = environment === 'production' ? 'sk_live_' : 'sk_test_';
  /** Ids of keys that were let in of late: a guess of who comes next; what they may do is read anew each time. */
  const knownKeys = new QuickLRU<string, string>({ maxSize: MAX_REMEMBERED });

  return ({ scopes }) =>
    async function checkSignature(c, next) {
      const { requestContext, rawBody, log } = c.var;
      const credentials = parseAuthorization(c.req.header('authorization'), allowBearer);
      if (typeof credentials === 'string') throw unauthorized(credentials);
      if (!KEY_FORMAT.test(credentials.apiKey)) throw unauthorized('unknown_key');

      const hash = createHash('sha256').update(credentials.apiKey).digest('hex');
      const fault = requestFault(credentials, requestContext, rawBody, prefix);
      // A caller that was let in lately will most likely be let in again: count it while the database is asked.
      const memory = `${hash} ${scopes.join(' ')} ${requestContext.address ?? ''}`;
      const expectedId = fault ? undefined : knownKeys.get(memory);
      const counting = expectedId && counter.count('apiKey', expectedId, log);
      let row: ApiKeyRow;
      try {
        row = acceptKey(
          await findApiKey(database, hash, requestContext.address),
          fault,
          requestContext,
          scopes,
        );
      } catch (error) {
        if (expectedId && error instanceof ApiError) {
          knownKeys.delete(memory);
          waitUntil(() => counter.uncount('apiKey', expectedId, log));
        }
        throw error;
      }
      knownKeys.set(memory, row.id);
      if (row.touch_due) waitUntil(() => touchApiKey(database, row));
      checkLimit(await (counting || counter.count('apiKey', row.id, log)), row.requests_per_hour);

      const session = { role: 'api', tenantId: row.tenant_id } as const;
      c.set('caller', {
        tenantId: row.tenant_id,
        actor: { type: 'api_key', id: row.id, scopes: row.scopes },
        session: {
          read: (build) => database.transaction(session, build),
          write: (build) => database.transaction(session, build),
        },
      });
      await next();
    };
}

/** What is wrong with the request itself; a key signs with its own bytes, so nobody needs to be asked. */
function requestFault(
  { apiKey, signature }: Credentials,
  { method, target }: RequestContext,
  body: Uint8Array,
  prefix: string,
): AuthFailure | undefined {
  if (!apiKey.startsWith(prefix)) return 'wrong_environment';
  if (!signature) return undefined;
  const { timestamp, value } = signature;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) return 'stale_timestamp';
  const correct = signRequest(apiKey, { timestamp, method, target, body });
  return equalInConstantTime(value, correct) ? undefined : 'bad_signature';
}

/** The key's row when it may do this. Throws 401, then 403; the request log learns whose key it was in either case. */
function acceptKey(
  row: ApiKeyRow | undefined,
  fault: AuthFailure | undefined,
  requestContext: RequestContext,
  scopes: readonly string[],
): ApiKeyRow {
  if (row) Object.assign(requestContext, { tenantId: row.tenant_id, apiKeyId: row.id });
  if (fault === 'wrong_environment') throw unauthorized(fault);
  if (!row) throw unauthorized('unknown_key');
  const failure = keyFault(row) ?? fault ?? (row.address_allowed ? undefined : 'address_not_allowed');
  if (failure) throw unauthorized(failure);
  if (!scopes.some((scope) => row.scopes.includes(scope))) throw insufficientScope('API key', scopes);
  return row;
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
