// The part of a trace that happens in this worker: whether it is sampled, and its finished spans.
import type { Span } from './span.ts';
import { formatTraceparent } from './traceparent.ts';

/** Where a worker exports spans. Absent if tracing is off. */
export interface Telemetry {
  /** The share of traces to sample, 0 to 1. */
  sampleRatio: number;
  exportSpans(spans: readonly Span[]): void;
  /** Counts spans that were not kept. */
  countDropped(spans: number): void;
}

/** Maximum size of the spans of one request or job, estimated in bytes. */
const MAX_BYTES = 64 * 1024;
/** Size of a span as JSON without its name and attributes. */
const SPAN_BYTES = 220;
const ATTRIBUTE_BYTES = 40;

/** Traces per second that are sampled only because their callers request it. */
const CALLER_TRACES_PER_SECOND = 50;
let budget = { secondMs: 0, used: 0 };

function takeFromBudget(): boolean {
  const secondMs = Math.floor(performance.now() / 1000);
  if (secondMs !== budget.secondMs) budget = { secondMs, used: 0 };
  return budget.used++ < CALLER_TRACES_PER_SECOND;
}

/** The last 13 hex digits of a trace id, which are random, as a share of their range. */
const RATIO_DIGITS = 13;
const isInRatio = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-RATIO_DIGITS), 16) < ratio * 16 ** RATIO_DIGITS;

interface TraceOptions {
  id: string;
  telemetry: Telemetry | undefined;
  /** Whether the caller requests sampling. It counts once `trustCaller` is called. */
  callerSampled?: boolean;
  /** The decision of the worker that began the trace. */
  sampled?: boolean;
}

export class Trace {
  readonly id: string;
  readonly telemetry: Telemetry | undefined;
  readonly #isInRatio: boolean;
  readonly #callerSampled: boolean;
  #isCallerTrusted = false;
  #sampled: boolean | undefined;
  /** Finished spans that are not exported yet; undefined if spans are not recorded. */
  #spans: Span[] | undefined;
  #bytes = 0;
  #isClosed = false;

  constructor({ id, telemetry, callerSampled = false, sampled }: TraceOptions) {
    this.id = id;
    this.telemetry = telemetry;
    this.#callerSampled = callerSampled;
    this.#sampled = sampled;
    this.#isInRatio = isInRatio(id, telemetry?.sampleRatio ?? 0);
    if (telemetry && (sampled ?? (this.#isInRatio || callerSampled))) this.#spans = [];
  }

  /** Whether spans are recorded. They are exported only if the trace is sampled. */
  get isRecording(): boolean {
    return this.#spans !== undefined;
  }

  /** Whether the trace is sampled. The first use decides, so call `trustCaller` before. */
  get sampled(): boolean {
    this.#sampled ??= this.#isInRatio || (this.#callerSampled && this.#isCallerTrusted && takeFromBudget());
    return this.#sampled;
  }

  get isCallerTrusted(): boolean {
    return this.#isCallerTrusted;
  }

  /** Call this once the caller's credentials are verified. */
  trustCaller(): void {
    this.#isCallerTrusted = true;
  }

  /** Call this if the caller's credentials were rejected after all. */
  distrustCaller(): void {
    this.#isCallerTrusted = false;
    this.#sampled = this.#isInRatio;
  }

  traceparent(spanId: string): string {
    return formatTraceparent({ traceId: this.id, spanId, sampled: this.sampled });
  }

  /** Adds a finished span. */
  add(span: Span): void {
    if (!this.#spans) return;
    this.#bytes += sizeOf(span);
    if (this.#bytes > MAX_BYTES) {
      if (this.sampled) this.telemetry?.countDropped(1);
    } else if (!this.#isClosed) this.#spans.push(span);
    else if (this.sampled) this.telemetry?.exportSpans([span]);
  }

  /** Exports the spans. Those of work that continues in the background follow when they end. */
  close(): void {
    const spans = this.#spans;
    this.#isClosed = true;
    if (!spans || spans.length === 0) return;
    this.#spans = [];
    if (this.sampled) this.telemetry?.exportSpans(spans);
  }
}

function sizeOf({ name, attributes, state }: Span): number {
  let bytes = SPAN_BYTES + name.length + (state?.length ?? 0);
  for (const value of Object.values(attributes)) bytes += ATTRIBUTE_BYTES + String(value).length;
  return bytes;
}
