// What a list may be asked for: each query parameter is read into a condition, which is data, or breaks a rule. How
// conditions become SQL is `keyset-list.ts` for payments and `app.list_page` for records.
import type { ErrorDetail } from '../errors.ts';
import { isDay } from '../instants.ts';
import { isUuid } from '../uuid.ts';

export interface Condition {
  op: string;
  column?: string;
  value: string;
}

/** Words that a caller may use for the values of a column, and the stored values that each stands for. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

/** Reads a parameter's value; `name` is the parameter's, which is the column's where nothing else is said. */
export type Filter = (value: string, name: string, words: FilterValues) => Condition | { rule: string };

export type Filters = Readonly<Record<string, Filter>>;

export interface FilterReading {
  conditions: Condition[];
  /** A fault for each bad value, with the parameter's name as it is in `filters`. */
  faults: ErrorDetail[];
}

/** Reads the parameters that there are filters for; others are ignored. */
export function readFilters(
  filters: Filters,
  read: (name: string) => string | undefined,
  wordsOf: (name: string) => FilterValues = () => ({}),
): FilterReading {
  const conditions: Condition[] = [];
  const faults: ErrorDetail[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const value = read(name);
    if (value === undefined) continue;
    const result = filter(value, name, wordsOf(name));
    if ('rule' in result) faults.push({ field: name, message: result.rule });
    else conditions.push(result);
  }
  return { conditions, faults };
}

/** Whether Postgres can compare with it. */
export const isStorable = (value: string) => value.isWellFormed() && !value.includes('\u0000');

/** Any text, compared as it is. */
export const exactText: Filter = (value, column) =>
  isStorable(value) ? { op: 'eq', column, value } : { rule: 'must be text' };

export const uuid: Filter = (value, column) =>
  isUuid(value) ? { op: 'eq', column, value } : { rule: 'must be a UUID' };

/** One of these values of a column. */
export const oneOf =
  (column: string, values: readonly string[]): Filter =>
  (value) =>
    values.includes(value) ? { op: 'eq', column, value } : { rule: `must be one of ${values.join(', ')}` };

/** One of the caller's words, which stands for one stored value or for several. */
export const word: Filter = (value, column, words) => {
  const stored = Object.hasOwn(words, value) ? (words[value] ?? []) : [];
  const [only] = stored;
  if (only === undefined) return { rule: `must be one of ${Object.keys(words).join(', ')}` };
  if (stored.length === 1) return { op: 'eq', column, value: only };
  return { op: 'in', column, value: `{${stored.join(',')}}` };
};

/** A day, compared with a column of dates. */
export const day =
  (column: string, op: 'gt' | 'lt' | 'gte' | 'lte'): Filter =>
  (value) =>
    isDay(value) ? { op, column, value } : { rule: 'must be a date, YYYY-MM-DD' };
