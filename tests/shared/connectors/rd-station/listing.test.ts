// Lists: every record once, also while records change, and in the form that RD documents.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import { rdStationCrm } from '../../../../shared/connectors/crms/rd-station/adapter.ts';
import { connectAccount, listAll } from './account.ts';

let rd: RdStation;
beforeAll(async () => {
  rd = await startRdStation();
});
afterEach(() => rd.control.setFrozen(false));
afterAll(() => rd.stop());

const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `No. ${index}` }));
const sorted = (ids: readonly string[]) => [...ids].sort();
const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

async function accountWith(kind: 'contacts' | 'deals', count: number) {
  const account = await connectAccount(rd);
  const rows = await rd.control.addMany(account.id, kind, named(count));
  return { ...account, ids: idsOf(rows) };
}
const lead = { kind: 'lead', path: 'contacts' } as const;
const deal = { kind: 'deal', path: 'deals' } as const;

describe.each([lead, deal])('$path', ({ kind, path }) => {
  test('of several pages are listed once each', async () => {
    const { id, connection, ids } = await accountWith(path, 250);
    expect(sorted(idsOf(await listAll(connection, kind)))).toEqual(sorted(ids));
    const requests = await rd.control.requests({ account: id, path: `/crm/v2/${path}` });
    expect(requests.every(({ query }) => query['page[size]'] === '100')).toBe(true);
    expect(requests.every(({ status }) => status === 200)).toBe(true);
  });

  test('of an account without any', async () => {
    const { connection } = await accountWith(path, 0);
    expect(await connection.list(kind, { since: null, cursor: null })).toEqual({
      records: [],
      next: null,
    });
  });

  test('of the same millisecond are listed once each, up to several pages', async () => {
    await rd.control.setFrozen(true);
    const { connection, ids } = await accountWith(path, 350);
    expect(sorted(idsOf(await listAll(connection, kind)))).toEqual(sorted(ids));
  });

  // All of one second, or of two that a page divides.
  test.each([450, 90, 150, 210, 340])(
    'that change or are deleted while pages are read move no other out of the list: %i in the first second',
    async (first) => {
      await rd.control.setFrozen(true);
      const { id, connection, ids } = await accountWith(path, first);
      await rd.control.advance({ seconds: 1 });
      ids.push(...idsOf(await rd.control.addMany(id, path, named(450 - first))));
      const [changed, removed] = [new Set<string>(), new Set<string | undefined>()];
      const listed = await listAll(connection, kind, {
        between: async (page) => {
          await rd.control.advance({ seconds: 1 });
          const some = ids.slice(page * 20, page * 20 + 20);
          for (const one of some) await rd.control.patch(id, path, one, { name: `Changed ${page}` });
          for (const one of some) changed.add(one);
          await rd.control.remove(id, path, ids[page] ?? '');
          removed.add(ids[page]);
        },
      });
      const found = new Set(idsOf(listed));
      expect(ids.filter((one) => !found.has(one) && !removed.has(one))).toEqual([]);
      const twice = idsOf(listed).filter((one, index, all) => all.indexOf(one) !== index);
      expect(twice.filter((one) => !changed.has(one))).toEqual([]);
    },
  );

  test('of the same second that change while pages are read move no other out of the list', async () => {
    await rd.control.setFrozen(true);
    const { id, connection, ids } = await accountWith(path, 450);
    const listed = await listAll(connection, kind, {
      between: async (page) => {
        await rd.control.advance({ seconds: 2 });
        for (const one of ids.slice(page * 5, page * 5 + 5))
          await rd.control.patch(id, path, one, { name: `Changed ${page}` });
      },
    });
    const found = new Set(idsOf(listed));
    expect(ids.filter((one) => !found.has(one))).toEqual([]);
  });

  test('since a time are those that changed at or after it', async () => {
    await rd.control.setFrozen(true);
    const { id, connection, ids } = await accountWith(path, 3);
    await rd.control.advance({ ms: 1500 });
    const since = await rd.control.now();
    const [first = '', second = ''] = ids;
    await rd.control.patch(id, path, first, { name: 'At that time' });
    await rd.control.advance({ hours: 1 });
    await rd.control.patch(id, path, second, { name: 'After it' });
    expect(sorted(idsOf(await listAll(connection, kind, { since })))).toEqual(sorted([first, second]));
    const [request] = await rd.control.requests({ account: id, path: `/crm/v2/${path}` });
    const time = since.slice(0, 19).replace('T', ' ');
    expect(request?.query.filter).toBe(`updated_at:>="${time}"`);
    const later = new Date(Date.parse(since) + 1).toISOString();
    expect(idsOf(await listAll(connection, kind, { since: later }))).toEqual([second]);
  });

  test('continue after the same page in another process', async () => {
    const { options, connection, ids } = await accountWith(path, 150);
    const { records, next } = await connection.list(kind, { since: null, cursor: null });
    const rest = await listAll(rdStationCrm.connect(options), kind, { cursor: next });
    expect(records).toHaveLength(100);
    expect(sorted([...idsOf(records), ...idsOf(rest)])).toEqual(sorted(ids));
  });
});

