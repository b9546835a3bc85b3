// Windows of rate limits: minutes and hours of the clock, which go on whatever the machine does.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { measureShare } from '../wait-for.ts';

/** Most of a minute that anybody can ask for, so that nobody waits for two. */
const MAX_SECONDS = 50;

/** Waits until that much is left of the minute, and more on a busy machine, so that what follows is in one. */
export async function untilMinuteHas(seconds: number): Promise<void> {
  const needed = Math.min(MAX_SECONDS, seconds / measureShare());
  const left = () => 60 - ((Date.now() / 1000) % 60);
  while (left() < needed) await pause(Math.max(1, left() * 1000));
}

/** Asserts what a caller was told to wait, who asked after `sentAtMs`: until the end of a window of that many seconds. */
export function expectUntilWindowEnds(told: number, windowSeconds: number, sentAtMs: number): void {
  const untilEnd = (atMs: number) => windowSeconds - (Math.floor(atMs / 1000) % windowSeconds);
  const elapsed = Math.ceil((Date.now() - sentAtMs) / 1000);
  // It was somewhere in between that it was told, perhaps in the next window.
  const possible = Array.from({ length: elapsed + 1 }, (_, i) => untilEnd(sentAtMs + i * 1000));
  expect(
    possible.some((seconds) => Math.abs(told - seconds) <= 1),
    `${told} of ${possible}`,
  ).toBe(true);
}
