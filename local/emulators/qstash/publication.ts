/** Reads what a publisher asks for from the `Upstash-*` headers of a publish, a batch item or a schedule. */
import { parseDurationMs } from '../durations.ts';
import type { FlowControl, Publication } from './message.ts';

const DEFAULT_RETRIES = 3;
const MAX_DELAY_MS = 365 * 86_400_000;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** What is read here or by the schedules. A header of QStash that is not among them is refused: ignored, it would mislead. */
const KNOWN_HEADER =
  /^upstash-(method|retries|delay|not-before|deduplication-id|flow-control-(key|value)|cron|schedule-id|(forward|telemetry)-.+)$/;

/** A request that QStash would refuse, or that is not emulated; the message is what the caller reads. */
export class BadRequest extends Error {}

/** Publish headers by lower-case name. */
export type PublishHeaders = Record<string, string>;

/**
 * @param headers lower-case names
 * @throws BadRequest when a header or the destination can't be read
 */
export function readPublication(destination: string, headers: PublishHeaders, body: Uint8Array): Publication {
  for (const name of Object.keys(headers)) {
    if (name.startsWith('upstash-') && !KNOWN_HEADER.test(name)) {
      throw new BadRequest(`${name} is not emulated`);
    }
  }
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
    maxRetries: wholeNumber(headers, 'upstash-retries') ?? DEFAULT_RETRIES,
    deduplicationId: headers['upstash-deduplication-id'],
    flowControl: flowControl(headers),
  };
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

function flowControl(headers: PublishHeaders): FlowControl | undefined {
  const key = headers['upstash-flow-control-key'];
  if (key === undefined) return undefined;
  const value = headers['upstash-flow-control-value'] ?? '';
  const [, parallelism] = /^\s*parallelism\s*=\s*([1-9]\d{0,8})\s*$/.exec(value) ?? [];
  if (parallelism === undefined) {
    throw new BadRequest(`flow control is emulated with a parallelism alone, not with: ${value}`);
  }
  return { key, parallelism: Number(parallelism) };
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
