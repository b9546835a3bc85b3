// Boards: administration, and reading the standings of a board with its token.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { createPerson } from '../../support/persons.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();

/** The helper of the driver wants a type that objects do not have. */
const rowOf = (tenantId: string, row: object) =>
  ({ tenant_id: tenantId, ...row }) as object as Record<string, never>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}/i;

async function setUp(scopes = ['manage:access', 'admin']) {
  const { id, token } = await createRecordsTenant(sql, { scopes });
  const insert = async (table: string, row: object): Promise<string> => {
    const [made] = await sql`insert into ${sql(table)} ${sql(rowOf(id, row))} returning id`;
    return made?.id;
  };
  const [north, south] = [await insert('teams', { name: 'North' }), await insert('teams', { name: 'South' })];
  const player = async (name: string, points: number, team: string | null = north) => {
    const email = `${name.toLowerCase()}-${crypto.randomUUID()}@players.example`;
    await insert('users', { name, email, team_id: team });
    if (points !== 0) await sql`select admin.adjust_points(${id}, ${email}, ${points}, 'start')`;
    return email;
  };
  const admin = (method: string, path: string, body?: object, headers = {}) =>
    records(token, method, `/admin${path}`, body, { headers });
  const make = async (body: object): Promise<Json> => {
    const made = await admin('POST', '/boards', body);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    return made.body.data;
  };
  return { id, north, south, insert, player, admin, make };
}

const read = (token: string, headers = {}) => records(token, 'GET', '/board', undefined, { headers });

test('a board shows the points of its team: no ids, addresses or other teams', async () => {
  const { id, south, player, make } = await setUp();
  const emails = [await player('Ana', 30), await player('Bia', 20), await player('Caio', 20)];
  emails.push(await player('Dora', 99, south), await player('Eva', 98));
  await sql`select admin.set_ranking_opt_out(${id}, ${emails[4] ?? ''})`;
  const { token, path } = await make({ name: 'Wall', team: 'north' });
  expect(token).toMatch(/^board_[\w-]{43}$/);
  expect(path).toBe(`/board/${token}`);
  const { status, body } = await read(token);
  expect(status).toBe(200);
  const [tenant] = await sql`select name from tenants where id = ${id}`;
  expect(body).toEqual({
    data: {
      name: 'Wall',
      workspace: tenant?.name,
      team: 'North',
      period: 'month',
      season: null,
      updated_at: expect.stringMatching(/Z$/),
      entries: [
        { position: 1, name: 'Ana', points: 30 },
        { position: 2, name: expect.stringMatching(/Bia|Caio/), points: 20 },
        { position: 2, name: expect.stringMatching(/Bia|Caio/), points: 20 },
      ],
    },
  });
  const text = JSON.stringify(body);
  expect(text).not.toMatch(UUID);
  expect(text).not.toContain('@');
  expect(text).not.toMatch(/South|Dora|Eva/);
});

test('a board of a season counts its points, one of a period those of the period', async () => {
  const { id, player, insert, make } = await setUp();
  const email = await player('Ana', 7);
  await sql`
    insert into point_entries (tenant_id, player_id, reason, points, created_at)
    select tenant_id, id, 'automation', 100, '2020-01-15' from players where tenant_id = ${id} and email = ${email}`;
  await insert('seasons', { name: 'Old', starts_at: '2020-01-01', ends_at: '2020-02-01' });
  const pointsOf = async (board: object) => {
    const { data } = (await read((await make({ name: 'Wall', ...board })).token)).body;
    return [data.period, data.season, data.entries[0].points];
  };
  expect(await pointsOf({ season: 'Old' })).toEqual([null, 'Old', 100]);
  expect(await pointsOf({ period: 'all' })).toEqual(['all', null, 107]);
  expect(await pointsOf({})).toEqual(['month', null, 7]);
});

test('at most 50 players', async () => {
  const { player, make } = await setUp();
  for (let n = 0; n < 52; n++) await player(`P${n}`, 0);
  expect((await read((await make({ name: 'Wall' })).token)).body.data.entries).toHaveLength(50);
});

test('an unchanged board is 304, a changed one is not', async () => {
  const { player, make } = await setUp();
  await player('Ana', 5);
  const { token } = await make({ name: 'Wall' });
  const etag = (await read(token)).headers.get('etag') ?? '';
  expect((await read(token, { 'If-None-Match': etag })).status).toBe(304);
  await player('Bia', 1);
  const changed = await read(token, { 'If-None-Match': etag });
  expect([changed.status, changed.body.data.entries.length]).toEqual([200, 2]);
  expect((await records(token, 'POST', '/board', {})).status).toBe(405);
});

test('unknown, deleted and expired boards, and other tokens, are 401', async () => {
  const { id, make, admin } = await setUp();
  const [deleted, expired] = [await make({ name: 'A' }), await make({ name: 'B', expires_at: '2999-01-01' })];
  for (const { token } of [deleted, expired]) expect((await read(token)).status).toBe(200);
  expect((await admin('DELETE', `/boards/${deleted.id}`)).status).toBe(204);
  await sql`update boards set expires_at = now() where tenant_id = ${id} and id = ${expired.id}`;
  const person = await createPerson(sql, id);
  const tokens = [deleted.token, expired.token, `board_${'a'.repeat(43)}`, 'board_', person.token];
  for (const token of tokens) {
    const { status, headers } = await read(token);
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
  }
  expect((await records(null, 'GET', '/board')).status).toBe(401);
});

