// Pages of a tenant with many rows: every query plan returns the same rows as a simple query, at a cost that depends on the page size.
// Here "many" is a hundredth of the real threshold, so that thousands of rows are enough. Runs on its own Postgres, because the planner's
// statistics cover the rows of all tenants.
import fc from 'fast-check';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlatformDatabase, startMigratedDatabase } from '../platform/platform-database.ts';
import { createWorkspace, inTransaction, type Workspace } from '../support/gamification/gamification.ts';
import { blocksRead } from '../support/postgres/blocks-read.ts';
import { assumeLargeTenants } from '../support/postgres/tenant-sizes.ts';

let db: PlatformDatabase;
beforeAll(async () => {
  db = await startMigratedDatabase();
});
afterAll(() => db?.stop());

const EXACT_UP_TO = 100;
const SCALED = { exact_up_to: [10_000, EXACT_UP_TO], surely_more: [50_000, 500], walk_at_least: [2000, 20] };
const STATUSES = ['new', 'contacted', 'qualified'];
const SOURCES = ['fair', 'web'];

/** Reduces the threshold of the function to a hundredth, in this transaction. */
async function scaleDown(tx: postgres.TransactionSql): Promise<void> {
  const [row] = await tx`select pg_get_functiondef('app.list_page'::regproc) as definition`;
  let definition: string = row?.definition;
  for (const [name, [from, to]] of Object.entries(SCALED)) {
    const scaled = definition.replace(
      new RegExp(`(${name} +constant integer := )${from};`),
      (_, head) => `${head}${to};`,
    );
    expect(scaled, name).not.toBe(definition);
    definition = scaled;
  }
  await tx.unsafe(definition);
}

/**
 * Leads: almost all are named Silva, some have a number, one percent comes from a fair, and the oldest quarter belongs
 * to Acme. Every seventh has the same time as the previous one.
 */
async function addLeads({ sql: tx, id, userId }: Workspace, rows: number, company = 'Acme'): Promise<void> {
  const owners = [await userId('ana'), await userId('bia')];
  await tx`
    insert into leads (tenant_id, name, email, company, source, status, owner_id, created_at, updated_at)
    select ${id}, (array['Maria', 'José', 'Ana'])[1 + h % 3] || case when h % 50 = 0 then ' Lima ' else ' Silva ' end || h % 997,
           'l' || i || '@x.co', case when i < ${rows}::integer / 4 then ${company} else '100%_' || h % 10 end,
           case when h % 100 = 0 then 'fair' else 'web' end, (${STATUSES}::text[])[1 + h % 3], (${owners}::uuid[])[1 + h % 2],
           '2026-01-01'::timestamptz + make_interval(mins => i - (i % 7 = 0)::integer),
           '2026-02-01'::timestamptz + make_interval(mins => i)
    from generate_series(1, ${rows}::integer) as i, lateral (select abs(hashint4(i)) as h) as hash`;
}

interface Question {
  search: string | null;
  status: string | null;
  source: string | null;
  owner: string | null;
  after: number | null;
  sort: 'created_at' | 'updated_at' | 'name' | 'email' | 'status';
  descending: boolean;
  size: number;
  page: number;
}

const words = [
  'silva',
  'lima',
  'maria',
  'jose silva',
  'a 42',
  'silva 42',
  'silva 7',
  '7',
  '42',
  'i',
  'acme',
  'silva 1',
  'x.co',
];
const questions: fc.Arbitrary<Question> = fc.record({
  search: fc.option(fc.constantFrom(...words, '%_', '100%_3', 'qx', 'José', 'none of them', 'a\\b'), {
    freq: 4,
  }),
  status: fc.option(fc.constantFrom(...STATUSES), { freq: 1 }),
  source: fc.option(fc.constantFrom(...SOURCES), { freq: 1 }),
  owner: fc.option(fc.constantFrom('ana', 'bia'), { freq: 1 }),
  // Minutes after the first, up to after the last.
  after: fc.option(fc.integer({ min: -1, max: 2600 }), { freq: 1 }),
  sort: fc.constantFrom('created_at', 'updated_at', 'name', 'email', 'status'),
  descending: fc.boolean(),
  size: fc.integer({ min: 1, max: 30 }),
  page: fc.oneof(
    { weight: 3, arbitrary: fc.nat({ max: 3 }) },
    { weight: 1, arbitrary: fc.nat({ max: 120 }) },
  ),
});

const momentOf = (minutes: number) => new Date(Date.UTC(2126, 0, 1) + minutes * 60_000).toISOString();

