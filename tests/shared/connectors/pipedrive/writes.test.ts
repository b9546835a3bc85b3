// Writes of persons and deals, custom fields in both directions, and records whose creation was not answered.

import { describe, expect, test } from 'vitest';
import { findCreated } from '../../../../shared/connectors/crms/created.ts';
import {
  CrmCredentialsRejected,
  CrmRecordGone,
  CrmRejected,
} from '../../../../shared/connectors/crms/errors.ts';
import {
  connect,
  data,
  deal,
  failure,
  listOf,
  person,
  type Row,
  startVendor,
  TOKEN,
  type Vendor,
} from './vendor.ts';

const key = (digit: string): string => digit.repeat(40);
const [SOURCE, TAGS, BUDGET, WEIGHT, SINCE, VISIT, PLACE, HOUR] = [
  '1',
  '2',
  '3',
  '4',
  '5',
  '6',
  '7',
  '8',
].map(key) as [string, string, string, string, string, string, string, string];

const FIELDS = [
  { field_code: 'title', field_name: 'Title', field_type: 'varchar', options: null },
  {
    field_code: SOURCE,
    field_name: 'Source',
    field_type: 'enum',
    options: [
      { id: 1, label: 'Fair' },
      { id: 2, label: 'Web' },
    ],
  },
  {
    field_code: TAGS,
    field_name: 'Tags',
    field_type: 'set',
    options: [
      { id: 5, label: 'VIP' },
      { id: 6, label: 'EU' },
    ],
  },
  { field_code: BUDGET, field_name: 'Budget', field_type: 'monetary' },
  { field_code: WEIGHT, field_name: 'Weight', field_type: 'double' },
  { field_code: SINCE, field_name: 'Since', field_type: 'date' },
  { field_code: VISIT, field_name: 'Visit', field_type: 'daterange' },
  { field_code: PLACE, field_name: 'Place', field_type: 'address' },
  { field_code: HOUR, field_name: 'Hour', field_type: 'time' },
];
const KEYS = [SOURCE, TAGS, BUDGET, WEIGHT, SINCE, VISIT, PLACE, HOUR, key('9')];
const RAW = {
  [SOURCE]: 2,
  [TAGS]: [5, 6],
  [BUDGET]: { value: 500, currency: 'EUR' },
  [WEIGHT]: 7.5,
  [SINCE]: '2026-01-31',
  [VISIT]: { value: '2026-02-01', until: '2026-02-03' },
  [PLACE]: { value: 'Main St 1', locality: 'Tallinn' },
  [HOUR]: { value: '09:00:00', timezone_name: 'Europe/Tallinn' },
  [key('a')]: 'not mapped',
};
const VALUES = {
  [SOURCE]: 'Web',
  [TAGS]: ['VIP', 'EU'],
  [BUDGET]: 500,
  [WEIGHT]: 7.5,
  [SINCE]: '2026-01-31',
  [VISIT]: '2026-02-01/2026-02-03',
  [PLACE]: 'Main St 1',
  [HOUR]: '09:00:00',
  [key('9')]: null,
};

/** A vendor with one deal and one person, which changes and creations return. */
async function startWithRecords(values: Row = {}): Promise<Vendor> {
  const rows = { deals: deal(1, values), persons: person(2, values) };
  const routes: Vendor['routes'] = {
    'GET /api/v2/dealFields': () => data(FIELDS),
    'GET /api/v2/personFields': () => data(FIELDS),
  };
  for (const [kind, row] of Object.entries(rows)) {
    routes[`GET /api/v2/${kind}/${row.id}`] = () => data(row);
    routes[`PATCH /api/v2/${kind}/${row.id}`] = ({ body }) =>
      data({ ...row, ...body, update_time: '2026-11-27T10:00:00Z' });
    routes[`POST /api/v2/${kind}`] = ({ body }) => data({ ...row, ...body }, 201);
  }
  return await startVendor(routes);
}

const sent = (vendor: Vendor): unknown[] =>
  vendor.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => [method, path, body]);

