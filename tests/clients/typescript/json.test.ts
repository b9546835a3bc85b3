// JSON with integers that a `number` cannot hold.
import { expect, test } from 'vitest';
import { parseJson, toJson } from '../../../clients/typescript/src/core/json.ts';

test.each([
  ['{"a":9007199254740993}', { a: 9007199254740993n }],
  ['[-9007199254740993, 9007199254740991, 1]', [-9007199254740993n, Number.MAX_SAFE_INTEGER, 1]],
  [
    '{"a":"9007199254740993","b\\"9007199254740993":9007199254740993}',
    {
      a: '9007199254740993',
      'b"9007199254740993': 9007199254740993n,
    },
  ],
  [
    '[1234567890123456789.5, 1234567890123456789e2, 0.1234567890123456789]',
    ['1234567890123456789.5', '1234567890123456789e2', '0.1234567890123456789'].map(Number),
  ],
])('%s is parsed exactly', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});

test('invalid JSON stays invalid', () => {
  for (const text of ['{"a": 01234567890123456}', '9007199254740993 1', '"9007199254740993'])
    expect(() => parseJson(text)).toThrow(SyntaxError);
});

test('bigints are written as numbers, and everything else as usual', () => {
  const value = { id: 9007199254740993n, list: [1n, '1n', null], at: new Date(0), none: undefined };
  expect(toJson(value)).toBe('{"id":9007199254740993,"list":[1,"1n",null],"at":"1970-01-01T00:00:00.000Z"}');
  expect(toJson({ id: 2n }, 2)).toBe('{\n  "id": 2\n}');
  const circular: { self?: unknown } = {};
  circular.self = circular;
  expect(() => toJson(circular)).toThrow(TypeError);
});
