// Queries for events, deliveries and attempts.
import { pageOf, type View } from '../view.ts';

export interface EventRow {
  id: string;
  interface: string;
  type: string;
  changed: string[];
  data: unknown;
  /** The subject of the event, such as the name of a lead. */
  subject: string | null;
  origin: string | null;
  created_at: Date;
  deliveries: number;
  delivered: number;
  failed: number;
}

const eventColumns = ({ sql }: View) => sql`
  e.id, e.interface, e.type, e.changed, e.origin, e.created_at,
  (select coalesce(d ->> 'our_number', d ->> 'name', d ->> 'email', d ->> 'title', d ->> 'id') from app.event_data(e) as d) as subject,
  count(d.id)::integer as deliveries,
  (count(*) filter (where d.status = 'delivered'))::integer as delivered,
  (count(*) filter (where d.status = 'failed' or d.status = 'pending' and d.attempts > 0))::integer as failed`;

export async function readEvent(view: View, id: string): Promise<EventRow | undefined> {
  const { sql, tenant } = view;
  const [row] = await sql<EventRow[]>`
    select ${eventColumns(view)}, app.event_data(e) as data
    from public.events e
    left join public.webhook_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id
    where e.tenant_id = ${tenant.id} and e.id = ${id}
    group by e.tenant_id, e.id`;
  return row;
}

export interface DeliveryRow {
  id: string;
  event_id: string;
  type: string;
  url: string;
  status: string;
  attempts: number;
  next_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  active: boolean;
}

export interface DeliveryFilter {
  id?: string;
  eventId?: string;
  /** `delivered`, `pending` or `failed`; `failing` for failed ones and those with failed attempts; empty for all. */
  status?: string;
}

/** Newest first. */
export function readDeliveries(view: View, { id, eventId, status = '' }: DeliveryFilter) {
  return view.sql<DeliveryRow[]>`
    select d.id, d.event_id, d.type, w.url, d.status, d.attempts, d.next_at, d.last_status, d.last_error, d.created_at, w.active
    from admin.webhook_deliveries d
    join admin.webhook_endpoints w on w.id = d.endpoint_id
    where d.tenant_id = ${view.tenant.id}
      ${id === undefined ? view.sql`` : view.sql`and d.id = ${id}`}
      ${eventId === undefined ? view.sql`` : view.sql`and d.event_id = ${eventId}`}
      ${status === 'failing' ? view.sql`and (d.status = 'failed' or d.status = 'pending' and d.attempts > 0)` : view.sql``}
      ${status === '' || status === 'failing' ? view.sql`` : view.sql`and d.status = ${status}`}
    order by d.created_at desc, d.id desc
    ${pageOf(view)}`;
}

export interface AttemptRow {
  id: string;
  at: Date;
  response_status: number | null;
  response_ms: number;
  response_excerpt: string | null;
  error: string | null;
}

/** Newest first. */
export const readAttempts = ({ sql, tenant }: View, deliveryId: string) => sql<AttemptRow[]>`
  select id::text, at, response_status, response_ms, response_excerpt, error
  from admin.webhook_attempts
  where tenant_id = ${tenant.id} and delivery_id = ${deliveryId}
  order by at desc`;
