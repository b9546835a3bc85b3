// A minimal HTTP client that connects to a checked address. `fetch` cannot be used: it resolves the name again, follows redirects, and
// reads responses of any size.
import { asText, ChunkDecoder, concat } from './chunk-decoder.ts';
import type { Destination } from './destinations.ts';
import type { Network, NetworkConnection } from './network.ts';

/** Lines of a head may end with LF only (RFC 9112, section 2.2). */
const HEAD_END = /\r?\n\r?\n/;
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 64 * 1024;

export interface HttpResponse {
  status: number;
  /** By lowercase name. */
  headers: Map<string, string>;
  /** The first 64 KiB at most. */
  body: Uint8Array;
  /** Whether the response was received completely, or up to the maximum that is read. */
  complete: boolean;
}

export interface OutgoingRequest {
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Time after which the next address is tried as well (RFC 8305, section 5). */
const NEXT_ADDRESS_MS = 250;

/** Addresses of both families in turn, because often a whole family is unreachable (RFC 8305, section 4). */
function alternateFamilies(addresses: readonly string[]): string[] {
  const [first, second] = [
    addresses.filter((one) => !one.includes(':')),
    addresses.filter((one) => one.includes(':')),
  ];
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((one) => one !== undefined);
}

/** Connects to the address that responds first. Tries them one after the other, and the next one also while an earlier one is silent. */
async function connect(
  network: Network,
  { url, addresses }: Destination,
  signal: AbortSignal,
): Promise<NetworkConnection> {
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const serverName = secure ? url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') : null;
  const overtaken = new AbortController();
  const attemptSignal = AbortSignal.any([signal, overtaken.signal]);
  const waiting = alternateFamilies(addresses);
  let pending = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await new Promise<NetworkConnection>((resolve, reject) => {
      const tryNext = () => {
        clearTimeout(timer);
        const address = waiting.shift();
        if (address === undefined || attemptSignal.aborted) return;
        pending++;
        timer = setTimeout(tryNext, NEXT_ADDRESS_MS);
        const connecting = network.connect(address, port, serverName, attemptSignal);
        orAbort(attemptSignal, connecting, (late) => late.close()).then(resolve, (error) => {
          pending--;
          if (signal.aborted || (pending === 0 && waiting.length === 0)) reject(error);
          else tryNext();
        });
      };
      tryNext();
    });
  } finally {
    clearTimeout(timer);
    overtaken.abort();
  }
}

function requestBytes(url: URL, { headers, body }: OutgoingRequest): Uint8Array {
  const all = { Host: url.host, ...headers, 'Content-Length': String(body.length), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${url.pathname}${url.search} HTTP/1.1`, ...lines, '', ''].join('\r\n');
  return concat([new TextEncoder().encode(head), body]);
}

async function writeAll(connection: NetworkConnection, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length; ) sent += await connection.write(bytes.subarray(sent));
}

function parseHead(text: string): { status: number; headers: Map<string, string> } {
  const [statusLine = '', ...lines] = text.split(/\r?\n/);
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1]);
  if (!status) throw new Error('the response is not valid HTTP/1.1');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status, headers: new Map(headers) };
}

async function readResponse(connection: NetworkConnection): Promise<HttpResponse> {
  // Large enough for the part of a response that is read.
  const buffer = new Uint8Array(MAX_HEAD_BYTES + MAX_BODY_BYTES);
  let length = 0;
  const readMore = async () => {
    const count = length < buffer.length ? await connection.read(buffer.subarray(length)) : null;
    length += count ?? 0;
    return Boolean(count);
  };

  let start = 0;
  let head: ReturnType<typeof parseHead> | undefined;
  // Skip interim 1xx responses.
  while (!head || head.status < 200) {
    const text = asText(buffer.subarray(start, Math.min(length, MAX_HEAD_BYTES)));
    const end = HEAD_END.exec(text);
    if (end) {
      head = parseHead(text.slice(0, end.index));
      start += end.index + end[0].length;
    } else if (length >= MAX_HEAD_BYTES) {
      throw new Error('the response headers are larger than 16 KiB');
    } else if (!(await readMore())) {
      throw new Error('the connection was closed without a response');
    }
  }

  const { status, headers } = head;
  const chunks = /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '') ? new ChunkDecoder() : undefined;
  const bodiless = status === 204 || status === 304;
  const declared = chunks ? undefined : headers.get('content-length');
  // Without chunked coding and Content-Length, the body ends when the connection closes.
  const announced = bodiless ? 0 : Number(declared ?? Number.NaN);
  const received = () => buffer.subarray(start, Math.min(length, start + MAX_BODY_BYTES));
  const isComplete = () => {
    const bytes = received();
    if (bytes.length >= MAX_BODY_BYTES || bytes.length >= announced) return true;
    return chunks?.isComplete(bytes) ?? false;
  };
  let complete = isComplete();
  while (!complete && (await readMore())) complete = isComplete();
  const endsWithConnection = !bodiless && !chunks && declared === undefined;
  return {
    status,
    headers,
    body: chunks?.bodyOf(received()) ?? received(),
    complete: complete || endsWithConnection,
  };
}

/**
 * Sends a POST request and reads the response. Does not follow redirects. Throws if there is no response, or the signal's reason if
 * it aborts first.
 */
export async function post(
  network: Network,
  destination: Destination,
  outgoing: OutgoingRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const connection = await connect(network, destination, signal);
  try {
    // A receiver may respond and close the connection before it has read the whole request.
    let writeError: unknown;
    writeAll(connection, requestBytes(destination.url, outgoing)).catch((error) => {
      writeError = error;
    });
    return await orAbort(signal, readResponse(connection)).catch((error) => {
      throw signal.aborted ? error : (writeError ?? error);
    });
  } finally {
    connection.close();
  }
}

/** Awaits a promise, or rejects when the signal aborts. `discard` receives a value that arrives after that. */
export function orAbort<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  discard: (late: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort);
        if (signal.aborted) discard(value);
        else resolve(value);
      },
      (error) => {
        signal.removeEventListener('abort', abort);
        reject(error);
      },
    );
  });
}
