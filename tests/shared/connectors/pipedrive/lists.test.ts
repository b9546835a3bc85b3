// Lists and reads: order, pages while records change, archived deals, names of organizations.
import { expect, test } from 'vitest';
import type { CrmConnection, RecordKind } from '../../../../shared/connectors/crms/crm.ts';
import { activity, connect, data, deal, failure, listOf, person, type Row, startVendor } from './vendor.ts';

const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString().replace('.000', '');
const many = (count: number, toRow: (index: number) => Row): Row[] =>
  Array.from({ length: count }, (_, index) => toRow(index));

/** Ids of all pages. `between` runs before each further page. */
async function listAll(
  crm: CrmConnection,
  kind: RecordKind,
  since: string | null = null,
  between = () => {},
) {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<CrmConnection['list']>> = await crm.list(kind, { since, cursor });
    ids.push(...page.records.map(({ id }) => id));
    cursor = page.next;
    expect(cursor?.length ?? 0).toBeLessThan(100_000);
    between();
  } while (cursor !== null);
  return ids;
}

test('10 001 persons are listed once each, the oldest change first', async () => {
  const rows = many(10_001, (index) => person(index + 1, { update_time: at(10_001 - index) }));
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  const ids = await listAll(await connect(vendor), 'lead');
  expect(ids).toEqual(many(10_001, (index) => ({ id: String(10_001 - index) })).map(({ id }) => id));
});

test('2000 persons of one second are listed once each', async () => {
  const rows = many(2000, (index) =>
    person(index + 1, { update_time: at(index < 10 ? 0 : index < 1800 ? 5 : 9) }),
  );
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  const ids = await listAll(await connect(vendor), 'lead');
  expect(ids).toHaveLength(2000);
  expect(new Set(ids).size).toBe(2000);
});

test('records that change between pages are listed again, and push no other one out of sight', async () => {
  const rows = many(1600, (index) => person(index + 1, { update_time: at(index) }));
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  let changes = 0;
  const ids = await listAll(await connect(vendor), 'lead', null, () => {
    if (changes++ === 0) for (const row of rows.slice(0, 300)) row.update_time = at(10_000);
  });
  expect(new Set(ids).size).toBe(1600);
  expect(ids.filter((id) => Number(id) <= 300)).toHaveLength(600);
});

test('a list goes on in another connection', async () => {
  const rows = many(900, (index) => person(index + 1, { update_time: at(index) }));
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  const first = await (await connect(vendor)).list('lead', { since: null, cursor: null });
  const second = await (await connect(vendor)).list('lead', { since: null, cursor: first.next });
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(rows.map(({ id }) => String(id)));
  expect(second.next).toBeNull();
});

test('only changes since a time, including those of its second', async () => {
  const rows = many(10, (index) => person(index + 1, { update_time: at(index) }));
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  const since = new Date(Date.parse(at(7)) + 345).toISOString();
  expect(await listAll(await connect(vendor), 'lead', since)).toEqual(['8', '9', '10']);
});

test('persons that never changed are listed with the time of their creation', async () => {
  const rows = many(700, (index) => person(index + 1, { update_time: index < 600 ? null : at(index) }));
  const vendor = await startVendor({ 'GET /api/v2/persons': listOf(() => rows) });
  const crm = await connect(vendor);
  expect(new Set(await listAll(crm, 'lead')).size).toBe(700);
  const [first] = (await crm.list('lead', { since: null, cursor: null })).records;
  expect(first?.updatedAt).toBe('2026-01-01T00:00:00.000Z');
});

test('archived deals are listed among the others, by time', async () => {
  const active = many(1200, (index) => deal(index + 1, { update_time: at(index * 2) }));
  const archived = many(700, (index) =>
    deal(5000 + index, { update_time: at(index * 4 + 1), is_archived: true }),
  );
  const vendor = await startVendor({
    'GET /api/v2/deals': listOf(() => active),
    'GET /api/v2/deals/archived': listOf(() => archived),
  });
  const ids = await listAll(await connect(vendor), 'deal');
  const all = [...active, ...archived].sort((one, other) =>
    String(one.update_time) < String(other.update_time) ? -1 : 1,
  );
  expect(ids).toEqual(all.map(({ id }) => String(id)));
});

