// Builds the signed request of a delivery: the event as JSON and the headers of its interface. Also the secrets and keys that sign it.
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
import type { Renderers } from '../event.ts';
import type { OutgoingRequest } from './http-client.ts';
import type { DueDelivery } from './queries.ts';

/** The members of a delivery that its request depends on. */
type Deliverable = Pick<
  DueDelivery,
  | 'id'
  | 'interface'
  | 'eventId'
  | 'type'
  | 'data'
  | 'origin'
  | 'variant'
  | 'clientId'
  | 'createdAt'
  | 'fold'
  | 'secrets'
  | 'headers'
> & {
  /** The endpoint's private key. */
  signingKey: string;
};

/** The prefix of secrets in the format of Standard Webhooks. */
const SECRET_PREFIX = 'whsec_';
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

const privateKeyFrom = (stored: string) =>
  createPrivateKey({ key: Buffer.from(stored, 'base64'), ...STORED });

/** The public key of a private key. */
export function publicKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(privateKeyFrom(privateKey)).export({ format: 'jwk' });
  return `${PUBLIC_PREFIX}${Buffer.from(x, 'base64url').toString('base64')}`;
}

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

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The key bytes of a secret: decoded base64 after `whsec_`, or otherwise the bytes of the text. */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
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

function interfaceHeaders(
  delivery: Deliverable,
  type: string,
  timestamp: number,
  body: Uint8Array,
): Record<string, string> {
  const { id, secrets } = delivery;
  if (delivery.interface === 'payments') {
    return {
      'X-Pay-Event': type,
      'X-Pay-Delivery': id,
      'X-Pay-Signature': paySignature(secrets, timestamp, body),
    };
  }
  const [secret] = secrets;
  return {
    'X-Service-Event': type,
    'X-Service-Delivery': id,
    ...(secret && { 'X-Service-Signature': serviceSignature(secret, body) }),
  };
}

/** Builds the request of one attempt. `timestamp` is the signing time in Unix seconds. */
export function buildSignedRequest(
  delivery: Deliverable,
  renderers: Renderers,
  timestamp: number,
  toJson: (payload: object) => string = JSON.stringify,
): OutgoingRequest {
  const { id, eventId, createdAt, secrets, signingKey, type, data, origin, variant, clientId, fold } =
    delivery;
  const render = renderers[delivery.interface];
  const event = {
    id: eventId,
    type,
    createdAt: createdAt.toISOString(),
    data,
    origin,
    variant,
    clientId,
    fold,
  };
  const payload = render(event);
  const body = new TextEncoder().encode(toJson(payload));
  const signatures = [
    ...(secrets.length > 0 ? [standardSignature(secrets, id, timestamp, body)] : []),
    asymmetricSignature(signingKey, id, timestamp, body),
  ];
  const headers = {
    ...delivery.headers,
    'User-Agent': 'Placar-Webhooks/1.0',
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    'Content-Type': 'application/json',
    ...interfaceHeaders(delivery, payload.type, timestamp, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  return { headers, body };
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
