// Reads a request's body with limits on size and time, as bytes (signatures cover bytes), and parses it as JSON.
import type { MiddlewareHandler } from 'hono';
import { joinBytes } from '../bytes.ts';
import { ApiError } from '../errors.ts';
import { parseSentJson } from '../exact-json.ts';
import { orTimeout } from '../waits.ts';
import { repeatedMember } from './repeated-members.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;
const MAX_DEPTH = 100;

/** Maximum members and items of a JSON body at any depth. No resource needs more, and parsing this many is fast. */
const MAX_MEMBERS = 50_000;

/** Maximum members and items of one free-form object. More do not fit into its 16 KiB. */
const MAX_FREE_MEMBERS = 16 * 1024;

/** Limits on the members and items of a body. */
export interface MemberLimits {
  /** Maximum in total, at any depth. */
  maxMembers?: number;
  /** The depth of free-form objects. Each has its own maximum. All other members and items are limited to `MAX_MEMBERS`. */
  freeFormDepth?: number;
  /** Whether a member that occurs twice in its object is an error. By default, the last one counts. */
  rejectRepeated?: boolean;
}

/** How long a body may take to arrive, in milliseconds. */
export const BODY_DEADLINES = { unknownCaller: 15_000, knownCaller: 60_000 } as const;

/** Memory overhead of a chunk, in addition to its bytes. */
const CHUNK_BYTES = 256;

/** Once more than `from` bytes of a body have arrived, at least `bytes` must arrive per window. */
export const MINIMUM_RATE = { from: 64 * 1024, bytes: 80 * 1024, windowMs: 5000 } as const;

/** Bodies with a declared size up to this are read without streaming. They have no minimum rate. */
const SMALL_BODY_BYTES = MINIMUM_RATE.from;

export const bodyTooLarge = (maxBytes: number) =>
  new ApiError('payload_too_large', `The body exceeds ${maxBytes} bytes.`, { reason: 'payload_too_large' });

const tooLate = (deadlineMs: number) =>
  requestTimeout(`The body did not arrive within ${deadlineMs / 1000} s.`);

function requestTimeout(sentence: string): ApiError {
  const message = `${sentence} Nothing was done.`;
  return new ApiError('request_timeout', message, { reason: 'request_timeout' });
}

const incompleteBody = (cause: unknown) =>
  new ApiError('malformed_body', 'The body ended before it was complete. Nothing was done.', {
    reason: 'incomplete_body',
    cause,
  });

/** The context variables that a guard sets after it has authenticated the caller. */
export interface BodyVariables {
  /** Empty if the request has no body. */
  rawBody: Uint8Array;
}

/** Middleware that throws 413 if the declared size is too large, before anything else is checked. */
export function limitDeclaredSize(): MiddlewareHandler {
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) {
      throw bodyTooLarge(MAX_BODY_BYTES);
    }
    await next();
  };
}

export interface BodyLimits {
  maxBytes?: number;
  deadlineMs: number;
  /** Minimum transfer rate, see `MINIMUM_RATE`. Default: none. */
  minimumRate?: { from: number; bytes: number; windowMs: number };
  /** Called with the memory size of each chunk when it arrives. If it throws, reading stops. */
  onChunk?(bytes: number): void;
}

/**
 * Reads the body. Throws 413 as soon as the body is too large, 408 if it arrives too late or too slowly (a stalled body occupies
 * memory), and `malformed_body` if the caller aborts the request.
 */
export async function readBody(
  request: Request,
  { maxBytes = MAX_BODY_BYTES, deadlineMs, minimumRate, onChunk = () => {} }: BodyLimits,
): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN);
  if (declared > maxBytes) throw bodyTooLarge(maxBytes);
  // Small bodies are read without streaming, which would allocate a 64 KiB buffer. A chunked body may exceed its declared size.
  if (declared <= SMALL_BODY_BYTES && !request.headers.has('transfer-encoding')) {
    onChunk(declared + CHUNK_BYTES);
    return await orTimeout(readWhole(request), deadlineMs, () => tooLate(deadlineMs));
  }
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  let length = 0;
  const count = (bytes: number) => {
    length += bytes;
    if (length > maxBytes) throw bodyTooLarge(maxBytes);
    onChunk(bytes + CHUNK_BYTES);
  };
  let pace: ReturnType<typeof setInterval> | undefined;
  const tooSlowly = new Promise<never>((_, reject) => {
    if (!minimumRate) return;
    const { from, bytes, windowMs } = minimumRate;
    let previous = 0;
    pace = setInterval(() => {
      if (length > from && length - previous < bytes) reject(requestTimeout('The body arrives too slowly.'));
      previous = length;
    }, windowMs);
  });
  try {
    return await orTimeout(Promise.race([readChunks(reader, count), tooSlowly]), deadlineMs, () =>
      tooLate(deadlineMs),
    );
  } catch (error) {
    // Stops receiving the rest of the body.
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearInterval(pace);
  }
}

