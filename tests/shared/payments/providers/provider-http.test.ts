// JSON of vendors with ids that have more digits than a JavaScript number can hold.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createProviderCaller, WholeNumber } from '../../../../shared/payments/providers/provider-http.ts';
import { parseJson } from '../../../../shared/platform/vendor-json.ts';

describe('reading', () => {
  test.each<[string, unknown]>([
    ['{"id":9007199254740993}', { id: '9007199254740993' }],
    [
      '{"id":-9223372036854775808,"n":[9223372036854775807]}',
      { id: '-9223372036854775808', n: ['9223372036854775807'] },
    ],
    ['{"id":9007199254740991}', { id: 9007199254740991 }],
    ['{"a":0.1234567890123456789,"b":1e400}', { a: 0.12345678901234568, b: Number.POSITIVE_INFINITY }],
    [
      '{"text":"12345678901234567890 \\" 12345678901234567890"}',
      { text: '12345678901234567890 " 12345678901234567890' },
    ],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

test('serializing keeps every digit, and leaves texts unchanged', async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => bodies.push(part.toString()));
    request.on('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void server.close());
  // The address of a server that listens on a port has this type.
  const { port } = server.address() as AddressInfo;
  const call = createProviderCaller('Vendor', { baseUrl: `http://127.0.0.1:${port}`, headers: {} });
  const body = { id: new WholeNumber('9007199254740993'), ids: [new WholeNumber('7')], text: '7', number: 7 };
  await call({ method: 'POST', path: '/', body }, new AbortController().signal);
  expect(bodies.join('')).toBe('{"id":9007199254740993,"ids":[7],"text":"7","number":7}');
});

test('rejects values that are not whole numbers', () => {
  for (const digits of ['', '1.5', '-1', '1e3', 'null', '1'.repeat(20)])
    expect(() => new WholeNumber(digits)).toThrow();
});
