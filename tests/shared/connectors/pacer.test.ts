// The pace of requests: bursts, and never more than a CRM allows.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPacer } from '../../../shared/connectors/crms/crm-http.ts';
import { PACING } from '../../../shared/connectors/crms/rd-station/facts.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const { signal } = new AbortController();

/** When each of `count` requests was sent, in milliseconds from now. */
async function timesOf(pacer: ReturnType<typeof createPacer>, count: number): Promise<number[]> {
  const startMs = Date.now();
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const waiting = pacer.wait(signal, PACING.intervalMs);
    await vi.runAllTimersAsync();
    await waiting;
    times.push(Date.now() - startMs);
  }
  return times;
}

test('a burst is sent at once, then one request for each interval, at most 72 in any minute', async () => {
  const times = await timesOf(createPacer(PACING), 300);
  expect(times.slice(0, 14)).toEqual([...Array.from({ length: 12 }, () => 0), 1000, 2000]);
  const inMinute = times.map((from) => times.filter((time) => time >= from && time < from + 60_000).length);
  expect(Math.max(...inMinute)).toBeLessThanOrEqual(72);
});

test('the next worker goes on where the one before stopped', async () => {
  const first = createPacer(PACING);
  await timesOf(first, 12);
  expect(await timesOf(createPacer(PACING, first.freeAtMs()), 2)).toEqual([1000, 2000]);
  const later = createPacer(PACING, first.freeAtMs());
  vi.setSystemTime(Date.now() + 60_000);
  expect(await timesOf(later, 13)).toEqual([...Array.from({ length: 12 }, () => 0), 1000]);
});
