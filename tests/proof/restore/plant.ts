// Fills a database with rows of ten tenants for the restore proof: activities with their points, requests, and leads with their events.
import type postgres from 'postgres';

const TENANTS = 10;
/** Rows of one statement, so that triggers work on sets of a realistic size. */
const STEP = 5000;

/** Inserts about this many rows in all. */
export async function plantRows(sql: postgres.Sql, rows: number): Promise<void> {
  const tenants: string[] = [];
  for (let i = 0; i < TENANTS; i++) {
    const [tenant] = await sql`select admin.create_tenant(${`Tenant ${i}`}, ${`tenant-${i}`}) as id`;
    tenants.push(tenant?.id);
    await sql`
      insert into public.collaborators (tenant_id, external_id, name, email)
      select ${tenant?.id}, 'crm-' || i, 'Seller ' || i, 'seller-' || i || '@customer.example' from generate_series(1, 20) as i`;
    await sql`select admin.map_activity_code(${tenant?.id}, '001', admin.create_mission(${tenant?.id}, 'Calls', 10))`;
  }
  // Of a tenant's rows, 30 % are activities, 30 % their points, 30 % requests, 5 % leads and 5 % their events.
  const units = Math.ceil(rows / TENANTS / 100);
  await Promise.all(
    tenants.map(async (tenant) => {
      for (let from = 0; from < units * 30; from += STEP)
        await plantActivities(sql, tenant, from, Math.min(STEP, units * 30 - from));
      for (let from = 0; from < units * 5; from += STEP)
        await plantLeads(sql, tenant, from, Math.min(STEP, units * 5 - from));
    }),
  );
}

async function plantActivities(
  sql: postgres.Sql,
  tenant: string,
  from: number,
  count: number,
): Promise<void> {
  const numbers = sql`generate_series(${from + 1}::integer, ${from + count}::integer) as i`;
  await sql`
    insert into public.activities (tenant_id, external_id, activity_code, collaborator_id, data)
    select ${tenant}, 'call-' || i || '-' || md5(i::text), '001', c.id, jsonb_build_object('duration', i, 'channel', 'phone')
    from ${numbers} join public.collaborators c on c.tenant_id = ${tenant} and c.external_id = 'crm-' || 1 + i % 20`;
  await sql`
    insert into public.request_log (request_id, tenant_id, client_id, function, method, path, status, ip, duration_ms)
    select gen_random_uuid(), ${tenant}, md5(${tenant}), 'v1', 'PATCH', '/v1/leads/' || gen_random_uuid(), 200, '203.0.113.7', 12
    from ${numbers}`;
}

async function plantLeads(sql: postgres.Sql, tenant: string, from: number, count: number): Promise<void> {
  await sql`
    insert into public.leads (tenant_id, name, email, phone, company, source, custom_fields)
    select ${tenant}, 'Maria Silva ' || md5(i::text), 'lead-' || i || '@company.example', '+55 11 9' || 10000000 + i,
           'Company ' || i % 500, 'website', jsonb_build_object('segment', 'retail', 'budget', i * 100, 'note', md5(i::text))
    from generate_series(${from + 1}::integer, ${from + count}::integer) as i`;
}