test('the token of a board opens nothing else', async () => {
  const { make } = await setUp();
  const { token } = await make({ name: 'Wall' });
  for (const path of ['/standings', '/me', '/users/me', '/admin/boards', '/leads'])
    expect([path, (await records(token, 'GET', path)).status]).toEqual([path, 401]);
});

test('a board can be read 30 times a minute, and others still can', async () => {
  const { make } = await setUp();
  const [{ token }, other] = [await make({ name: 'Wall' }), await make({ name: 'Other' })];
  // The window may begin anew meanwhile, at most once.
  const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await read(token)).status));
  expect(statuses).toContain(429);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(30);
  expect((await read(other.token)).status).toBe(200);
});

test('the token is stored nowhere, and shown once', async () => {
  const { id, make, admin } = await setUp();
  const key = crypto.randomUUID();
  const create = () => admin('POST', '/boards', { name: 'Once' }, { 'Idempotency-Key': key });
  const [first, again] = [await create(), await create()];
  expect(again.body.data).toMatchObject({ id: first.body.data.id });
  expect(again.body.data).not.toHaveProperty('token');
  expect(again.body.data).not.toHaveProperty('path');
  const { token } = await make({ name: 'Wall' });
  await read(token);
  const tables = await sql<{ table: string }[]>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables where schemaname in ('public', 'private')`;
  const secret = token.slice('board_'.length);
  for (const { table } of tables) {
    const [found] = await sql.unsafe(
      `select count(*)::integer as rows from ${table} t where t::text like $1`,
      [`%${secret}%`],
    );
    expect([table, found?.rows]).toEqual([table, 0]);
  }
  for (const { body } of [await admin('GET', '/boards'), await admin('GET', `/boards/Wall`)])
    expect(JSON.stringify(body)).not.toContain('board_');
  expect(id).toMatch(UUID);
});

test('administration: lists, gets, deletes with If-Match, and is audited', async () => {
  const { id, north, make, admin } = await setUp();
  const made = await make({ name: 'Wall', team: north, period: 'week', expires_at: '2999-01-01T00:00:00Z' });
  const { token: _token, path: _path, ...shown } = made;
  expect(shown).toEqual({
    id: expect.any(String),
    name: 'Wall',
    team: { id: north, name: 'North' },
    season: null,
    period: 'week',
    expires_at: '2999-01-01T00:00:00.000000Z',
    created_at: expect.any(String),
  });
  const got = await admin('GET', `/boards/${made.id}`);
  expect(got.body.data).toEqual(shown);
  expect((await admin('GET', '/boards?search=wa')).body.data).toEqual([shown]);
  const remove = (tag: string) => admin('DELETE', `/boards/${made.id}`, undefined, { 'If-Match': tag });
  expect((await remove('"other.1"')).status).toBe(412);
  expect((await remove(got.headers.get('etag') ?? '')).status).toBe(204);
  expect((await admin('GET', `/boards/${made.id}`)).status).toBe(404);
  const acts = await sql`
    select act, subject_name, before, after from admin_changes where tenant_id = ${id} and act like 'board.%' order by id`;
  expect(acts.map(({ act, subject_name }) => [act, subject_name])).toEqual([
    ['board.created', 'Wall'],
    ['board.deleted', 'Wall'],
  ]);
  expect(acts[0]?.after).toMatchObject({ name: 'Wall', team: 'North', period: 'week' });
  expect(JSON.stringify(acts)).not.toContain('token');
});

test('wrong bodies, too many boards, and callers without manage:access are refused', async () => {
  const { id, insert, admin } = await setUp();
  await insert('seasons', { name: 'Old', starts_at: '2020-01-01', ends_at: '2020-02-01' });
  const faultOf = async (body: object) => {
    const { status, body: answer } = await admin('POST', '/boards', body);
    return [status, answer.error.details.map(({ field }: Json) => field)];
  };
  expect(await faultOf({})).toEqual([400, ['name']]);
  expect(await faultOf({ name: 'Wall', season: 'Old', period: 'week' })).toEqual([400, ['period']]);
  expect(await faultOf({ name: 'Wall', period: 'decade' })).toEqual([400, ['period']]);
  expect(await faultOf({ name: 'Wall', team: 'East' })).toEqual([422, ['team']]);
  expect(await faultOf({ name: 'Wall', season: 'New' })).toEqual([422, ['season']]);
  await sql`
    insert into boards (tenant_id, name, period, token_hash)
    select ${id}, 'Wall', 'week', encode(sha256(gen_random_uuid()::text::bytea), 'hex') from generate_series(1, 100)`;
  expect((await admin('POST', '/boards', { name: 'One more' })).status).toBe(422);
  const other = await setUp(['admin']);
  expect((await other.admin('GET', '/boards')).status).toBe(403);
  expect((await other.admin('POST', '/boards', { name: 'Wall' })).status).toBe(403);
});

test("another tenant's board and team are unknown", async () => {
  const [one, other] = [await setUp(), await setUp()];
  const { id } = await one.make({ name: 'Wall' });
  for (const method of ['GET', 'DELETE'])
    expect((await other.admin(method, `/boards/${id}`)).status).toBe(404);
  expect((await other.admin('POST', '/boards', { name: 'Wall', team: one.north })).status).toBe(422);
});
