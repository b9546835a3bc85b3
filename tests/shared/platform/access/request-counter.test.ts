// Rate limits under all kinds of faults: never more than the limit in a window, at least four fifths of it, and every
// caller gets a reply. A longer run: `LIMIT_STORIES=100000 LIMIT_FIRST_SEED=1 npx vitest run tests/shared/platform/access/request-counter.test.ts`.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { skewClocks, startCounters } from '../../../support/limits/limit-counters.ts';
import { playLimits } from '../../../support/limits/limit-world.ts';

const MINUTE_MS = 60_000;
const FIRST_SEED = Number(process.env.LIMIT_FIRST_SEED ?? 1);
const STORIES = Number(process.env.LIMIT_STORIES ?? 40);

test(`${STORIES} stories, from seed ${FIRST_SEED}`, async () => {
  const sum = { letIn: 0, uncounted: 0, refused: 0, redisCommands: 0 };
  const faults: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + STORIES; seed++) {
    const story = await playLimits(seed);
    faults.push(...story.faults);
    sum.letIn += story.letIn;
    sum.uncounted += story.uncounted;
    sum.refused += story.refused;
    sum.redisCommands += story.redisCommands;
  }

  expect(faults.slice(0, 20)).toEqual([]);
  // Checks that the simulations cover enough.
  for (const number of Object.values(sum)) expect(number).toBeGreaterThan(STORIES);
});

describe('windows', () => {
  let nowMs = 0;
  beforeEach(() => {
    nowMs = 1000 * MINUTE_MS;
    skewClocks(() => nowMs);
  });
  afterEach(() => void vi.restoreAllMocks());

  test('are the same for workers whose clocks differ by almost a minute, as long as one of them is in it', async () => {
    const [ahead, behind] = await startCounters(29_000, -29_000);
    nowMs = 1000 * MINUTE_MS - 28_000;
    expect((await ahead?.count('tenant', 'a', silentLogger))?.used).toBe(1);
    nowMs = 1001 * MINUTE_MS + 28_000;
    expect((await behind?.count('tenant', 'a', silentLogger))?.used).toBe(2);
  });

  test('are deleted when no clock can be in them', async () => {
    const [counter, farBehind] = await startCounters(0, -3 * MINUTE_MS);
    for (let i = 0; i < 3; i++) await counter?.count('tenant', 'a', silentLogger);
    nowMs = 1003 * MINUTE_MS;
    expect((await farBehind?.count('tenant', 'a', silentLogger))?.used).toBe(1);
  });

  test('a request is returned to the window in which it was counted', async () => {
    const [counter] = await startCounters(0);
    nowMs = 1001 * MINUTE_MS - 1;
    const usage = await counter?.count('tenant', 'a', silentLogger);
    nowMs = 1001 * MINUTE_MS;
    if (usage) await counter?.uncount('tenant', 'a', silentLogger, usage);
    expect((await counter?.count('tenant', 'a', silentLogger))?.used).toBe(1);
    nowMs = 1001 * MINUTE_MS - 1;
    expect((await counter?.peek('tenant', 'a', silentLogger))?.used).toBe(0);
  });
});
