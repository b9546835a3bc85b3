// The minimum time between comparisons with a provider.
import { expect, test } from 'vitest';
import { pauseSecondsAfter } from '../../../../shared/payments/accounts/reconcile.ts';

test("a comparison uses less than half of a provider's rate limit, regardless of its size", () => {
  const allowed = { requests: 25_000, seconds: 12 * 3600 };
  for (const requests of [1001, 1500, 3000, 6000]) {
    const comparisons = Math.floor(allowed.seconds / pauseSecondsAfter(requests)) + 1;
    expect(comparisons * requests).toBeLessThan(allowed.requests * 0.75);
  }
  expect(pauseSecondsAfter(1000)).toBe(0);
});
