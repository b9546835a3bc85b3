// Finds personal data in a database.
import type postgres from 'postgres';

/** Tables with a row that contains any of these texts. */
export async function tablesWith(sql: postgres.Sql, texts: string[]): Promise<string[]> {
  const tables = await sql`
    select n.nspname || '.' || c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'private') and c.relkind = 'r'`;
  const having: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql`
      select exists (
        select from ${sql(name)} t where lower(t::text) like any (${texts.map((text) => `%${text.toLowerCase()}%`)})
      ) as has`;
    if (row?.has) having.push(name);
  }
  return having.sort();
}
