// The secrets and keys that sign a webhook's deliveries.

import { Buffer } from 'node:buffer';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';

/** The prefix of secrets in the format of Standard Webhooks. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 24;

/** A new secret in the format of Standard Webhooks: `whsec_` and random bytes in base64. */
export const generateSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

const PUBLIC_PREFIX = 'whpk_';
/** Storage format of private keys. */
const STORED = { format: 'der', type: 'pkcs8' } as const;

export interface WebhookSigningKey {
  /** PKCS#8 in base64. */
  privateKey: string;
  /** `whpk_` and 32 bytes in base64. */
  publicKey: string;
}

export function generateSigningKey(): WebhookSigningKey {
  const privateKey = generateKeyPairSync('ed25519').privateKey.export(STORED).toString('base64');
  return { privateKey, publicKey: publicKeyOf(privateKey) };
}

export const privateKeyFrom = (stored: string) =>
  createPrivateKey({ key: Buffer.from(stored, 'base64'), ...STORED });

/** The public key of a private key. */
export function publicKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(privateKeyFrom(privateKey)).export({ format: 'jwk' });
  return `${PUBLIC_PREFIX}${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** A public key in a key set (RFC 8037). */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
  use: 'sig';
  alg: 'EdDSA';
  /** Thumbprint of the key (RFC 7638). */
  kid: string;
}

/** The key set of a webhook (RFC 7517). */
export interface KeySet {
  keys: PublicJwk[];
}

/** The keys that verify a webhook's deliveries; empty if the webhook has no key yet. */
export function keySetOf(publicKey: string | null): KeySet {
  if (publicKey === null) return { keys: [] };
  const x = Buffer.from(publicKey.slice(PUBLIC_PREFIX.length), 'base64').toString('base64url');
  const members = { kty: 'OKP', crv: 'Ed25519', x } as const;
  // RFC 8037 requires exactly these members in alphabetical order.
  const thumbprint = JSON.stringify({ crv: members.crv, kty: members.kty, x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { keys: [{ ...members, use: 'sig', alg: 'EdDSA', kid }] };
}
