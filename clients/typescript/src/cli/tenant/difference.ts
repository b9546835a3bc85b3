// Finds the row in which both sides of a move differ, within a chunk whose hashes differ.
import type { Side } from './side.ts';
import type { Move, Table } from './tables.ts';

interface Row {
  key: string[];
  hash: string;
}

/** The key of the first row of the chunk that only one side has, or has with other contents. Undefined if the chunk is equal by now. */
export async function firstDifference(
  { from, to }: Pick<Move, 'from' | 'to'>,
  table: Table,
  range: string,
): Promise<string | undefined> {
  const [wanted, present] = await Promise.all([from, to].map((side) => readRows(side, table, range)));
  const theirs = new Set(present?.map(textOf));
  const ours = new Set(wanted?.map(textOf));
  const different = [
    ...(wanted ?? []).filter((row) => !theirs.has(textOf(row))),
    ...(present ?? []).filter((row) => !ours.has(textOf(row))),
  ];
  return different[0] && JSON.stringify(different[0].key);
}

const textOf = ({ key, hash }: Row): string => JSON.stringify([key, hash]);

async function readRows(
  { sql }: Side,
  { table_name, columns, key_columns }: Table,
  range: string,
): Promise<Row[]> {
  const row = columns.map((column) => `t."${column}"`).join(', ');
  const keys = key_columns.map((name) => `t."${name}"`);
  const rows = await sql.unsafe<Row[]>(`
    select array[${keys.map((key) => `${key}::text`).join(', ')}] as key,
           encode(sha256(convert_to(row(${row})::text, 'UTF8')), 'hex') as hash
    from ${table_name} t where ${range} order by ${keys.join(', ')}`);
  return [...rows];
}