/**
 * Receives what has not been read of a body, without keeping it. Some clients get a connection error instead of the response if they
 * are still sending when the connection is closed.
 */
export async function discardBody({ body, bodyUsed }: Request): Promise<void> {
  if (!body || bodyUsed) return;
  const reader = body.getReader();
  const receive = async () => {
    let length = 0;
    for (let end = false; !end && length <= MAX_BODY_BYTES; ) {
      const { done, value } = await reader.read();
      end = done;
      length += value?.byteLength ?? 0;
    }
  };
  const deadlineMs = BODY_DEADLINES.knownCaller;
  await orTimeout(receive(), deadlineMs, () => tooLate(deadlineMs)).catch(() =>
    reader.cancel().catch(() => {}),
  );
}

async function readWhole(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw incompleteBody(error);
  }
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  count: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw incompleteBody(error);
    });
    if (done) break;
    count(value.byteLength);
    chunks.push(value);
  }
  return joinBytes(chunks);
}

/** The media type of the body in lowercase, without parameters; empty if there is none. */
export function mediaTypeOf(request: Request): string {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

export function isJson(mediaType: string): boolean {
  return mediaType === 'application/json' || /^application\/[^/\s]+\+json$/.test(mediaType);
}

/** Throws 415 for a compressed body. Bodies are not decompressed, and signatures cover the bytes as sent. */
export function checkEncoding(request: Request): void {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || encoding === 'none') return;
  throw new ApiError(
    'unsupported_media_type',
    'Compressed bodies are not supported. Send the body without Content-Encoding.',
  );
}

/** Throws 415 unless the body is uncompressed JSON. A request without a body needs no media type. */
export function checkMediaType(request: Request, body: Uint8Array): void {
  if (body.byteLength === 0) return;
  checkEncoding(request);
  if (!isJson(mediaTypeOf(request))) throw notJson();
}

export const notJson = (): ApiError =>
  new ApiError(
    'unsupported_media_type',
    'Unsupported media type. Send JSON with Content-Type: application/json.',
  );

interface Measures {
  /** Deepest nesting of arrays and objects. */
  depth: number;
  /** Members and items in total. */
  members: number;
  /** Members and items outside free-form objects. */
  fixed: number;
  /** Members and items of the largest free-form object. */
  largest: number;
}

/** Measures JSON text without parsing it and without recursion. */
function measure(text: string, freeFormDepth: number): Measures {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let fixed = 0;
  let largest = 0;
  let current = 0;
  const count = () => {
    members++;
    if (depth < freeFormDepth) fixed++;
    else largest = Math.max(largest, ++current);
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
      if (depth === freeFormDepth) current = 0;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return { depth: deepest, members, fixed, largest };
}

/** Parses the body as a JSON object. Throws `malformed_body` if it is not one or exceeds the limits. */
export function parseJsonObject(
  body: Uint8Array,
  { maxMembers = MAX_MEMBERS, freeFormDepth = Number.POSITIVE_INFINITY, rejectRepeated }: MemberLimits = {},
): Record<string, unknown> {
  if (body.byteLength === 0) throw new ApiError('malformed_body', 'A JSON body is required.');
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
      const message = `JSON has more than ${MAX_MEMBERS} members and items outside free-form objects.`;
      throw new ApiError('malformed_body', message);
    }
    if (largest > MAX_FREE_MEMBERS) {
      throw new ApiError(
        'malformed_body',
        `A free-form object has more than ${MAX_FREE_MEMBERS} members and items.`,
      );
    }
    value = parseSentJson(text);
    const repeated = rejectRepeated ? repeatedMember(text) : undefined;
    if (repeated !== undefined) {
      const message = `The body has the member ${JSON.stringify(repeated.slice(0, 64))} twice in the same object.`;
      throw new ApiError('malformed_body', message);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('malformed_body', 'The body is not valid UTF-8 JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('malformed_body', 'The body must be a JSON object.');
  }
  return { ...value };
}
