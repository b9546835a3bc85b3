// Authenticates OAuth clients at the token endpoint, and revokes access tokens.

import { constantTimeEqual, sha256Hex } from '../crypto.ts';
import { type Database, oneRow, type Statement, type Transaction } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type AccessToken, callerOf, type TokenHolder, type TokenSubject } from './access-tokens.ts';
import type { NamingVariant } from './context.ts';
import { type Counter, limits, rateLimited, type Usage } from './request-counter.ts';
import { rejectClosedTenant, type TenantLocation } from './tenant-moves.ts';

export interface ClientCredentials {
  clientId: string;
  clientSecret: string;
}

/** Returns the authenticated client. Throws 401, 421 if its tenant has moved, or 429 after too many failed attempts. */
export type ClientAuthenticator = (
  request: RequestContext,
  credentials: ClientCredentials,
  log: Logger,
) => Promise<TokenSubject>;

interface ClientRow extends TenantLocation {
  tenant_id: string;
  client_id: string;
  scopes: string[];
  variant: NamingVariant;
  plan: string;
  requests_per_minute: number;
  revoked: boolean;
  /** SHA-256 hashes (hex). There are two for a day after a rotation. */
  secret_hashes: string[];
}

/** Format of client ids (RFC 6749, appendix A). Other values match no client and are not sent to Postgres. */
const CLIENT_ID = /^[\x20-\x7e]{1,200}$/;
/** Compared with the secret's hash if the client does not exist, so that the response takes as long. No known input has this hash. */
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
    rejectGuessing(soFar.filter(({ used, max }) => used >= max));

    const hash = sha256Hex(clientSecret);
    const hashes = row && row.secret_hashes.length > 0 ? row.secret_hashes : [NO_HASH];
    // Compares with all hashes, so that the response time does not reveal which one matches.
    const secretIsRight = hashes.map((valid) => constantTimeEqual(hash, valid)).includes(true);
    if (row && secretIsRight && !row.revoked) {
      rejectClosedTenant(row);
      return subjectOf(row);
    }
    // The failure is counted before the response is sent, so that parallel attempts cannot exceed the limit either.
    rejectGuessing((await failures.add()).filter(({ used, max }) => used > max));
    throw invalidClient(!row ? 'unknown_client' : row.revoked ? 'revoked' : 'wrong_secret');
  };
}

async function findOAuthClient(database: Database, clientId: string): Promise<ClientRow | undefined> {
  const [row] = await database.asLogin<ClientRow>(
    'reads',
    (sql) => sql`
      select tenant_id, client_id, scopes, variant, plan, requests_per_minute, revoked, secret_hashes, closed, moved_to
      from app.find_caller_client(${clientId})`,
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

/** The same message for every reason, so that callers learn nothing about clients. The request log contains the reason. */
export function invalidClient(
  reason: 'missing' | 'malformed' | 'unknown_client' | 'revoked' | 'wrong_secret',
) {
  const message = 'The client is unknown or revoked, or its secret is missing or wrong.';
  return new ApiError('unauthorized', message, { reason });
}

type Failures = Usage & { max: number };

/** Counters of failed attempts for this client id and address. Counters that Redis does not return are left out. */
function failuresOf(counter: Counter, clientId: string, address: string, log: Logger) {
  const read = async (how: 'peek' | 'count'): Promise<Failures[]> => {
    // Callers without a known address share no counter, because one of them could lock out the others.
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
  return { soFar: () => read('peek'), add: () => read('count') };
}

function rejectGuessing(reached: Failures[]): void {
  if (reached.length === 0) return;
  throw rateLimited('Too many failed attempts.', Math.max(...reached.map(({ resetsAtMs }) => resetsAtMs)));
}

/** Revokes a client's token, effective from the next request. Without a token it runs the same query with no effect. */
export async function revokeAccessToken(
  database: Database,
  clientId: string,
  token: AccessToken | undefined,
): Promise<void> {
  await database.asLogin(
    'writes',
    (sql) => sql`
      select app.revoke_token(${clientId}, ${token?.tokenId ?? null}::uuid, ${token?.expiresAt ?? null}::timestamptz)`,
  );
}

/** The scopes that a client or person of the tenant has at the moment. */
export async function currentScopesOf(read: Transaction, holder: TokenHolder): Promise<string[]> {
  const { kind, id } = callerOf(holder);
  const rows = await read(
    (sql): Statement<{ scopes: string[] | null }> =>
      sql`select app.scopes_of_caller(${kind}, ${id}) as scopes`,
  );
  return oneRow(rows).scopes ?? [];
}
