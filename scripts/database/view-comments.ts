// Comments on columns of views, which pg-delta does not compare.
import type pg from 'pg';

/** The statements that give the first database the comments of the second one. */
export async function compareViewComments(migrated: pg.Pool, described: pg.Pool): Promise<string[]> {
  const [present, wanted] = await Promise.all([migrated, described].map(readComments));
  return [...(wanted ?? [])].flatMap(([column, comment]) =>
    present?.get(column) === comment ? [] : [`comment on column ${column} is ${comment};`],
  );
}

/** By column, both quoted as in SQL. */
async function readComments(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ column: string; comment: string }>(`
    select format('%I.%I.%I', n.nspname, c.relname, a.attname) as column, quote_literal(d.description) as comment
    from pg_catalog.pg_description d
    join pg_catalog.pg_class c on d.classoid = 'pg_catalog.pg_class'::regclass and d.objoid = c.oid and c.relkind = 'v'
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname in ('admin', 'private', 'public', 'app')
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    order by 1`);
  return new Map(rows.map(({ column, comment }) => [column, comment]));
}
