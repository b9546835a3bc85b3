// Network waits of a sync: the latency that a known delay to Postgres and Redis adds.
import { createBodies } from '../load/bodies.ts';
import { createSender } from '../load/senders.ts';
import type { Pace } from '../pace.ts';
import { medianLatency, type Probe, startProbe, type Waits } from '../probe.ts';
import { printTable, type Ratio } from '../report.ts';
import { MAPPED_CODES, type Stage } from '../stage.ts';

export async function measureWaits(stage: Stage, pace: Pace): Promise<Ratio[]> {
  const probe = await startProbe(stage);
  try {
    const cases = {
      '1 activity': await waitsOfSyncs(stage, probe, pace, 1, false),
      '1000 activities': await waitsOfSyncs(stage, probe, pace, 1000, false),
      '1 activity, first request of a key': await waitsOfSyncs(stage, probe, pace, 1, true),
    };
    const rows = Object.entries(cases).map(([name, { postgres, redis, both }]) => [
      name,
      ...[postgres, redis, both].map((waits) => waits.toFixed(1)),
    ]);
    printTable('Network waits of a request', ['', 'Postgres far', 'Redis far', 'both far'], rows);
    return (['1 activity', '1000 activities'] as const).map((name) => ({
      name: `network waits: ${name}`,
      value: cases[name].both,
      atMost: 2.3,
    }));
  } finally {
    await probe.stop();
  }
}

/** Waits of sequential syncs, each with its own key or all with one. */
async function waitsOfSyncs(
  stage: Stage,
  probe: Probe,
  { probes }: Pace,
  activities: number,
  newKeys: boolean,
): Promise<Waits> {
  const url = `${probe.urlOf('default-integration')}/default-integration`;
  const nextBody = createBodies(activities, MAPPED_CODES);
  const senderOf = async (apiKey: string, atOnce: number) =>
    await createSender({ kind: 'http', url, apiKey }, atOnce);
  const warm = await senderOf(stage.apiKey, WARM_AT_ONCE);
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: WARM_AT_ONCE }, () => warm.send(nextBody())));
  }
  await warm.close();
  return await probe.waits(async () => {
    const keys = await Promise.all(
      Array.from({ length: probes }, () => (newKeys ? stage.createKey() : stage.apiKey)),
    );
    return await medianLatency(probes, async () => {
      const sender = await senderOf(keys.pop() ?? '', 1);
      await sender.send(nextBody());
      await sender.close();
    });
  });
}

/** Enough for every connection of the function's pool to be open with prepared statements. */
const WARM_AT_ONCE = 16;
