// The load process: runs the loads that its parent sends, and returns the measurements.
import { createBodies } from './bodies.ts';
import type { Load, Measured, Reply } from './load.ts';
import { createSender } from './senders.ts';

process.on('message', async (load: Load) => {
  let reply: Reply;
  try {
    reply = { measured: await run(load) };
  } catch (error) {
    reply = { error: String(error) };
  }
  process.send?.(reply);
});
process.on('disconnect', () => process.exit(0));

async function run({ target, activities, codes, concurrency, until }: Load): Promise<Measured> {
  const nextBody = createBodies(activities, codes);
  const sender = await createSender(target, concurrency);
  const latencies: number[] = [];
  let failed = 0;
  let failure: string | undefined;
  let started = 0;
  const startedAt = performance.now();
  const goesOn = () =>
    'seconds' in until ? performance.now() - startedAt < until.seconds * 1000 : started < until.requests;

  const worker = async () => {
    while (goesOn()) {
      started++;
      const sentAt = performance.now();
      try {
        await sender.send(nextBody());
        latencies.push(performance.now() - sentAt);
      } catch (error) {
        failed++;
        failure = String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  await sender.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.floor(q * (latencies.length - 1))] ?? Number.NaN;
  return {
    requests: latencies.length,
    failed,
    ...(failure !== undefined && { failure }),
    perSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}
