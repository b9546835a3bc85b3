// Ed25519 keys of webhooks, as Standard Webhooks have them (`v1a`): each has its own, so that what one receiver is sent does not pass at
// another's.
import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

const PUBLIC_PREFIX = 'whpk_';
/** Of a private key as it is kept. */
const KEPT = { format: 'der', type: 'pkcs8' } as const;

export interface SigningKey {
  /** PKCS#8 in base64. */
  privateKey: string;
  /** `whpk_` and its 32 bytes in base64. */
  publicKey: string;
}

export function generateSigningKey(): SigningKey {
  const privateKey = generateKeyPairSync('ed25519').privateKey.export(KEPT).toString('base64');
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

const privateKeyFrom = (kept: string) => createPrivateKey({ key: Buffer.from(kept, 'base64'), ...KEPT });

/** The other half of a private key. */
export function publicKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(privateKeyFrom(privateKey)).export({ format: 'jwk' });
  return `${PUBLIC_PREFIX}${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** `v1a,<base64>` over `<id>.<timestamp>.<body>`. */
export function asymmetricSignature(
  privateKey: string,
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const content = Buffer.concat([new TextEncoder().encode(`${id}.${timestamp}.`), body]);
  return `v1a,${sign(null, content, privateKeyFrom(privateKey)).toString('base64')}`;
}

/** A public key as a key set has it (RFC 8037). */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  use: 'sig';
  alg: 'EdDSA';
  /** Its thumbprint (RFC 7638). */
  kid: string;
}

/** The key set of a webhook (RFC 7517). */
export interface KeySet {
  keys: PublicJwk[];
}

/** The keys that verify a webhook's deliveries; none for one that was never sent anything and has no key yet. */
export function keySetOf(publicKey: string | null): KeySet {
  if (publicKey === null) return { keys: [] };
  const x = Buffer.from(publicKey.slice(PUBLIC_PREFIX.length), 'base64').toString('base64url');
  const members = { kty: 'OKP', crv: 'Ed25519', x } as const;
  // The members that RFC 8037 names, in the order of their names.
  const thumbprint = JSON.stringify({ crv: members.crv, kty: members.kty, x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { keys: [{ ...members, use: 'sig', alg: 'EdDSA', kid }] };
}
