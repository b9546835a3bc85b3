// Sends spans to the collector in batches, after the responses. Nothing waits for it: if the collector is slow or fails, spans are
// dropped.
import { waitUntil } from '../background.ts';
import type { Span } from '../tracing/span.ts';
import { parseRetryAfter, pause } from '../waits.ts';
import { createEncoder } from './otlp.ts';
import type { TelemetrySettings } from './telemetry.ts';

const BATCH_SPANS = 512;
/** Maximum spans in memory, including those being sent. */
const MAX_QUEUED = 2048;
const RETRYABLE = new Set([429, 502, 503, 504]);
const MAX_RETRY_AFTER_MS = 5000;
/** After this many failures in a row, the exporter pauses and drops all spans. */
const MAX_FAILURES = 3;

/** Times in milliseconds, which tests shorten. */
const times = {
  /** How long the first span of a batch waits for others. */
  gather: 2000,
  /** Timeout of one request. */
  timeout: 3000,
  /** Wait before the second attempt if the collector does not specify one. */
  retry: 1000,
  /** Pause after too many failures. */
  pause: 60_000,
};

export interface Exporter {
  /** Adds spans to the next batch, or drops them if the queue is full. */
  add(spans: readonly Span[]): void;
}

interface ExporterOptions {
  /** Base URL of the collector. */
  endpoint: string;
  env: TelemetrySettings;
  functionName: string;
  countDropped(spans: number): void;
  times?: Partial<typeof times>;
}

export function createExporter(options: ExporterOptions): Exporter {
  const { endpoint, env, functionName, countDropped } = options;
  const ms = { ...times, ...options.times };
  const encode = createEncoder(env, functionName);
  const headers = {
    'Content-Type': 'application/json',
    ...Object.fromEntries(env.OTEL_EXPORTER_OTLP_HEADERS ?? []),
  };
  let waiting: Span[] = [];
  let sending = 0;
  let isScheduled = false;
  let failures = 0;
  let pausedUntilMs = 0;

  const post = async (body: string): Promise<Response> => {
    const signal = AbortSignal.timeout(ms.timeout);
    const response = await fetch(`${endpoint}/v1/traces`, {
      ...{ method: 'POST', headers, body, signal },
      redirect: 'error',
    });
    await response.body?.cancel();
    return response;
  };
  const send = async (spans: readonly Span[]): Promise<boolean> => {
    const body = encode(spans);
    try {
      const response = await post(body);
      if (!RETRYABLE.has(response.status)) return response.ok;
      const seconds = parseRetryAfter(response.headers.get('retry-after'), Date.now());
      await pause(seconds === undefined ? ms.retry : Math.min(seconds * 1000, MAX_RETRY_AFTER_MS));
      return (await post(body)).ok;
    } catch {
      return false;
    }
  };
  const flush = async (): Promise<void> => {
    isScheduled = false;
    if (sending > 0) return;
    const batch = waiting.slice(0, BATCH_SPANS);
    waiting = waiting.slice(BATCH_SPANS);
    sending = batch.length;
    const isSent = await send(batch);
    sending = 0;
    failures = isSent ? 0 : failures + 1;
    if (!isSent) countDropped(batch.length);
    if (failures >= MAX_FAILURES) {
      pausedUntilMs = performance.now() + ms.pause;
      failures = 0;
      countDropped(waiting.length);
      waiting = [];
    }
    schedule();
  };
  const schedule = (): void => {
    if (sending > 0 || waiting.length === 0) return;
    if (waiting.length >= BATCH_SPANS) waitUntil(flush);
    else if (!isScheduled) {
      isScheduled = true;
      waitUntil(() => pause(ms.gather).then(() => (waiting.length > 0 ? flush() : undefined)));
    }
  };

  return {
    add(spans) {
      const isPaused = performance.now() < pausedUntilMs;
      const accepted = isPaused ? 0 : MAX_QUEUED - waiting.length - sending;
      if (accepted < spans.length) countDropped(spans.length - accepted);
      if (accepted <= 0) return;
      waiting.push(...spans.slice(0, accepted));
      schedule();
    },
  };
}