test('more than 10 000 contacts are listed, although RD lists 10 000 of a filter', async () => {
  const account = await connectAccount(rd);
  const contacts = named(10_001).map((contact, index) => ({
    ...contact,
    created_at: new Date(Date.UTC(2020, 0, 1) + index * 700).toISOString(),
  }));
  const rows = await rd.control.addMany(account.id, 'contacts', contacts);
  expect(sorted(idsOf(await listAll(account.connection, 'lead')))).toEqual(sorted(idsOf(rows)));
});

test('more than 10 000 records of one second cannot be listed', async () => {
  const { connection } = await accountWith('deals', 0);
  const state = { sortedBy: 'updated_at', from: '2026-01-01T00:00:00.000Z', seen: [], hasFound: true };
  const cursor = JSON.stringify({ ...state, page: 101 });
  await expect(connection.list('deal', { since: null, cursor })).rejects.toMatchObject({
    name: 'CrmUnreachable',
    message: expect.stringContaining('10000'),
  });
});

test('deals are listed in the order of their changes', async () => {
  const { id, connection, ids } = await accountWith('deals', 3);
  const [first = '', second = '', third = ''] = ids;
  await rd.control.advance({ seconds: 1 });
  await rd.control.patch(id, 'deals', second, { name: 'Changed last' });
  expect(idsOf(await listAll(connection, 'deal')).at(-1)).toBe(second);
  expect(sorted(idsOf(await listAll(connection, 'deal')))).toEqual(sorted([first, second, third]));
});

describe('lists that only know the time of changes', () => {
  const options = { options: { requestsPerMinute: 100_000, listsByChange: true } };

  test.each([lead, deal])('$path of several pages are listed once each', async ({ kind, path }) => {
    const { id, connection } = await connectAccount(rd, {}, options);
    const rows = await rd.control.addMany(id, path, named(250));
    expect(sorted(idsOf(await listAll(connection, kind)))).toEqual(sorted(idsOf(rows)));
    await rd.control.advance({ seconds: 2 });
    const since = await rd.control.now();
    await rd.control.patch(id, path, rows[7]?.id ?? '', { name: 'Changed' });
    expect(idsOf(await listAll(connection, kind, { since }))).toEqual([rows[7]?.id]);
  });

  test('tasks that are done and of a mapped type', async () => {
    const { id, connection } = await connectAccount(rd, {}, options);
    const tasks = await rd.control.addMany(id, 'tasks', [
      { name: 'Done', type: 'call' },
      { name: 'Open', type: 'call' },
      { name: 'Not mapped', type: 'email' },
    ]);
    const [done = '', , other = ''] = idsOf(tasks);
    for (const task of [done, other]) await rd.control.setDone(id, task, true);
    expect(idsOf(await listAll(connection, 'activity'))).toEqual([done]);
  });
});

