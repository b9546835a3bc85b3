// Leases of a rate limit, step by step. request-counter.test.ts tests all of them together.
import { describe, expect, test } from 'vitest';
import { createLeases } from '../../../../shared/platform/access/counter-leases.ts';

import { chance } from '../../../support/limits/limit-world.ts';

const WINDOW_MS = 60_000;

/** A shared counter like Redis: each reply takes as many turns as `turns` returns. */
function commonCount(turns: () => number = () => 1) {
  const counts = new Map<string, number>();
  const count = { asked: 0, away: false, resetsAtMs: WINDOW_MS };
  const take = (key: string) => async (requests: number) => {
    count.asked++;
    for (let turn = turns(); turn > 0; turn--) await Promise.resolve();
    if (count.away) return undefined;
    const taken = (counts.get(key) ?? 0) + requests;
    counts.set(key, taken);
    for (let turn = turns(); turn > 0; turn--) await Promise.resolve();
    return taken;
  };
  const worker = () => {
    const leases = createLeases();
    const window = (id: string) => ({ id, resetsAtMs: count.resetsAtMs });
    return {
      next: (allowed?: number, id = 'tenant') =>
        leases.count(window(id), allowed, take(`${id} ${count.resetsAtMs}`)),
      uncount: (number: number) => leases.uncount(window('tenant'), number),
      unused: () => leases.unused(window('tenant')),
    };
  };
  return { count, worker };
}

type Worker = ReturnType<ReturnType<typeof commonCount>['worker']>;

/** One request, as a guard processes it: allowed if its number is within the limit. */
async function request({ next }: Worker, allowed: number, id = 'tenant') {
  const number = await next(allowed, id);
  return number === undefined || number <= allowed;
}

test('one worker admits exactly the limit, one by one', async () => {
  for (const allowed of [1, 2, 5, 100, 1000]) {
    const { worker } = commonCount();
    const leases = worker();
    let admitted = 0;
    for (let i = 0; i < allowed + 50; i++) if (await request(leases, allowed)) admitted++;
    expect(admitted).toBe(allowed);
  }
});

test('and concurrently', async () => {
  const { worker } = commonCount();
  const leases = worker();
  for (let i = 0; i < 20; i++) await request(leases, 500);
  const answers = await Promise.all(Array.from({ length: 1000 }, () => request(leases, 500)));
  expect(answers.filter(Boolean).length).toBe(480);
});

test('many workers never admit more, and lose little', async () => {
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

test('a busy worker reserves many requests with one query', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 5000; i++) await request(leases, 1_000_000);
  expect(count.asked).toBeLessThan(5000 * 0.03);
});

test('a quiet worker reserves only what it needs, and so does one that does not know the limit', async () => {
  const { worker, count } = commonCount();
  const [one, two] = [worker(), worker()];
  for (let i = 0; i < 3; i++) {
    expect(await one.next(1000)).toBe(2 * i + 1);
    expect(await two.next(1000)).toBe(2 * i + 2);
  }
  expect(count.asked).toBe(6);
  for (let i = 0; i < 100; i++) await one.next();
  expect(count.asked).toBe(106);
});

test('near the limit, and with small limits, requests are reserved one by one', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 150; i++) await request(leases, 150);
  expect(count.asked).toBe(150);
});

test('a lease ends with its window, and with a clock that moves to another window, even an earlier one', async () => {
  const { worker, count } = commonCount();
  const leases = worker();
  for (let i = 0; i < 100; i++) await request(leases, 100_000);
  for (const resetsAtMs of [2 * WINDOW_MS, 0]) {
    count.resetsAtMs = resetsAtMs;
    expect(await leases.next(100_000)).toBe(1);
  }
});

test('callers do not share leases', async () => {
  const { worker } = commonCount();
  const leases = worker();
  for (let i = 0; i < 100; i++) await request(leases, 100_000, 'one');
  expect(await leases.next(100_000, 'two')).toBe(1);
});

describe('a request that is not counted after all', () => {
  test('returns its number to the next one while the lease is valid', async () => {
    const { worker } = commonCount();
    const leases = worker();
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    expect(leases.unused()).toBeGreaterThan(1);
    const [unused, number = 0] = [leases.unused(), await leases.next(100_000)];
    expect(leases.uncount(number)).toBe(true);
    expect(leases.unused()).toBe(unused);
    expect(await leases.next(100_000)).toBe(number);
    expect(await leases.next(100_000)).toBe(number + 1);
  });

  test('returns it to the counter if there is no lease, and in another window', async () => {
    const { worker, count } = commonCount();
    const leases = worker();
    const alone = (await leases.next(100)) ?? 0;
    expect(leases.uncount(alone)).toBe(false);
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    const late = (await leases.next(100_000)) ?? 0;
    count.resetsAtMs = 2 * WINDOW_MS;
    expect(leases.uncount(late)).toBe(false);
    expect(await leases.next(100_000)).toBe(1);
  });
});

describe('while Redis is unreachable', () => {
  test('leased numbers still count, other requests are uncounted, and Redis is queried again when it is back', async () => {
    const { worker, count } = commonCount();
    const leases = worker();
    for (let i = 0; i < 100; i++) await request(leases, 100_000);
    count.away = true;
    const answers = [];
    for (let i = 0; i < 100; i++) answers.push(await leases.next(100_000));
    const counted = answers.filter((number) => number !== undefined);
    expect(new Set(counted).size).toBe(counted.length);
    expect(counted.length).toBeLessThan(64);
    expect(answers.at(-1)).toBeUndefined();
    count.away = false;
    expect(await leases.next(100_000)).toBeDefined();
  });

  test('each request reserves one: numbers of a count without a response are lost', async () => {
    const leases = createLeases();
    const window = { id: 'tenant', resetsAtMs: WINDOW_MS };
    const asked: number[] = [];
    const takeUnheard = async (requests: number) => {
      asked.push(requests);
      return undefined;
    };
    let taken = 0;
    for (let i = 0; i < 100; i++) await leases.count(window, 100_000, async (n) => (taken += n));
    for (let i = 0; i < 100; i++) await leases.count(window, 100_000, takeUnheard);
    expect(asked.slice(1).every((requests) => requests === 1)).toBe(true);
  });

  test('an error affects only the requests that waited for it', async () => {
    const leases = createLeases();
    const window = { id: 'tenant', resetsAtMs: WINDOW_MS };
    const failing = async () => {
      throw new Error('away');
    };
    await expect(leases.count(window, 100, failing)).rejects.toThrow('away');
    expect(await leases.count(window, 100, async (requests) => requests)).toBe(1);
  });
});
