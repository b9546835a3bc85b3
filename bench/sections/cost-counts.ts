// Redis commands, QStash messages and network waits per request.
import { deliverBurst, type Receiver } from '../bursts.ts';
import { createBodies } from '../load/bodies.ts';
import type { LoadProcess } from '../load/client.ts';
import { createSender } from '../load/senders.ts';
import { DELIVERY, loadOf, type Operation } from '../operation.ts';
import type { Pace } from '../pace.ts';
import { type Asked, medianLatency, type Probe, startProbe, type Waits } from '../probe.ts';
import { createToken } from '../records.ts';
import { printTable } from '../report.ts';
import { MAPPED_CODES, type Stage } from '../stage.ts';

/** Counts per request under load, and waits of a single request. No caller waits for deliveries. */
export type Counts = Map<string, Asked & { waits?: Waits }>;

const REQUESTS = 320;
/** Number of batches with a thousand activities. */
const BATCHES = 32;

export async function measureCounts(
  stage: Stage,
  cases: Operation[],
  load: LoadProcess,
  receiver: Receiver,
  { probes, deliveries }: Pace,
): Promise<Counts> {
  const probe = await startProbe(stage);
  const counts: Counts = new Map();
  try {
    const token = await createToken(stage, probe.urlOf('oauth'));
    for (const { name, function: edge, target, activities = 1 } of cases) {
      const at = target(probe.urlOf(edge), token);
      const requests = activities > 1 ? BATCHES : REQUESTS;
      const run = () => load.run(loadOf(at, { requests }, activities));
      const asked = await perRequest(probe, run, requests);
      const sender = await createSender(at, 1);
      const nextBody = createBodies(activities, MAPPED_CODES);
      const waits = await probe.waits(() => medianLatency(probes, () => sender.send(nextBody())));
      await sender.close();
      counts.set(name, { ...asked, waits });
    }
    const burst = () => deliverBurst(stage, receiver, deliveries);
    counts.set(DELIVERY, await perRequest(probe, burst, deliveries));
  } finally {
    await probe.stop();
  }
  const rows = [...counts].map(([name, { redisCommands, qstashMessages, waits }]) => [
    name,
    redisCommands.toFixed(2),
    qstashMessages.toFixed(2),
    ...(waits ? [waits.postgres, waits.redis, waits.both].map((number) => number.toFixed(1)) : ['', '', '']),
  ]);
  const columns = ['Redis commands', 'QStash messages', 'waits: Postgres far', 'Redis far', 'both far'];
  printTable('Placar, per request', ['', ...columns], rows);
  return counts;
}

/** Measures the second run, when connections are open and lazy modules are loaded. */
async function perRequest(probe: Probe, run: () => Promise<unknown>, requests: number): Promise<Asked> {
  await probe.count(run);
  const { redisCommands, qstashMessages } = await probe.count(run);
  return { redisCommands: redisCommands / requests, qstashMessages: qstashMessages / requests };
}
