// Invariants of all stored data once no work is pending. Each check finds rows that violate one.
import type postgres from 'postgres';
import type { Receiver } from './receiver.ts';
import type { RunState } from './run-state.ts';

/** Statements that return no rows if the data is consistent. */
const checks: Record<string, (sql: postgres.Sql) => postgres.PendingQuery<postgres.Row[]>> = {
  'a job that failed permanently': (sql) =>
    sql`select name, key, last_error from jobs where failed_at is not null`,
  'an activity that did not count exactly once': (sql) => sql`
    select a.external_id, count(e.id)::integer as entries
    from activities a left join point_entries e on e.tenant_id = a.tenant_id and e.activity_id = a.id
    group by a.tenant_id, a.external_id, a.activity_code
    having count(e.id) <> case when a.activity_code = '001' then 1 else 0 end`,
  'a player whose points differ from the sum of the entries': (sql) => sql`
    select p.id, p.total_points, coalesce(sum(e.points), 0) as sum
    from players p left join point_entries e on e.tenant_id = p.tenant_id and e.player_id = p.id
    group by p.tenant_id, p.id, p.total_points having p.total_points <> coalesce(sum(e.points), 0)`,
  'a resource without exactly one key': (sql) => sql`
    select r.id, count(k.key)::integer as keys
    from (select tenant_id, id from invoices union all select tenant_id, id from payouts) r
    left join idempotency_keys k on k.tenant_id = r.tenant_id and k.resource_id = r.id
    group by r.id having count(k.key) <> 1`,
  'a resource without exactly one matching order': (sql) => sql`
    select r.id, r.status, array_agg(o.status) as orders
    from (select id, status from invoices union all select id, status from payouts) r
    left join private.sandbox_orders o on o.reference = r.id
    where r.status <> 'creating'
    group by r.id, r.status
    having count(o.reference) <> 1
        or not (min(o.status) = r.status or (r.status = 'failed' and r.id like 'inv%' and min(o.status) = 'canceled'))`,
  'an order without a resource': (sql) => sql`
    select o.reference, o.status from private.sandbox_orders o
    where o.kind in ('charge', 'payout')
      and not exists (select from invoices i where i.id = o.reference and i.status <> 'creating')
      and not exists (select from payouts p where p.id = o.reference and p.status <> 'creating')`,
  'an unfinished payout': (sql) => sql`
    select id, status, created from payouts where status not in ('paid', 'failed', 'canceled', 'creating')`,
  'an invoice that is open after its expiry': (sql) => sql`
    select id, status, expires_at from invoices where status = 'open' and expires_at < now() - interval '1 second'`,
  'a payment without exactly one ledger entry': (sql) => sql`
    select r.id, r.status, r.amount, array_agg(b.type) as entries
    from (select id, status, amount, 'charge' as type from invoices
          union all select id, status, -amount, 'payout' from payouts) r
    left join balance_transactions b on b.invoice_id = r.id or b.payout_id = r.id
    group by r.id, r.status, r.amount, r.type
    having count(b.id) <> case when r.status = 'paid' then 1 else 0 end
        or (r.status = 'paid' and (min(b.type) <> r.type or min(b.amount) <> r.amount))`,
  'missing or duplicate numbers': (sql) => sql`
    select tenant_id, kind, count(*)::integer as n, count(distinct number)::integer as different, max(number) as last
    from (
      select tenant_id, 'INV' as kind, split_part(our_number, '-', 3)::integer as number from invoices where status <> 'creating'
      union all select tenant_id, 'PO', split_part(our_number, '-', 3)::integer from payouts where status <> 'creating'
      union all select d.tenant_id, 'NFSE', o.number::integer from tax_documents d
                join private.sandbox_orders o on o.kind = 'tax_document' and o.reference = d.id where o.number is not null
    ) as numbered
    group by tenant_id, kind having count(distinct number) <> count(*) or max(number) <> count(*)`,
  'a payment without exactly one event': (sql) => sql`
    select r.id, r.status, array_agg(e.type) as events
    from (select id, status, 'invoice' as kind from invoices union all select id, status, 'payout' from payouts
          union all select id, status, 'tax_document' from tax_documents) r
    left join events e on e.interface = 'payments' and e.data ->> 'id' = r.id
      and e.type = r.kind || '.' || r.status
    where r.status in ('paid', 'canceled', 'failed', 'issued')
    group by r.id, r.status having count(e.id) <> 1`,
  'an event of a state that the resource never had': (sql) => sql`
    select e.type, e.data ->> 'id' as id, i.status from events e join invoices i on i.id = e.data ->> 'id'
    where e.type like 'invoice.%' and e.type <> 'invoice.' || i.status
      and not (e.type = 'invoice.failed' and i.status = 'paid')
    union all
    select e.type, e.data ->> 'id', p.status from events e join payouts p on p.id = e.data ->> 'id'
    where e.type like 'payout.%' and e.type <> 'payout.' || p.status`,
  'an unfinished tax document': (sql) => sql`
    select d.id, d.status, i.status as invoice, i.tax_document_request from tax_documents d
    join invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
    where d.status = 'pending' and (i.status <> 'open' or i.tax_document_request is null)`,
  'an issued tax document without its files': (sql) => sql`
    select d.id, count(o.name)::integer as files from tax_documents d
    left join storage.objects o on o.name like '%' || d.id || '%'
    where d.status = 'issued' group by d.id having count(o.name) <> 2`,
  'a tax document with another state at the municipality': (sql) => sql`
    select d.id, d.status, o.status as there from tax_documents d
    join private.sandbox_orders o on o.kind = 'tax_document' and o.reference = d.id
    where d.status <> o.status`,
  'an invoice with several pending or issued tax documents': (sql) => sql`
    select tenant_id, invoice_id from tax_documents where status in ('pending', 'issued')
    group by 1, 2 having count(*) > 1`,
  'a record without exactly one creation event': (sql) => sql`
    select r.kind, r.id, count(e.id)::integer as events
    from (select id::text, 'lead' as kind, tenant_id from leads union all select id::text, 'deal', tenant_id from deals) r
    left join events e on e.tenant_id = r.tenant_id and e.type = r.kind || '.created' and e.data ->> 'id' = r.id
    group by r.kind, r.id having count(e.id) <> 1`,
  'a record whose first event in the feed is not its creation event': (sql) => sql`
    select e.data ->> 'id' as id, array_agg(e.type order by p.position) as types
    from event_positions p join events e on e.tenant_id = p.tenant_id and e.sequence = p.sequence
    where e.type like any (array['lead.%', 'deal.%'])
    group by e.tenant_id, e.data ->> 'id'
    having (array_agg(e.type order by p.position))[1] not like '%.created'`,
  'a closed deal or converted lead without exactly one event': (sql) => sql`
    select r.id, r.type, count(e.id)::integer as events
    from (select id::text, 'deal.' || status as type, tenant_id from deals where status in ('won', 'lost')
          union all select id::text, 'lead.converted', tenant_id from leads where status = 'converted') r
    left join events e on e.tenant_id = r.tenant_id and e.type = r.type and e.data ->> 'id' = r.id
    group by r.id, r.type having count(e.id) <> 1`,
  'a lead with two deals': (sql) => sql`
    select lead_id from deals d
    where lead_id is not null and not exists (select from crm_accounts a where a.tenant_id = d.tenant_id)
    group by lead_id having count(*) > 1`,
  'an event without exactly one delivery per endpoint': (sql) => sql`
    select e.id, e.type, w.url, count(d.id)::integer as deliveries
    from events e
    join webhook_endpoints w on w.tenant_id = e.tenant_id and w.interface = e.interface
      and (w.events is null or e.type = any (w.events)) and e.created_at > w.created_at
    left join webhook_deliveries d on d.tenant_id = e.tenant_id and d.event_id = e.id and d.endpoint_id = w.id
    group by e.id, e.type, w.url having count(d.id) <> 1`,
  'a delivery that failed, or a webhook that was deactivated': (sql) => sql`
    select d.id, d.status, d.last_error, w.active from webhook_deliveries d
    join webhook_endpoints w on w.id = d.endpoint_id
    where d.status <> 'delivered' or not w.active`,
};

