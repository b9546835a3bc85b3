// SQL of event feeds.
import type { Sql, Statement } from '../../platform/db/database.ts';
import type { Feed } from './cursor.ts';

/** An event of a page with the state of the feed. An empty page has one row without an event. */
export interface FeedRow {
  lastPosition: number;
  droppedPosition: number;
  /** Whether there may be events without a position. */
  behind: boolean;
  position: number | null;
  id: string;
  type: string;
  changed: string[];
  data: unknown;
  origin: string | null;
  silent: boolean;
  createdAt: Date;
}

interface PageQuery {
  /** Position after which the page starts. Default: before the oldest stored event. */
  after: number | undefined;
  /** All types if absent. */
  types: string[] | undefined;
  /** Maximum number of events. */
  atMost: number;
}

/** A page of the feed, read in one statement, so that all of it comes from one snapshot. */
export function selectPage(
  sql: Sql,
  { tenantId, interface: of }: Feed,
  { after, types, atMost }: PageQuery,
): Statement<FeedRow> {
  const ofTypes = types ? sql`and p.type = any (${`{${types.join(',')}}`}::text[])` : sql``;
  return sql`
    with feed as materialized (
      select f.* from (values (1)) as always left join public.event_feeds f on f.tenant_id = ${tenantId}
    ), places as materialized (
      select p.position, p.sequence from public.event_positions p
      where p.tenant_id = ${tenantId} and p.interface = ${of}
        and p.position > coalesce(${after ?? null}::bigint, (select f.dropped_position from feed f)) ${ofTypes}
      order by p.position limit ${atMost}
    )
    select coalesce(f.last_position, 0)::float8 as "lastPosition", coalesce(f.dropped_position, 0)::float8 as "droppedPosition",
           case when (select count(*) from places) >= ${atMost} then false
                when f.tenant_id is null or f.checkpoint_xid <= pg_snapshot_xmin(pg_current_snapshot()) then true
                else exists (
                  select from public.events n
                  where n.tenant_id = ${tenantId} and n.sequence > f.settled and n.type <> 'webhook.test'
                    and not exists (
                      select from public.event_positions k where k.tenant_id = ${tenantId} and k.sequence = n.sequence))
           end as behind,
           p.position::float8 as position, e.id, e.type, e.changed, app.event_data(e) as data, e.origin, e.silent,
           e.created_at as "createdAt"
    from feed f
    left join (places p join public.events e on e.tenant_id = ${tenantId} and e.sequence = p.sequence) on true
    order by p.position`;
}

/** Assigns positions to newly committed events. `more` is true if some events are left for the next call. */
export const assignPositions = (sql: Sql): Statement<{ more: boolean }> =>
  sql`select app.number_events() as more`;
