// People whose account is in two workspaces: a token sees and changes one of them, on every route.
import { beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createPerson, exchange, type Person } from '../../support/persons.ts';
import { records } from '../../support/records/records.ts';
import { createPlan, type Furnished, furnish, stateOf } from '../../support/records/records-furnish.ts';
import {
  bodiesWithForeignIds,
  fillBody,
  fillPath,
  paramsOf,
  personRoutes,
  routes,
} from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const everyRoute = [...routes, ...personRoutes];
/** A person may send 50 requests in ten seconds, so the tests take turns. */
const PEOPLE = 8;

interface Member {
  here: Person;
  there: Person;
}

let mine: Furnished;
let theirs: Furnished;
const members: Member[] = [];

beforeAll(async () => {
  const plan = await createPlan(sql);
  [mine, theirs] = await Promise.all([furnish(sql, plan), furnish(sql, plan)]);
  const access = '{admin,read:payments}';
  for (let n = 0; n < PEOPLE; n++) {
    const here = await createPerson(sql, mine.tenant.id, { access, name: `Ana ${n}` });
    const there = await createPerson(sql, theirs.tenant.id, { access, name: `Foreign ${n}`, account: here });
    members.push({ here, there });
  }
});

let turn = 0;
const nextMember = (): Member => {
  const member = members[turn++ % PEOPLE];
  if (!member) throw new Error('No members.');
  return member;
};
const send = (method: string, path: string, body?: unknown) =>
  records(nextMember().here.token, method, path, body);
const states = () => Promise.all([mine, theirs].map(({ tenant }) => stateOf(sql, tenant.id)));

test('ids of the other workspace do not exist, in the path of any route', async () => {
  // External ids belong to clients.
  const byId = everyRoute.filter(({ path }) => path.includes(':') && !path.includes(':external_id'));
  const before = await states();
  for (const { method, path, name, example } of byId) {
    expect(paramsOf(path)).not.toEqual([]);
    const { status, body } = await send(method, fillPath(path, theirs.ids), fillBody(example?.(), mine.ids));
    expect([name, status]).toEqual([name, 404]);
    expect(JSON.stringify(body)).not.toMatch(/Foreign/);
  }
  expect(await states()).toEqual(before);
});

test('ids of the other workspace do not exist, in any body', async () => {
  const before = await states();
  for (const { method, path, name, example } of everyRoute) {
    const body = example?.();
    if (!body || path.includes(':external_id')) continue;
    for (const { field, body: foreign } of bodiesWithForeignIds(body, mine.ids, theirs.ids)) {
      const reply = await send(method, fillPath(path, mine.ids), foreign);
      const status = path.endsWith('/batch') ? reply.body.data.results[0].status : reply.status;
      expect([name, field, status]).toEqual([name, field, 422]);
    }
  }
  expect(await states()).toEqual(before);
});

test('no page shows anything of the other workspace, whatever it is filtered by', async () => {
  const pages = everyRoute.filter(({ method, path }) => method === 'GET' && !path.includes(':'));
  const [foreign] = await sql`select name, slug from tenants where id = ${theirs.tenant.id}`;
  const filters = [
    '',
    `?owner_id=${theirs.ids.user}`,
    `?user_id=${theirs.ids.user}`,
    `?team_id=${theirs.ids.team}`,
  ];
  for (const { path } of pages) {
    for (const filter of filters) {
      const member = nextMember();
      const { status, body } = await records(member.here.token, 'GET', path + filter);
      expect([path + filter, status]).toEqual([path + filter, expect.toBeOneOf([200, 400, 422])]);
      const { stage: _stage, external: _external, ...ids } = theirs.ids;
      const shown = JSON.stringify(body);
      for (const text of [
        ...Object.values(ids),
        member.there.userId,
        foreign?.name,
        foreign?.slug,
        'Foreign',
      ])
        expect(shown, path + filter).not.toContain(text);
    }
  }
});

test('a person has another record, access and points in each, and the same address', async () => {
  const { here, there } = nextMember();
  await sql`select admin.adjust_points(${theirs.tenant.id}, ${there.email}, 40, 'there')`;
  await sql`select admin.set_user_access(slug, ${there.email}, 'seller') from tenants where id = ${theirs.tenant.id}`;
  const { body: changed } = await exchange(here.authToken, { tenant: theirs.tenant.id });
  const [one, other] = await Promise.all(
    [here.token, changed.access_token].map(async (token) => (await records(token, 'GET', '/me')).body.data),
  );
  expect(one).toMatchObject({
    id: here.userId,
    access: null,
    total_points: 0,
    tenant: { id: mine.tenant.id },
  });
  expect(other).toMatchObject({
    id: there.userId,
    access: 'seller',
    total_points: 40,
    tenant: { id: theirs.tenant.id },
  });
  expect(one.email).toBe(other.email);
  // The access of one workspace changed, and the token of the other one stays.
  expect((await records(here.token, 'GET', '/leads')).status).toBe(200);
  expect((await records(changed.access_token, 'GET', '/leads')).status).toBe(403);
});
