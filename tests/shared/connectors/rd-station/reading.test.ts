// What RD Station CRM's records become.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import { connectAccount } from './account.ts';

let rd: RdStation;
beforeAll(async () => {
  rd = await startRdStation();
});
afterAll(() => rd.stop());

test('an account has users, stages of all pipelines, and types of tasks', async () => {
  const { id, connection } = await connectAccount(
    rd,
    {},
    {
      users: [
        { name: 'Ana', email: 'Ana@Example.com' },
        { name: 'No address', email: '' },
      ],
      pipelines: [
        { name: 'New', stages: ['First', 'Second'] },
        { name: 'Old', stages: ['First'] },
      ],
      options: { requestsPerMinute: 1000 },
    },
  );
  const { rows } = await rd.control.account(id, 'rows');
  const { vendorId, users, stages, activityTypes } = await connection.inspect();
  const [oldest] = rows.users.map((user) => `${user.created_at} ${user.id}`).sort();
  expect(oldest).toBe(vendorId);
  expect(users).toEqual([{ id: rows.users[0]?.id, name: 'Ana', email: 'ana@example.com' }]);
  expect(stages.map(({ pipelineName, name }) => `${pipelineName}: ${name}`).sort()).toEqual([
    ...['New: First', 'New: Second', 'Old: First'],
  ]);
  const [pipeline] = rows.pipelines;
  const first = { name: 'First', pipeline: pipeline?.id, pipelineName: 'New', closes: null };
  expect(stages).toContainEqual({ id: rows.stages[0]?.id, ...first });
  expect(activityTypes).toContain('task:call');
  expect(activityTypes).toContain('task:whatsapp');
});

describe('a contact', () => {
  test('is a lead with its first address and number, and the name of its organization', async () => {
    const { id, connection } = await connectAccount(rd);
    const organization = await rd.control.add(id, 'organizations', { name: ' Acme ' });
    const contact = await rd.control.add(id, 'contacts', {
      name: ' Bia ',
      job_title: 'Director',
      emails: [{ email: ' Bia@Example.com ' }, { email: 'second@example.com' }],
      phones: [{ phone: '(11) 98888-7777', type: 'work' }],
      organization_id: organization.id,
    });
    expect(await connection.read('lead', [contact.id])).toEqual([
      {
        id: contact.id,
        updatedAt: contact.updated_at,
        values: {
          name: 'Bia',
          email: 'bia@example.com',
          phone: '(11) 98888-7777',
          company: 'Acme',
          position: 'Director',
          custom: {},
        },
      },
    ]);
  });

  test('without anything has nulls', async () => {
    const { id, connection } = await connectAccount(rd);
    const contact = await rd.control.add(id, 'contacts', { name: 'Caio' });
    const [lead] = await connection.read('lead', [contact.id]);
    expect(lead?.values).toEqual({
      ...{ name: 'Caio', email: null, phone: null, company: null, position: null, custom: {} },
    });
  });
});

describe('a deal', () => {
  test('has its total, stage, pipeline, owner and first contact', async () => {
    const { id, connection } = await connectAccount(rd);
    const { rows } = await rd.control.account(id, 'rows');
    const [first, second] = await rd.control.addMany(id, 'contacts', [{ name: 'A' }, { name: 'B' }]);
    const deal = await rd.control.add(id, 'deals', {
      name: 'Ten chairs',
      one_time_price: 1000.5,
      recurrence_price: 250,
      expected_close_date: '2026-12-24',
      contact_ids: [second?.id, first?.id],
    });
    expect(await connection.read('deal', [deal.id])).toEqual([
      {
        id: deal.id,
        updatedAt: deal.updated_at,
        pipeline: rows.pipelines[0]?.id,
        closedAt: null,
        values: {
          name: 'Ten chairs',
          value: 1250.5,
          currency: null,
          stage: rows.stages[0]?.id,
          status: 'open',
          owner: rows.users[0]?.id,
          contact: second?.id,
          expectedCloseDate: '2026-12-24',
          lossReason: null,
          custom: {},
        },
      },
    ]);
  });

  test('that is won, lost or paused', async () => {
    const { id, connection } = await connectAccount(rd);
    const { rows } = await rd.control.account(id, 'rows');
    const deals = await rd.control.addMany(id, 'deals', [{ name: 'W' }, { name: 'L' }, { name: 'P' }]);
    const [won, lost, paused] = deals.map((deal) => deal.id);
    await rd.control.patch(id, 'deals', won ?? '', { status: 'won' });
    const reason = rows.lost_reasons[1];
    await rd.control.patch(id, 'deals', lost ?? '', { status: 'lost', lost_reason_id: reason?.id });
    await rd.control.patch(id, 'deals', paused ?? '', { status: 'paused' });
    const read = await connection.read('deal', [won ?? '', lost ?? '', paused ?? '']);
    expect(read.map(({ values, closedAt }) => [values.status, values.lossReason, closedAt !== null])).toEqual(
      [
        ['won', null, true],
        ['lost', 'Sem retorno', true],
        ['open', null, false],
      ],
    );
  });

  test('has the name of a lost reason that was added later', async () => {
    const { id, connection } = await connectAccount(rd);
    const { rows } = await rd.control.account(id, 'rows');
    const deal = await rd.control.add(id, 'deals', { name: 'Lost twice' });
    const lose = (reason: unknown) =>
      rd.control.patch(id, 'deals', deal.id, { status: 'lost', lost_reason_id: reason });
    const lossReason = async () => (await connection.read('deal', [deal.id]))[0]?.values.lossReason ?? null;
    await lose(rows.lost_reasons[0]?.id);
    expect(await lossReason()).toBe('Preço');
    const added = await rd.control.add(id, 'lost_reasons', { name: 'Later' });
    await lose(added.id);
    expect(await lossReason()).toBe('Later');
  });
});

