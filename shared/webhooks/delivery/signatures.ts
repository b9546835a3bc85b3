// How deliveries are signed: one way for each interface, and the Standard Webhooks way for both.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const SECRET_BYTES = 24;

/** A new secret as Standard Webhooks has them: `whsec_` and random bytes in base64. */
export const generateSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

const hexHmac = (secret: string, ...parts: (string | Uint8Array)[]): string => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};

/** `t=<unix>,v1=<hex>`, with one `v1` for each secret: HMAC-SHA256 over `<t>.<body>`; its key is the secret as text. */
export function paySignature(secrets: string[], timestamp: number, body: Uint8Array): string {
  return [`t=${timestamp}`, ...secrets.map((secret) => `v1=${hexHmac(secret, `${timestamp}.`, body)}`)].join(
    ',',
  );
}

/** `sha256=<hex>`: HMAC-SHA256 over the body; its key is the secret as text. */
export function serviceSignature(secret: string, body: Uint8Array): string {
  return `sha256=${hexHmac(secret, body)}`;
}

/** The bytes that a secret stands for: base64 after `whsec_`, or else those of the text. */
function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  if (!encoded || !BASE64.test(encoded)) return new TextEncoder().encode(secret);
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}

/** `webhook-signature` of Standard Webhooks: `v1,<base64>` for each secret, over `<id>.<timestamp>.<body>`. */
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
