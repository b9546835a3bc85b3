// Filters and pages of the lists of payments.
import type { Context } from '../../platform/access/context.ts';
import type { Fragment, Sql } from '../../platform/db/database.ts';
import { DAY_OR_INSTANT_RULE, parseDayOrInstantInUrl } from '../../platform/instants.ts';
import { exactText, type Filter, type Filters } from '../../platform/lists/filters.ts';
import {
  type CustomConditions,
  type KeysetPage,
  type KeysetQuery,
  keysetClauses,
  toKeysetPage,
} from '../../platform/lists/keyset-list.ts';

/** A timestamp, or a date, which means midnight UTC. */
const instant =
  (column: string, op: 'gte' | 'lte'): Filter =>
  (value) => {
    const parsed = parseDayOrInstantInUrl(value);
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

/** A page of the resources that `source` selects as `snapshot`. `own`: SQL for conditions that do not just compare a column. */
export async function listSnapshots<R extends object>(
  { read, tenantId }: Context,
  source: (sql: Sql) => Fragment,
  query: KeysetQuery,
  own?: CustomConditions,
): Promise<KeysetPage<R>> {
  const rows = await read(
    (sql) => sql<{ snapshot: R }>`${source(sql)} ${keysetClauses(sql, tenantId, query, own)}`,
  );
  const snapshots = rows.map(({ snapshot }) => snapshot);
  return toKeysetPage(snapshots, query);
}
