// Database errors and the resulting responses.

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ConnectionLost } from '../../../../shared/platform/db/message.ts';
import { asUnavailable, DatabaseUnavailable } from '../../../../shared/platform/db/unavailable.ts';

const rejected = (code: string) => Object.assign(new pg.DatabaseError(code, 0, 'error'), { code });
const meaningOf = (error: Error, ifLost: 'none' | 'unknown') => {
  const meaning = asUnavailable(error, ifLost);
  return (
    meaning instanceof DatabaseUnavailable && [meaning.reason, meaning.effect, meaning.retryAfterSeconds]
  );
};
const soon = expect.toSatisfy((seconds: number) => [2, 3, 4, 5].includes(seconds));

describe('503, and the known effect', () => {
  test.each([
    ['57014', ['database_busy', 'none', soon]],
    ['40P01', ['database_busy', 'none', soon]],
    ['53100', ['database_full', 'none', 30]],
    ['53200', ['database_full', 'none', 30]],
    ['53400', ['database_full', 'none', 30]],
    ['25006', ['database_read_only', 'none', 30]],
  ] as const)('%s', (code, expected) => {
    expect(meaningOf(rejected(code), 'unknown')).toEqual(expected);
  });

  test.each([
    [true, 'unknown', 'unknown'],
    [true, 'none', 'none'],
    [false, 'unknown', 'none'],
  ] as const)(
    'a lost connection that may have run something (%s) of a session that may write (%s): %s',
    (mayHaveRun, ifLost, effect) => {
      const lost = new ConnectionLost(new Error('socket closed'), mayHaveRun);
      expect(meaningOf(lost, ifLost)).toEqual(['database_away', effect, soon]);
    },
  );

  test.each(['23505', 'PL400', '42P01'])('%s is an error of the statement and stays unchanged', (code) => {
    expect(meaningOf(rejected(code), 'unknown')).toBe(false);
  });
});