test('1100 archived deals of one second are listed once each, and so are the others of that second', async () => {
  const archived = many(1100, (index) => deal(5000 + index, { update_time: at(5), is_archived: true }));
  const active = many(20, (index) => deal(index + 1, { update_time: at(index) }));
  const vendor = await startVendor({
    'GET /api/v2/deals': listOf(() => active),
    'GET /api/v2/deals/archived': listOf(() => archived),
  });
  const ids = await listAll(await connect(vendor), 'deal');
  expect(ids).toHaveLength(1120);
  expect(new Set(ids).size).toBe(1120);
});

test('without an archive, deals are listed', async () => {
  const vendor = await startVendor({ 'GET /api/v2/deals': listOf(() => [deal(1)]) });
  expect(await listAll(await connect(vendor), 'deal')).toEqual(['1']);
});

test('deleted records are absent', async () => {
  const rows = {
    persons: [person(1, { is_deleted: true })],
    deals: [deal(2, { status: 'deleted' }), deal(3)],
  };
  const vendor = await startVendor({
    'GET /api/v2/persons/1': () => data(rows.persons[0]),
    'GET /api/v2/deals': () => data(rows.deals),
    'GET /api/v2/activities/4': () => data(activity(4, { is_deleted: true })),
  });
  const crm = await connect(vendor);
  expect(await crm.read('lead', ['1'])).toEqual([]);
  expect((await crm.read('deal', ['2', '3', '9'])).map(({ id }) => id)).toEqual(['3']);
  expect(await crm.read('activity', ['4'])).toEqual([]);
  expect(await crm.read('lead', ['404'])).toEqual([]);
});

test('records that are read together: in small pages, and those that a list leaves out one by one', async () => {
  const pages = [[person(1), person(2)], [person(3)]];
  const vendor = await startVendor({
    'GET /api/v2/persons': ({ query }) => {
      const place = Number(query.get('cursor') ?? 0);
      return {
        body: { success: true, data: pages[place], additional_data: { next_cursor: place ? null : '1' } },
      };
    },
    'GET /api/v2/persons/4': () => data(person(4)),
  });
  const crm = await connect(vendor);
  expect((await crm.read('lead', ['1', '2', '3', '4', '5'])).map(({ id }) => id)).toEqual([
    '1',
    '2',
    '3',
    '4',
  ]);
});

test('an archived deal is read', async () => {
  const vendor = await startVendor({
    'GET /api/v2/deals': listOf(() => [deal(1)]),
    'GET /api/v2/deals/2': () => data(deal(2, { is_archived: true })),
  });
  const crm = await connect(vendor);
  expect((await crm.read('deal', ['1', '2', '3'])).map(({ id }) => id)).toEqual(['1', '2']);
  expect((await crm.read('deal', ['2'])).map(({ id }) => id)).toEqual(['2']);
});

test('a deal has its values', async () => {
  const won = deal(1, {
    value: '1250.50',
    status: 'won',
    won_time: '2026-11-20 08:00:00',
    lost_reason: 'old',
  });
  const lost = deal(2, {
    value: null,
    status: 'lost',
    lost_time: '2026-11-21T08:00:00Z',
    lost_reason: ' Price ',
  });
  const vendor = await startVendor({ 'GET /api/v2/deals': listOf(() => [won, lost]) });
  const deals = await (await connect(vendor)).read('deal', ['1', '2']);
  expect(deals[0]).toEqual({
    id: '1',
    updatedAt: '2026-11-01T10:00:00.000Z',
    pipeline: '1',
    closedAt: '2026-11-20T08:00:00.000Z',
    values: {
      name: 'Deal 1',
      value: 1250.5,
      currency: 'BRL',
      stage: '11',
      status: 'won',
      owner: '7',
      contact: '5',
      expectedCloseDate: '2026-12-31',
      lossReason: null,
      custom: {},
    },
  });
  expect(deals[1]).toMatchObject({ closedAt: '2026-11-21T08:00:00.000Z' });
  expect(deals[1]?.values).toMatchObject({ value: null, status: 'lost', lossReason: 'Price' });
});

