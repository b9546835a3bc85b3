import { expect, test } from 'vitest';
import { ApiError } from '../../../shared/platform/errors.ts';
import { Query } from '../../../shared/platform/query.ts';

function refusalOf(act: () => unknown) {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError)
      return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  return undefined;
}

test('returns values by name, without unknown ones', () => {
  const query = new Query('limit=5&other=1&other=2&created%5Bgte%5D=2026-01-01&empty=');
  expect([...query.take(['limit', 'created[gte]', 'empty', 'absent'])]).toEqual([
    ['limit', '5'],
    ['created[gte]', '2026-01-01'],
    ['empty', ''],
  ]);
  expect([...query.take((name) => (name === 'limit' ? 'size' : undefined))]).toEqual([['size', '5']]);
});

test('reports each repeated parameter as it was sent, regardless of its value', () => {
  const query = new Query('a=1&a=1&b=&b=2&c=3&d=4&d=5');
  expect(refusalOf(() => query.take(['a', 'b', 'c']))).toEqual({
    code: 'validation',
    message: 'Send each of these parameters only once: a, b.',
    details: [
      { field: 'a', message: 'must be sent only once' },
      { field: 'b', message: 'must be sent only once' },
    ],
  });
  // Two names of one parameter count as a repeated parameter.
  const nameOf = (name: string) => (name === 'a' || name === 'c' ? 'one' : undefined);
  expect(refusalOf(() => new Query('a=1&c=3').take(nameOf))?.details).toEqual([
    { field: 'c', message: 'must be sent only once' },
  ]);
});

test('values that are not percent-encoded UTF-8 are refused by name, unless they are ignored', () => {
  const query = new Query('a=%ff&b=%zz&c=100%&d=%C3%A9&e=1+2&f=%ff');
  expect(refusalOf(() => query.take(['a', 'b', 'c', 'd', 'e']))?.details).toEqual(
    ['a', 'b', 'c'].map((field) => ({ field, message: 'is not percent-encoded UTF-8' })),
  );
  expect([...query.take(['d', 'e'])]).toEqual([
    ['d', 'é'],
    ['e', '1 2'],
  ]);
});
