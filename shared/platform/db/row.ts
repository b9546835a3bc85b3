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
