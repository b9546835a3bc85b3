// The list of payouts.
import type { Sql, Statement } from '../../platform/db/database.ts';
import { controlFilters, type Filters, oneOfValues } from '../list.ts';

export const payoutFilters = (has: (provider: string) => boolean): Filters => ({
  ...controlFilters,
  status: oneOfValues('status', [
    'created',
    'incoming_payment_waiting',
    'processing',
    'paid',
    'failed',
    'canceled',
  ]),
  provider: {
    read: (value) => (has(value) ? (sql) => sql`provider = ${value}` : undefined),
    rule: 'must be the name of a provider',
  },
});

/** Rows as snapshots, those that a provider has not taken left out. */
export const payoutSource = (sql: Sql): Statement => sql`
  select to_jsonb(payouts) as snapshot
  from (select * from public.payouts where status <> 'creating') as payouts`;
