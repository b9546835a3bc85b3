// Columns that statements take from one JSON parameter, so that a schema's members are listed in the schema alone and the
// text of a statement does not depend on which of them were sent.
import type { z } from 'zod';

/** Columns of a table, by the names of a schema's members. */
export type JsonColumns = readonly string[];

export const columnsOf = (schema: z.ZodObject, ...except: string[]): JsonColumns =>
  Object.keys(schema.shape).filter((name) => !except.includes(name));

/** The same columns of the row that the JSON makes, which statements name `r`. */
export const fromJson = (columns: JsonColumns): string[] => columns.map((name) => `r.${name}`);
