// Finds personal data in a database.
import type postgres from 'postgres';

/** Tables with a row of this tenant, or of none, that contains any of these texts. */
export async function tablesWith(sql: postgres.Sql, tenantId: string, texts: string[]): Promise<string[]> {
  const tables = await sql<{ name: string; tenant: 'tenant_id' | 'id' | null }[]>`
    select n.nspname || '.' || c.relname as name,
           case when c.relname = 'tenants' then 'id' else a.attname end as tenant
    from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where n.nspname in ('public', 'private') and c.relkind = 'r'`;
  const patterns = texts.map((text) => `%${text.toLowerCase()}%`);
  const having: string[] = [];
  for (const { name, tenant } of tables) {
    const own = tenant ? sql`coalesce(t.${sql(tenant)} = ${tenantId}, true)` : sql`true`;
    const [row] = await sql`
      select exists (select from ${sql(name)} t where ${own} and lower(t::text) like any (${patterns})) as has`;
    if (row?.has) having.push(name);
  }
  return having.sort();
}