test('a task is an activity, done or not', async () => {
  const { id, connection } = await connectAccount(rd);
  const [user] = (await rd.control.account(id, 'rows')).rows.users;
  const task = await rd.control.add(id, 'tasks', { name: 'Call', type: 'call', owner_ids: [user?.id] });
  const read = async () => (await connection.read('activity', [task.id]))[0];
  expect(await read()).toEqual({
    ...{ id: task.id, number: task.id, type: 'task:call', owner: user?.id, updatedAt: task.updated_at },
    ...{ isDone: false, doneAt: null },
  });
  const done = await rd.control.setDone(id, task.id, true);
  expect(await read()).toMatchObject({ isDone: true, doneAt: done.completed_at });
});

test('records that do not exist are absent', async () => {
  const { id, connection } = await connectAccount(rd);
  const [kept, gone] = await rd.control.addMany(id, 'contacts', [{ name: 'Kept' }, { name: 'Gone' }]);
  await rd.control.remove(id, 'contacts', gone?.id ?? '');
  const leads = await connection.read('lead', [gone?.id ?? '', kept?.id ?? '', 'unknown']);
  expect(leads.map((lead) => lead.id)).toEqual([kept?.id]);
  expect(await connection.read('deal', ['unknown'])).toEqual([]);
});

describe('custom fields', () => {
  const FIELDS = [
    { name: 'CPF', slug: 'cpf', type: 'text', entity: 'contact' },
    { name: 'Score', slug: 'score', type: 'text', entity: 'contact' },
    { name: 'Since', slug: 'since', type: 'date', entity: 'contact' },
    { name: 'Size', slug: 'size', type: 'option', entity: 'contact', options: ['Small', 'Large'] },
    { name: 'Tags', slug: 'tags', type: 'multiple_choice', entity: 'contact', options: ['A', 'B', 'C'] },
    { name: 'Size of deal', slug: 'size', type: 'text', entity: 'deal' },
  ];

  test('are read by slug: numbers, dates, options and lists', async () => {
    const keys = ['cpf', 'score', 'since', 'size', 'tags', 'unknown'];
    const { id, connection } = await connectAccount(rd, { customKeys: { lead: keys, deal: [] } });
    await rd.control.addMany(id, 'custom_fields', FIELDS);
    const contact = await rd.control.add(id, 'contacts', {
      name: 'Dora',
      custom_fields: {
        ...{ cpf: ' 111.444.777-35 ', score: 7.5, since: '2026-01-31', size: 'Large', tags: ['A', 'C'] },
      },
    });
    const [lead] = await connection.read('lead', [contact.id]);
    expect(lead?.values.custom).toEqual({
      ...{ cpf: '111.444.777-35', score: 7.5, since: '2026-01-31', size: 'Large', tags: ['A', 'C'] },
      unknown: null,
    });
  });

  test('are defined once per connection, and only if some are mapped', async () => {
    const { id, connection } = await connectAccount(rd, { customKeys: { lead: ['cpf'], deal: [] } });
    await rd.control.addMany(id, 'custom_fields', FIELDS);
    const [contact] = await rd.control.addMany(id, 'contacts', [{ name: 'E' }]);
    const [deal] = await rd.control.addMany(id, 'deals', [{ name: 'F' }]);
    await connection.read('lead', [contact?.id ?? '']);
    await connection.read('lead', [contact?.id ?? '']);
    await connection.read('deal', [deal?.id ?? '']);
    const asked = await rd.control.requests({ account: id, path: '/crm/v2/custom_fields' });
    expect(asked.map(({ query }) => query.filter)).toEqual(['entity:contact']);
  });
});
