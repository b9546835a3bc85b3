// When an order is looked up at its provider again.
import { expect, test } from 'vitest';
import { lookupWaitSeconds } from '../../../../shared/payments/orders/look-up.ts';

const MINUTE_MS = 60_000;
const now = new Date('2026-03-01T12:00:00Z');

test.each([
  [0, 10],
  [3, 10],
  [10, 30],
  [60, 180],
  [480, 1440],
  [10_000, 1440],
])('aged %i minutes, in %i: three times its age, at least ten minutes, at most a day', (age, wait) => {
  const created = new Date(now.getTime() - age * MINUTE_MS).toISOString();
  expect(lookupWaitSeconds(created, now)).toBe(60 * wait);
});
