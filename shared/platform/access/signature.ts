// SVC-SIGN-V1: the signature of a request with an API key.
import { createHash, createHmac } from 'node:crypto';

export interface SignedRequest {
  /** Unix time in seconds, as sent. */
  timestamp: string;
  method: string;
  /** The path starting with the function's name, and the query exactly as sent. */
  target: string;
  /** The raw body; empty if the request has none. */
  body: Uint8Array;
}

/**
 * Returns the lowercase hex HMAC-SHA256, keyed with the API key's bytes, of four lines joined by a line feed: timestamp, uppercase
 * method, target, and lowercase hex SHA-256 of the body.
 */
export function signRequest(apiKey: string, { timestamp, method, target, body }: SignedRequest): string {
  const digest = createHash('sha256').update(body).digest('hex');
  const message = [timestamp, method.toUpperCase(), target, digest].join('\n');
  return createHmac('sha256', apiKey).update(message).digest('hex');
}