/** Runs all checks. */
export async function checkDatabase(sql: postgres.Sql, state: RunState): Promise<void> {
  for (const [what, find] of Object.entries(checks)) {
    const rows = await find(sql);
    state.check(rows.length === 0, () => `${what}: ${rows.length}, ${JSON.stringify(rows.slice(0, 3))}`);
  }
}

/** Every delivery reached its receiver with its event and got 200, and the receiver got nothing else. */
export async function checkArrivals(
  sql: postgres.Sql,
  state: RunState,
  receivers: Map<string, Receiver>,
): Promise<void> {
  for (const [tenantId, receiver] of receivers) {
    const deliveries = await sql`select id, event_id from webhook_deliveries where tenant_id = ${tenantId}`;
    const known = new Set<string>();
    for (const { id, event_id: event } of deliveries) {
      known.add(id);
      const arrival = receiver.arrivals.get(id);
      state.check(
        receiver.accepted.has(id) && arrival?.event === event,
        () => `${id} of ${event} is marked delivered, and arrived as ${JSON.stringify(arrival)}`,
      );
    }
    const strange = [...receiver.arrivals.keys()].filter((id) => !known.has(id));
    state.check(strange.length === 0, () => `unexpected deliveries: ${strange.slice(0, 3)}`);
    for (const fault of receiver.faults.splice(0)) state.wrong(fault);
  }
}
