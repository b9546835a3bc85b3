// All data of a tenant, as one hash per table.
import type postgres from 'postgres';

/**
 * Rows that change without a request of the tenant: failed logins of others, the last use of a key, and
 * effects of due jobs.
 */
const NOT_ITS_OWN = ['request_log', 'request_log_sums', 'api_keys', 'oauth_clients', 'jobs', 'rankings'];

export async function contentsOf(sql: postgres.Sql, tenantId: string): Promise<Map<string, string>> {
  const tables = await sql`
    select c.table_name as name
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE'
      and c.table_name <> all (${NOT_ITS_OWN})
    order by c.table_name`;
  const contents = new Map<string, string>();
  for (const { name } of tables) {
    const [row] = await sql`
      select md5(string_agg(to_jsonb(r)::text, '' order by to_jsonb(r)::text)) as hash
      from ${sql(name)} r where r.tenant_id = ${tenantId}`;
    contents.set(name, row?.hash ?? '');
  }
  return contents;
}
