// Lists: pages, totals, filters, sorting and search.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import {
  createLead,
  expectData,
  faultOf,
  insertLeads,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();

const list = (token: string, path: string): Promise<Json[]> => expectData(token, 'GET', path, 200);
const namesOf = async (token: string, path: string) => (await list(token, path)).map(({ name }) => name);

/** Rows of all pages, following `total_pages`. */
async function walk(
  token: string,
  path: string,
  perPage: number,
  from = 1,
): Promise<{ rows: Json[]; meta: Json }> {
  const rows: Json[] = [];
  for (let page = from; ; page++) {
    const { body } = await records(
      token,
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}&page=${page}`,
    );
    if (!body.data) throw new Error(`page ${page}: ${JSON.stringify(body)}`);
    rows.push(...body.data);
    expect(body.meta.page).toBe(page);
    if (page >= body.meta.total_pages) return { rows, meta: body.meta };
  }
}

describe('pages', () => {
  test('return their numbers, 25 rows each by default', async () => {
    const { id, token } = await createRecordsTenant(sql);
    await insertLeads(
      sql,
      id,
      Array.from({ length: 27 }, (_, index) => ({ name: `L${index}` })),
    );
    const first = await records(token, 'GET', '/leads');
    expect(first.body.data).toHaveLength(25);
    expect(first.body.meta).toEqual({
      request_id: first.headers.get('x-request-id'),
      timestamp: expect.any(String),
      total: 27,
      page: 1,
      per_page: 25,
      total_pages: 2,
    });
    const empty = await records(token, 'GET', '/leads?page=&per_page=&sort=&status=&created_after=');
    expect([empty.status, empty.body.data]).toEqual([200, (await records(token, 'GET', '/leads')).body.data]);
    const second = await records(token, 'GET', '/leads?page=2');
    expect(second.body.data).toHaveLength(2);
    const beyond = await records(token, 'GET', '/leads?page=9&per_page=100');
    expect(beyond.body.data).toEqual([]);
    expect(beyond.body.meta).toMatchObject({ total: 27, page: 9, per_page: 100, total_pages: 1 });
    const none = await records(token, 'GET', '/deals');
    expect(none.body.meta).toMatchObject({ total: 0, total_pages: 0 });
  });

  test.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=%ff',
    'per_page=0',
    'per_page=101',
    'per_page=1e1',
    'sort=score',
    'sort=--name',
    'sort=id',
  ])('reject %s', async (text) => {
    const { token } = await createRecordsTenant(sql);
    const fields = [text.split('=')[0]];
    for (const path of ['/leads', '/deals', '/users', '/teams', '/webhooks', '/invitations', '/activities']) {
      const fault = faultOf(await records(token, 'GET', `${path}?${text}`));
      expect(fault).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields });
    }
  });

  test.each(['name', 'email', 'status', 'created_at', 'updated_at'])(
    'of leads by %s neither repeat nor skip a row',
    async (sort) => {
      const { id, token } = await createRecordsTenant(sql);
      const at = '2026-01-01T00:00:00Z';
      const leads = Array.from({ length: 23 }, (_, index) => ({
        name: `Same ${index % 2}`,
        status: ['new', 'contacted'][index % 2],
        created_at: at,
        updated_at: at,
      }));
      await insertLeads(sql, id, leads);
      const up = await walk(token, `/leads?sort=${sort}`, 5);
      const keys = up.rows.map((row) => `${row[sort]} ${row.id}`);
      expect(new Set(keys).size).toBe(23);
      // Emails are sorted with the collation of the database.
      if (sort !== 'email') expect(keys).toEqual(keys.toSorted());
      const down = await walk(token, `/leads?sort=-${sort}`, 5);
      expect(down.rows).toEqual(up.rows.toReversed());
    },
  );

  test.each(['name', 'value', 'created_at', 'updated_at', 'expected_close_date'])(
    'of deals by %s neither repeat nor skip a row',
    async (sort) => {
      const { id, token } = await createRecordsTenant(sql);
      const [stage] = await stagesOf(token);
      const at = '2026-01-01T00:00:00Z';
      await sql`insert into deals ${sql(
        Array.from({ length: 17 }, (_, index) => ({
          tenant_id: id,
          stage_id: stage.id,
          name: `Same ${index % 2}`,
          value: index % 3,
          created_at: at,
          updated_at: at,
          expected_close_date: index % 3 ? `2026-0${index % 3}-01` : null,
        })),
      )}`;
      const up = (await walk(token, `/deals?sort=${sort}`, 4)).rows;
      const down = (await walk(token, `/deals?sort=-${sort}`, 4)).rows;
      const keyOf = (row: Json) => `${row[sort]} ${row.id}`;
      // Deals without a date are last in both directions.
      const dated = (rows: Json[]) => rows.filter((row) => row[sort] !== null).map(keyOf);
      expect(new Set(up.map(keyOf)).size).toBe(17);
      expect(dated(up)).toEqual(dated(up).toSorted());
      expect(dated(down)).toEqual(dated(up).toReversed());
      expect(up.slice(0, dated(up).length).every((row) => row[sort] !== null)).toBe(true);
      expect(down.slice(0, dated(up).length).every((row) => row[sort] !== null)).toBe(true);
    },
  );

  test.each(['name', 'email', 'created_at', 'total_points'])(
    'of users by %s neither repeat nor skip a row',
    async (sort) => {
      const { id, token } = await createRecordsTenant(sql);
      const users = Array.from({ length: 9 }, (_, index) => ({ name: 'Same', email: `u${index}@x.co` }));
      await sql`insert into users ${sql(users.map((user) => ({ tenant_id: id, created_at: '2026-01-01', ...user })))}`;
      const up = (await walk(token, `/users?sort=${sort}`, 2)).rows;
      expect(new Set(up.map((row) => row.id)).size).toBe(9);
      expect((await walk(token, `/users?sort=-${sort}`, 2)).rows).toEqual(up.toReversed());
    },
  );

  test('are newest first by default', async () => {
    const { token } = await createRecordsTenant(sql);
    for (const name of ['1', '2', '3']) await createLead(token, { name });
    expect(await namesOf(token, '/leads')).toEqual(['3', '2', '1']);
    expect(await namesOf(token, '/leads?sort=created_at')).toEqual(['1', '2', '3']);
  });

  test('beyond 10000 rows reach every row, and the last one has the total', async () => {
    const { id, token } = await createRecordsTenant(sql);
    await sql`
      insert into leads (tenant_id, name, email, source, created_at)
      select ${id}, 'Lead', 'l' || n || '@x.co', case n % 21 when 0 then 'b' else 'a' end, '2026-01-01'
      from generate_series(1, 10605) as n`;
    const { rows } = await walk(token, '/leads?sort=name', 100);
    expect(new Set(rows.map((row) => row.id)).size).toBe(10605);
    for (const [path, count] of [
      ['/leads?source=a', 10100],
      ['/leads?search=lead', 10605],
    ] as const) {
      const { rows: last, meta } = await walk(token, path, 100, 98);
      expect(new Set(last.map((row) => row.id)).size).toBe(count - 9700);
      expect(meta).toMatchObject({ total: count, total_pages: Math.ceil(count / 100) });
    }
    const small = await records(token, 'GET', '/leads?source=b');
    expect(small.body.meta).toMatchObject({ total: 505, total_pages: 21 });
  });
});
