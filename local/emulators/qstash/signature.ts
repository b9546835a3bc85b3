/** Creates the `Upstash-Signature` header, which destinations verify with the signing keys. */
import { createHash, createHmac, randomUUID } from 'node:crypto';

const LIFETIME_S = 300;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * An HS256 JWT over the destination and body, valid for five minutes.
 *
 * @param url the destination exactly as published; it becomes `sub`
 * @param body the raw bytes of the request
 */
export function signDelivery(signingKey: string, url: string, body: Uint8Array): string {
  // Verifiers use the real clock, so the emulated one cannot be used.
  const nowS = Math.floor(Date.now() / 1000);
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({
    iss: 'Upstash',
    sub: url,
    exp: nowS + LIFETIME_S,
    nbf: nowS,
    iat: nowS,
    jti: `jwt_${randomUUID()}`,
    body: createHash('sha256').update(body).digest('base64url'),
  })}`;
  return `${signed}.${createHmac('sha256', signingKey).update(signed).digest('base64url')}`;
}
