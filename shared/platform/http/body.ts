// Reading a request's body: bounded, as bytes (signatures cover bytes), then as JSON.
import type { MiddlewareHandler } from 'hono';
import { ApiError } from '../errors.ts';

export const MAX_BODY_BYTES = 6 * 1024 * 1024;
const MAX_DEPTH = 100;

const tooLarge = () => new ApiError('payload_too_large', `The body exceeds ${MAX_BODY_BYTES} bytes.`);

/** What `readRawBody` sets. */
export interface BodyVariables {
  /** Empty when there is none. */
  rawBody: Uint8Array;
}

/** Refuses by the declared size, before anything is looked at. Throws 413. */
export function limitDeclaredSize(): MiddlewareHandler {
  return async (c, next) => {
    if (Number(c.req.header('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge();
    await next();
  };
}

/** Reads the body for those behind it. Throws 413. */
export function readRawBody(): MiddlewareHandler<{ Variables: BodyVariables }> {
  return async (c, next) => {
    c.set('rawBody', await readBody(c.req.raw));
    await next();
  };
}

/** The body's bytes. Stops reading and throws 413 as soon as there are too many. */
export async function readBody(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  // The declared size was checked, and a server hands over no more than that; read at once it costs a fraction.
  if (request.headers.has('content-length')) return new Uint8Array(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.byteLength;
    if (length > MAX_BODY_BYTES) {
      void reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const body = new Uint8Array(length);
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

/** Throws 415 unless the body's media type is JSON. A call without a body needs none. */
export function checkMediaType(request: Request, body: Uint8Array): void {
  if (body.byteLength === 0) return;
  if (isJson(mediaTypeOf(request))) return;
  throw new ApiError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.');
}

/** Deepest nesting of arrays and objects in a JSON text, counted without recursion. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}

/** The body as a JSON object. Throws `malformed_body` for anything else. */
export function parseJsonObject(body: Uint8Array): Record<string, unknown> {
  if (body.byteLength === 0) throw new ApiError('malformed_body', 'A JSON body is needed.');
  let value: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (depthOf(text) > MAX_DEPTH)
      throw new ApiError('malformed_body', `JSON is nested deeper than ${MAX_DEPTH} levels.`);
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
