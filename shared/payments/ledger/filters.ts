// Filters of ledger entries, for lists and exports.
import { day, type Filter, type Filters, oneOf } from '../../platform/lists/filters.ts';
import { isTypeId } from '../../platform/lists/keyset-list.ts';
import { providerFilter } from '../provider-registry/registry.ts';
import { controlFilters, currencyFilter } from '../requests/list-filters.ts';
import { entryTypes } from './serialize.ts';

const month: Filter = (value) =>
  /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(value)
    ? { op: 'period', value: `${value}-01` }
    : { rule: 'must be a month in the format YYYY-MM' };

const source: Filter = (value) => {
  if (isTypeId('inv', value)) return { op: 'eq', column: 'invoice_id', value };
  if (isTypeId('rfd', value)) return { op: 'eq', column: 'refund_id', value };
  if (isTypeId('po', value)) return { op: 'eq', column: 'payout_id', value };
  return { rule: 'must be the id of an invoice, a refund or a payout' };
};

export const ledgerFilters: Filters = {
  ...controlFilters,
  type: oneOf('type', entryTypes),
  currency: currencyFilter,
  provider: providerFilter,
  period: month,
  'available_on[gte]': day('available_on', 'gte'),
  'available_on[lte]': day('available_on', 'lte'),
  source,
};
