// Copies the tables of a tenant in chunks of their key's order. A chunk whose rows have the same hash on both sides is skipped, any
// other is replaced as a whole, so a pass can be repeated, resumed and used to compare.
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { CliError } from '../exit-codes.ts';
import { copyRows } from './copy.ts';
import { CONNECTIONS, readOne, type Side, whileConnected } from './side.ts';

const ROWS_PER_CHUNK = 10_000;
const BYTES_PER_CHUNK = 16 * 1024 * 1024;

/** A table to copy, from `private.tables_to_copy`. */
export interface Table {
  table_name: string;
  how: 'copy' | 'renumber' | 'vault' | 'auth';
  /** SQL condition on a row `t`. */
  condition: string;
  columns: string[];
  key_columns: string[];
  key_types: string[];
}

export interface Move {
  id: string;
  tenantId: string;
  from: Side;
  to: Side;
  /** Bytes per second that may be copied, undefined for no limit. */
  bytesPerSecond?: number | undefined;
  /** Whether text keys are compared byte by byte, because the databases sort text differently. */
  sortsByBytes?: boolean | undefined;
  /** Throws when copying must stop. Called between chunks. */
  checkpoint(): Promise<void>;
}

/** Rows of a table and a hash over them, regardless of their order. */
export interface Digest {
  rows: number;
  bytes: number;
  hash: string;
}

export interface TableResult extends Digest {
  table: string;
  /** Rows that were copied or deleted in this pass. */
  changed: number;
  /** SQL condition of the first chunk that still differs after it was copied. */
  differsIn?: string | undefined;
}

/** The tables, which become SQL at both sides, so both must name the same ones: neither side runs statements of the other. */
export async function tablesToCopy({ from, to, tenantId }: Move): Promise<Table[]> {
  const read = async ({ sql }: Side) => [
    ...(await sql<
      Table[]
    >`select * from private.tables_to_copy(${tenantId}) order by table_name collate "C"`),
  ];
  const [theirs, ours] = await Promise.all([read(from), read(to)]);
  if (JSON.stringify(theirs) !== JSON.stringify(ours))
    throw new CliError('Source and destination have different tables. Deploy the same version to both.');
  return ours;
}

/** Counts the tenant's rows. */
export async function countRows(side: Side, tables: readonly Table[]): Promise<number> {
  let rows = 0;
  for (const table of tables) {
    const statement = `select count(*)::integer as value from ${table.table_name} t where ${table.condition}`;
    rows += await readOne<number>(side.sql.unsafe(statement));
  }
  return rows;
}

/** Whether other tables say which rows are the tenant's. */
const isDependent = ({ condition }: Table): boolean => !condition.startsWith('t.tenant_id = ');

/**
 * Copies and compares all tables once, several at a time. Tables without tenant_id come after the tables that say which rows are the
 * tenant's. With `again`, when the destination has all of them, they also come before these, so that no row stays without its parent.
 */
export async function syncTables(
  move: Move,
  tables: readonly Table[],
  { again }: { again: boolean },
): Promise<TableResult[]> {
  const dependent = tables.filter(isDependent);
  const early = again ? await syncAtOnce(move, dependent) : [];
  const results = await syncAtOnce(
    move,
    tables.filter((table) => !isDependent(table)),
  );
  results.push(...(await syncAtOnce(move, dependent)));
  for (const { table, changed } of early) {
    const result = results.find((one) => one.table === table);
    if (result) result.changed += changed;
  }
  return results.sort((a, b) => a.table.localeCompare(b.table));
}

async function syncAtOnce(move: Move, tables: readonly Table[]): Promise<TableResult[]> {
  const waiting = [...tables];
  const results: TableResult[] = [];
  const work = async () => {
    for (let table = waiting.shift(); table; table = waiting.shift())
      results.push(await syncTable(move, table));
  };
  await whileConnected([move.from, move.to], Promise.all(Array.from({ length: CONNECTIONS }, work)));
  return results;
}

async function syncTable(move: Move, table: Table): Promise<TableResult> {
  const copies = table.how === 'copy' || table.how === 'renumber';
  // The tenant's row is written by admin.move_in.
  const isWritable = copies && table.table_name !== 'public.tenants';
  const result: TableResult = { table: table.table_name, rows: 0, bytes: 0, hash: '', changed: 0 };
  const hashes: string[] = [];
  let size = ROWS_PER_CHUNK;
  let after: string[] | undefined;
  for (let chunk = 0; ; chunk++) {
    await move.checkpoint();
    const end: string[] | undefined = await endOfChunk(move, table, after, size);
    const range = rangeOf(move, table, after, end);
    const [wanted, present] = await Promise.all([
      digestOf(move.from, table, range),
      digestOf(move.to, table, range),
    ]);
    let found = present;
    if (wanted.hash !== present.hash && isWritable) {
      await copyChunk(move, table, { range, chunk, wanted, present });
      result.changed += Math.max(wanted.rows, present.rows);
      found = await digestOf(move.to, table, range);
    }
    if (found.hash !== wanted.hash) result.differsIn ??= range;
    result.rows += found.rows;
    result.bytes += wanted.bytes;
    hashes.push(wanted.hash);
    if (!end) return { ...result, hash: hashOf(hashes.join()) };
    after = end;
    size = nextSize(wanted);
  }
}

/** Chunks of large rows have fewer of them. */
const nextSize = ({ rows, bytes }: Digest): number =>
  Math.max(1, Math.min(ROWS_PER_CHUNK, Math.floor(BYTES_PER_CHUNK / Math.max(1, bytes / Math.max(1, rows)))));