async function conditionsOf({ userId }: Workspace, { search, status, source, owner, after }: Question) {
  const eq = (column: string, value: string | null) => (value === null ? [] : [{ op: 'eq', column, value }]);
  return [
    ...eq('status', status),
    ...eq('source', source),
    ...eq('owner_id', owner && (await userId(owner))),
    ...(after === null ? [] : [{ op: 'gt', column: 'created_at', value: momentOf(after) }]),
    ...(search === null ? [] : [{ op: 'search', value: search }]),
  ];
}

async function ask(w: Workspace, asked: Question): Promise<{ ids: string[]; total: number }> {
  const { sort, descending, size, page } = asked;
  const conditions = JSON.stringify(await conditionsOf(w, asked));
  const [row] = await w.sql`
    select ids, total::integer from app.list_page('leads', ${conditions}::text::jsonb, ${sort}, ${descending}, ${size}, ${page * size})`;
  return row as unknown as { ids: string[]; total: number };
}

/** All matches, from a query that uses neither an index nor LIKE. */
async function plainly(w: Workspace, asked: Question): Promise<string[]> {
  const { search, status, source, owner, after, sort, descending } = asked;
  const tx = w.sql;
  const direction = descending ? tx`desc` : tx`asc`;
  const rows = await tx`
    select id from leads
    where tenant_id = ${w.id} and (${status}::text is null or status = ${status})
      and (${source}::text is null or source = ${source})
      and (${owner}::text is null or owner_id = ${owner && (await w.userId(owner))})
      and (${after}::integer is null or created_at > ${momentOf(after ?? 0)})
      and (${search}::text is null or strpos(search, app.fold(${search})) > 0)
    order by ${tx(sort)} ${direction}, id ${direction}`;
  return rows.map(({ id }) => id);
}

async function withLeads(rows: number, run: (w: Workspace) => Promise<void>): Promise<void> {
  await inTransaction(db.sql, async (tx) => {
    const w = await createWorkspace(tx);
    await addLeads(w, rows);
    await addLeads(await createWorkspace(tx), rows, 'Lima Silva');
    await scaleDown(tx);
    await assumeLargeTenants(tx, 'leads');
    await tx`select set_config('app.tenant_id', ${w.id}, true)`;
    await run(w);
  });
}

test('return the rows of a plain query in its order, with its total as long as that is exact', async () => {
  await withLeads(2500, async (w) => {
    await fc.assert(
      fc.asyncProperty(questions, async (asked) => {
        const expected = await plainly(w, asked);
        const { ids, total } = await ask(w, asked);
        const first = asked.page * asked.size;
        expect(ids).toEqual(expected.slice(first, first + asked.size));
        if (expected.length <= EXACT_UP_TO) expect(total).toBe(expected.length);
        else if (first < expected.length && first + asked.size >= expected.length)
          expect(total).toBe(expected.length);
        else expect(total).toBeGreaterThan(Math.min(first + ids.length, EXACT_UP_TO));
      }),
      { numRuns: 250 },
    );
  });
});

/** Blocks of tables and indexes that a page and its total read. */
async function blocksOf(w: Workspace, asked: Partial<Question>): Promise<number> {
  const question: Question = {
    ...{ search: null, status: null, source: null, owner: null, after: null },
    ...{ sort: 'created_at', descending: true, size: 25, page: 0, ...asked },
  };
  const conditions = JSON.stringify(await conditionsOf(w, question));
  return await blocksRead(
    () => w.sql`
      explain (analyze, buffers, format json)
      select from app.list_page('leads', ${conditions}::text::jsonb, ${question.sort}, ${question.descending}, 25, 0)`,
  );
}

const pages: Record<string, Partial<Question>> = {
  'a word that most have': { search: 'silva' },
  'a word that most have, by last change': { search: 'silva', sort: 'updated_at' },
  'two words that many have': { search: 'maria silva' },
  'two letters that most have': { search: 'si' },
  'a word that most have, of a status': { search: 'silva', status: 'new' },
  'a status, by last change': { status: 'new', sort: 'updated_at' },
};

test('read the same number of rows in a table six times as large, and at the end of the order only matching ones', async () => {
  const read: Record<string, number>[] = [];
  const far: number[] = [];
  for (const rows of [800, 4800]) {
    await withLeads(rows, async (w) => {
      const blocks: Record<string, number> = {};
      for (const [name, asked] of Object.entries(pages)) blocks[name] = await blocksOf(w, asked);
      read.push(blocks);
      // The newest sixth by creation, least recently changed first: all other leads come before them.
      far.push(await blocksOf(w, { after: rows - rows / 6, sort: 'updated_at', descending: false }));
    });
  }
  // Scanning the order up to them reads twice as much.
  expect(far[1]).toBeLessThan(120);
  const [few = {}, many = {}] = read;
  for (const name of Object.keys(pages)) expect(many[name], name).toBeLessThan(2 * (few[name] ?? 0));
});
