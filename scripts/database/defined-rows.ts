// Rows that SQL files define, such as plans and retention: compares those of two databases.
import postgres from 'postgres';

export interface RowDifference {
  /** Statements that insert the missing rows. */
  inserts: string[];
  /** Tables with rows that were changed or removed, which admins may have changed as well. */
  changed: string[];
}

/** Tables whose rows depend on when the migrations ran. */
const MEASURED = ['private.metric_sums'];

interface Row {
  key: string;
  /** The row as text, without times, which differ. */
  content: string;
  insert: string;
}

export async function compareRows(migratedUrl: string, describedUrl: string): Promise<RowDifference> {
  const [migrated, described] = await Promise.all([migratedUrl, describedUrl].map(readRows));
  const difference: RowDifference = { inserts: [], changed: [] };
  for (const table of new Set([...(migrated?.keys() ?? []), ...(described?.keys() ?? [])])) {
    const before = new Map(migrated?.get(table)?.map((row) => [row.key, row]));
    const after = new Map(described?.get(table)?.map((row) => [row.key, row]));
    const isChanged = [...before].some(([key, { content }]) => after.get(key)?.content !== content);
    if (isChanged) difference.changed.push(table);
    difference.inserts.push(
      ...[...after.values()].filter(({ key }) => !before.has(key)).map(({ insert }) => insert),
    );
  }
  return difference;
}

async function readRows(databaseUrl: string): Promise<Map<string, Row[]>> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const tables = await sql<{ name: string; columns: string[]; keys: string[]; compared: string[] }[]>`
      select format('%I.%I', n.nspname, c.relname) as name,
             array_agg(a.attname::text order by a.attnum) as columns,
             array_agg(a.attname::text order by a.attnum) filter (where a.attnum = any (i.indkey)) as keys,
             array_agg(a.attname::text order by a.attnum) filter (where a.atttypid <> 'timestamptz'::regtype) as compared
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'private')
      join pg_catalog.pg_index i on i.indrelid = c.oid
        and (i.indisprimary or i.indnullsnotdistinct
                               and not exists (select from pg_catalog.pg_index p where p.indrelid = c.oid and p.indisprimary))
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and not c.relispartition
      group by 1
      order by 1`;
    const found = new Map<string, Row[]>();
    for (const { name, columns, keys, compared } of tables.filter(
      (table) => !MEASURED.includes(table.name),
    )) {
      const rows = await sql<Row[]>`
        select to_jsonb(array[${list(sql, keys)}])::text as key, to_jsonb(array[${list(sql, compared)}])::text as content,
               ${`insert into ${name} (${columns.join(', ')}) values (`}
                 || concat_ws(', ', ${list(sql, columns, 'quote_nullable')}) || ');' as insert
        from ${sql.unsafe(name)} as t
        order by 1`;
      if (rows.length > 0) found.set(name, rows);
    }
    return found;
  } finally {
    await sql.end();
  }
}

const list = (sql: postgres.Sql, columns: readonly string[], call = '') =>
  sql.unsafe(columns.map((column) => `${call}(t."${column}"::text)`).join(', '));
