// Jitter of delays, and the offsets of reconciliations.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextReconciliationAt } from '../../../../shared/payments/accounts/queries.ts';
import { jitter } from '../../../../shared/platform/jobs/retry-schedule.ts';

const job = fc.record({ id: fc.uuid(), failures: fc.nat(20) });

test('a wait is multiplied by 0.8 to 1.2, constant for a job and its failures; up to 5 s it is unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), job, (seconds, of) => {
      const wait = jitter(seconds, of);
      expect(wait).toBe(jitter(seconds, { ...of }));
      const [least, most] = seconds <= 5 ? [seconds, seconds] : [seconds * 0.8, seconds * 1.2];
      expect(Number.isInteger(wait)).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(most);
    }),
  );
});

test('jobs that failed together are spread over the whole range', () => {
  const waits = Array.from({ length: 2000 }, (_, i) => jitter(3600, { id: `job-${i}`, failures: 3 }));
  for (let from = 2880; from < 4320; from += 144) {
    const share = waits.filter((wait) => wait >= from && wait < from + 144).length / waits.length;
    expect(share).toBeGreaterThan(0.05);
    expect(share).toBeLessThan(0.15);
  }
});

test('an account is reconciled once per period, at its own offset', () => {
  const at = fc.date({ min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(fc.uuid(), at, fc.integer({ min: 1, max: 86_400 }), (id, after, period) => {
      const next = nextReconciliationAt(id, after, period);
      expect(next.getTime()).toBeGreaterThan(after.getTime());
      expect(next.getTime()).toBeLessThanOrEqual(after.getTime() + period * 1000);
      expect(nextReconciliationAt(id, next, period).getTime()).toBe(next.getTime() + period * 1000);
    }),
  );
  const hours = new Set(
    Array.from({ length: 500 }, (_, i) =>
      nextReconciliationAt(`pacc_${i}`, new Date(0), 86_400).getUTCHours(),
    ),
  );
  expect(hours.size).toBe(24);
});
