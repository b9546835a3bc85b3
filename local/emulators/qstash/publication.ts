/** Parses the `Upstash-*` headers of a publish request, batch item or schedule. */
import { parseDurationMs } from '../durations.ts';
import type { FlowControl, Publication } from './message.ts';

const DEFAULT_RETRIES = 3;
const MAX_DELAY_MS = 365 * 86_400_000;
const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Headers handled here or by the schedules. Other QStash headers are rejected, because ignoring them would be misleading. */
const KNOWN_HEADER =
  /^upstash-(method|retries|delay|not-before|deduplication-id|flow-control-(key|value)|cron|schedule-id|(forward|telemetry)-.+)$/;

/** A request that QStash would reject, or that is not emulated. The message is sent to the caller. */
export class BadRequest extends Error {}

/** Publish headers. Keys in lower case. */
type PublishHeaders = Record<string, string>;

/**
 * @param headers keys in lower case
 * @throws BadRequest if a header or the destination is invalid
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
    throw new BadRequest(`only parallelism is emulated for flow control, not: ${value}`);
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
