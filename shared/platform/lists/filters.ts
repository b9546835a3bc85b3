// Parses filters of lists. Each query parameter becomes a condition or a validation error. `keyset-list.ts` (payments) and
// `app.list_page` (records) convert conditions to SQL.
import type { ErrorDetail } from '../errors.ts';
import { isDay } from '../instants.ts';
import { isUuid } from '../uuid.ts';
import { composed } from '../written-forms.ts';

export interface Condition {
  op: string;
  column?: string;
  value: string;
}

/** Values that a caller may use for a column, each with the stored values that it matches. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

/** Parses a parameter's value. `name` is the parameter and, unless the filter sets another one, the column. */
export type Filter = (value: string, name: string, words: FilterValues) => Condition | { rule: string };

export type Filters = Readonly<Record<string, Filter>>;

interface ParsedFilters {
  conditions: Condition[];
  /** One fault for each invalid value, with the parameter's name in `filters`. */
  faults: ErrorDetail[];
}

/** Parses the parameters that have filters. Ignores others. */
export function readFilters(
  filters: Filters,
  read: (name: string) => string | undefined,
  wordsOf: (name: string) => FilterValues = () => ({}),
): ParsedFilters {
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

/** Whether Postgres accepts the text. */
export const isStorable = (value: string) => value.isWellFormed() && !value.includes('\u0000');

/** Matches any text exactly. */
export const exactText: Filter = (value, column) =>
  isStorable(value)
    ? { op: 'eq', column, value }
    : { rule: 'must be well-formed Unicode without NUL characters' };

/** Matches a text that people write. */
export const writtenText: Filter = (value, ...rest) => exactText(composed(value), ...rest);

export const uuid: Filter = (value, column) =>
  isUuid(value) ? { op: 'eq', column, value } : { rule: 'must be a UUID' };

/** Matches one of these values. */
export const oneOf =
  (column: string, values: readonly string[]): Filter =>
  (value) =>
    values.includes(value) ? { op: 'eq', column, value } : { rule: `must be one of ${values.join(', ')}` };

/** Accepts one of the caller's values, which matches one or more stored values. */
export const word: Filter = (value, column, words) => {
  const stored = Object.hasOwn(words, value) ? (words[value] ?? []) : [];
  const [only] = stored;
  if (only === undefined) return { rule: `must be one of ${Object.keys(words).join(', ')}` };
  if (stored.length === 1) return { op: 'eq', column, value: only };
  return { op: 'in', column, value: `{${stored.join(',')}}` };
};

/** Compares a date with a date column. */
export const day =
  (column: string, op: 'gt' | 'lt' | 'gte' | 'lte'): Filter =>
  (value) =>
    isDay(value) ? { op, column, value } : { rule: 'must be a date, YYYY-MM-DD' };
