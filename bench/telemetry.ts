// Compares the median latency of records requests with tracing off, with a collector, and with a collector that hangs. The requests
// alternate between four functions, two of them with tracing off, so that other load of the machine affects all alike.
// Run it with: npx tsx bench/telemetry.ts [seconds]
import { createServer } from 'node:http';
import { startFunction } from '../local/functions.ts';
import { placarRequests } from './contenders.ts';
import { MARK } from './load/bodies.ts';
import type { PlainRequest } from './load/load.ts';
import { fillRecords, recordsClient } from './records.ts';
import { startStage } from './stage.ts';

const LEADS = 5000;
const WARM_REQUESTS = 200;
const seconds = Number(process.argv[2] ?? 30);

interface Variant {
  name: string;
  url: string;
  latenciesMs: number[];
}

const stops: (() => unknown)[] = [];

function startCollector(hangs: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (!hangs) request.on('end', () => response.end('{}'));
  });
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}`),
    );
  });
}

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

let sent = 0;
async function send({ url, latenciesMs }: Variant, { method, paths, headers, bodies }: PlainRequest) {
  const body = bodies?.[0]?.replace(MARK, `telemetry-${sent}`);
  const path = paths[sent++ % paths.length];
  const startedAtMs = performance.now();
  const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body }) });
  await response.arrayBuffer();
  latenciesMs.push(performance.now() - startedAtMs);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
}

try {
  const stage = await startStage();
  stops.push(stage.stop);
  const client = await recordsClient(stage);
  await fillRecords(stage, client, LEADS, { deals: false });
  const settings = {
    off: {},
    'off again': {},
    on: { OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(false) },
    hanging: { OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(true) },
  };
  const urls: [string, string][] = [];
  for (const [name, env] of Object.entries(settings)) {
    const dir = `${stage.dir}/${name.replace(' ', '-')}`;
    const edge = await startFunction({ name: 'v1', env: { ...stage.stack.env, ...env }, dir });
    stops.push(edge.stop);
    urls.push([name, `http://127.0.0.1:${edge.port}`]);
  }
  const requests = placarRequests(stage, client, client.token);
  for (const operation of ['get', 'create'] as const) {
    const variants: Variant[] = urls.map(([name, url]) => ({ name, url, latenciesMs: [] }));
    const round = async () => {
      // In a random order, so that no variant always follows the same one.
      for (const variant of variants.toSorted(() => Math.random() - 0.5))
        await send(variant, requests[operation]);
    };
    for (let i = 0; i < WARM_REQUESTS; i++) await round();
    for (const { latenciesMs } of variants) latenciesMs.length = 0;
    for (const endsAtMs = performance.now() + 1000 * seconds; performance.now() < endsAtMs; ) await round();
    const offMs = quantile(variants[0]?.latenciesMs ?? [], 0.5);
    for (const { name, latenciesMs } of variants) {
      const [p50Ms, p99Ms] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.99)];
      console.log(
        `${operation}, ${name}: ${latenciesMs.length} requests, p50 ${p50Ms.toFixed(2)} ms (${(p50Ms / offMs).toFixed(3)} of off), p99 ${p99Ms.toFixed(1)} ms`,
      );
    }
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}
