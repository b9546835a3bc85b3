// The amount that is due on a date, and how a payment is divided.
import { describe, expect, test } from 'vitest';
import { amountDueOn, type DueTerms, divide } from '../../../../shared/payments/providers/due-terms.ts';

const terms = (more: Partial<DueTerms> = {}): DueTerms => ({
  dueDate: '2026-12-10',
  daysAfterDue: 30,
  finePercent: 2,
  interestPercentMonth: 1,
  discount: undefined,
  ...more,
});
const percent = (value: number, daysBeforeDue = 0) => ({
  discount: { percent: value, amountMinor: undefined, daysBeforeDue },
});

describe('amount due on a day', () => {
  test.each([
    ['on time', terms(), 100_000, '2026-12-10', 100_000],
    ['ten days late', terms(), 100_000, '2026-12-20', 102_333],
    ['half a cent of a fine is a cent', terms({ interestPercentMonth: 0 }), 25, '2026-12-11', 26],
    ['less than half a cent is none', terms({ interestPercentMonth: 0 }), 24, '2026-12-11', 24],
    ['the largest amount', terms({ daysAfterDue: 180 }), 99_999_999_999, '2027-06-08', 107_999_999_999],
    ['discount until the due date', terms(percent(5)), 100_000, '2026-12-10', 95_000],
    ['no discount a day later', terms(percent(5, 3)), 100_000, '2026-12-08', 100_000],
    ['discount until three days before', terms(percent(5, 3)), 100_000, '2026-12-07', 95_000],
    [
      'a fixed discount',
      terms({ discount: { percent: undefined, amountMinor: 700, daysBeforeDue: 0 } }),
      100_000,
      '2026-12-01',
      99_300,
    ],
    ['due on a Saturday, paid on Monday', terms({ dueDate: '2026-12-12' }), 100_000, '2026-12-14', 100_000],
    ['due on a Saturday, paid on Tuesday', terms({ dueDate: '2026-12-12' }), 100_000, '2026-12-15', 102_100],
    ['due at Carnival', terms({ dueDate: '2027-02-06' }), 100_000, '2027-02-10', 100_000],
    ['discount until a Sunday', terms(percent(5, 4)), 100_000, '2026-12-07', 95_000],
    ['two decimals', terms({ finePercent: 1.15, interestPercentMonth: 0 }), 10_000, '2026-12-11', 10_115],
  ])('%s', (_, one, amount, day, due) => {
    expect(amountDueOn(amount, one, day)).toBe(due);
  });
});

describe('classification of a payment', () => {
  const none = { covered: true, fine: 0, interest: 0, discount: 0, overpaid: 0 };
  const late = '2026-12-20';
  test.each([
    ['no terms, exact', undefined, 100_000, late, undefined, none],
    ['no terms, more', undefined, 101_000, late, undefined, { ...none, overpaid: 1000 }],
    ['no terms, less', undefined, 99_999, late, undefined, { ...none, covered: false }],
    ['late', terms(), 102_333, late, 2333, { ...none, fine: 2000, interest: 333 }],
    ['late, only the fine', terms(), 101_500, late, 1500, { ...none, fine: 1500 }],
    ['late, and more', terms(), 103_000, late, 2333, { ...none, fine: 2000, interest: 333, overpaid: 667 }],
    [
      'late, of a provider that divides nothing',
      terms(),
      102_333,
      late,
      undefined,
      { ...none, fine: 2000, interest: 333 },
    ],
    ['on time, and more', terms(), 102_333, '2026-12-10', 2333, { ...none, overpaid: 2333 }],
    [
      'late, without fine and interest',
      terms({ finePercent: 0, interestPercentMonth: 0 }),
      100_100,
      late,
      100,
      { ...none, overpaid: 100 },
    ],
    ['late, interest alone', terms({ finePercent: 0 }), 100_333, late, 333, { ...none, interest: 333 }],
    ['early', terms(percent(5)), 95_000, '2026-12-10', undefined, { ...none, discount: 5000 }],
    ['early, a cent less', terms(percent(5)), 94_999, '2026-12-10', undefined, { ...none, discount: 5001 }],
    [
      'early, two cents less',
      terms(percent(5)),
      94_998,
      '2026-12-10',
      undefined,
      { ...none, covered: false },
    ],
    [
      'less, too late for the discount',
      terms(percent(5)),
      95_000,
      '2026-12-11',
      undefined,
      { ...none, covered: false },
    ],
    [
      'a discount that ends on a Sunday, taken on Monday',
      terms(percent(5, 4)),
      ...([95_000, '2026-12-07', undefined, { ...none, discount: 5000 }] as const),
    ],
    [
      'due on a Saturday, and more on Monday',
      terms({ dueDate: '2026-12-12' }),
      ...([102_066, '2026-12-14', undefined, { ...none, overpaid: 2066 }] as const),
    ],
    [
      'due on a Saturday, and late on Monday by the provider',
      terms({ dueDate: '2026-12-12' }),
      ...([102_066, '2026-12-14', 2066, { ...none, fine: 2000, interest: 66 }] as const),
    ],
    [
      'early, and part of the discount left',
      terms(percent(5)),
      97_000,
      '2026-12-01',
      undefined,
      { ...none, discount: 3000 },
    ],
  ] as const)('%s', (_, one, amountMinor, on, feesForLatenessMinor, division) => {
    expect(divide(100_000, one, { amountMinor, on, feesForLatenessMinor })).toEqual(division);
  });
});
