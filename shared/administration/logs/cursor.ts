// Cursors of logs: the time (seconds) and key of the last entry of a page.
import { Buffer } from 'node:buffer';
import { invalid } from '../../platform/errors.ts';

export interface Cursor {
  seconds: string;
  key: string;
}

const cursorAfter = ({ seconds, key }: Cursor): string =>
  Buffer.from(`${seconds} ${key}`).toString('base64url');

/** Parses a cursor whose key has this form. Throws `validation`. */
export function parseCursor(text: string, keyForm: RegExp): Cursor {
  // Deno throws for other characters.
  const decoded = /^[\w-]*$/.test(text) ? Buffer.from(text, 'base64url').toString() : '';
  const [, seconds, key] = /^(\d{1,12}\.?\d{0,6}) (.*)$/s.exec(decoded) ?? [];
  if (seconds !== undefined && key !== undefined && keyForm.test(key)) return { seconds, key };
  throw invalid('parameter', 'after', 'is not a cursor of this list', 'validation');
}

export interface LogPage {
  records: Record<string, unknown>[];
  has_more: boolean;
  /** The cursor after the last entry; null if there is none. */
  next_cursor: string | null;
}

/** A page of rows, of which one more than `limit` was selected. */
export function toLogPage<R extends Cursor>(
  rows: readonly R[],
  limit: number,
  serialize: (row: R) => Record<string, unknown>,
): LogPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    records: shown.map(serialize),
    has_more: rows.length > limit,
    next_cursor: last ? cursorAfter(last) : null,
  };
}
