// How long a request waits for Redis: time counts only while the worker could have read the reply.
import { afterEach, expect, test, vi } from 'vitest';
import { createAdaptiveTimeout } from '../../../../shared/platform/access/redis-timeout.ts';

afterEach(() => void vi.useRealTimers());

const never = new Promise<string>(() => {});

test('a response that arrived while the worker was busy counts, however late it is read', async () => {
  const { waitFor } = createAdaptiveTimeout(200);
  for (const busyMs of [500, 500]) {
    let arrive = (_: string) => {};
    const waiting = waitFor(
      new Promise<string>((resolve) => {
        arrive = resolve;
      }),
    );
    const busyUntil = performance.now() + busyMs;
    while (performance.now() < busyUntil);
    // Reading it takes two turns of the event loop, and late timers run between them.
    setImmediate(() => setImmediate(() => arrive('an answer')));
    expect(await waiting).toBe('an answer');
  }
});

test('silence ends after the timeout, and sooner while it is remembered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { waitFor } = createAdaptiveTimeout(1000);
  const gaveUpAfter = async () => {
    const startedAt = performance.now();
    let endedAt = 0;
    const waiting = waitFor(never).then((answer) => {
      endedAt = performance.now();
      return answer;
    });
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toBeUndefined();
    return endedAt - startedAt;
  };
  expect([await gaveUpAfter(), await gaveUpAfter()]).toEqual([1000, 100]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await gaveUpAfter()).toBe(1000);
  // A reply ends it immediately.
  expect(await waitFor(Promise.resolve('an answer'))).toBe('an answer');
  expect(await gaveUpAfter()).toBe(1000);
});

test('errors are thrown', async () => {
  const away = Promise.reject(new Error('away'));
  await expect(createAdaptiveTimeout(1000).waitFor(away)).rejects.toThrow('away');
});
