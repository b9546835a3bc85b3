// How often a request waits on the network: what a known delay on the way to Postgres and Redis adds to it.
import { join } from 'node:path';
import { startFunction } from '../../local/functions.ts';
import { median } from '../compare.ts';
import { type DelayProxy, startDelayProxy } from '../delay.ts';
import { createBodies } from '../load/bodies.ts';
import { createSender } from '../load/senders.ts';
import type { Pace } from '../pace.ts';
import { printTable, type Ratio } from '../report.ts';
import { MAPPED_CODES, type Stage } from '../stage.ts';

const DELAY_MS = 30;
const NAME = 'default-integration';

export async function measureWaits(stage: Stage, { probes }: Pace): Promise<Ratio[]> {
  const { env } = stage.stack;
  const database = await proxyTo(env.SUPABASE_DB_URL);
  const redis = await proxyTo(env.UPSTASH_REDIS_REST_URL);
  const edge = await startFunction({
    name: NAME,
    env: { ...env, SUPABASE_DB_URL: database.url, UPSTASH_REDIS_REST_URL: redis.url },
    dir: join(stage.dir, 'waits'),
  });
  const url = `http://127.0.0.1:${edge.port}/${NAME}`;
  const setDelays = (ofDatabase: number, ofRedis: number) => {
    database.proxy.delayMs = ofDatabase;
    redis.proxy.delayMs = ofRedis;
  };

  /** Median latency of requests one after the other, each with a key of its own or all with one. */
  const latency = async (activities: number, newKeys: boolean): Promise<number> => {
    const nextBody = createBodies(activities, MAPPED_CODES);
    const times: number[] = [];
    for (let probe = 0; probe < probes; probe++) {
      const sender = await createSender(
        { kind: 'http', url, apiKey: newKeys ? await stage.createKey() : stage.apiKey },
        1,
      );
      const startedAt = performance.now();
      await sender.send(nextBody());
      times.push(performance.now() - startedAt);
      await sender.close();
      // A key's first use is noted after the answer; the next request must not meet that.
      await new Promise((resolve) => setTimeout(resolve, 6 * DELAY_MS));
    }
    return median(times);
  };
  const waits = async (activities: number, newKeys: boolean): Promise<string[]> => {
    const cases = [
      [0, 0],
      [DELAY_MS, 0],
      [0, DELAY_MS],
      [DELAY_MS, DELAY_MS],
    ] as const;
    const latencies: number[] = [];
    for (const [ofDatabase, ofRedis] of cases) {
      setDelays(ofDatabase, ofRedis);
      latencies.push(await latency(activities, newKeys));
    }
    const [without = 0, ...delayed] = latencies;
    return delayed.map((ms) => ((ms - without) / (2 * DELAY_MS)).toFixed(1));
  };

  try {
    await warmConnections(url, stage.apiKey);
    const rows = [
      ['1 activity', ...(await waits(1, false))],
      ['1000 activities', ...(await waits(1000, false))],
      ['1 activity, first request of a key', ...(await waits(1, true))],
    ];
    printTable('Network waits of a request', ['', 'Postgres far', 'Redis far', 'both far'], rows);
    return rows.slice(0, 2).map(([name = '', , , both]) => ({
      name: `network waits: ${name}`,
      value: Number(both),
      atMost: 2.3,
    }));
  } finally {
    await edge.stop();
    await Promise.all([database.proxy.close(), redis.proxy.close()]);
  }
}

async function proxyTo(address = ''): Promise<{ proxy: DelayProxy; url: string }> {
  const url = new URL(address);
  const proxy = await startDelayProxy(url.hostname, Number(url.port));
  url.port = String(proxy.port);
  return { proxy, url: url.href };
}

/** Enough at once that every connection of the function's pool is open and has its statements prepared. */
async function warmConnections(url: string, apiKey: string): Promise<void> {
  const atOnce = 16;
  const sender = await createSender({ kind: 'http', url, apiKey }, atOnce);
  const nextBody = createBodies(10, MAPPED_CODES);
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: atOnce }, () => sender.send(nextBody())));
  }
  await sender.close();
}
