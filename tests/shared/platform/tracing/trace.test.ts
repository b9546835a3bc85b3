// Which traces are sampled, and the stored parts of them.
import { expect, test, vi } from 'vitest';
import {
  continuedHeaders,
  continueTrace,
  currentTraceparent,
  inSpan,
  runInScope,
  startSpan,
  traceHeaders,
} from '../../../../shared/platform/tracing/scope.ts';
import { Span } from '../../../../shared/platform/tracing/span.ts';
import { Trace } from '../../../../shared/platform/tracing/trace.ts';
import { newSpanId, newTraceId, parseTraceparent } from '../../../../shared/platform/tracing/traceparent.ts';

function telemetryOf(sampleRatio: number) {
  const exported: Span[] = [];
  let dropped = 0;
  return {
    sampleRatio,
    exported,
    dropped: () => dropped,
    exportSpans: (spans: readonly Span[]) => void exported.push(...spans),
    countDropped(spans: number) {
      dropped += spans;
    },
  };
}

const idAt = (share: number) =>
  newTraceId().slice(0, 19) +
  Math.floor(share * 16 ** 13)
    .toString(16)
    .padStart(13, '0');

test('the share of sampled traces depends on their ids', () => {
  const isSampled = (share: number, ratio: number) =>
    new Trace({ id: idAt(share), telemetry: telemetryOf(ratio) }).sampled;
  expect([isSampled(0.24, 0.25), isSampled(0.26, 0.25)]).toEqual([true, false]);
  expect([isSampled(0, 0), isSampled(0.9999999, 1)]).toEqual([false, true]);
});

test('the flag of a caller counts once the caller is known, for 50 traces a second', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(5000);
  const telemetry = telemetryOf(0);
  const trace = () => new Trace({ id: newTraceId(), telemetry, callerSampled: true });
  const stranger = trace();
  expect([stranger.isRecording, stranger.sampled]).toEqual([true, false]);
  const sampled = () => {
    const known = trace();
    known.trustCaller();
    return known.sampled;
  };
  expect(Array.from({ length: 60 }, sampled).filter(Boolean)).toHaveLength(50);
  vi.advanceTimersByTime(1000);
  expect(sampled()).toBe(true);
  const refused = trace();
  refused.trustCaller();
  expect(refused.sampled).toBe(true);
  refused.distrustCaller();
  new Span(refused, undefined, 'server', 'GET').end();
  refused.close();
  expect(telemetry.exported).toEqual([]);
  vi.useRealTimers();
});

test('keeps spans of a request up to 64 KiB and counts the others; late ones follow', () => {
  const telemetry = telemetryOf(1);
  const trace = new Trace({ id: newTraceId(), telemetry });
  for (let i = 0; i < 1000; i++) new Span(trace, undefined, 'client', 'x'.repeat(280)).end();
  expect(telemetry.exported).toEqual([]);
  trace.close();
  expect(telemetry.exported).toHaveLength(131);
  expect(telemetry.dropped()).toBe(869);
  const other = new Trace({ id: newTraceId(), telemetry });
  other.close();
  new Span(other, undefined, 'producer', 'publish x').end();
  expect(telemetry.exported).toHaveLength(132);
});

test('calls within a span have it as their parent, across awaits', async () => {
  const telemetry = telemetryOf(1);
  const trace = new Trace({ id: newTraceId(), telemetry });
  const server = new Span(trace, undefined, 'server', 'GET /');
  await runInScope({ trace, spanId: server.id, span: server }, async () => {
    await new Promise((resolve) => setTimeout(resolve));
    startSpan('client', 'postgres')?.end();
    await inSpan('client', 'storage', async (span) => {
      expect(parseTraceparent(traceHeaders().traceparent)).toEqual({
        ...{ traceId: trace.id, spanId: span?.id },
        sampled: true,
      });
    });
    await expect(
      inSpan('client', 'asaas charges.create', () => Promise.reject(new RangeError('Ana'))),
    ).rejects.toThrow();
    // A stored trace of another service: its id is kept, with a new parent.
    const stored = `00-${newTraceId()}-${newSpanId()}-00`;
    const { traceparent = '' } = continuedHeaders(stored);
    expect([traceparent.slice(0, 35), traceparent.slice(52)]).toEqual([stored.slice(0, 35), '-00']);
    expect(traceparent).not.toBe(stored);
    expect([continuedHeaders(null), continuedHeaders(undefined)]).toEqual([{}, traceHeaders()]);
    await continueTrace(stored, 'consumer', 'job x', async (span) => {
      expect([span, currentTraceparent()?.slice(3, 35)]).toEqual([undefined, stored.slice(3, 35)]);
    });
    const sampled = `00-${newTraceId()}-${newSpanId()}-01`;
    await continueTrace(sampled, 'consumer', 'job y', async (span) => {
      expect([span?.trace.id, span?.parentId]).toEqual([sampled.slice(3, 35), sampled.slice(36, 52)]);
    });
  });
  trace.close();
  expect(telemetry.exported.map(({ name, parentId }) => [name, parentId === server.id])).toEqual([
    ['job y', false],
    ['postgres', true],
    ['storage', true],
    ['asaas charges.create', true],
  ]);
  expect(telemetry.exported.at(-1)?.attributes).toEqual({ 'error.type': 'RangeError' });
});

test('without a trace nothing is created and nothing is sent', async () => {
  expect([startSpan('client', 'x'), currentTraceparent(), traceHeaders()]).toEqual([
    undefined,
    undefined,
    {},
  ]);
  expect(await inSpan('client', 'x', async (span) => span)).toBeUndefined();
  expect(await continueTrace(null, 'consumer', 'x', async (span) => span)).toBeUndefined();
});
