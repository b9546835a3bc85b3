// OAuth clients: who asks for an access token, and whether it is who it says. SQL of `app.find_oauth_client`.
import { createHash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { AccessToken, TokenSubject } from './access-tokens.ts';
import { equalInConstantTime } from './constant-time.ts';
import type { NamingVariant } from './context.ts';
import { type Counter, limits, rateLimited, type Usage } from './request-counter.ts';

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** Tells who the client is, or throws 401, or 429 when there was too much guessing. */
export type ClientAuthenticator = (
  request: RequestContext,
  credentials: ClientCredentials,
  log: Logger,
) => Promise<TokenSubject>;

interface ClientRow {
  tenant_id: string;
  client_id: string;
  scopes: string[];
  variant: NamingVariant;
  plan: string;
  requests_per_minute: number;
  revoked: boolean;
  /** Two for a day after a rotation. */
  secret_hashes: string[];
}

/** What a client id is made of (RFC 6749, appendix A); anything else is nobody's, and Postgres need not take it. */
const CLIENT_ID = /^[\x20-\x7e]{1,200}$/;
/** Compared with when there is no such client, so that it takes as long. Nothing is known to hash to it. */
const NO_HASH = '0'.repeat(64);

export function createClientAuthenticator(options: {
  database: Database;
  counter: Counter;
}): ClientAuthenticator {
  const { database, counter } = options;
  return async (request, { clientId, clientSecret }, log) => {
    const id = CLIENT_ID.test(clientId) ? clientId : '';
    const failures = failuresOf(counter, id, request.address ?? '', log);
    const [row, soFar] = await Promise.all([findOAuthClient(database, id), failures.soFar()]);
    if (row) Object.assign(request, { clientId: row.client_id, tenantId: row.tenant_id });
    refuseGuessing(soFar.filter(({ used, max }) => used >= max));

    const hash = createHash('sha256').update(clientSecret).digest('hex');
    const hashes = row && row.secret_hashes.length > 0 ? row.secret_hashes : [NO_HASH];
    // All of them, so that the time does not say which one it was.
    const secretIsRight = hashes.map((valid) => equalInConstantTime(hash, valid)).includes(true);
    if (row && secretIsRight && !row.revoked) return subjectOf(row);
    // Counted before the answer: of failures that are under way together, too, no more are told apart than are allowed.
    refuseGuessing((await failures.add()).filter(({ used, max }) => used > max));
    throw invalidClient(!row ? 'unknown_client' : row.revoked ? 'revoked' : 'wrong_secret');
  };
}

async function findOAuthClient(database: Database, clientId: string): Promise<ClientRow | undefined> {
  const [row] = await database.asOwner<ClientRow>(
    'reads',
    (sql) => sql`
      select tenant_id, client_id, scopes, variant, plan, requests_per_minute, revoked, secret_hashes
      from app.find_oauth_client(${clientId})`,
  );
  return row;
}

const subjectOf = (row: ClientRow): TokenSubject => ({
  clientId: row.client_id,
  tenantId: row.tenant_id,
  scopes: row.scopes,
  plan: row.plan,
  requestsPerMinute: row.requests_per_minute,
  variant: row.variant,
});

/** One answer for every reason: the caller learns nothing about clients, the request log everything. */
export function invalidClient(
  reason: 'missing' | 'malformed' | 'unknown_client' | 'revoked' | 'wrong_secret',
) {
  const message = 'The client is unknown or revoked, or its secret is missing or wrong.';
  return new ApiError('unauthorized', message, { reason });
}

type Failures = Usage & { max: number };

/** The failures that count against this client id and address. What Redis cannot tell is left out. */
function failuresOf(counter: Counter, clientId: string, address: string, log: Logger) {
  const ask = async (how: 'peek' | 'count'): Promise<Failures[]> => {
    // Callers whose address nobody knows share none: one of them must not lock out the others.
    const usages = await Promise.all([
      counter[how]('tokenClient', `${address} ${clientId}`, log),
      address === '' ? undefined : counter[how]('tokenAddress', address, log),
    ]);
    const [client, all] = usages;
    return [
      ...(client ? [{ ...client, max: limits.tokenClient.max }] : []),
      ...(all ? [{ ...all, max: limits.tokenAddress.max }] : []),
    ];
  };
  return { soFar: () => ask('peek'), add: () => ask('count') };
}

function refuseGuessing(reached: Failures[]): void {
  if (reached.length === 0) return;
  throw rateLimited('Too many attempts failed', Math.max(...reached.map(({ resetsAtMs }) => resetsAtMs)));
}

/** Ends a client's token from the next request on; without one it asks the database all the same. */
export async function revokeAccessToken(
  database: Database,
  clientId: string,
  token: AccessToken | undefined,
): Promise<void> {
  await database.asOwner(
    'writes',
    (sql) => sql`
      select app.revoke_token(${clientId}, ${token?.tokenId ?? null}::uuid, ${token?.expiresAt ?? null}::timestamptz)`,
  );
}
