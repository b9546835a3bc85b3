// Makes the key that signs access tokens; what uses it is `access-tokens.ts`.
import { generateKeyPairSync } from 'node:crypto';

/** A fresh private key for ES256, as the text of a JWK. Node only: the edge runtime cannot export one this way. */
export function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify(privateKey.export({ format: 'jwk' }));
}
