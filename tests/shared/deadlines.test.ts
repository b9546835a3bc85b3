import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines, type Deadline, DeadlinePassed } from '../../shared/platform/db/deadlines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What became of it so far. */
function watch({ expired }: Deadline): { error?: unknown } {
  const seen: { error?: unknown } = {};
  expired.catch((error: unknown) => {
    seen.error = error;
  });
  return seen;
}

test('each has the whole time, whichever began before it', async () => {
  const deadlines = createDeadlines(1000);
  const first = watch(deadlines.start());
  await vi.advanceTimersByTimeAsync(600);
  const second = watch(deadlines.start());
  await vi.advanceTimersByTimeAsync(399);
  expect(first.error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(first.error).toBeInstanceOf(DeadlinePassed);
  expect(first.error).toMatchObject({ message: 'no answer within 1000 ms' });
  await vi.advanceTimersByTimeAsync(599);
  expect(second.error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(second.error).toBeInstanceOf(DeadlinePassed);
});

test('one that is cleared never passes, and those after it do', async () => {
  const deadlines = createDeadlines(1000);
  const cleared = deadlines.start();
  const seen = watch(cleared);
  await vi.advanceTimersByTimeAsync(500);
  const other = watch(deadlines.start());
  cleared.clear();
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen.error).toBeUndefined();
  expect(other.error).toBeInstanceOf(DeadlinePassed);
});

test('one timer stands for all, and none is left when nothing runs', async () => {
  const deadlines = createDeadlines(1000);
  for (const deadline of [deadlines.start(), deadlines.start(), deadlines.start()]) deadline.clear();
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(vi.getTimerCount()).toBe(0);
});

test('it fails with what it is told to', async () => {
  const deadline = createDeadlines(1000).start();
  const seen = watch(deadline);
  deadline.fail(new Error('connection closed'));
  await vi.advanceTimersByTimeAsync(0);
  expect(seen.error).toMatchObject({ message: 'connection closed' });
});