describe('deals', () => {
  test('a change sends only its members, and returns the record', async () => {
    const vendor = await startWithRecords();
    const crm = await connect(vendor);
    const updated = await crm.update('deal', '1', { name: 'New', value: null, stage: '12', contact: null });
    expect(sent(vendor)).toEqual([
      ['PATCH', '/api/v2/deals/1', { title: 'New', value: 0, stage_id: 12, person_id: null }],
    ]);
    expect(updated).toMatchObject({
      id: '1',
      updatedAt: '2026-11-27T10:00:00.000Z',
      values: { name: 'New', value: 0, stage: '12' },
    });
  });

  test('a reason goes only with lost deals', async () => {
    const vendor = await startWithRecords();
    const crm = await connect(vendor);
    await crm.update('deal', '1', { status: 'lost', lossReason: 'Price' });
    await crm.update('deal', '1', { status: 'open', lossReason: null });
    await crm.update('deal', '1', { status: 'won', expectedCloseDate: null });
    expect(sent(vendor).map((each) => (each as unknown[])[2])).toEqual([
      { status: 'lost', lost_reason: 'Price' },
      { status: 'open' },
      { status: 'won', expected_close_date: null },
    ]);
  });

  test('a change of nothing that Pipedrive can be without sends nothing', async () => {
    const vendor = await startWithRecords();
    const updated = await (await connect(vendor)).update('deal', '1', { owner: null, name: null });
    expect(updated.values).toMatchObject({ owner: '7', name: 'Deal 1' });
    expect(sent(vendor)).toEqual([]);
  });

  test('creation', async () => {
    const vendor = await startWithRecords();
    const values = {
      name: 'New',
      value: 10.5,
      currency: 'EUR',
      stage: '11',
      status: 'open',
      owner: '7',
      contact: '5',
    } as const;
    const made = await (await connect(vendor)).create('deal', { ...values, expectedCloseDate: '2027-01-31' });
    expect(sent(vendor)).toEqual([
      [
        'POST',
        '/api/v2/deals',
        {
          title: 'New',
          value: 10.5,
          currency: 'EUR',
          stage_id: 11,
          status: 'open',
          owner_id: 7,
          person_id: 5,
          expected_close_date: '2027-01-31',
        },
      ],
    ]);
    expect(made).toMatchObject({ id: '1', values: { name: 'New' } });
  });
});

describe('persons', () => {
  test('a change of the address keeps the other addresses and labels', async () => {
    const emails = [
      { value: 'other@acme.example', primary: false, label: 'home' },
      { value: 'ana@acme.example', primary: true, label: 'work' },
    ];
    const vendor = await startWithRecords({
      emails,
      phones: [{ value: '1', primary: true, label: 'mobile' }],
    });
    const crm = await connect(vendor);
    const updated = await crm.update('lead', '2', {
      email: 'new@acme.example',
      phone: null,
      position: 'CTO',
    });
    expect(sent(vendor)).toEqual([
      [
        'PATCH',
        '/api/v2/persons/2',
        {
          emails: [{ value: 'new@acme.example', primary: false, label: 'home' }, emails[1]],
          phones: [],
          job_title: 'CTO',
        },
      ],
    ]);
    expect(updated.values).toMatchObject({ email: 'new@acme.example', phone: null, position: 'CTO' });
  });

  test('creation', async () => {
    const vendor = await startWithRecords();
    const values = { name: 'Ana', email: 'ana@acme.example', phone: '1', owner: '7', company: 'Acme' };
    await (await connect(vendor)).create('lead', values);
    const [body] = vendor.requests.map((request) => request.body);
    expect(body).toEqual({
      name: 'Ana',
      emails: [{ value: 'ana@acme.example', primary: true }],
      phones: [{ value: '1', primary: true }],
      owner_id: 7,
    });
  });
});

describe('custom fields', () => {
  test('values: labels, numbers, ISO dates and texts', async () => {
    const vendor = await startWithRecords({ custom_fields: RAW });
    const crm = await connect(vendor, { customKeys: { lead: [], deal: KEYS } });
    const [read] = await crm.read('deal', ['1']);
    expect(read?.values.custom).toEqual(VALUES);
  });

  test('writes: ids of options, currencies that amounts have, ranges', async () => {
    const vendor = await startWithRecords({ custom_fields: RAW });
    const crm = await connect(vendor, { customKeys: { lead: KEYS, deal: KEYS } });
    await crm.update('deal', '1', { custom: VALUES });
    await crm.update('lead', '2', { custom: { [TAGS]: [], [SOURCE]: null } });
    await crm.create('deal', { name: 'New', currency: 'USD', custom: { [BUDGET]: 10 } });
    expect(vendor.requests.flatMap(({ body }) => body.custom_fields ?? [])).toEqual([
      {
        ...RAW,
        [PLACE]: { value: 'Main St 1' },
        [HOUR]: { value: '09:00:00' },
        [key('9')]: null,
        [key('a')]: undefined,
      },
      { [TAGS]: null, [SOURCE]: null },
      { [BUDGET]: { value: 10, currency: 'USD' } },
    ]);
  });

  test('an amount that had no currency has that of the deal', async () => {
    const vendor = await startWithRecords({ custom_fields: { [BUDGET]: null } });
    const crm = await connect(vendor, { customKeys: { lead: [], deal: KEYS } });
    await crm.update('deal', '1', { custom: { [BUDGET]: 20 } });
    expect(sent(vendor)).toEqual([
      ['PATCH', '/api/v2/deals/1', { custom_fields: { [BUDGET]: { value: 20, currency: 'BRL' } } }],
    ]);
  });

  test('an unknown label is rejected by the name of the field, and nothing is sent', async () => {
    const vendor = await startWithRecords();
    const crm = await connect(vendor, { customKeys: { lead: [], deal: KEYS } });
    const change = crm.update('deal', '1', { custom: { [SOURCE]: 'Radio' } });
    await expect(change).rejects.toThrow(new CrmRejected('The field "Source" has no option "Radio".'));
    expect(sent(vendor)).toEqual([]);
  });

  test('definitions are read once, and not without mapped fields', async () => {
    const vendor = await startWithRecords();
    const crm = await connect(vendor, { customKeys: { lead: [], deal: KEYS } });
    await crm.read('deal', ['1']);
    await crm.read('deal', ['1']);
    await crm.read('lead', ['2']);
    expect(vendor.requests.filter(({ path }) => path.endsWith('Fields')).map(({ path }) => path)).toEqual([
      '/api/v2/dealFields',
    ]);
  });
});

