// What the adapter of HubSpot reads: the account, lists and single records.
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../../shared/connectors/crms/hubspot/facts.ts';
import { createAccount, fakeOfThisFile, listAll } from './hubspot-account.ts';

fakeOfThisFile();

describe('inspect', () => {
  test('returns the portal, all owners with an address, and which stages close deals', async () => {
    const owners = Array.from({ length: 120 }, (_, index) => ({
      name: `Ana Souza ${index}`,
      email: `Ana${index}@Acme.Example`,
    }));
    const account = await createAccount({ users: owners, pipelines: [{ name: 'Vendas', stages: ['Novo'] }] });
    const { fake, id } = account;
    const [{ id: archived = '' } = {}] = (await fake.control.account(id, 'owners')).owners;
    await fake.control.archiveOwner(id, archived);

    const { vendorId, users, stages, activityTypes } = await (await account.connect()).inspect();

    expect(vendorId).toBe(id);
    expect(users).toHaveLength(120);
    expect(users.at(-1)).toEqual({ id: archived, email: 'ana0@acme.example', name: 'Ana Souza 0' });
    const pipeline = { pipeline: expect.any(String), pipelineName: 'Vendas', id: expect.any(String) };
    expect(stages).toEqual([
      { ...pipeline, name: 'Novo', closes: null },
      { ...pipeline, name: 'Negócio fechado', closes: 'won' },
      { ...pipeline, name: 'Negócio perdido', closes: 'lost' },
    ]);
    expect(activityTypes).toEqual(['calls', 'meetings', 'emails', 'tasks']);
  });

  test('leaves out owners without an address; several may have the same one', async () => {
    const account = await createAccount();
    const owners = [
      { id: 1, firstName: 'Queue' },
      { id: 2, email: ' ana@acme.example ' },
      { id: 3, email: 'ANA@acme.example' },
    ];
    const fault = { kind: 'error_before', account: account.id, path: '/crm/owners/*', status: 200 } as const;
    await account.fake.control.fault({ ...fault, times: 2, body: { results: owners } });

    const { users } = await (await account.connect()).inspect();

    const ana = { email: 'ana@acme.example', name: null };
    // Each owner twice: once as archived.
    expect(users).toEqual(['2', '3', '2', '3'].map((id) => ({ id, ...ana })));
  });
});

test('reads contacts', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const [owner] = (await fake.control.account(id, 'owners')).owners;
  const properties = { firstname: ' Ana', lastname: 'Souza ', email: 'Ana@Acme.Example', phone: '+55 11 9' };
  const full = await fake.control.add(id, 'contacts', {
    ...{ ...properties, company: 'Acme', jobtitle: 'CEO', hubspot_owner_id: owner?.id },
  });
  const empty = await fake.control.add(id, 'contacts', {});
  const [winner, loser, gone] = await fake.control.addMany(id, 'contacts', [{}, {}, {}]);
  await fake.control.merge(id, 'contacts', winner?.id ?? '', loser?.id ?? '');
  await fake.control.remove(id, 'contacts', gone?.id ?? '');

  const ids = [full.id, empty.id, loser?.id, gone?.id, '999999', 'not-an-id'].map(String);
  const records = await (await account.connect()).read('lead', ids);

  // HubSpot would reject the whole batch because of one that is no number.
  expect(JSON.stringify(account.sent)).not.toContain('not-an-id');
  expect(records).toEqual([
    {
      id: full.id,
      updatedAt: full.updatedAt,
      values: {
        ...{ name: 'Ana Souza', email: 'ana@acme.example', phone: '+55 11 9', company: 'Acme' },
        ...{ position: 'CEO', owner: owner?.id, custom: {} },
      },
    },
    {
      id: empty.id,
      updatedAt: empty.updatedAt,
      values: {
        ...{ name: null, email: null, phone: null, company: null, position: null, owner: null, custom: {} },
      },
    },
  ]);
});

test.each([
  ['an evening of the account', 'America/Sao_Paulo', '2027-01-01T02:15:00Z', '2026-12-31'],
  ['a morning of the account', 'Pacific/Auckland', '2026-12-30T20:15:00Z', '2026-12-31'],
  ['a day that a program wrote', 'America/Sao_Paulo', '2026-12-31T00:00:00Z', '2026-12-31'],
  ['an unknown time zone', 'SystemV/EST5', '2026-12-31T23:59:00Z', '2026-12-31'],
])('the day of a deal: %s', async (_, timeZone, closedate, day) => {
  const account = await createAccount({ options: { timeZone } });
  const { fake, id } = account;
  const [{ stages: [stage] = [] } = {}] = (await fake.control.account(id, 'pipelines')).pipelines;
  const deal = await fake.control.add(id, 'deals', { dealname: 'Open', dealstage: stage?.id, closedate });
  const connection = await account.connect();
  const [read] = await connection.read('deal', [deal.id]);
  expect(read?.values.expectedCloseDate).toBe(day);

  const written = await connection.update('deal', deal.id, { expectedCloseDate: '2027-02-28' });
  expect(written.values.expectedCloseDate).toBe('2027-02-28');
});

