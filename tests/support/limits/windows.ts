// Windows of rate limits: minutes and hours of the real clock.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { measureShare } from '../wait-for.ts';

/** Maximum that a caller may require of a minute, so that nobody waits for two minutes. */
const MAX_SECONDS = 50;

let measured = { share: 1, atMs: Number.NEGATIVE_INFINITY };

/** What `measureShare` returned within the last second, since a measurement costs as much as a request. */
function shareLately(): number {
  if (performance.now() - measured.atMs > 1000) measured = { share: measureShare(), atMs: performance.now() };
  return measured.share;
}

/** Waits until this much of the minute is left, or more on a busy machine, so that the following code runs within one minute. */
export async function untilMinuteHas(seconds: number): Promise<void> {
  const needed = Math.min(MAX_SECONDS, seconds / shareLately());
  const left = () => 60 - ((Date.now() / 1000) % 60);
  while (left() < needed) await pause(Math.max(1, left() * 1000));
}

/** Asserts the `Retry-After` of a caller that sent its request after `sentAtMs`: the end of a window of that many seconds. */
export function expectUntilWindowEnds(told: number, windowSeconds: number, sentAtMs: number): void {
  const untilEnd = (atMs: number) => windowSeconds - (Math.floor(atMs / 1000) % windowSeconds);
  const elapsed = Math.ceil((Date.now() - sentAtMs) / 1000);
  // The response was sent somewhere in between, perhaps in the next window.
  const possible = Array.from({ length: elapsed + 1 }, (_, i) => untilEnd(sentAtMs + i * 1000));
  expect(
    possible.some((seconds) => Math.abs(told - seconds) <= 1),
    `${told} of ${possible}`,
  ).toBe(true);
}
