// Columns that statements read from one JSON parameter. Members are listed only in the schema, and the text of a statement does not
// depend on which members were sent.
import type { z } from 'zod';
import type { Fragment, Sql } from './database.ts';

/** Column names of a table, equal to the members of a schema. */
export type JsonColumns = readonly string[];

export const columnsOf = (schema: z.ZodObject, ...except: string[]): JsonColumns =>
  Object.keys(schema.shape).filter((name) => !except.includes(name));

/**
 * The column names, separated by commas. This is a separate fragment because postgres.js formats a list by the preceding keyword, for
 * example as assignments after `update`.
 */
export const namesOf = (sql: Sql, columns: JsonColumns): Fragment => sql`${sql(columns)}`;

/** The same columns of the row `r` that the statement reads from the JSON parameter. */
export const fromJson = (sql: Sql, columns: JsonColumns): Fragment =>
  namesOf(
    sql,
    columns.map((name) => `r.${name}`),
  );
