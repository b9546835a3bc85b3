// SQL of the table `balance_transactions`, which is only ever read here: entries are written by trigger and by admins.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { controlFilters, equals, type Filters, isId, oneOfValues } from '../list.ts';
import type { Providers } from '../providers/routing.ts';

export interface LedgerRow {
  id: string;
  type: string;
  amount: number;
  currency: string;
  fee: number;
  net: number;
  available_on: string;
  invoice_id: string | null;
  payout_id: string | null;
  cost_center: string | null;
  our_number: string | null;
  contractor_reference: string | null;
  created: string;
}

export const ledgerSource = (sql: Sql): Statement => sql`
  select id, type, amount, currency, fee, net, available_on::text, invoice_id, payout_id, cost_center, our_number,
         contractor_reference, created::text
  from public.balance_transactions`;

export function selectEntry(sql: Sql, tenantId: string, id: string): Statement {
  return sql`${ledgerSource(sql)} where tenant_id = ${tenantId} and id = ${id}`;
}

const DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

function day(comparison: 'from' | 'to'): Filters[string] {
  return {
    read(value) {
      if (!DATE.test(value) || new Date(value).toJSON()?.slice(0, 10) !== value) return undefined;
      return comparison === 'from'
        ? (sql) => sql`available_on >= ${value}::date`
        : (sql) => sql`available_on <= ${value}::date`;
    },
    rule: 'must be a date, YYYY-MM-DD',
  };
}

/** Filters of the ledger's list. */
export function ledgerFilters(tenantId: string, providers: Providers): Filters {
  return {
    ...controlFilters,
    type: oneOfValues('type', ['charge', 'payout', 'fee', 'adjustment']),
    currency: equals('currency'),
    provider: {
      read: (value) => (providers.has(value) ? (sql) => sql`provider = ${value}` : undefined),
      rule: 'must be the name of a provider',
    },
    period: {
      read(value) {
        if (!/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/.test(value)) return undefined;
        const first = `${value}-01`;
        // The month of the tenant's time zone.
        const edge = (sql: Sql, months: number) => sql`
          ((${first}::date + make_interval(months => ${months}))::timestamp at time zone
            (select t.time_zone from public.tenants t where t.id = ${tenantId}))`;
        return (sql) => sql`created >= ${edge(sql, 0)} and created < ${edge(sql, 1)}`;
      },
      rule: 'must be a month, YYYY-MM',
    },
    'available_on[gte]': day('from'),
    'available_on[lte]': day('to'),
    source: {
      read(value) {
        if (isId('inv', value)) return (sql) => sql`invoice_id = ${value}`;
        if (isId('po', value)) return (sql) => sql`payout_id = ${value}`;
        return undefined;
      },
      rule: 'must be the id of an invoice or a payout',
    },
  };
}
