// Joins values that a file has in two columns.
import type { Columns } from './columns.ts';
import type { Cell, Row, Table } from './files/table.ts';
import { textOf } from './values/convert.ts';

/** The table with the whole values in the first columns. */
export function withJoined(table: Table, { used }: Columns): Table {
  const pairs = used.flatMap(({ index, second }) => (second === undefined ? [] : [{ index, second }]));
  if (pairs.length === 0) return table;
  return {
    ...table,
    async *rows() {
      for await (const row of table.rows()) yield joined(row, pairs);
    },
  };
}

function joined(row: Row, pairs: readonly { index: number; second: number }[]): Row {
  const cells = [...row.cells];
  for (const { index, second } of pairs) cells[index] = join(cells[index] ?? '', cells[second] ?? '');
  return { ...row, cells };
}

function join(first: Cell, second: Cell): Cell {
  if (second === '' || (typeof first === 'object' && 'fault' in first)) return first;
  if (first === '' || (typeof second === 'object' && 'fault' in second)) return second;
  return [first, second].map((cell) => textOf(cell)?.trim()).join(' ');
}
