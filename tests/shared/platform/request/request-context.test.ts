// The context of a request: the caller's IP address, and the path for the log.
import { expect, test } from 'vitest';
import { silentLogger } from '../../../../shared/platform/logger.ts';
import { createRequestContext } from '../../../../shared/platform/request/request-context.ts';

const addressOf = (addressHeader: string, headers: Record<string, string>) =>
  createRequestContext(
    { name: 'v1', log: silentLogger, addressHeader },
    new Request('http://localhost/v1/leads', { headers }),
  ).address;

test('uses only the header of the setting', () => {
  const headers = { 'cf-connecting-ip': '192.0.2.1', 'x-real-ip': '192.0.2.2' };
  expect(addressOf('cf-connecting-ip', headers)).toBe('192.0.2.1');
  expect(addressOf('X-Real-IP', headers)).toBe('192.0.2.2');
  expect(addressOf('x-client-ip', headers)).toBeUndefined();
});

test('none if nothing sets one', () => {
  const names = [
    'cf-connecting-ip',
    'x-forwarded-for',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'forwarded',
  ];
  const headers = Object.fromEntries(names.map((name) => [name, '192.0.2.1']));
  expect(addressOf('', headers)).toBeUndefined();
});

test('of several addresses the last one, which the caller cannot set', () => {
  expect(addressOf('x-forwarded-for', { 'x-forwarded-for': '10.0.0.1, 192.0.2.7' })).toBe('192.0.2.7');
  expect(addressOf('x-forwarded-for', { 'x-forwarded-for': '::ffff:192.0.2.7' })).toBe('192.0.2.7');
  const withPort = (address: string) =>
    addressOf('x-forwarded-for', { 'x-forwarded-for': `10.0.0.1, ${address}` });
  expect(
    ['192.0.2.7:4711', '[2001:db8::1]:443', '[::ffff:192.0.2.7]:80', '2001:db8::1'].map(withPort),
  ).toEqual(['192.0.2.7', '2001:db8::1', '192.0.2.7', '2001:db8::1']);
});

test('a token in the path is not logged in any spelling; an id is', () => {
  const logged = (path: string) =>
    createRequestContext(
      { name: 'payments', log: silentLogger, addressHeader: '' },
      new Request(`http://localhost${path}`),
    ).loggedPath;
  const token = 'a1B2'.repeat(8);
  expect(logged(`/payments/files/${token}/qr.png?a=1`)).toBe('/payments/files/*/qr.png');
  expect(logged(`/payments/files/%61${token.slice(1)}`)).toBe('/payments/files/*');
  const lead = '/v1/leads/0198c2f4-8a41-7c11-9d3e-5b0f6a7c8d9e';
  expect(logged(lead)).toBe(lead);
});
