// The header Idempotency-Key, and what is wrong with one.
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
