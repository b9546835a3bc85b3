/** Reads what a publisher asks for from the `Upstash-*` headers of a publish, a batch item or a schedule. */
import { createHash } from 'node:crypto';
import { parseDurationMs } from '../durations.ts';
import type { Callback, FlowControl, Publication } from './message.ts';
import { parseRetryDelay } from './retry.ts';

const DEFAULT_RETRIES = 3;
const MAX_DELAY_MS = 365 * 86_400_000;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** A request that QStash would refuse; the message is what the caller reads. */
export class BadRequest extends Error {}

/** Publish headers by lower-case name. */
export type PublishHeaders = Record<string, string>;

/**
 * @param headers lower-case names
 * @throws BadRequest when a header or the destination can't be read
 */
export function readPublication(
  destination: string,
  headers: PublishHeaders,
  body: Uint8Array,
  callerIp: string,
): Publication {
  const maxRetries = wholeNumber(headers, 'upstash-retries') ?? DEFAULT_RETRIES;
  const delayMs = duration(headers, 'upstash-delay') ?? 0;
  if (delayMs > MAX_DELAY_MS) throw new BadRequest('Upstash-Delay is longer than a year');
  const notBeforeS = wholeNumber(headers, 'upstash-not-before');
  const method = headers['upstash-method']?.toUpperCase() ?? 'POST';
  if (!METHODS.has(method)) throw new BadRequest(`invalid Upstash-Method: ${method}`);

  return {
    url: checkUrl(destination),
    method,
    headers: forwardedHeaders(headers),
    bodyBase64: Buffer.from(body).toString('base64'),
    delayMs,
    notBeforeMs: notBeforeS === undefined ? undefined : notBeforeS * 1000,
    maxRetries,
    retryDelay: retryDelay(headers['upstash-retry-delay']),
    timeoutMs: duration(headers, 'upstash-timeout'),
    callback: callback(headers, 'upstash-callback', maxRetries),
    failureCallback: callback(headers, 'upstash-failure-callback', maxRetries),
    flowControl: flowControl(headers),
    labels: (headers['upstash-label'] ?? '').split(',').filter((label) => label !== ''),
    callerIp,
  };
}

/** The key under which a second publish counts as a duplicate; undefined when the publisher asked for none. */
export function deduplicationKey(headers: PublishHeaders, publication: Publication): string | undefined {
  const id = headers['upstash-deduplication-id'];
  if (id !== undefined) return `id:${id}`;
  if (headers['upstash-content-based-deduplication'] !== 'true') return undefined;
  const sortedHeaders = Object.entries(publication.headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = [publication.url, publication.method, sortedHeaders, publication.bodyBase64];
  return `content:${createHash('sha256').update(JSON.stringify(content)).digest('base64url')}`;
}

function checkUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new BadRequest(`invalid destination: ${text} does not begin with http:// or https://`);
  }
  return text;
}

function forwardedHeaders(headers: PublishHeaders): Record<string, string> {
  const prefix = 'upstash-forward-';
  const forwarded: Record<string, string> = {};
  const contentType = headers['content-type'];
  if (contentType !== undefined) forwarded['content-type'] = contentType;
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(prefix)) forwarded[name.slice(prefix.length)] = value;
  }
  return forwarded;
}

function retryDelay(expression: string | undefined): string | undefined {
  if (expression === undefined) return undefined;
  try {
    parseRetryDelay(expression);
    return expression;
  } catch (error) {
    throw new BadRequest(error instanceof Error ? error.message : String(error));
  }
}

/** `Upstash-Callback-Retries` and the like set up the callback as `Upstash-Retries` does the message. */
function callback(headers: PublishHeaders, name: string, maxRetries: number): Callback | undefined {
  const url = headers[name];
  if (url === undefined) return undefined;
  const own = Object.entries(headers)
    .filter(([header]) => header.startsWith(`${name}-`))
    .map(([header, value]) => [`upstash-${header.slice(name.length + 1)}`, value]);
  const ownHeaders: PublishHeaders = {
    'upstash-retries': String(maxRetries),
    ...Object.fromEntries(own),
    'content-type': 'application/json',
  };
  // What is wrong with the callback has to show now: later there is nobody to tell.
  readPublication(url, ownHeaders, new Uint8Array(), '');
  return { url, headers: ownHeaders };
}

function flowControl(headers: PublishHeaders): FlowControl | undefined {
  const key = headers['upstash-flow-control-key'];
  if (key === undefined) return undefined;
  const parts = (headers['upstash-flow-control-value'] ?? '')
    .split(',')
    .map((part) => part.trim().split('='));
  const values = new Map(parts.map(([name = '', value = '']) => [name.trim(), value.trim()]));
  const parallelism = positive(values.get('parallelism'), 'parallelism');
  const rate = positive(values.get('rate'), 'rate');
  const periodMs = parseDurationMs(values.get('period') ?? '1s');
  if (periodMs === undefined || periodMs <= 0) throw new BadRequest('invalid flow control period');
  if (parallelism === undefined && rate === undefined) {
    throw new BadRequest('flow control needs a parallelism or a rate');
  }
  return { key, parallelism, rate, periodMs };
}

function positive(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new BadRequest(`invalid flow control ${what}: ${text}`);
  return Number(text);
}

function wholeNumber(headers: PublishHeaders, name: string): number | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new BadRequest(`invalid ${name}: ${text}`);
  return Number(text);
}

function duration(headers: PublishHeaders, name: string): number | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined) throw new BadRequest(`invalid ${name}: ${text}`);
  return durationMs;
}
