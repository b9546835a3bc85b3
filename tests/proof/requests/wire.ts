// HTTP/1.1 as bytes: any request that a client could send, and the raw response.
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Reply } from '../../support/gamification/sync.ts';

export interface WireRequest {
  port: number;
  method: string;
  /** Path and query, starting with the function's name. */
  target: string;
  /** Prefix of the target at the gateway. */
  prefix: string;
  headers: [name: string, value: string][];
  body: Buffer | undefined;
  /** Sends the body in chunks of this many bytes instead of with its length. */
  chunkBytes?: number;
  /** Declares this body length. */
  declaredLength?: string;
  /** Sends only this many bytes of the body, then closes the connection. */
  cutAfter?: number;
}

export interface WireReply extends Reply {
  bytes: number;
  elapsedMs: number;
}

/** No response takes this long, even on a busy machine. */
export const ANSWER_WITHIN_MS = 30_000;
const MOST_ANSWER_BYTES = 8 * 1024 * 1024;

function head(request: WireRequest): Buffer {
  const { method, prefix, target, headers, body, chunkBytes, declaredLength } = request;
  const length = declaredLength ?? (body ? String(body.length) : undefined);
  const lines = [
    `${method} ${prefix}${target} HTTP/1.1`,
    `Host: 127.0.0.1:${request.port}`,
    'Connection: close',
    ...(chunkBytes
      ? ['Transfer-Encoding: chunked']
      : length === undefined
        ? []
        : [`Content-Length: ${length}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  // Sends characters beyond Latin-1 as UTF-8. Browsers do not, but some programs do.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8');
}

function payload({ body, chunkBytes, cutAfter }: WireRequest): Buffer {
  if (!body) return Buffer.alloc(0);
  if (!chunkBytes) return body.subarray(0, cutAfter);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const part = body.subarray(at, at + chunkBytes);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  const all = Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
  return all.subarray(0, cutAfter);
}

/** Sends the request and reads the whole response. Undefined if the connection closes without one. Throws on timeout. */
export function send(request: WireRequest): Promise<WireReply | undefined> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const socket = connect({ port: request.port, host: '127.0.0.1', allowHalfOpen: true });
    const parts: Buffer[] = [];
    let bytes = 0;
    const fail = (message: string) => {
      socket.destroy();
      reject(new Error(message));
    };
    const timer = setTimeout(() => fail('no end of the answer in time'), ANSWER_WITHIN_MS);
    socket.on('data', (part) => {
      bytes += part.length;
      if (bytes > MOST_ANSWER_BYTES) return fail('an answer without bounds');
      parts.push(part);
    });
    // A server that rejects a request early closes the connection while the client is still sending; its response counts.
    socket.on('error', () => {});
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      const elapsedMs = performance.now() - startedAt;
      const reply = parse(Buffer.concat(parts));
      resolve(reply && { ...reply, bytes, elapsedMs });
    });
    socket.write(Buffer.concat([head(request), payload(request)]));
    if (request.cutAfter !== undefined) socket.end();
  });
}

function parse(answer: Buffer): Reply | undefined {
  const end = answer.indexOf('\r\n\r\n');
  const [status = '', ...lines] = answer.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n');
  const code = Number(/^HTTP\/1\.[01] (\d{3})/.exec(status)?.[1]);
  if (!code) return undefined;
  const rest = answer.subarray(end + 4);
  if (code === 100) return parse(rest);
  const headers = new Headers();
  for (const line of lines) {
    const at = line.indexOf(':');
    headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  const sent = headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest;
  const text = unpacked(sent, headers.get('content-encoding')).toString('utf8');
  const isJson = /^application\/(problem\+)?json/.test(headers.get('content-type') ?? '');
  return { status: code, headers, body: isJson && text ? jsonOf(text) : text };
}

function unpacked(bytes: Buffer, encoding: string | null): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  return encoding === 'br' ? brotliDecompressSync(bytes) : bytes;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return `no JSON: ${text}`;
  }
}

function unchunked(rest: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at);
    const length = Number.parseInt(rest.subarray(at, end).toString('latin1'), 16);
    if (end < 0 || !length) return Buffer.concat(parts);
    parts.push(rest.subarray(end + 2, end + 2 + length));
    at = end + 4 + length;
  }
}
