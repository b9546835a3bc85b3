// Creates the key that signs access tokens (`access-tokens.ts`).
import { generateKeyPairSync } from 'node:crypto';

/** Returns a new private key for ES256 as JWK text. Node only: the edge runtime does not support this export. */
export function createSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify(privateKey.export({ format: 'jwk' }));
}