const keysOf = ({ sortsByBytes }: Move, { key_columns, key_types }: Table): string[] =>
  key_columns.map(
    (name, index) => `t."${name}"${sortsByBytes && key_types[index] === 'text' ? ' collate "C"' : ''}`,
  );

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The position in key order as a row of literals. */
const positionOf = ({ key_types }: Table, key: readonly string[]): string =>
  `(${key.map((text, index) => `${literal(text)}::${key_types[index]}`).join(', ')})`;

/** Condition on rows after one position, up to and including another. */
function rangeOf(move: Move, table: Table, after: string[] | undefined, end: string[] | undefined): string {
  const keys = `(${keysOf(move, table).join(', ')})`;
  return [
    table.condition.includes(' or ') ? `(${table.condition})` : table.condition,
    ...(after ? [`${keys} > ${positionOf(table, after)}`] : []),
    ...(end ? [`${keys} <= ${positionOf(table, end)}`] : []),
  ].join(' and ');
}

/** The key of the last row of the next chunk at the source; undefined if it is the last chunk. */
async function endOfChunk(
  move: Move,
  table: Table,
  after: string[] | undefined,
  size: number,
): Promise<string[] | undefined> {
  const keys = keysOf(move, table);
  const texts = table.key_columns.map((name) => `t."${name}"::text`).join(', ');
  const [row] = await move.from.sql.unsafe(
    `select array[${texts}] as key from ${table.table_name} t where ${rangeOf(move, table, after, undefined)} order by ${keys.join(', ')} offset ${size - 1} limit 1`,
  );
  return row?.key;
}

async function digestOf(side: Side, { table_name: name, columns }: Table, range: string): Promise<Digest> {
  const row = columns.map((column) => `t."${column}"`).join(', ');
  const [digest] = await side.sql.unsafe(`
    select count(*)::integer as rows, coalesce(sum(octet_length(line)), 0)::double precision as bytes,
           encode(sha256(coalesce(string_agg(hash, ''::bytea order by hash), ''::bytea)), 'hex') as hash
    from (
      select line, sha256(convert_to(line, 'UTF8')) as hash
      from (select row(${row})::text as line from ${name} t where ${range} offset 0) as lines
    ) as hashed`);
  return digest as unknown as Digest;
}

interface Chunk {
  range: string;
  chunk: number;
  wanted: Digest;
  present: Digest;
}

/** Replaces the chunk's rows at the destination in one transaction, with triggers and foreign keys disabled. */
async function copyChunk(move: Move, table: Table, { range, chunk, wanted, present }: Chunk): Promise<void> {
  const { table_name: name, columns } = table;
  const names = columns.map((column) => `"${column}"`).join(', ');
  // Renumbered rows keep their order.
  const order = [...keysOf(move, table), ...(table.how === 'renumber' ? ['t."id"'] : [])].join(', ');
  await move.to.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    if (present.rows > 0) await tx.unsafe(`delete from ${name} t where ${range}`);
    if (wanted.rows > 0) {
      const values = columns.map((column) => `t."${column}"`).join(', ');
      const rows = {
        from: move.from.sql,
        select: `select ${values} from ${name} t where ${range} order by ${order}`,
        to: tx,
        bytesPerSecond: move.bytesPerSecond,
      };
      // Whatever the source sends, only rows of the tenant are stored. The hashes show what is missing.
      if (!isDependent(table)) {
        await copyRows({ ...rows, into: `${name} (${names})`, where: table.condition.replace(/^t\./, '') });
      } else {
        // The parent of a row may be younger than the copy of its own table. The next pass copies both.
        await tx.unsafe(
          `create temporary table arrived on commit drop as select ${names} from ${name} limit 0`,
        );
        await copyRows({ ...rows, into: `arrived (${names})` });
        await tx.unsafe(
          `insert into ${name} (${names}) select ${names} from arrived t where ${table.condition} order by t.ctid`,
        );
      }
    }
    await recordChunk(tx, move.id, name, chunk, wanted.rows);
  });
}

/** Deletes rows at the destination whose parents were deleted at the source between the copies of both tables. */
export async function deleteOrphans({ to }: Move, tables: readonly Table[]): Promise<void> {
  const names = tables.filter(isDependent).map(({ table_name: name }) => name);
  const references = await to.sql<{ child: string; parent: string; matches: string }[]>`
    select c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
           string_agg(format('p.%I = t.%I', referenced.attname, referring.attname), ' and ') as matches
    from pg_constraint c
    cross join unnest(c.conkey, c.confkey) as k (referring, referenced)
    join pg_attribute referring on referring.attrelid = c.conrelid and referring.attnum = k.referring
    join pg_attribute referenced on referenced.attrelid = c.confrelid and referenced.attnum = k.referenced
    where c.contype = 'f' and c.conrelid = any (select name::regclass from unnest(${names}::text[]) as name)
      and not exists (
        select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and not a.attnotnull)
    group by c.oid`;
  await to.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    for (const { child, parent, matches } of references)
      await tx.unsafe(`delete from ${child} t where not exists (select from ${parent} p where ${matches})`);
  });
}

const recordChunk = (
  tx: postgres.TransactionSql,
  moveId: string,
  table: string,
  chunk: number,
  rows: number,
) => tx`
  with progress as (
    update private.tenant_moves set rows_copied = rows_copied + ${rows}, progressed_at = clock_timestamp(), last_error = null
    where id = ${moveId} returning id
  )
  insert into private.tenant_move_chunks as c (move_id, table_name, chunk, rows)
  select id, ${table}, ${chunk}, ${rows} from progress
  on conflict (move_id, table_name, chunk) do update set rows = excluded.rows, copies = c.copies + 1, copied_at = clock_timestamp()`;

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
