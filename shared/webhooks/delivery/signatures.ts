// Signatures of deliveries: one format per interface, and Standard Webhooks for both.

import { Buffer } from 'node:buffer';
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from 'node:crypto';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const SECRET_BYTES = 24;

/** A new secret in the format of Standard Webhooks: `whsec_` and random bytes in base64. */
export const generateSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

const hexHmac = (secret: string, ...parts: (string | Uint8Array)[]): string => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};

/** `t=<unix>,v1=<hex>`, with one `v1` per secret: HMAC-SHA256 of `<t>.<body>` with the text of the secret as key. */
export function paySignature(secrets: string[], timestamp: number, body: Uint8Array): string {
  return [`t=${timestamp}`, ...secrets.map((secret) => `v1=${hexHmac(secret, `${timestamp}.`, body)}`)].join(
    ',',
  );
}

/** `sha256=<hex>`: HMAC-SHA256 of the body with the text of the secret as key. */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${hexHmac(secret, body)}`;
}

/** The key bytes of a secret: decoded base64 after `whsec_`, or otherwise the bytes of the text. */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  if (!encoded || !BASE64.test(encoded)) return new TextEncoder().encode(secret);
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

/** `webhook-signature` of Standard Webhooks: `v1,<base64>` for each secret, computed over `<id>.<timestamp>.<body>`. */
export function standardSignature(
  secrets: string[],
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const sign = (secret: string) =>
    createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ');
}

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

const privateKeyFrom = (stored: string) =>
  createPrivateKey({ key: Buffer.from(stored, 'base64'), ...STORED });

/** The public key of a private key. */
export function publicKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(privateKeyFrom(privateKey)).export({ format: 'jwk' });
  return `${PUBLIC_PREFIX}${Buffer.from(x, 'base64url').toString('base64')}`;
}

/** `v1a,<base64>`: the Ed25519 signature of `<id>.<timestamp>.<body>`. */
export function asymmetricSignature(
  privateKey: string,
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const content = Buffer.concat([new TextEncoder().encode(`${id}.${timestamp}.`), body]);
  return `v1a,${sign(null, content, privateKeyFrom(privateKey)).toString('base64')}`;
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
