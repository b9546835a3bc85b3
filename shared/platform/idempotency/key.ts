// The header Idempotency-Key, and what is wrong with one.

import { createHash } from 'node:crypto';
import { ApiError } from '../errors.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's key; nothing where it has none. Throws 400. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (KEY.test(key)) return key;
  throw new ApiError('validation', 'Fix this header.', {
    details: [
      { field: 'Idempotency-Key', message: 'must have 1 to 255 characters, all of them visible ASCII' },
    ],
    reason: 'malformed_idempotency_key',
  });
}

export function keyReused(): ApiError {
  const message = 'This Idempotency-Key belongs to another request. Send a fresh key with this one.';
  return new ApiError('idempotency_key_reused', message, { reason: 'idempotency_key_reused' });
}

export function keyInUse(): ApiError {
  const message = 'The first request with this Idempotency-Key is still running. Retry in a moment.';
  return new ApiError('idempotency_key_in_use', message, {
    retryAfterSeconds: 1,
    reason: 'idempotency_key_in_use',
  });
}

/** Members in another order are the same request; an object is never the same as an array, nor 1e400 as null. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: String(value) };
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { members: members.map(([name, member]) => [name, canonical(member)]) };
}

/** SHA-256 in hex of a request's method, path and body, and of what else its answer depends on. */
export function fingerprintOf(method: string, path: string, body: unknown, ...others: string[]): string {
  const text = JSON.stringify([method, path, canonical(body), ...others]);
  return createHash('sha256').update(text).digest('hex');
}
