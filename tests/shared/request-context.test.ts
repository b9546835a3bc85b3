// Whose word is taken for a caller's address.
import { expect, test } from 'vitest';
import { createRequestContext } from '../../shared/platform/http/request-context.ts';
import { silentLogger } from '../../shared/platform/logging/logger.ts';

const addressOf = (addressHeader: string, headers: Record<string, string>) =>
  createRequestContext(
    { name: 'v1', log: silentLogger, addressHeader },
    new Request('http://localhost/v1/leads', { headers }),
  ).address;

test('the header of the setting, and no other', () => {
  const headers = { 'cf-connecting-ip': '192.0.2.1', 'x-real-ip': '192.0.2.2' };
  expect(addressOf('cf-connecting-ip', headers)).toBe('192.0.2.1');
  expect(addressOf('X-Real-IP', headers)).toBe('192.0.2.2');
  expect(addressOf('x-client-ip', headers)).toBeUndefined();
});

test('none where nothing sets one', () => {
  expect(addressOf('', { 'cf-connecting-ip': '192.0.2.1' })).toBeUndefined();
});

test('of several the last one, which is not the caller’s own', () => {
  expect(addressOf('x-forwarded-for', { 'x-forwarded-for': '10.0.0.1, 192.0.2.7' })).toBe('192.0.2.7');
  expect(addressOf('x-forwarded-for', { 'x-forwarded-for': '::ffff:192.0.2.7' })).toBe('192.0.2.7');
});
