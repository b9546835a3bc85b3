// Parses the query parameters of a ledger export.
import { ApiError, type ErrorDetail } from '../../../platform/errors.ts';
import { type Condition, type Filter, type Filters, readFilters } from '../../../platform/lists/filters.ts';
import type { Query } from '../../../platform/query.ts';
import { ledgerFilters } from '../filters.ts';

export type ExportFormat = 'csv' | 'ofx';
export type ExportLocale = 'en' | 'pt-BR';

export interface ExportOptions {
  format: ExportFormat;
  locale: ExportLocale;
  /** The only currency of an OFX file. */
  currency: string;
  conditions: Condition[];
  fileName: string;
}

const MAX_DAYS = 366;
const DAY_MS = 86_400_000;
const PERIOD_RULE = `is required: a month as YYYY-MM, or both created[gte] and created[lte], at most ${MAX_DAYS} days apart`;

const locale: Filter = (value) =>
  value === 'en' || value === 'pt-BR' ? { op: 'locale', value } : { rule: 'must be en or pt-BR' };

/** The list's filters, except those by settlement day. */
const { 'available_on[gte]': _from, 'available_on[lte]': _to, ...listFilters } = ledgerFilters;
const filters: Filters = { ...listFilters, locale };

/** Throws `validation` with every invalid parameter. */
export function parseExport(query: Query, format: ExportFormat): ExportOptions {
  const params = query.take(Object.keys(filters));
  const { conditions, faults } = readFilters(filters, (name) => params.get(name));
  const details: ErrorDetail[] = [...faults];
  const month = params.get('period');
  const [from, to] = [params.get('created[gte]'), params.get('created[lte]')];
  const isInvalid = (name: string) => faults.some(({ field }) => field === name);
  if (!['period', 'created[gte]', 'created[lte]'].some(isInvalid)) {
    const days = (boundary(conditions, 'lte') - boundary(conditions, 'gte')) / DAY_MS;
    // Not comparable, and so invalid, if one of them is missing.
    if (month === undefined && !(days <= MAX_DAYS)) details.push({ field: 'period', message: PERIOD_RULE });
  }
  if (details.length > 0) throw new ApiError('validation', 'Fix these query parameters.', { details });
  const currency = params.get('currency') ?? 'BRL';
  return {
    format,
    locale: params.get('locale') === 'pt-BR' ? 'pt-BR' : 'en',
    currency,
    conditions: [
      ...conditions.filter(({ op, column }) => op !== 'locale' && column !== 'currency'),
      ...(format === 'ofx' || params.has('currency')
        ? [{ op: 'eq', column: 'currency', value: currency }]
        : []),
    ],
    fileName: `ledger-${month ?? `${from?.slice(0, 10)}-${to?.slice(0, 10)}`}.${format}`,
  };
}

const boundary = (conditions: readonly Condition[], op: 'gte' | 'lte'): number =>
  Date.parse(conditions.find((one) => one.op === op && one.column === 'created')?.value ?? '');
