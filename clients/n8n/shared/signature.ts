// Signs requests and verifies webhooks with HMAC-SHA256, by WebCrypto.

const encoder = new TextEncoder();
const hmac = { name: 'HMAC', hash: 'SHA-256' };

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const importKey = (bytes: Uint8Array<ArrayBuffer>, usage: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', bytes, hmac, false, [usage]);

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

export interface SignedRequest {
  method: string;
  /** The path that starts with the function's name, with the query exactly as sent. */
  target: string;
  body: string;
}

/** The value of `Authorization` for a request that is signed with an API key (SVC-SIGN-V1). It is valid for five minutes. */
export async function signedAuthorization(
  apiKey: string,
  { method, target, body }: SignedRequest,
): Promise<string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const digest = hex(await crypto.subtle.digest('SHA-256', encoder.encode(body)));
  const key = await importKey(encoder.encode(apiKey), 'sign');
  const content = encoder.encode([timestamp, method, target, digest].join('\n'));
  return `SVC-SIGN-V1 ${apiKey}:${timestamp}:${hex(await crypto.subtle.sign(hmac, key, content))}`;
}

/** Signed times that differ more from now are not accepted. */
const TOLERANCE_SECONDS = 300;

export interface Delivery {
  id: string;
  timestamp: string;
  /** Signatures, separated by spaces. */
  signature: string;
  /** As received. */
  body: Uint8Array;
}

/** Whether a delivery is signed with a generated secret (`whsec_...`), as Standard Webhooks specifies, and recent. */
export async function isAuthentic(delivery: Delivery, secret: string): Promise<boolean> {
  const { id, timestamp, signature, body } = delivery;
  if (!/^\d+$/.test(timestamp) || !secret.startsWith('whsec_')) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const key = await importKey(fromBase64(secret.slice('whsec_'.length)), 'verify');
  const content = Uint8Array.from([...encoder.encode(`${id}.${timestamp}.`), ...body]);
  for (const one of signature.split(' ').filter((text) => text.startsWith('v1,'))) {
    if (await crypto.subtle.verify(hmac, key, fromBase64(one.slice('v1,'.length)), content)) return true;
  }
  return false;
}
