// API keys: who calls activity sync and payments, and whether they may. SQL of the function `app.find_api_key`.
import { createHash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/request-context.ts';
import type { Counter, Usage } from '../limits/rate-limits.ts';
import { Recent } from '../lru-cache.ts';
import { afterResponse } from '../wait-until.ts';
import { type AuthFailure, type Credentials, parseAuthorization } from './authorization-header.ts';
import { equalInConstantTime } from './constant-time.ts';
import type { Guard } from './guard.ts';
import { signRequest } from './signature.ts';

export const MAX_CLOCK_SKEW_SECONDS = 300;
const MAX_EXPECTED = 1000;
const KEY_FORMAT = /^sk_(?:live|test)_[0-9A-Za-z]{32}$/;

interface KeyRow {
  id: string;
  tenant_id: string;
  scopes: string[];
  requests_per_hour: number;
  expired: boolean;
  revoked: boolean;
  address_allowed: boolean;
  touch_due: boolean;
}

export interface ApiKeyGuardOptions {
  database: Database;
  counter: Counter;
  /** `production` takes `sk_live_` keys alone, `staging` `sk_test_` keys alone. */
  environment: 'production' | 'staging';
  /** Whether the earlier form `Bearer <API_KEY>` is taken as well. */
  allowBearer: boolean;
}

export function createApiKeyGuard(options: ApiKeyGuardOptions): Guard {
  const { database, counter, environment, allowBearer } = options;
  const prefix = environment === 'production' ? 'sk_live_' : 'sk_test_';
  /** Ids of keys that were let in of late: a guess of who comes next; what they may do is read anew each time. */
  const expected = new Recent<string>(MAX_EXPECTED);

  return async ({ call, headers, body, scope, log }) => {
    const credentials = parseAuthorization(headers.get('authorization'), allowBearer);
    if (typeof credentials === 'string') throw unauthorized(credentials);
    if (!KEY_FORMAT.test(credentials.apiKey)) throw unauthorized('unknown_key');

    const hash = createHash('sha256').update(credentials.apiKey).digest('hex');
    const fault = judgeRequest(credentials, call, body, prefix);
    // A caller that was let in lately will most likely be let in again: count it while the database is asked.
    const memory = `${hash} ${scope} ${call.address ?? ''}`;
    const keyId = fault ? undefined : expected.get(memory);
    const counting = keyId ? counter.count('apiKey', keyId, log) : undefined;
    try {
      const row = await findApiKey(database, hash, call.address);
      if (row) Object.assign(call, { tenantId: row.tenant_id, apiKeyId: row.id });
      if (fault === 'wrong_environment') throw unauthorized(fault);
      if (!row) throw unauthorized('unknown_key');
      const failure = judgeKey(row) ?? fault ?? (row.address_allowed ? undefined : 'address_not_allowed');
      if (failure) throw unauthorized(failure);
      if (!row.scopes.includes(scope)) {
        throw new ApiError('insufficient_scope', `This API key lacks the scope ${scope}.`, {
          reason: 'insufficient_scope',
        });
      }
      expected.add(memory, row.id);
      if (row.touch_due) afterResponse(() => touchApiKey(database, row));
      checkLimit(await (counting ?? counter.count('apiKey', row.id, log)), row.requests_per_hour);
      return { tenantId: row.tenant_id, actor: { type: 'api_key', id: row.id, scopes: row.scopes } };
    } catch (error) {
      const refused = error instanceof ApiError && error.code !== 'rate_limited';
      if (keyId && refused) {
        expected.delete(memory);
        afterResponse(() => counter.uncount('apiKey', keyId, log));
      }
      throw error;
    }
  };
}

async function findApiKey(
  database: Database,
  hash: string,
  address: string | undefined,
): Promise<KeyRow | undefined> {
  const rows = await database.lone(
    (sql) => sql`
      select id, tenant_id, scopes, requests_per_hour, expired, revoked, address_allowed, touch_due
      from app.find_api_key(decode(${hash}, 'hex'), ${address ?? null})`,
  );
  return rows[0] as KeyRow | undefined;
}

async function touchApiKey(database: Database, { id, tenant_id }: KeyRow): Promise<void> {
  await database.transaction({ role: 'api', tenantId: tenant_id }, (sql) => [
    sql`select app.touch_api_key(${id})`,
  ]);
}

/** What is wrong with the request itself; a key signs with its own bytes, so nobody needs to be asked. */
function judgeRequest(
  { apiKey, signature }: Credentials,
  call: Call,
  body: Uint8Array,
  prefix: string,
): AuthFailure | undefined {
  if (!apiKey.startsWith(prefix)) return 'wrong_environment';
  if (!signature) return undefined;
  const { timestamp, value } = signature;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) return 'stale_timestamp';
  const correct = signRequest(apiKey, { timestamp, method: call.method, target: call.target, body });
  return equalInConstantTime(value, correct) ? undefined : 'bad_signature';
}

function judgeKey(row: KeyRow): AuthFailure | undefined {
  if (row.revoked) return 'revoked';
  return row.expired ? 'expired' : undefined;
}

/** One answer for every reason: the caller learns nothing about keys, the request log everything. */
function unauthorized(reason: AuthFailure): ApiError {
  const message = 'The API key or its signature is missing, invalid or expired. See docs/authentication.md.';
  return new ApiError('unauthorized', message, { reason });
}

function checkLimit(usage: Usage | undefined, allowed: number): void {
  if (!usage || usage.used <= allowed) return;
  const retryAfterSeconds = Math.max(1, Math.ceil((usage.resetsAtMs - Date.now()) / 1000));
  const message = `This API key's limit of ${allowed} requests an hour is reached; it resets in ${retryAfterSeconds} s.`;
  throw new ApiError('rate_limited', message, { retryAfterSeconds, reason: 'rate_limited' });
}
