import type { Rows } from './database.ts';

/** The only row of a statement that always gives one. */
export function oneRow<T>(rows: Rows | undefined): T {
  const [row] = rows ?? [];
  if (!row) throw new Error('A statement that always gives a row gave none.');
  return row as T;
}
