// API keys: the `Authorization` header and its signature SVC-SIGN-V1, the lookup of a key (`app.find_caller_key`) and its use
// (`app.touch_api_key`).
import { createHmac } from 'node:crypto';
import { sha256Hex } from '../crypto.ts';
import type { Database } from '../db/database.ts';
import type { TenantLocation } from './tenant-moves.ts';

export interface ApiKeyRow extends TenantLocation {
  id: string;
  tenant_id: string;
  scopes: string[];
  requests_per_hour: number;
  expired: boolean;
  revoked: boolean;
  address_allowed: boolean;
  /** Whether its last use was recorded more than a minute ago. */
  touch_due: boolean;
}

/** Finds the key with this SHA-256 (hex), including revoked and expired ones. */
export async function findApiKey(
  database: Database,
  hash: string,
  address: string | undefined,
): Promise<ApiKeyRow | undefined> {
  const [row] = await database.asLogin<ApiKeyRow>(
    'reads',
    (sql) => sql`
      select id, tenant_id, scopes, requests_per_hour, expired, revoked, address_allowed, touch_due, closed, moved_to
      from app.find_caller_key(decode(${hash}, 'hex'), ${address ?? null})`,
  );
  return row;
}

/** Records that the key was used. */
export async function touchApiKey(database: Database, { id, tenant_id: tenantId }: ApiKeyRow): Promise<void> {
  await database.transaction(
    { role: 'api', tenantId, hasWritten: true },
    (sql) => sql`select app.touch_api_key(${id})`,
  );
}

export type AuthFailure =
  | 'missing'
  | 'malformed'
  | 'unknown_key'
  | 'wrong_environment'
  | 'revoked'
  | 'expired'
  | 'stale_timestamp'
  | 'bad_signature'
  | 'address_not_allowed';

export interface Credentials {
  apiKey: string;
  /** Absent for `Bearer`. */
  signature?: { timestamp: string; value: string };
}

const SIGNED = /^SVC-SIGN-V1 ([^:\s]+):(\d{1,12}):([^:\s]*)$/;
const BEARER = /^Bearer +(\S+)$/i;

/** Returns the credentials, or the reason if the header is missing or malformed. */
export function parseAuthorization(
  header: string | undefined,
  allowBearer: boolean,
): Credentials | AuthFailure {
  if (!header) return 'missing';
  const [, apiKey = '', timestamp = '', value = ''] = SIGNED.exec(header) ?? [];
  if (apiKey) return { apiKey, signature: { timestamp, value } };
  const bearer = allowBearer ? BEARER.exec(header)?.[1] : undefined;
  return bearer ? { apiKey: bearer } : 'malformed';
}

interface SignedRequest {
  /** Unix time in seconds, as sent. */
  timestamp: string;
  method: string;
  /** The path starting with the function's name, and the query exactly as sent. */
  target: string;
  /** The raw body; empty if the request has none. */
  body: Uint8Array;
}

/**
 * SVC-SIGN-V1: the lowercase hex HMAC-SHA256, keyed with the API key's bytes, of four lines joined by a line feed: timestamp, uppercase
 * method, target, and lowercase hex SHA-256 of the body.
 */
export function signRequest(apiKey: string, { timestamp, method, target, body }: SignedRequest): string {
  const digest = sha256Hex(body);
  const message = [timestamp, method.toUpperCase(), target, digest].join('\n');
  return createHmac('sha256', apiKey).update(message).digest('hex');
}