describe('rejected writes', () => {
  test("Pipedrive's message, as one line without the token", async () => {
    const message = `Validation failed: stage_id\n ${TOKEN} ${'x'.repeat(400)}`;
    const vendor = await startVendor({ 'PATCH /api/v2/deals/1': () => failure(400, message) });
    const change = (await connect(vendor)).update('deal', '1', { stage: '99' });
    await expect(change).rejects.toThrow(
      new CrmRejected(`Validation failed: stage_id *** ${'x'.repeat(400)}`.slice(0, 300)),
    );
  });

  test('a record that is not there, or deleted', async () => {
    const vendor = await startWithRecords({ is_deleted: true });
    const crm = await connect(vendor);
    await expect(crm.update('deal', '99', { name: 'x' })).rejects.toBeInstanceOf(CrmRecordGone);
    await expect(crm.update('deal', '1', { name: 'x' })).rejects.toBeInstanceOf(CrmRecordGone);
    await expect(crm.update('lead', '2', { email: 'a@b.example' })).rejects.toBeInstanceOf(CrmRecordGone);
    expect(sent(vendor).filter((each) => (each as unknown[])[1] === '/api/v2/persons/2')).toEqual([]);
  });

  test('403 is a rejection of the change, 401 one of the credentials', async () => {
    const vendor = await startVendor({
      'PATCH /api/v2/persons/1': () => failure(403, 'Contact Sync is off'),
    });
    const crm = await connect(vendor);
    const change = () => crm.update('lead', '1', { position: 'CTO' });
    await expect(change()).rejects.toThrow(new CrmRejected('Contact Sync is off'));
    vendor.routes['PATCH /api/v2/persons/1'] = () => failure(401, 'unauthorized access');
    await expect(change()).rejects.toBeInstanceOf(CrmCredentialsRejected);
  });
});

describe('creations whose response was lost', () => {
  test('a person by address', async () => {
    const rows = [
      person(4, { emails: [{ value: 'Ana@acme.example', primary: true }] }),
      person(3, { emails: [{ value: 'ana@acme.example', primary: true }] }),
      person(2, { emails: [{ value: 'other@acme.example', primary: true }] }),
    ];
    const vendor = await startVendor({
      'GET /api/v2/persons/search': ({ query }) =>
        data({
          items:
            query.get('term') === 'ana@acme.example' ? rows.map((item) => ({ result_score: 1, item })) : [],
        }),
      'GET /api/v2/persons': listOf(() => rows),
    });
    const crm = await connect(vendor);
    const since = '2026-11-27T10:00:00.000Z';
    expect(await findCreated(crm, 'lead', { email: 'ana@acme.example' }, since)).toEqual(['3', '4']);
    expect(await findCreated(crm, 'lead', { email: 'nobody@acme.example' }, since)).toEqual([]);
    expect(await findCreated(crm, 'lead', { name: 'Ana' }, since)).toEqual([]);
  });

  test('a deal by name, value and the minute', async () => {
    const made = (id: number, add_time: string, values: Row = {}) =>
      deal(id, { title: 'Sale', value: 10, add_time, update_time: '2026-11-27T11:00:00Z', ...values });
    const rows = [
      made(1, '2026-11-27T09:59:50Z'),
      made(2, '2026-11-27T10:00:20Z', { value: 11 }),
      made(3, '2026-11-27T10:00:20Z', { title: 'Sale 2' }),
      made(4, '2026-11-27T10:02:00Z'),
    ];
    const vendor = await startVendor({ 'GET /api/v2/deals': listOf(() => rows) });
    const crm = await connect(vendor);
    const find = () => findCreated(crm, 'deal', { name: 'Sale', value: 10 }, '2026-11-27T10:00:00.700Z');
    expect(await find()).toEqual([]);
    rows.push(made(5, '2026-11-27T10:00:00Z'));
    expect(await find()).toEqual(['5']);
  });
});