test('a person has the first address, and the name of the organization', async () => {
  const emails = [
    { value: ' Ana@Acme.example ', primary: false, label: 'home' },
    { value: 'second@acme.example', primary: true, label: 'work' },
  ];
  const phones = [{ value: '', primary: true }, { value: '+55 11 99999-0000' }];
  const rows = [
    person(1, { emails, phones, org_id: 3, job_title: ' CEO ' }),
    person(2, { emails: null, org_id: 4 }),
  ];
  const vendor = await startVendor({
    'GET /api/v2/persons': listOf(() => rows),
    'GET /api/v2/organizations': ({ query }) =>
      data(
        query.get('ids') === '3,4'
          ? [
              { id: 3, name: 'Acme' },
              { id: 4, name: 'Zeta', is_deleted: true },
            ]
          : [],
      ),
  });
  const { records } = await (await connect(vendor)).list('lead', { since: null, cursor: null });
  expect(records.map(({ values }) => values)).toEqual([
    {
      name: 'Person 1',
      email: 'ana@acme.example',
      phone: '+55 11 99999-0000',
      company: 'Acme',
      position: 'CEO',
      owner: '7',
      custom: {},
    },
    { name: 'Person 2', email: null, phone: null, company: 'Zeta', position: null, owner: '7', custom: {} },
  ]);
});

test('lists of activities have those that are done, of mapped types; reads have all', async () => {
  const rows = [
    activity(1),
    activity(2, { type: 'lunch' }),
    activity(3, { done: false, marked_as_done_time: null }),
  ];
  const vendor = await startVendor({ 'GET /api/v2/activities': listOf(() => rows) });
  const crm = await connect(vendor, { activityTypes: ['call'] });
  const { records } = await crm.list('activity', { since: null, cursor: null });
  expect(records).toEqual([
    {
      id: '1',
      number: '1',
      type: 'call',
      isDone: true,
      doneAt: '2026-10-31T09:00:00.000Z',
      owner: '7',
      updatedAt: '2026-11-01T10:00:00.000Z',
    },
  ]);
  const read = await crm.read('activity', ['2', '3']);
  expect(read.map(({ id, isDone, doneAt }) => [id, isDone, doneAt])).toEqual([
    ['2', true, '2026-10-31T09:00:00.000Z'],
    ['3', false, null],
  ]);
});

test('without mapped types no activities are requested', async () => {
  const vendor = await startVendor();
  const page = await (await connect(vendor)).list('activity', { since: null, cursor: null });
  expect(page).toEqual({ records: [], next: null });
  expect(vendor.requests).toEqual([]);
});

test('inspection: the company, users with an address, stages of pipelines that exist, types of activities', async () => {
  const vendor = await startVendor({
    'GET /api/v1/users/me': () => data({ id: 7, company_id: 123, company_domain: 'acme' }),
    'GET /api/v1/users': () =>
      data([
        { id: 7, email: ' Ana@Acme.example', name: 'Ana', active_flag: true },
        { id: 8, email: null, name: 'Bot' },
      ]),
    'GET /api/v1/activityTypes': () =>
      data([
        { id: 1, key_string: 'call' },
        { id: 2, key_string: 'visita_tecnica' },
      ]),
    'GET /api/v2/pipelines': () =>
      data([
        { id: 1, name: 'Sales' },
        { id: 2, name: 'Old', is_deleted: true },
      ]),
    'GET /api/v2/stages': ({ query }) =>
      query.has('cursor')
        ? data([
            { id: 12, name: 'Gone', pipeline_id: 1, is_deleted: true },
            { id: 21, name: 'Old', pipeline_id: 2 },
          ])
        : {
            body: {
              success: true,
              data: [
                { id: 11, name: 'Proposal', pipeline_id: 1, order_nr: 2, update_time: null },
                { id: 13, name: 'Contact', pipeline_id: 1, order_nr: 1 },
              ],
              additional_data: { next_cursor: 'more' },
            },
          },
  });
  expect(await (await connect(vendor)).inspect()).toEqual({
    vendorId: '123',
    users: [{ id: '7', email: 'ana@acme.example', name: 'Ana' }],
    stages: [
      { id: '13', name: 'Contact', pipeline: '1', pipelineName: 'Sales', closes: null },
      { id: '11', name: 'Proposal', pipeline: '1', pipelineName: 'Sales', closes: null },
    ],
    activityTypes: ['call', 'visita_tecnica'],
  });
  expect(new Set(vendor.requests.map(({ token }) => token))).toEqual(new Set(['f'.repeat(40)]));
});

test('a list at an address without the API is no empty list', async () => {
  const vendor = await startVendor({ 'GET /api/v1/users': () => failure(404, 'no') });
  const crm = await connect(vendor);
  await expect(crm.inspect()).rejects.toThrow('Pipedrive GET /api/v1/users: no');
  await expect(crm.list('lead', { since: null, cursor: null })).rejects.toThrow(
    'Pipedrive GET /api/v2/persons: ',
  );
});
