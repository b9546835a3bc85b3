// Reading a request's body: bounded, as bytes (signatures cover bytes), then as JSON.
import type { MiddlewareHandler } from 'hono';
import { ApiError } from '../errors.ts';
import { orTimeout } from '../waits.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;
const MAX_DEPTH = 100;

/** Members and items of a JSON body, however deep: more than any resource can hold, and little work to parse. */
export const MAX_MEMBERS = 50_000;

/** Of one free-form object: no more fit into its 16 KiB. */
const MAX_FREE_MEMBERS = 16 * 1024;

/** How many members and items a body may have. */
export interface MemberLimits {
  /** In all, however deep. */
  maxMembers?: number;
  /** The depth of free-form objects, which count apart: all the rest has at most `MAX_MEMBERS`, each of them its own maximum. */
  freeFormDepth?: number;
}

/** How long a body may take to come, in milliseconds. */
export const BODY_DEADLINES = { unknownCaller: 15_000, knownCaller: 60_000 } as const;

/** What a chunk takes beside its bytes, however few they are. */
const CHUNK_BYTES = 256;

/** A body that is longer than `from` brings this many bytes in each window. */
export const MINIMUM_RATE = { from: 64 * 1024, bytes: 80 * 1024, windowMs: 5000 } as const;

/** Bodies up to it are read at once. No rate is asked of these. */
const SMALL_BODY_BYTES = MINIMUM_RATE.from;

const tooLarge = (maxBytes: number) =>
  new ApiError('payload_too_large', `The body exceeds ${maxBytes} bytes.`, { reason: 'payload_too_large' });

const late = (deadlineMs: number) => tooSlow(`The body did not come within ${deadlineMs / 1000} s.`);

function tooSlow(sentence: string): ApiError {
  const message = `${sentence} Nothing was done.`;
  return new ApiError('request_timeout', message, { reason: 'request_timeout' });
}

const cutShort = (cause: unknown) =>
  new ApiError('malformed_body', 'The body ended before it was complete. Nothing was done.', {
    reason: 'incomplete_body',
    cause,
  });

/** What a guard sets once it knows enough of the caller. */
export interface BodyVariables {
  /** Empty when there is none. */
  rawBody: Uint8Array;
}

/** Refuses by the declared size, before anything is looked at. Throws 413. */
export function limitDeclaredSize(): MiddlewareHandler {
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) {
      throw tooLarge(MAX_BODY_BYTES);
    }
    await next();
  };
}

export interface BodyLimits {
  maxBytes?: number;
  deadlineMs: number;
  /** How fast it must come; no matter when absent. */
  minimumRate?: { from: number; bytes: number; windowMs: number };
  /** Told what each chunk takes as it comes; what it throws ends the reading. */
  onChunk?(bytes: number): void;
}

/**
 * The body's bytes. Stops reading and throws 413 as soon as there are too many, and 408 when they do not come in time: a
 * body that stalls holds memory for as long as somebody waits for it. One that the caller breaks off is malformed.
 */
export async function readBody(
  request: Request,
  { maxBytes = MAX_BODY_BYTES, deadlineMs, minimumRate, onChunk = () => {} }: BodyLimits,
): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  // A small one is taken whole: as a stream each would come through a buffer of 64 KiB. One in chunks is as long as it likes.
  if (declared <= SMALL_BODY_BYTES && !request.headers.has('transfer-encoding')) {
    onChunk(declared + CHUNK_BYTES);
    return await orTimeout(readWhole(request), deadlineMs, () => late(deadlineMs));
  }
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  let length = 0;
  const count = (bytes: number) => {
    length += bytes;
    if (length > maxBytes) throw tooLarge(maxBytes);
    onChunk(bytes + CHUNK_BYTES);
  };
  let pace: ReturnType<typeof setInterval> | undefined;
  const tooSlowly = new Promise<never>((_, reject) => {
    if (!minimumRate) return;
    const { from, bytes, windowMs } = minimumRate;
    let before = 0;
    pace = setInterval(() => {
      if (length > from && length - before < bytes) reject(tooSlow('The body comes too slowly.'));
      before = length;
    }, windowMs);
  });
  try {
    return await orTimeout(Promise.race([readChunks(reader, count), tooSlowly]), deadlineMs, () =>
      late(deadlineMs),
    );
  } catch (error) {
    // Whoever still sends is not listened to.
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearInterval(pace);
  }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw cutShort(error);
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  count: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw cutShort(error);
    });
    if (done) break;
    count(value.byteLength);
    chunks.push(value);
  }
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const body = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return body;
}

/** Media type of the body in lower case, without parameters; empty when none is given. */
export function mediaTypeOf(request: Request): string {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || /^application\/[^/\s]+\+json$/.test(mediaType);
}

/** Throws 415 for a body that is compressed: nothing here unpacks one, and signatures are over what was sent. */
export function checkEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || encoding === 'none') return;
  throw new ApiError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
}

/** Throws 415 unless the body's media type is JSON, sent as it is. A call without a body needs none. */
export function checkMediaType(request: Request, body: Uint8Array): void {
  if (body.byteLength === 0) return;
  checkEncoding(request);
  if (isJson(mediaTypeOf(request))) return;
  throw new ApiError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
}

interface Measures {
  /** Deepest nesting of arrays and objects. */
  depth: number;
  /** Members and items in all. */
  members: number;
  /** Those above the depth of free-form objects. */
  fixed: number;
  /** Those of the largest value at that depth. */
  largest: number;
}

/** Measures a JSON text without recursion. */
function measure(text: string, freeFormDepth: number): Measures {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let fixed = 0;
  let largest = 0;
  let ofThis = 0;
  const count = () => {
    members++;
    if (depth < freeFormDepth) fixed++;
    else largest = Math.max(largest, ++ofThis);
  };
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x2c) count();
    else if (char === 0x7b || char === 0x5b) {
      count();
      deepest = Math.max(deepest, ++depth);
      if (depth === freeFormDepth) ofThis = 0;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return { depth: deepest, members, fixed, largest };
}

/** The body as a JSON object. Throws `malformed_body` for anything else. */
export function parseJsonObject(
  body: Uint8Array,
  { maxMembers = MAX_MEMBERS, freeFormDepth = Number.POSITIVE_INFINITY }: MemberLimits = {},
): Record<string, unknown> {
  if (body.byteLength === 0) throw new ApiError('malformed_body', 'A JSON body is needed.');
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const { depth, members, fixed, largest } = measure(text, freeFormDepth);
    if (depth > MAX_DEPTH) {
      throw new ApiError('malformed_body', `JSON is nested deeper than ${MAX_DEPTH} levels.`);
    }
    if (members > maxMembers) {
      throw new ApiError('malformed_body', `JSON has more than ${maxMembers} members and items.`);
    }
    if (fixed > Math.min(maxMembers, MAX_MEMBERS)) {
      const message = `JSON has more than ${MAX_MEMBERS} members and items beside those of free-form objects.`;
      throw new ApiError('malformed_body', message);
    }
    if (largest > MAX_FREE_MEMBERS) {
      throw new ApiError(
        'malformed_body',
        `A free-form object has more than ${MAX_FREE_MEMBERS} members and items.`,
      );
    }
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('malformed_body', 'The body is not valid JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('malformed_body', 'The body must be a JSON object.');
  }
  return { ...value };
}
