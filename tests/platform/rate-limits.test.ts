// Counting requests in the stack's Redis.
import { expect, inject, test } from 'vitest';
import { createCounter } from '../../shared/platform/access/request-counter.ts';
import { silentLogger } from '../../shared/platform/logger.ts';

const env = inject('env');
const counter = createCounter({
  UPSTASH_REDIS_REST_URL: env.UPSTASH_REDIS_REST_URL ?? '',
  UPSTASH_REDIS_REST_TOKEN: env.UPSTASH_REDIS_REST_TOKEN ?? '',
  REDIS_TIMEOUT_MS: 1000,
});
const count = (id: string) => counter.count('apiKey', id, silentLogger);

test('a worker that is busy when Redis responds still counts every request exactly once', async () => {
  await count(crypto.randomUUID());
  const id = crypto.randomUUID();
  const counting = Array.from({ length: 100 }, () => count(id));
  // After sending them, this process is busy for longer than any timeout.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const busyUntil = performance.now() + 1500;
  while (performance.now() < busyUntil);
  const usages = await Promise.all(counting);
  expect(usages.map((usage) => usage?.used).sort((a = 0, b = 0) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 1),
  );
});
