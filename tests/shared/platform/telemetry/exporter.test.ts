// The exporter with collectors that work, hang, fail or are unreachable. In all cases only spans can be lost.
import { expect, test } from 'vitest';
import { createExporter } from '../../../../shared/platform/telemetry/exporter.ts';
import { Span } from '../../../../shared/platform/tracing/span.ts';
import { Trace } from '../../../../shared/platform/tracing/trace.ts';
import { newTraceId } from '../../../../shared/platform/tracing/traceparent.ts';
import { startCollector } from '../../../support/collector.ts';
import { waitFor } from '../../../support/wait-for.ts';

function exporterTo(endpoint: string, timeout = 10_000) {
  let dropped = 0;
  const exporter = createExporter({
    endpoint,
    functionName: 'v1',
    times: { gather: 20, timeout, retry: 1 },
    countDropped(spans) {
      dropped += spans;
    },
    env: {
      ...{
        APP_ENV: 'staging',
        LOG_LEVEL: 'warn',
        CLIENT_ADDRESS_HEADER: '',
        UNKNOWN_CALLER_ROWS: 1,
        DOCS_URL: 'https://placar.dev',
      },
      OTEL_EXPORTER_OTLP_HEADERS: [['Authorization', 'Bearer a,b']],
      OTEL_SERVICE_NAME: 'crm',
      OTEL_RESOURCE_ATTRIBUTES: [['team', 'sales']],
      OTEL_TRACES_SAMPLER_ARG: 1,
    },
  });
  return { exporter, dropped: () => dropped };
}

const trace = new Trace({ id: newTraceId(), telemetry: undefined });
function spansOf(count: number): Span[] {
  return Array.from({ length: count }, () => {
    const span = new Span(trace, undefined, 'client', 'postgres').set('placar.db.waited_ms', 0.25);
    span.set('http.response.status_code', 503).fail('database_away').end();
    return span;
  });
}

test('a working collector gets all spans, in batches of 512, as OTLP/JSON', async () => {
  const before = BigInt(Date.now() - 1) * 1_000_000n;
  const { endpoint, requests, spans } = await startCollector();
  const { exporter, dropped } = exporterTo(endpoint);
  const [first] = spansOf(1);
  exporter.add([...(first ? [first] : []), ...spansOf(1299)]);
  await waitFor(() => spans().length === 1300);
  expect(requests.map(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans.length)).toEqual([
    512, 512, 276,
  ]);
  const [request] = requests;
  expect(request).toMatchObject({
    path: '/otlp/v1/traces',
    headers: { authorization: 'Bearer a,b', 'content-type': 'application/json' },
  });
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  expect(request?.body.resourceSpans[0]?.resource).toEqual({
    attributes: [
      attribute('service.version', '0.1.0'),
      attribute('deployment.environment.name', 'staging'),
      attribute('faas.name', 'v1'),
      attribute('team', 'sales'),
      attribute('service.name', 'crm'),
    ],
  });
  const [span] = spans();
  expect(span).toEqual({
    ...{ traceId: trace.id, spanId: first?.id, name: 'postgres', kind: 3, status: { code: 2 } },
    startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    endTimeUnixNano: expect.stringMatching(/^\d{19}$/),
    attributes: [
      { key: 'placar.db.waited_ms', value: { doubleValue: 0.25 } },
      { key: 'http.response.status_code', value: { intValue: '503' } },
      attribute('error.type', 'database_away'),
    ],
  });
  const { startTimeUnixNano, endTimeUnixNano } = span ?? {};
  expect(BigInt(String(startTimeUnixNano)) >= before).toBe(true);
  expect(BigInt(String(endTimeUnixNano)) >= BigInt(String(startTimeUnixNano))).toBe(true);
  expect(dropped()).toBe(0);
});

test('retries a busy collector once', async () => {
  const { endpoint, requests } = await startCollector((response, nth) =>
    response.writeHead(nth === 1 || nth > 2 ? 503 : 200).end(),
  );
  const { exporter, dropped } = exporterTo(endpoint);
  exporter.add(spansOf(1));
  await waitFor(() => requests.length === 2);
  exporter.add(spansOf(1));
  await waitFor(() => dropped() === 1);
  expect(requests).toHaveLength(4);
});

test.each([
  ['fails', async () => (await startCollector((response) => response.writeHead(400).end())).endpoint],
  ['hangs', async () => (await startCollector(() => {})).endpoint],
  ['is away', async () => 'http://127.0.0.1:9'],
])('a collector that %s three times gets nothing for a while', async (_, start) => {
  const { exporter, dropped } = exporterTo(await start(), 30);
  for (const count of [1, 2, 3]) {
    exporter.add(spansOf(1));
    await waitFor(() => dropped() === count);
  }
  // It is in backoff: these are dropped immediately.
  exporter.add(spansOf(10));
  expect(dropped()).toBe(13);
});

test('queues at most 2048 spans while the collector hangs', async () => {
  const { endpoint, requests } = await startCollector(() => {});
  const { exporter, dropped } = exporterTo(endpoint);
  exporter.add(spansOf(600));
  await waitFor(() => requests.length === 1);
  exporter.add(spansOf(2000));
  expect(dropped()).toBe(552);
});
