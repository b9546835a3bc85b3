// Rows by table, typed from the catalogue.
import type { Tables } from './database.types.ts';

export type { Json } from './database.types.ts';

export type TableName = keyof Tables;

/**
 * A row in the JSON form that `to_jsonb` gives: dates, timestamps, uuids and `bytea` are strings, `bigint` and `numeric`
 * are numbers, `jsonb` is `Json`. A row that the driver parsed has `Date` in place of timestamps and strings in place of
 * `bigint` and `numeric`.
 */
export type Row<T extends TableName> = Tables[T];

/** Some columns of a row. */
export type Columns<T extends TableName, C extends keyof Tables[T]> = Pick<Tables[T], C>;

/**
 * A row as it is shown: without the columns that nobody sees, and with those narrowed of which the catalogue only knows
 * that they are text or JSON.
 */
export type RowAs<T extends TableName, Hidden extends keyof Tables[T], Narrowed> = Omit<
  Tables[T],
  Hidden | keyof Narrowed
> &
  Narrowed;
