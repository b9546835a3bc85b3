// Reads and validates the header Idempotency-Key.

import { sha256Hex } from '../crypto.ts';
import { ApiError, invalid } from '../errors.ts';
import { exactDigits } from '../exact-json.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

export const isIdempotencyKey = (text: string): boolean => KEY.test(text);

/** Returns the request's key, or undefined if it has none. Throws 400 if it is malformed. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  const rule = 'must have 1 to 255 characters, only visible ASCII';
  throw invalid('header', 'Idempotency-Key', rule, 'malformed_idempotency_key');
}

export function keyReused(): ApiError {
  const message = 'This Idempotency-Key was already used for a different request. Use a new key.';
  return new ApiError('idempotency_key_reused', message, { reason: 'idempotency_key_reused' });
}

export function keyInUse(): ApiError {
  const message = 'A request with this Idempotency-Key is still in progress. Retry after 1 s.';
  return new ApiError('idempotency_key_in_use', message, {
    retryAfterSeconds: 1,
    reason: 'idempotency_key_in_use',
  });
}

/**
 * Sorts members, so that their order does not matter. Keeps objects distinct from arrays, 1e400 distinct from null, and numbers that
 * doubles cannot hold distinct from each other.
 */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => canonicalMember(value, String(index), item));
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([name, member]) => [name, canonicalMember(value, name, member)]) };
}

function canonicalMember(parent: object, name: string, member: unknown): unknown {
  const digits = exactDigits(parent, name);
  return digits === undefined ? canonical(member) : { number: digits };
}

/** SHA-256 (hex) of a request's method, path, body and further inputs that determine its response. */
export function fingerprintOf(method: string, path: string, body: unknown, ...others: string[]): string {
  const text = JSON.stringify([method, path, canonical(body), ...others]);
  return sha256Hex(text);
}
