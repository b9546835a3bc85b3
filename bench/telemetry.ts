// Compares the median latency of records requests with tracing off, with a collector, and with a collector that hangs.
// Run it with: npx tsx bench/telemetry.ts [rounds]
import { createServer } from 'node:http';
import { startFunction } from '../local/functions.ts';
import { placarRequests } from './contenders.ts';
import { startLoadProcess } from './load/client.ts';
import { loadOf } from './operation.ts';
import { fillRecords, recordsClient } from './records.ts';
import { startStage } from './stage.ts';

const LEADS = 5000;
const SECONDS = 2;
const rounds = Number(process.argv[2] ?? 9);

const startCollector = (hangs: boolean) =>
  new Promise<{ url: string; stop(): void }>((resolve) => {
    const server = createServer((request, response) => {
      request.resume();
      if (!hangs) request.on('end', () => response.end('{}'));
    });
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      const stop = () => {
        server.closeAllConnections();
        server.close();
      };
      resolve({ url: `http://127.0.0.1:${port}`, stop });
    });
  });

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const stops: (() => unknown)[] = [];
try {
  const stage = await startStage();
  stops.push(stage.stop);
  const client = await recordsClient(stage);
  await fillRecords(stage, client, LEADS, { deals: false });
  const load = startLoadProcess();
  stops.push(load.stop);
  const [good, hanging] = [await startCollector(false), await startCollector(true)];
  stops.push(good.stop, hanging.stop);
  const settings: Record<string, Record<string, string>> = {
    off: {},
    'off again': {},
    on: { OTEL_EXPORTER_OTLP_ENDPOINT: good.url },
    hanging: { OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url },
  };
  const urls: [string, string][] = [];
  for (const [name, env] of Object.entries(settings)) {
    const edge = await startFunction({
      name: 'v1',
      env: { ...stage.stack.env, ...env },
      dir: `${stage.dir}/${name.replace(' ', '-')}`,
    });
    stops.push(edge.stop);
    urls.push([name, `http://127.0.0.1:${edge.port}`]);
  }
  const requests = placarRequests(stage, client, client.token);
  for (const operation of ['get', 'create'] as const) {
    for (const concurrency of [1, 16]) {
      const p50 = new Map<string, number[]>(urls.map(([name]) => [name, []]));
      for (let round = -1; round < rounds; round++) {
        // The order rotates, so that no variant always follows the same one.
        const order = urls.map((_, i) => urls[(i + round + urls.length) % urls.length] ?? ['', '']);
        for (const [name, url] of order) {
          const target = { kind: 'plain', url, request: requests[operation] } as const;
          const { p50Ms } = await load.run({ ...loadOf(target, { seconds: SECONDS }), concurrency });
          if (round >= 0) p50.get(name)?.push(p50Ms);
        }
      }
      const off = p50.get('off') ?? [];
      for (const [name, values] of p50) {
        const ratio = median(values.map((value, round) => value / (off[round] ?? Number.NaN)));
        console.log(
          `${operation}, ${concurrency} at a time, ${name}: p50 ${median(values).toFixed(2)} ms, ${ratio.toFixed(3)} of off`,
        );
      }
    }
  }
} finally {
  for (const stop of stops.reverse()) await stop();
}
