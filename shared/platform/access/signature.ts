// SVC-SIGN-V1: how a caller signs a request with its API key.
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  /** Unix time in seconds, as sent. */
  timestamp: string;
  method: string;
  /** Path from the function's name on, with the query exactly as sent. */
  target: string;
  /** The raw body; empty when there is none. */
  body: Uint8Array;
}

/**
 * Lower-case hex HMAC-SHA256, with the API key's own bytes as key, over four lines joined by a line feed: timestamp,
 * method in upper case, target, and the lower-case hex SHA-256 of the body.
 */
export function signRequest(apiKey: string, { timestamp, method, target, body }: SignedRequest): string {
  const digest = createHash('sha256').update(body).digest('hex');
  const message = [timestamp, method.toUpperCase(), target, digest].join('\n');
  return createHmac('sha256', apiKey).update(message).digest('hex');
}
