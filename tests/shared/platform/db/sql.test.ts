// How templates become text and values, and how rows are converted.
import { expect, test } from 'vitest';
import { compileAll, shapeRows, sql } from '../../../../shared/platform/db/sql.ts';

const compiled = (...work: Parameters<typeof compileAll>) =>
  compileAll(...work).map(({ text, values }) => [text, values]);

test('values become parameters, fragments are combined, names are quoted', () => {
  const part = sql`and b = ${2} and c = any (${['x', 'y']})`;
  expect(
    compiled(sql`select ${sql(['d', 'r.e'])} from ${sql('s.t')} where a = ${'one'} ${part} and f = ${null}`),
  ).toEqual([
    [
      'select "d","r"."e" from "s"."t" where a = $1 and b = $2 and c = any ($3) and f = $4',
      ['one', '2', '{"x","y"}', null],
    ],
  ]);
});

test('values are sent in the format of Postgres', () => {
  const [, values] =
    compiled(
      sql`${true} ${1.5} ${9007199254740993n} ${new Date(0)} ${new Uint8Array([1])} ${['a"b\\', null, ['c']]}`,
    )[0] ?? [];
  expect(values).toEqual([
    'true',
    '1.5',
    '9007199254740993',
    '1970-01-01T00:00:00.000Z',
    Buffer.from([1]),
    '{"a\\"b\\\\",null,{"c"}}',
  ]);
});

test('rejects what is not a value', () => {
  for (const value of [undefined, { json: true }])
    expect(() => compileAll(sql`select ${value as never}`)).toThrow('Unsupported value of type');
});

test('work keeps its order and shape', () => {
  const work = { a: sql`1`, b: [sql`2`, sql`3`], c: { d: sql`4`, none: [] } };
  expect(compileAll(work).map(({ text }) => text)).toEqual(['1', '2', '3', '4']);
  expect(shapeRows(work, [[1], [2], [3], [4]])).toEqual({ a: [1], b: [[2], [3]], c: { d: [4], none: [] } });
});

test('a statement tells where it is written', () => {
  expect(compileAll(sql`select 1`)[0]?.origin).toContain('sql.test.ts');
});
