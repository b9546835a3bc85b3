// Which uncaught errors mean that a connection ended, so that a move can be resumed.
import { expect, test } from 'vitest';
import { isConnectionEnd } from '../../../clients/typescript/src/cli/lost-connections.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

test.each([
  '57P01',
  '57P03',
  '53300',
  '08006',
  'CONNECTION_CLOSED',
  'CONNECT_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
])('%s does', (code) => expect(isConnectionEnd(withCode(code))).toBe(true));

test.each(['57014', '23505', 'PL409', 'ERR_ASSERTION', 'EACCES'])('%s does not', (code) => {
  expect(isConnectionEnd(withCode(code))).toBe(false);
  expect(isConnectionEnd(new TypeError('x'))).toBe(false);
});
