import { expect, test } from 'vitest';
import { mapInSlices, runSlice } from '../../../shared/platform/cpu-slices.ts';

/** Keeps the CPU busy. */
function compute(ms: number): void {
  const endsAtMs = performance.now() + ms;
  while (performance.now() < endsAtMs);
}

test('maps in order, with any number of items', async () => {
  expect(await mapInSlices([], (n) => n)).toEqual([]);
  expect(await mapInSlices([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6]);
  const all = Array.from({ length: 40 }, (_, n) => n);
  const mapped = await mapInSlices(all, (n) => {
    compute(1);
    return n;
  });
  expect(mapped).toEqual(all);
});

test('timers run between the slices of several computations', async () => {
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const order: string[] = [];
  const map = (name: string) =>
    mapInSlices([1, 2, 3, 4], () => {
      compute(10);
      order.push(name);
    });
  await Promise.all([map('a'), map('b')]);
  clearInterval(others);
  // The first slices run immediately, the others alternate.
  expect(order.join('')).toBe('abababab');
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('an error only ends its own computation', async () => {
  const failing = runSlice(() => {
    throw new Error('broken');
  });
  const next = runSlice(() => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
