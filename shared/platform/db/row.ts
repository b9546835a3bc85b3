// Row types by table, generated from the database's catalog, and `oneRow`.
import type { Tables } from './database.types.ts';

export type { Json } from './database.types.ts';

export type TableName = keyof Tables;

/**
 * A row as `to_jsonb` returns it: dates, timestamps, uuids and `bytea` are strings, `bigint` and `numeric` are numbers, `jsonb` is
 * `Json`. In rows that the driver parses, timestamps are `Date`, and `bigint` and `numeric` are strings.
 */
export type Row<T extends TableName> = Tables[T];

/** Some columns of a row. */
export type Columns<T extends TableName, C extends keyof Tables[T]> = Pick<Tables[T], C>;

/** A row without its `Hidden` columns, and with narrower types for columns that the catalog knows only as text or JSON. */
export type RowAs<T extends TableName, Hidden extends keyof Tables[T], Narrowed> = Omit<
  Tables[T],
  Hidden | keyof Narrowed
> &
  Narrowed;

/** Returns the row of a statement that always returns one. */
export function oneRow<R>(rows: readonly R[]): R {
  const [row] = rows;
  if (!row) throw new Error('A statement that should return a row returned none.');
  return row;
}
