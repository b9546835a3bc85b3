// What errors of the database mean to a caller.
import { describe, expect, test } from 'vitest';
import { asUnavailable, DatabaseUnavailable } from '../../shared/platform/db/unavailable.ts';

const failed = (code: string) => Object.assign(new Error(code), { code });
const meaning = (code: string, sent: 'none' | 'unknown') => {
  const error = asUnavailable(failed(code), sent);
  if (!(error instanceof DatabaseUnavailable)) return undefined;
  return [error.reason, error.effect, error.retryAfterSeconds];
};

describe('503, and what is known', () => {
  test.each([
    ['CONNECTION_CLOSED', 'none', ['database_away', 'none', 2]],
    ['CONNECTION_CLOSED', 'unknown', ['database_away', 'unknown', 2]],
    ['57P01', 'unknown', ['database_away', 'unknown', 2]],
    ['57P03', 'unknown', ['database_away', 'none', 2]],
    ['53300', 'unknown', ['database_away', 'none', 2]],
    ['57014', 'unknown', ['database_busy', 'none', 2]],
    ['40P01', 'unknown', ['database_busy', 'none', 2]],
    ['53100', 'unknown', ['database_full', 'none', 30]],
    ['53200', 'unknown', ['database_full', 'none', 30]],
    ['53400', 'unknown', ['database_full', 'none', 30]],
  ] as const)('%s (%s)', (code, sent, expected) => {
    expect(meaning(code, sent)).toEqual(expected);
  });

  test.each(['23505', 'PL400', '42P01'])('%s is about the statement and stays what it is', (code) => {
    expect(meaning(code, 'unknown')).toBeUndefined();
  });
});