test('reads open, won and lost deals with their first contact', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const [{ id: pipeline = '', stages = [] } = {}] = (await fake.control.account(id, 'pipelines')).pipelines;
  const [first, won, lost] = [stages[0]?.id, stages.at(-2)?.id, stages.at(-1)?.id];
  const [one, two] = await fake.control.addMany(id, 'contacts', [{}, {}]);
  const common = {
    pipeline,
    closedate: '2026-12-24T12:00:00Z',
    amount: '1250.50',
    closed_lost_reason: 'Price',
  };
  const [open, ...closed] = await fake.control.addMany(id, 'deals', [
    { ...common, dealname: 'Open', dealstage: first, deal_currency_code: 'BRL' },
    { ...common, dealname: 'Won', dealstage: won },
    { ...common, dealname: 'Lost', dealstage: lost, amount: '' },
  ]);
  await fake.control.associate(id, 'deals', open?.id ?? '', 'contacts', one?.id ?? '');
  await fake.control.associate(id, 'deals', open?.id ?? '', 'contacts', two?.id ?? '');

  const ids = [open, ...closed].map((deal) => deal?.id ?? '');
  const deals = await (await account.connect()).read('deal', ids);

  const values = {
    ...{ owner: null, contact: null, currency: null, custom: {} },
    ...{ stage: null, value: 1250.5, lossReason: null },
  };
  const closedAt = '2026-12-24T12:00:00.000Z';
  expect(deals).toMatchObject([
    {
      ...{ pipeline, closedAt: null },
      values: {
        ...{ ...values, name: 'Open', status: 'open', stage: first },
        ...{ currency: 'BRL', contact: one?.id, expectedCloseDate: '2026-12-24' },
      },
    },
    { pipeline, closedAt, values: { ...values, name: 'Won', status: 'won' } },
    {
      pipeline,
      closedAt,
      values: { ...values, name: 'Lost', status: 'lost', value: null, lossReason: 'Price' },
    },
  ]);
});

test('lists done activities of mapped types, and reads those that are not done', async () => {
  const account = await createAccount();
  const { fake, id } = account;
  const at = '2026-11-20T15:00:00.000Z';
  const call = await fake.control.add(id, 'calls', { hs_timestamp: at });
  await fake.control.add(id, 'meetings', { hs_timestamp: at });
  const [done, open] = await fake.control.addMany(id, 'tasks', [{ hs_timestamp: at }, { hs_timestamp: at }]);
  const task = await fake.control.setDone(id, done?.id ?? '', true);

  const connect = () => account.connect({ activityTypes: ['tasks', 'calls'] });
  const connection = await connect();
  const listed = (await listAll(connect, 'activity')).flat();
  const read = await connection.read('activity', [`tasks:${open?.id}`, `calls:${call.id}`]);
  const bare = await connection.read('activity', [call.id, 'calls:']);

  const values = { isDone: true, owner: null };
  const ofCall = {
    ...{ ...values, id: `calls:${call.id}`, number: call.id, type: 'calls', doneAt: at },
    updatedAt: call.updatedAt,
  };
  expect(listed).toEqual([
    ofCall,
    {
      ...{ ...values, id: `tasks:${task.id}`, number: task.id, type: 'tasks', updatedAt: task.updatedAt },
      doneAt: task.properties.hs_task_completion_date,
    },
  ]);
  expect(read).toMatchObject([ofCall, { id: `tasks:${open?.id}`, isDone: false, doneAt: null }]);
  expect(bare).toEqual([]);
  expect((await listAll(() => account.connect({ activityTypes: [] }), 'activity')).flat()).toEqual([]);
});

test('says that searches have their own interval', async () => {
  const account = await createAccount();
  const connection = await account.connect();
  await connection.list('lead', { since: null, cursor: null });
  await connection.read('lead', ['1']);
  expect(account.sent.map(({ intervalMs }) => intervalMs)).toEqual([LIMITS.searchIntervalMs, undefined]);
});