describe('tasks', () => {
  test('are listed if they are done and of a mapped type', async () => {
    const { id, connection } = await connectAccount(rd);
    const tasks = await rd.control.addMany(id, 'tasks', [
      { name: 'Done', type: 'call' },
      { name: 'Open', type: 'call' },
      { name: 'Not mapped', type: 'email' },
      { name: 'Done, too', type: 'meeting' },
    ]);
    const [done = '', , other = '', too = ''] = idsOf(tasks);
    for (const task of [done, other, too]) await rd.control.setDone(id, task, true);
    const listed = await listAll(connection, 'activity');
    expect(sorted(idsOf(listed))).toEqual(sorted([done, too]));
    expect(listed.every(({ isDone }) => isDone)).toBe(true);
  });

  test('since a time are those that were done at or after it', async () => {
    const { id, connection } = await connectAccount(rd);
    const tasks = await rd.control.addMany(id, 'tasks', [{ name: 'Before' }, { name: 'After' }]);
    const [before = '', after = ''] = idsOf(tasks);
    await rd.control.setDone(id, before, true);
    await rd.control.advance({ seconds: 2 });
    const since = await rd.control.now();
    await rd.control.setDone(id, after, true);
    expect(idsOf(await listAll(connection, 'activity', { since }))).toEqual([after]);
    const [request] = await rd.control.requests({ account: id, path: '/crm/v2/tasks' });
    expect(request?.query).toMatchObject({
      filter: `status:completed type:(call,meeting) completed_at:>="${since.slice(0, 19).replace('T', ' ')}"`,
      'sort[completed_at]': 'asc',
    });
  });

  test('of no mapped type are not asked for', async () => {
    const { id, connection } = await connectAccount(rd, { activityTypes: [] });
    expect(await listAll(connection, 'activity')).toEqual([]);
    expect(await rd.control.requests({ account: id })).toEqual([]);
  });
});

describe('names of organizations', () => {
  test('are read one by one if the lists are refused', async () => {
    const { id, connection } = await connectAccount(rd);
    const organizations = await rd.control.addMany(id, 'organizations', named(6));
    await rd.control.addMany(
      id,
      'contacts',
      organizations.map((one) => ({ name: String(one.name), organization_id: one.id })),
    );
    await rd.control.fault({
      kind: 'error_before',
      status: 400,
      method: 'GET',
      path: '/crm/v2/organizations',
    });
    const { records } = await connection.list('lead', { since: null, cursor: null });
    expect(sorted(records.map(({ values }) => String(values.company)))).toEqual(
      sorted(organizations.map(({ name }) => String(name))),
    );
  });

  test('come with lists of organizations, not one by one', async () => {
    const { id, connection } = await connectAccount(rd);
    const organizations = await rd.control.addMany(id, 'organizations', named(150));
    await rd.control.addMany(
      id,
      'contacts',
      organizations.map((one) => ({ name: String(one.name), organization_id: one.id })),
    );
    const leads = await listAll(connection, 'lead');
    expect(leads).toHaveLength(150);
    expect(leads.every(({ values }) => values.company === values.name)).toBe(true);
    const requests = await rd.control.requests({ account: id, path: '/crm/v2/organizations*' });
    // Both lists for each of the two pages, whose contacts were created at the same time.
    expect(requests.length).toBeLessThanOrEqual(4);
    expect(requests.every(({ path }) => path === '/crm/v2/organizations')).toBe(true);
  });

  test('that need too many requests end a page early', async () => {
    const { id, connection } = await connectAccount(rd);
    const organizations = await rd.control.addMany(id, 'organizations', named(90));
    const contacts = await rd.control.addMany(
      id,
      'contacts',
      organizations.map((one) => ({ name: String(one.name), organization_id: one.id })),
    );
    for (const { id: gone } of organizations) await rd.control.remove(id, 'organizations', gone);
    const { records, next } = await connection.list('lead', { since: null, cursor: null });
    expect(records).toHaveLength(9);
    expect(next).not.toBeNull();
    const leads = await listAll(connection, 'lead');
    expect(sorted(idsOf(leads))).toEqual(sorted(idsOf(contacts)));
    expect(leads.every(({ values }) => values.company === null)).toBe(true);
  });
});
