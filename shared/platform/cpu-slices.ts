// Divides long computations of large requests into slices, and runs one slice per turn of the event loop. Other requests of the worker
// then wait for one slice at a time, no matter how many large requests arrive at once.

import { pause } from './waits.ts';

/** A slice ends after the item that exceeds this time. */
const SLICE_MS = 8;

let lastSlice: Promise<unknown> = Promise.resolve();

/** Queues a computation behind all other slices. Each slice runs in its own turn of the event loop. */
export function runSlice<T>(compute: () => T): Promise<T> {
  const slice = lastSlice.then(() => pause(0)).then(compute);
  lastSlice = slice.catch(() => {});
  return slice;
}

/** Like `items.map(map)`, in slices. The first slice runs immediately, so small inputs are not delayed. */
export async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  const computeSlice = () => {
    const endsAtMs = performance.now() + SLICE_MS;
    while (results.length < items.length) {
      results.push(map(items[results.length] as T));
      if (performance.now() > endsAtMs) return;
    }
  };
  computeSlice();
  while (results.length < items.length) await runSlice(computeSlice);
  return results;
}
