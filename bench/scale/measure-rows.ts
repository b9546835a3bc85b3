// `npm run bench:scale rows`: measures bytes per row with indexes for each growing table, in a new database with all migrations
// and triggers. Copy the output to inputs.ts.
import postgres from 'postgres';
import { withMigratedDatabase } from '../../scripts/database/migrated-database.ts';

const TENANTS = 10;
/** Per tenant: 20 000 rows in total, enough for indexes to reach their typical shape. */
const ROWS = 2000;

const tables = [
  'request_log',
  'events',
  'leads',
  'deals',
  'deal_activities',
  'activities',
  'point_entries',
  'webhook_deliveries',
  'webhook_attempts',
  'jobs',
  'invoices',
  'balance_transactions',
];

export async function measureRows(): Promise<Record<string, number>> {
  return await withMigratedDatabase(async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      const tenants = await Promise.all(
        Array.from({ length: TENANTS }, async (_, i) => {
          const [tenant] = await sql`select admin.create_tenant(${`Tenant ${i}`}, ${`tenant-${i}`}) as id`;
          return String(tenant?.id);
        }),
      );
      for (const tenant of tenants) await furnish(sql, tenant);
      // In steps, so that the rows of tenants are interleaved as in reality.
      for (let step = 0; step < 20; step++) {
        for (const tenant of tenants) await fill(sql, tenant, step * (ROWS / 20), ROWS / 20);
      }
      await sql`vacuum analyze`;
      return await bytesOfRows(sql);
    } finally {
      await sql.end();
    }
  });
}

async function furnish(sql: postgres.Sql, tenant: string): Promise<void> {
  await sql`select admin.create_payment_webhook(${tenant}, 'https://hooks.example.com/placar')`;
  await sql`
    insert into public.users (tenant_id, name, email)
    select ${tenant}, 'Seller ' || i, 'seller-' || i || '@customer.example' from generate_series(1, 10) as i`;
  await sql`
    insert into public.collaborators (tenant_id, external_id, name, email)
    select ${tenant}, 'crm-' || i, 'Seller ' || i, 'seller-' || i || '@customer.example' from generate_series(1, 10) as i`;
  await sql`
    select admin.map_activity_code(${tenant}, '001', admin.create_mission(${tenant}, 'Calls', 10))`;
}

async function fill(sql: postgres.Sql, tenant: string, from: number, rows: number): Promise<void> {
  const numbers = sql`generate_series(${from + 1}::integer, ${from + rows}::integer) as i`;
  const custom = sql`jsonb_build_object('segment', 'retail', 'budget', i * 100, 'campaign', 'spring ' || i % 20, 'note', md5(i::text))`;
  const owner = sql`(select id from public.users where tenant_id = ${tenant} and email = 'seller-' || 1 + i % 10 || '@customer.example')`;
  await sql`
    insert into public.leads (tenant_id, name, email, phone, company, source, owner_id, tags, custom_fields)
    select ${tenant}, 'Maria Silva ' || md5(i::text), 'lead-' || i || '@company.example', '+55 11 9' || 10000000 + i,
           'Company ' || i % 500, 'website', ${owner}, array['hot', 'spring'], ${custom} from ${numbers}`;
  await sql`
    insert into public.deals (tenant_id, name, value, stage_id, owner_id, contact_name, contact_email, custom_fields)
    select ${tenant}, 'Deal ' || md5(i::text), i, s.id, ${owner}, 'Maria Silva', 'lead-' || i || '@company.example', ${custom}
    from ${numbers}, public.pipeline_stages s where s.tenant_id = ${tenant} and s.position = 1`;
  await sql`
    insert into public.deal_activities (tenant_id, deal_id, type, description, date)
    select ${tenant}, id, 'call', 'Called about the offer; asks for a discount and calls back on Monday.', now()
    from public.deals where tenant_id = ${tenant} order by created_at desc limit ${rows}`;
  await sql`
    insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, data)
    select ${tenant}, 'call-' || i || '-' || md5(i::text), '001', c.id, jsonb_build_object('duration', i, 'channel', 'phone')
    from ${numbers} join public.collaborators c on c.tenant_id = ${tenant} and c.external_id = 'crm-' || 1 + i % 10`;
  await sql`
    insert into public.events (tenant_id, interface, type, data)
    select ${tenant}, 'payments', 'invoice.paid', jsonb_build_object('id', 'inv_' || md5(i::text), 'amount', i, 'currency', 'BRL',
      'status', 'paid', 'customer', jsonb_build_object('name', 'Maria Silva', 'tax_id', '52998224725'), 'created', now()) from ${numbers}`;
  await sql`
    insert into public.webhook_attempts (tenant_id, delivery_id, response_status, response_ms, response_excerpt)
    select ${tenant}, id, 200, 85, 'ok' from public.webhook_deliveries
    where tenant_id = ${tenant} and status = 'pending'`;
  await sql`update public.webhook_deliveries set status = 'delivered', next_at = null, attempts = 1, last_status = 200
    where tenant_id = ${tenant} and status = 'pending'`;
  await sql`update public.jobs set finished_at = now() where tenant_id = ${tenant} and finished_at is null`;
  await sql`
    insert into public.request_log (request_id, tenant_id, client_id, function, method, path, status, ip, duration_ms)
    select gen_random_uuid(), ${tenant}, md5(${tenant}), 'v1', 'PATCH', '/v1/leads/' || gen_random_uuid(), 200, '203.0.113.7', 12
    from ${numbers}`;
  await sql`
    insert into public.invoices (tenant_id, status, customer, amount, currency, region, description, payment_method_type,
                                 payment_method, artifact, provider, our_number)
    select ${tenant}, 'open', '{"name": "Maria Silva", "tax_id": "52998224725", "country": "BR", "email": "maria@example.com"}',
           10000, 'BRL', 'BR', 'Consulting', 'pix', '{"type": "pix"}', jsonb_build_object('pix', repeat(md5(i::text), 5)), 'sandbox',
           i::text from ${numbers}`;
  await sql`
    insert into public.balance_transactions (tenant_id, type, amount, currency, fee, net, available_on, provider, our_number)
    select ${tenant}, 'charge', 10000, 'BRL', 100, 9900, current_date, 'sandbox', i::text from ${numbers}`;
}

async function bytesOfRows(sql: postgres.Sql): Promise<Record<string, number>> {
  const bytes: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql`
      select coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(${`public.${table}`}::regclass)),
                      pg_total_relation_size(${`public.${table}`}::regclass)) as size,
             (select count(*) from ${sql(`public.${table}`)}) as rows`;
    bytes[table] = Math.round(Number(row?.size) / Math.max(1, Number(row?.rows)));
    console.log(table.padEnd(22), row?.rows, bytes[table]);
  }
  return bytes;
}
