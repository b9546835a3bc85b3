// List filters shared by the payments resources.
import { DAY_OR_INSTANT_RULE, parseDayOrInstant } from '../../platform/instants.ts';
import { exactText, type Filter, type Filters } from '../../platform/lists/filters.ts';

/** A timestamp, or a date, which means midnight UTC. */
const instant =
  (column: string, op: 'gte' | 'lte'): Filter =>
  (value) => {
    const parsed = parseDayOrInstant(value);
    return parsed ? { op, column, value: parsed } : { rule: DAY_OR_INSTANT_RULE };
  };

export const controlFilters: Filters = {
  cost_center: exactText,
  our_number: exactText,
  contractor_reference: exactText,
  'created[gte]': instant('created', 'gte'),
  'created[lte]': instant('created', 'lte'),
};

/** Any code in ISO 4217 format, whether or not a record has this currency. */
export const currencyFilter: Filter = (value, column) =>
  /^[A-Z]{3}$/.test(value)
    ? { op: 'eq', column, value }
    : { rule: 'must be a currency code of three upper-case letters' };
