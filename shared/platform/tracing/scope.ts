// Stores the current trace in async context, so that code between a request and its outgoing calls need not pass it along. Without a trace
// these functions do nothing.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Span, type SpanKind } from './span.ts';
import { Trace } from './trace.ts';
import { formatTraceparent, newSpanId, parseTraceparent } from './traceparent.ts';

export interface Scope {
  readonly trace: Trace;
  /** The parent of spans and calls that start in this scope. */
  readonly spanId: string;
  /** The span of the current work, if it is recorded. */
  readonly span?: Span;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs work, and everything that it starts, in this scope. */
export const runInScope = <T>(scope: Scope, work: () => T): T => scopes.run(scope, work);

/** The id of the current trace. */
const currentTraceId = (): string | undefined => scopes.getStore()?.trace.id;

/** The span of the current work, if it is recorded. */
export const currentSpan = (): Span | undefined => scopes.getStore()?.span;

/** Whether the current work records spans. */
export const isRecording = (): boolean => scopes.getStore()?.trace.isRecording ?? false;

/** `traceparent` for rows and requests of the current work. */
export function currentTraceparent(): string | undefined {
  const scope = scopes.getStore();
  return scope?.trace.traceparent(scope.spanId);
}

/** The header that continues the trace at another service; none without a trace. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent();
  return traceparent === undefined ? {} : { traceparent };
}

/**
 * The header that continues a stored trace, with a new parent id; none for null or a malformed trace. Undefined stands for the current
 * trace.
 */
export function continuedHeaders(traceparent: string | null | undefined): { traceparent?: string } {
  const stored = parseTraceparent(traceparent);
  if (traceparent === undefined || stored?.traceId === currentTraceId()) return traceHeaders();
  return stored ? { traceparent: formatTraceparent({ ...stored, spanId: newSpanId() }) } : {};
}

/** Starts a span in the current scope. Undefined if no spans are recorded. End it. */
export function startSpan(kind: SpanKind, name: string): Span | undefined {
  const scope = scopes.getStore();
  return scope?.trace.isRecording ? new Span(scope.trace, scope.spanId, kind, name) : undefined;
}

/** Runs work in a span of its own, which is the parent of its calls. */
export function inSpan<T>(
  kind: SpanKind,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const span = startSpan(kind, name);
  if (!span) return work(undefined);
  return span.endWith(scopes.run({ trace: span.trace, spanId: span.id, span }, () => work(span)));
}

/** Runs work in a span that continues a stored trace. Without one, the span belongs to the current trace. */
export async function continueTrace<T>(
  traceparent: string | null,
  kind: SpanKind,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const stored = parseTraceparent(traceparent);
  if (!stored) return await inSpan(kind, name, work);
  const telemetry = scopes.getStore()?.trace.telemetry;
  const trace = new Trace({ id: stored.traceId, sampled: stored.sampled, telemetry });
  try {
    if (!trace.isRecording) return await scopes.run({ trace, spanId: newSpanId() }, () => work(undefined));
    const span = new Span(trace, stored.spanId, kind, name);
    return await span.endWith(scopes.run({ trace, spanId: span.id, span }, () => work(span)));
  } finally {
    trace.close();
  }
}

/** Like `continueTrace`, but a span of the current trace is a child of the current span. */
export function inTrace<T>(
  traceparent: string | null,
  kind: SpanKind,
  name: string,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const isCurrent = parseTraceparent(traceparent)?.traceId === currentTraceId();
  return continueTrace(isCurrent ? null : traceparent, kind, name, work);
}

/** The method of a `fetch`, and its headers with the one that continues the trace. For libraries that call a given `fetch`. */
export function traceFetch(init: object | undefined): { method: string; headers: Headers } {
  // With Node's types loaded, Deno's type of `init` has no members.
  const { method = 'GET', headers: given } = { ...init } as { method?: string; headers?: HeadersInit };
  const headers = new Headers(given);
  for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value);
  return { method, headers };
}

/** The log field of a job's trace, which may differ from that of the request. */
export function traceField(): { trace_id?: string } {
  const traceId = currentTraceId();
  return traceId === undefined ? {} : { trace_id: traceId };
}
