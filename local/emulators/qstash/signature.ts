/** The `Upstash-Signature` that a destination verifies with the signing keys. */
import { createHash, createHmac, randomUUID } from 'node:crypto';

const LIFETIME_S = 300;

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/**
 * An HS256 JWT over the destination and the body, valid for five minutes from now.
 *
 * @param url the destination exactly as it was published; it becomes `sub`
 * @param body the raw bytes that are sent
 */
export function signDelivery(signingKey: string, url: string, body: Uint8Array): string {
  // The verifier reads its own real clock, so this can't follow the emulator's.
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
