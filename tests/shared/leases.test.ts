// Leases of a rate limit: never more than the limit, whatever the workers, their clocks and the common count do.
import { describe, expect, test } from 'vitest';
import { createLeases, type Usage } from '../../shared/platform/limits/leases.ts';

const WINDOW_MS = 60_000;

/** A common count, as Redis keeps one: each answer on its way for as many turns as `turns` says. */
function commonCount(turns: () => number = () => 1) {
  const counts = new Map<string, number>();
  const count = { asked: 0, away: false, nowMs: 0 };
  const take =
    (id: string) =>
    async (requests: number): Promise<Usage | undefined> => {
      count.asked++;
      const bucket = Math.floor(count.nowMs / WINDOW_MS);
      for (let turn = turns(); turn > 0; turn--) await Promise.resolve();
      if (count.away) return undefined;
      const key = `${id}:${bucket}`;
      const used = (counts.get(key) ?? 0) + requests;
      counts.set(key, used);
      for (let turn = turns(); turn > 0; turn--) await Promise.resolve();
      return { used, resetsAtMs: (bucket + 1) * WINDOW_MS };
    };
  const worker = () => {
    const leases = createLeases(() => count.nowMs);
    return {
      next: (allowed?: number, id = 'tenant') => leases.count(id, allowed, take(id)),
      giveBack: (usage: Usage) => leases.giveBack('tenant', usage),
      unused: () => leases.unused('tenant'),
    };
  };
  return { count, worker };
}

type Worker = ReturnType<ReturnType<typeof commonCount>['worker']>;

/** One request as a guard makes it: let in when its number is within the limit. */
async function request({ next }: Worker, allowed: number, id = 'tenant') {
  const usage = await next(allowed, id);
  return usage === undefined || usage.used <= allowed;
}

/** A repeatable source of chance. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

test('one worker lets exactly as many in as the limit says, one by one', async () => {
  for (const allowed of [1, 2, 5, 100, 1000]) {
    const { worker } = commonCount();
    const leases = worker();
    let admitted = 0;
    for (let i = 0; i < allowed + 50; i++) if (await request(leases, allowed)) admitted++;
    expect(admitted).toBe(allowed);
  }
});

test('and all at once', async () => {
  const { worker } = commonCount();
  const leases = worker();
  for (let i = 0; i < 20; i++) await request(leases, 500);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => request(leases, 500)));
  expect(answers.filter(Boolean).length).toBe(480);
});

test('many workers never let more in, and lose little', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const pick = chance(seed);
    const { worker } = commonCount(() => pick(20));
    const allowed = 50 + pick(2000);
    const workers = Array.from({ length: 1 + pick(12) }, worker);
    let admitted = 0;
    for (let sent = 0; sent < allowed * 2; ) {
      const burst = 1 + pick(30);
      const answers = await Promise.all(
        Array.from({ length: burst }, async () => {
          const leases = workers[pick(workers.length)];
          return leases ? await request(leases, allowed) : false;
        }),
      );
      admitted += answers.filter(Boolean).length;
      sent += burst;
    }
    expect(admitted).toBeLessThanOrEqual(allowed);
    expect(admitted).toBeGreaterThan(allowed * 0.9);
  }
});

test('a busy worker asks once for many requests', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 5000; i++) await request(leases, 1_000_000);
  expect(count.asked).toBeLessThan(5000 * 0.03);
});

test('a quiet one takes no more than it needs, and neither does one that knows no limit', async () => {
  const { worker, count } = commonCount();
  const [one, two] = [worker(), worker()];
  for (let i = 0; i < 3; i++) {
    expect((await one.next(1000))?.used).toBe(2 * i + 1);
    expect((await two.next(1000))?.used).toBe(2 * i + 2);
  }
  expect(count.asked).toBe(6);
  for (let i = 0; i < 100; i++) await one.next();
  expect(count.asked).toBe(106);
});

test('near the limit, and where it is small, requests are taken one by one', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 150; i++) await request(leases, 150);
  expect(count.asked).toBe(150);
});

test('a lease ends with its window, and with a clock that steps into another', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 100; i++) await request(leases, 100_000);
  count.nowMs = WINDOW_MS;
  expect(await leases.next(100_000)).toEqual({ used: 1, resetsAtMs: 2 * WINDOW_MS });
});

test('callers do not share leases', async () => {
  const { worker } = commonCount();
  const leases = worker();
  for (let i = 0; i < 100; i++) await request(leases, 100_000, 'one');
  expect((await leases.next(100_000, 'two'))?.used).toBe(1);
});

describe('a request that is not to count', () => {
  test('leaves its number to the next one, where a lease goes on', async () => {
    const { worker } = commonCount();
    const leases = worker();
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    expect(leases.unused()).toBeGreaterThan(1);
    const [unused, usage] = [leases.unused(), await leases.next(100_000)];
    expect(usage && leases.giveBack(usage)).toBe(true);
    expect(leases.unused()).toBe(unused);
    expect(await leases.next(100_000)).toEqual(usage);
    expect((await leases.next(100_000))?.used).toBe((usage?.used ?? 0) + 1);
  });

  test('is for the common count where none does, and in another window', async () => {
    const { worker, count } = commonCount();
    const leases = worker();
    const alone = await leases.next(100);
    expect(alone && leases.giveBack(alone)).toBe(false);
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    const late = await leases.next(100_000);
    count.nowMs = WINDOW_MS;
    expect(late && leases.giveBack(late)).toBe(false);
    expect((await leases.next(100_000))?.used).toBe(1);
  });
});

describe('while the common count is away', () => {
  test('what was leased still counts, the rest is not counted, and it is asked again when it is back', async () => {
    const { worker, count } = commonCount();
    const leases = worker();
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    count.away = true;
    const answers = [];
    for (let i = 0; i < 100; i++) answers.push(await leases.next(100_000));
    const counted = answers.filter((usage) => usage !== undefined);
    expect(new Set(counted.map(({ used }) => used)).size).toBe(counted.length);
    expect(counted.length).toBeLessThan(64);
    expect(answers.at(-1)).toBeUndefined();
    count.away = false;
    expect(await leases.next(100_000)).toBeDefined();
  });

  test('a fault of it reaches those who waited and nobody after them', async () => {
    const leases = createLeases(() => 0);
    const failing = async () => {
      throw new Error('away');
    };
    await expect(leases.count('tenant', 100, failing)).rejects.toThrow('away');
    const take = async (requests: number) => ({ used: requests, resetsAtMs: WINDOW_MS });
    expect((await leases.count('tenant', 100, take))?.used).toBe(1);
  });
});
