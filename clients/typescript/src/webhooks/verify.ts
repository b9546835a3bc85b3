/** Verifies webhooks: the signatures of both interfaces and those of Standard Webhooks, by secret or public key. */
import { jsonOf } from '../core/responses.ts';
import { OptionsError, PlacarError } from '../errors.ts';
import type { WebhookEvent } from '../events.ts';
import type { Variant } from '../records/types.ts';
import { concat } from './body.ts';

export interface VerifyOptions {
  /** Maximum difference between the signed time and now. Default: 300. */
  toleranceSeconds?: number;
  /**
   * Rejects deliveries without a signed time, so that removing headers does not make a replayed delivery valid. Default: true. Every delivery
   * of Placar has a signed time.
   */
  requireTimestamp?: boolean;
}

/** A `Request`, or the headers of a request and the raw bytes of its body. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Record<string, string | string[] | undefined>;
      body: string | Uint8Array<ArrayBuffer> | ArrayBuffer;
    };

/** `code` is `signature_missing`, `signature_invalid`, `timestamp_stale` or `body_invalid`. Respond with 401. */
export class WebhookVerificationError extends PlacarError {}

const encoder = new TextEncoder();

/**
 * Verifies the signature and age of a request, and returns its event.
 *
 * The event has the type of variant A by default. For another variant: `verifyWebhook<'b'>(request, secret)`.
 *
 * @param secret the webhook's secret, its `public_key`, or both. During a rotation: the old and the new secret. All signatures that
 *   they can verify must be valid.
 * @throws WebhookVerificationError if the request is not valid; OptionsError if there is no secret or the body was already parsed
 */
export async function verifyWebhook<V extends Variant = 'a'>(
  request: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, requireTimestamp = true }: VerifyOptions = {},
): Promise<WebhookEvent<V>> {
  const given = [secret].flat().filter(Boolean);
  if (given.length === 0) throw wrongCall('a secret or a public key is required');
  const body = await bytesOf(request);
  const schemes = signaturesOf(headerOf(request.headers), given);
  if (schemes.length === 0) throw failure('signature_missing', 'The request has no signature.');
  if (requireTimestamp && schemes.every(({ time }) => time === undefined)) {
    throw failure('signature_missing', 'The request has no signature with a timestamp.');
  }
  for (const { time, prefix, signatures, algorithm, keys } of schemes) {
    const content = concat([encoder.encode(prefix), body]);
    if (!(await anyMatches(algorithm, keys, signatures, content))) {
      throw failure('signature_invalid', 'The signature does not match this body and secret.');
    }
    // Number('') is 0; other non-digits give NaN.
    if (time !== undefined && !(Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSeconds)) {
      throw failure(
        'timestamp_stale',
        `The signed time differs from the current time by more than ${toleranceSeconds} s.`,
      );
    }
  }
  const event = jsonOf(new TextDecoder().decode(body));
  if (!isEvent<V>(event)) throw failure('body_invalid', 'The body is not an event.');
  return event;
}

export const wrongCall = (message: string) => new OptionsError(message, { code: 'invalid_options' });
export const failure = (code: string, message: string) => new WebhookVerificationError(message, { code });

function isEvent<V extends Variant>(value: unknown): value is WebhookEvent<V> {
  return typeof value === 'object' && value !== null && 'type' in value && 'data' in value && 'id' in value;
}

/** One signature scheme of a request. */
interface SignatureScheme {
  /** The signed time; undefined if the scheme has none. */
  time: string | undefined;
  /** Signed text before the body. */
  prefix: string;
  signatures: Uint8Array<ArrayBuffer>[];
  algorithm: typeof HMAC | typeof ED25519;
  keys: Uint8Array<ArrayBuffer>[];
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const ED25519 = { name: 'Ed25519' } as const;
export const PUBLIC_PREFIX = 'whpk_';

/** The signatures of the request that these secrets and public keys can verify. Each must be valid. */
function signaturesOf(header: (name: string) => string | undefined, given: string[]): SignatureScheme[] {
  const publicKeys = given.filter((text) => text.startsWith(PUBLIC_PREFIX));
  const secrets = given.filter((text) => !text.startsWith(PUBLIC_PREFIX));
  const schemes: SignatureScheme[] = [];
  const [standard, pay, service] = ['webhook-signature', 'x-pay-signature', 'x-service-signature'].map(
    header,
  );
  if (standard) {
    const time = header('webhook-timestamp') ?? '';
    const prefix = `${header('webhook-id') ?? ''}.${time}.`;
    const of = (version: string) =>
      standard
        .split(' ')
        .flatMap((text) => (text.startsWith(version) ? fromBase64(text.slice(version.length)) : []));
    const hmac = { signatures: of('v1,'), algorithm: HMAC, keys: secrets.map(standardKey) };
    const ed25519 = { signatures: of('v1a,'), algorithm: ED25519, keys: publicKeys.flatMap(publicKeyIn) };
    if (secrets.length > 0) schemes.push({ time, prefix, ...hmac });
    if (publicKeys.length > 0) schemes.push({ time, prefix, ...ed25519 });
  }
  // The schemes below use only secrets.
  if (secrets.length === 0) return schemes;
  const own = { algorithm: HMAC, keys: secrets.map(textKey) };
  if (pay) {
    const values = (name: string) =>
      pay
        .split(',')
        .flatMap((text) => (text.trim().startsWith(`${name}=`) ? text.trim().slice(name.length + 1) : []));
    const time = values('t')[0] ?? '';
    schemes.push({ time, prefix: `${time}.`, signatures: values('v1').flatMap(fromHex), ...own });
  }
  if (service) {
    const signatures = service.startsWith('sha256=') ? fromHex(service.slice(7)) : [];
    schemes.push({ time: undefined, prefix: '', signatures, ...own });
  }
  return schemes;
}

const textKey = (secret: string) => encoder.encode(secret);

/** Decodes the base64 after `whsec_`. A secret without the prefix is used as bytes. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const [decoded] = secret.startsWith('whsec_') ? fromBase64(secret.slice(6)) : [];
  return decoded && decoded.length > 0 ? decoded : textKey(secret);
}

/** Decodes the key after `whpk_`; undefined if it is not a key. */
const publicKeyIn = (text: string) =>
  fromBase64(text.slice(PUBLIC_PREFIX.length)).filter(({ length }) => length === 32);

function fromBase64(text: string): Uint8Array<ArrayBuffer>[] {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return [];
  return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
}

function fromHex(text: string): Uint8Array<ArrayBuffer>[] {
  if (!/^(?:[0-9a-f]{2})+$/.test(text)) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))];
}

/** WebCrypto compares in constant time. */
async function anyMatches(
  algorithm: SignatureScheme['algorithm'],
  keys: Uint8Array<ArrayBuffer>[],
  signatures: Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      if (await crypto.subtle.verify(algorithm.name, key, signature, content)) return true;
    }
  }
  return false;
}

async function bytesOf(request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> {
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw wrongCall('body must be the raw bytes or text of the request, not the parsed JSON');
}

/** Looks a header up case-insensitively. */
function headerOf(headers: WebhookRequest['headers']): (name: string) => string | undefined {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined;
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()[0]]),
  );
  return (name) => byName.get(name);
}
