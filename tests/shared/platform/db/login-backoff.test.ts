// When a worker tries again to connect to a database that rejected its login.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LoginBackoff } from '../../../../shared/platform/db/login-backoff.ts';
import { silentLogger } from '../../../../shared/platform/logger.ts';

let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

const refused = (code: string, message = 'no') => Object.assign(new Error(message), { code });

function createHoldBack() {
  const error = vi.fn<typeof silentLogger.error>();
  const holdBack = new LoginBackoff({ ...silentLogger, error });
  /** The result of a connection attempt now: `go`, or the seconds until the next one. */
  const attempt = () => {
    try {
      holdBack.check();
      return 'go';
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'unavailable', reason: 'database_away', effect: 'none' });
      return (thrown as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return { holdBack, attempt, lines: () => error.mock.calls };
}

test.each([
  ['28P01', 'password authentication failed for user "placar"'],
  ['28000', 'no pg_hba.conf entry'],
  ['XX000', 'Circuit breaker open: Too many authentication errors'],
])('after %s a worker waits for 10 s, and then makes only one attempt', (code, message) => {
  const { holdBack, attempt } = createHoldBack();
  expect(attempt()).toBe('go');
  holdBack.failed(refused(code, message));
  expect(attempt()).toBe(10);
  nowMs += 8400;
  expect(attempt()).toBe(2);
  nowMs += 1599;
  expect(attempt()).toBe(1);
  nowMs += 1;
  expect([attempt(), attempt()]).toEqual(['go', 10]);
  // Its response takes a while.
  nowMs += 3000;
  holdBack.failed(refused(code, message));
  nowMs += 9000;
  expect(attempt()).toBe(1);
});

test.each(['57P03', '53300', 'ECONNREFUSED', 'EAUTH'])(
  'after %s a worker tries again immediately',
  (code) => {
    const { holdBack, attempt } = createHoldBack();
    holdBack.failed(refused(code));
    expect(attempt()).toBe('go');
  },
);

test('another error does not end the wait, a successful connection does', () => {
  const { holdBack, attempt } = createHoldBack();
  holdBack.failed(refused('28P01'));
  nowMs += 4000;
  holdBack.failed(refused('ECONNRESET'));
  expect(attempt()).toBe(6);
  holdBack.connected();
  expect([attempt(), attempt()]).toEqual(['go', 'go']);
});

test('each code is logged once a minute, with only the code and the wait', () => {
  const { holdBack, lines } = createHoldBack();
  for (const second of [0, 10, 59.9, 60]) {
    nowMs = second * 1000;
    holdBack.failed(refused('28P01', 'password authentication failed for user "placar"'));
    holdBack.failed(refused('57P03', 'the database system is starting up'));
  }
  const message = 'the database refused a connection';
  const both = [
    [message, { code: '28P01', held_back_s: 10 }],
    [message, { code: '57P03', held_back_s: 0 }],
  ];
  expect(lines()).toEqual([...both, ...both]);
});

test('a database that does not respond is logged as a timeout', () => {
  const { holdBack, lines } = createHoldBack();
  holdBack.failed(new Error('no response within 30000 ms'));
  expect(lines()).toEqual([['the database refused a connection', { code: 'timeout', held_back_s: 0 }]]);
});
