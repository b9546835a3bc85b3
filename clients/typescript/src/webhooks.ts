/** Verifies webhooks: the own signatures of both interfaces, and those of Standard Webhooks, by secret and by public key. */
import { parseJson } from './core/answers.ts';
import { OptionsError, PlacarError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import type { Variant } from './records/types.ts';

export { OptionsError, PlacarError } from './errors.ts';
export type { EventOf, EventType, WebhookEvent } from './events.ts';

export interface VerifyOptions {
  /** How old, or early, a signed time may be. 300 unless given. */
  toleranceSeconds?: number;
  /** Refuses deliveries whose only signature has no time, so that none can be sent again later. */
  requireTimestamp?: boolean;
}

/** A `Request`, or what a server has of one: its headers and the bytes of the body as they came. */
export type WebhookRequest =
  | Request
  | {
      headers: Headers | Record<string, string | string[] | undefined>;
      body: string | Uint8Array<ArrayBuffer> | ArrayBuffer;
    };

/** `code` is `signature_missing`, `signature_invalid`, `timestamp_stale` or `body_invalid`. Answer 401. */
export class WebhookVerificationError extends PlacarError {}

const encoder = new TextEncoder();

/**
 * The event of a request whose signature is right and recent.
 *
 * Its type is that of variant A unless another one is named: `verifyWebhook<'b'>(request, secret)`.
 *
 * @param secret the webhook's secret, while it is rotated both, the old and the new one; or its `public_key`, or both. What each verifies
 *   must be right.
 * @throws WebhookVerificationError; an OptionsError where the program is at fault: no secret, or a body that was parsed
 */
export async function verifyWebhook<V extends Variant = 'a'>(
  request: WebhookRequest,
  secret: string | readonly string[],
  { toleranceSeconds = 300, requireTimestamp = false }: VerifyOptions = {},
): Promise<WebhookEvent<V>> {
  const given = [secret].flat().filter(Boolean);
  if (given.length === 0)
    throw wrongCall('a secret or a public key must be given: without one anybody could have sent this');
  const body = await bytesOf(request);
  const forms = signaturesOf(headerOf(request.headers), given);
  if (forms.length === 0) throw failure('signature_missing', 'The request has no signature.');
  if (requireTimestamp && forms.every(({ time }) => time === undefined)) {
    throw failure('signature_missing', 'The request has no signature with a time.');
  }
  for (const { time, prefix, signatures, algorithm, keys } of forms) {
    const content = concat(encoder.encode(prefix), body);
    if (!(await anyMatches(algorithm, keys, signatures, content))) {
      throw failure('signature_invalid', 'The signature is not right for this body and secret.');
    }
    // Number('') is 0, and of anything else but digits NaN.
    if (time !== undefined && !(Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSeconds)) {
      throw failure('timestamp_stale', `The signed time is more than ${toleranceSeconds} s off.`);
    }
  }
  const event = parseJson(new TextDecoder().decode(body));
  if (!isEvent<V>(event)) throw failure('body_invalid', 'The body is no event.');
  return event;
}

const wrongCall = (message: string) => new OptionsError(message, { code: 'invalid_options' });
const failure = (code: string, message: string) => new WebhookVerificationError(message, { code });

function isEvent<V extends Variant>(value: unknown): value is WebhookEvent<V> {
  return typeof value === 'object' && value !== null && 'type' in value && 'data' in value && 'id' in value;
}

/** One way in which a request is signed. */
interface Form {
  /** The signed time; undefined where the form has none. */
  time: string | undefined;
  /** What stands before the body in what is signed. */
  prefix: string;
  signatures: Uint8Array<ArrayBuffer>[];
  algorithm: typeof HMAC | typeof ED25519;
  keys: Uint8Array<ArrayBuffer>[];
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' } as const;
const ED25519 = { name: 'Ed25519' } as const;
const PUBLIC_PREFIX = 'whpk_';

/** Those that the request has and these secrets and public keys can verify: each of them must be right. */
function signaturesOf(header: (name: string) => string | undefined, given: string[]): Form[] {
  const publicKeys = given.filter((text) => text.startsWith(PUBLIC_PREFIX));
  const secrets = given.filter((text) => !text.startsWith(PUBLIC_PREFIX));
  const forms: Form[] = [];
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
    if (secrets.length > 0) forms.push({ time, prefix, ...hmac });
    if (publicKeys.length > 0) forms.push({ time, prefix, ...ed25519 });
  }
  // The forms below are made with the secret alone.
  if (secrets.length === 0) return forms;
  const own = { algorithm: HMAC, keys: secrets.map(textKey) };
  if (pay) {
    const values = (name: string) =>
      pay
        .split(',')
        .flatMap((text) => (text.trim().startsWith(`${name}=`) ? text.trim().slice(name.length + 1) : []));
    const time = values('t')[0] ?? '';
    forms.push({ time, prefix: `${time}.`, signatures: values('v1').flatMap(fromHex), ...own });
  }
  if (service) {
    const signatures = service.startsWith('sha256=') ? fromHex(service.slice(7)) : [];
    forms.push({ time: undefined, prefix: '', signatures, ...own });
  }
  return forms;
}

const textKey = (secret: string) => encoder.encode(secret);

/** What stands after `whsec_` in base64; a secret of another form is taken as its bytes. */
function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const [decoded] = secret.startsWith('whsec_') ? fromBase64(secret.slice(6)) : [];
  return decoded && decoded.length > 0 ? decoded : textKey(secret);
}

/** What stands after `whpk_`: nothing where that is no key. */
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
  algorithm: Form['algorithm'],
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

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

async function bytesOf(request: WebhookRequest): Promise<Uint8Array<ArrayBuffer>> {
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer());
  const { body } = request;
  if (typeof body === 'string') return encoder.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw wrongCall('body must be the bytes or the text that came: what was parsed has no signature any more');
}

/** Looks a header up without case. */
function headerOf(headers: WebhookRequest['headers']): (name: string) => string | undefined {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined;
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()[0]]),
  );
  return (name) => byName.get(name);
}
