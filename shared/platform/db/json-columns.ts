// Columns that statements take from one JSON parameter, so that a schema's members are listed in the schema alone and the
// text of a statement does not depend on which of them were sent.
import type { z } from 'zod';
import type { Fragment, Sql } from './database.ts';

/** Columns of a table, by the names of a schema's members. */
export type JsonColumns = readonly string[];

export const columnsOf = (schema: z.ZodObject, ...except: string[]): JsonColumns =>
  Object.keys(schema.shape).filter((name) => !except.includes(name));

/**
 * Their names, separated by commas. A fragment of its own: within a statement the driver would make of the list what the
 * nearest keyword before it suggests, such as assignments after `update`.
 */
export const namesOf = (sql: Sql, columns: JsonColumns): Fragment => sql`${sql(columns)}`;

/** The same columns of the row that the JSON makes, which statements name `r`. */
export const fromJson = (sql: Sql, columns: JsonColumns): Fragment =>
  namesOf(
    sql,
    columns.map((name) => `r.${name}`),
  );
