// Figures of a tenant that must be equal on both sides, in addition to the hashes of the tables.
import type { Side } from './side.ts';

/** Name and value of each figure. */
export type Sums = Record<string, string>;

export async function readSums({ sql }: Side, tenantId: string): Promise<Sums> {
  const rows = await sql<{ name: string; value: string }[]>`
    select 'ledger net ' || currency as name, sum(net)::text as value
    from public.balance_transactions where tenant_id = ${tenantId} group by currency
    union all
    select 'players, points', count(*) || ', ' || coalesce(sum(total_points), 0) from public.players where tenant_id = ${tenantId}
    union all
    select 'points by player', encode(sha256(convert_to(coalesce(string_agg(id || total_points::text, ',' order by id), ''), 'UTF8')), 'hex')
    from public.players where tenant_id = ${tenantId}
    union all
    select 'highest ' || kind || ' number of ' || year, last_value::text from public.document_numbers where tenant_id = ${tenantId}
    union all
    select 'highest event sequence', coalesce(max(sequence), 0)::text from public.events where tenant_id = ${tenantId}
    union all
    select 'highest feed position', coalesce(max(last_position), 0)::text from public.event_feeds where tenant_id = ${tenantId}
    union all
    select 'open invoices', count(*)::text from public.invoices where tenant_id = ${tenantId} and status in ('creating', 'open')
    union all
    select 'open payouts', count(*)::text from public.payouts
    where tenant_id = ${tenantId} and status not in ('paid', 'failed', 'canceled')
    union all
    select 'open refunds', count(*)::text from public.refunds where tenant_id = ${tenantId} and status in ('creating', 'pending')
    union all
    select 'players with point differences', count(*)::text from admin.point_differences where tenant_id = ${tenantId}
    order by 1`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** The names of figures that differ. */
export const differingSums = (ours: Sums, theirs: Sums): string[] =>
  [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter((name) => ours[name] !== theirs[name]);
