// What is written to RD Station CRM, and what RD rejects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RdStation, startRdStation } from '../../../../local/crms/rd-station/index.ts';
import { findCreated } from '../../../../shared/connectors/crms/created.ts';
import { connectAccount } from './account.ts';

let rd: RdStation;
beforeAll(async () => {
  rd = await startRdStation();
});
afterAll(() => rd.stop());

const bodies = async (account: string, method: 'POST' | 'PUT', path: string) =>
  (await rd.control.requests({ account, method, path: `/crm/v2/${path}` })).map(({ body }) => body);

describe('a contact', () => {
  test('gets only the members given; other addresses and numbers stay', async () => {
    const { id, connection } = await connectAccount(rd);
    const contact = await rd.control.add(id, 'contacts', {
      name: 'Ana',
      job_title: 'Buyer',
      emails: [{ email: 'ana@example.com' }, { email: 'ana@home.example' }],
      phones: [
        { phone: '11 1111-1111', type: 'work' },
        { phone: '11 2222-2222', type: 'home' },
      ],
    });
    const lead = await connection.update('lead', contact.id, {
      email: 'new@example.com',
      phone: '11 3333-3333',
      owner: 'x',
      company: 'Never',
    });
    expect(lead.values).toMatchObject({ name: 'Ana', email: 'new@example.com', phone: '11 3333-3333' });
    expect(await bodies(id, 'PUT', 'contacts/*')).toEqual([
      {
        data: {
          emails: [{ email: 'new@example.com' }, { email: 'ana@home.example' }],
          phones: [
            { phone: '11 3333-3333', type: 'work' },
            { phone: '11 2222-2222', type: 'home' },
          ],
        },
      },
    ]);
    expect(lead.updatedAt).toBe((await rd.control.record(id, 'contacts', contact.id)).updated_at);
  });

  test('loses its first address only', async () => {
    const { id, connection } = await connectAccount(rd);
    const contact = await rd.control.add(id, 'contacts', {
      ...{ name: 'B', emails: [{ email: 'a@example.com' }, { email: 'b@example.com' }] },
    });
    const lead = await connection.update('lead', contact.id, { email: null });
    expect(lead.values.email).toBe('b@example.com');
  });

  test('without anything to write is only read', async () => {
    const { id, connection } = await connectAccount(rd);
    const contact = await rd.control.add(id, 'contacts', { name: 'C' });
    const lead = await connection.update('lead', contact.id, { company: 'Acme', owner: null });
    expect(lead.values.name).toBe('C');
    expect(await bodies(id, 'PUT', 'contacts/*')).toEqual([]);
  });

  test('is created, and found after a lost response', async () => {
    const { id, connection } = await connectAccount(rd);
    const values = { name: 'Dora', email: 'dora@example.com', phone: '11 4444-4444', position: 'CEO' };
    expect(await findCreated(connection, 'lead', values, new Date().toISOString())).toEqual([]);
    await rd.control.fault({ kind: 'cut_after', method: 'POST', path: '/crm/v2/contacts', account: id });
    const since = new Date().toISOString();
    await expect(connection.create('lead', values)).rejects.toMatchObject({ name: 'CrmUnreachable' });
    const [contact] = (await rd.control.account(id, 'rows')).rows.contacts;
    expect(await findCreated(connection, 'lead', values, since)).toEqual([contact?.id]);
    expect(contact).toMatchObject({
      ...{ name: 'Dora', job_title: 'CEO', emails: [{ email: 'dora@example.com' }] },
      phones: [{ phone: '11 4444-4444', type: 'mobile' }],
    });
  });

  test('without an address is not searched', async () => {
    const { connection } = await connectAccount(rd);
    expect(await findCreated(connection, 'lead', { name: 'E' }, new Date().toISOString())).toEqual([]);
  });
});

describe('a deal', () => {
  test('gets stage, owner, date and name', async () => {
    const { id, connection } = await connectAccount(rd);
    const { rows } = await rd.control.account(id, 'rows');
    const [stage, owner] = [rows.stages[2]?.id ?? '', rows.users[0]?.id ?? ''];
    const row = await rd.control.add(id, 'deals', { name: 'F' });
    const change = { name: 'G', stage, owner, expectedCloseDate: '2027-01-31' };
    const deal = await connection.update('deal', row.id, change);
    expect(deal.values).toMatchObject(change);
    expect(await bodies(id, 'PUT', 'deals/*')).toEqual([
      { data: { name: 'G', stage_id: stage, owner_id: owner, expected_close_date: '2027-01-31' } },
    ]);
  });

  test('keeps its recurring price: the rest of the value is the single price', async () => {
    const { id, connection } = await connectAccount(rd);
    const row = await rd.control.add(id, 'deals', { name: 'H', one_time_price: 10, recurrence_price: 0.1 });
    const deal = await connection.update('deal', row.id, { value: 0.3 });
    expect(deal.values.value).toBeCloseTo(0.3, 10);
    expect(await bodies(id, 'PUT', 'deals/*')).toEqual([{ data: { one_time_price: 0.2 } }]);
    await expect(connection.update('deal', row.id, { value: 0.05 })).rejects.toMatchObject({
      name: 'CrmRejected',
      message: expect.stringContaining('value'),
    });
  });

  test('keeps its other contacts', async () => {
    const { id, connection } = await connectAccount(rd);
    const contacts = await rd.control.addMany(id, 'contacts', [{ name: 'A' }, { name: 'B' }, { name: 'C' }]);
    const [a = '', b = '', c = ''] = contacts.map((contact) => contact.id);
    const row = await rd.control.add(id, 'deals', { name: 'I', contact_ids: [a, b] });
    const deal = await connection.update('deal', row.id, { contact: c });
    expect(deal.values.contact).toBe(c);
    expect(await bodies(id, 'PUT', 'deals/*')).toEqual([{ data: { contact_ids: [c, b] } }]);
    await connection.update('deal', row.id, { contact: b });
    expect((await rd.control.record(id, 'deals', row.id)).contact_ids).toEqual([b]);
  });

  test('is won, lost with a reason by name, and opened again', async () => {
    const { id, connection } = await connectAccount(rd);
    const row = await rd.control.add(id, 'deals', { name: 'J' });
    const write = (change: Parameters<typeof connection.update<'deal'>>[2]) =>
      connection.update('deal', row.id, change);
    expect((await write({ status: 'won' })).values.status).toBe('won');
    expect((await write({ status: 'open' })).values.status).toBe('open');
    expect((await write({ status: 'lost', lossReason: '-' })).values.lossReason).toBeNull();
    await write({ status: 'open', lossReason: null });
    const lost = await write({ status: 'lost', lossReason: 'preço' });
    expect(lost.values).toMatchObject({ status: 'lost', lossReason: 'Preço' });
    expect(lost.closedAt).not.toBeNull();
    await expect(write({ status: 'lost', lossReason: 'Weather' })).rejects.toMatchObject({
      name: 'CrmRejected',
      message: 'RD Station CRM has no lost reason "Weather".',
    });
  });

  test('is created open; the engine then closes it', async () => {
    const { id, connection } = await connectAccount(rd);
    const deal = await connection.create('deal', { name: 'K', value: 99, status: 'won' });
    expect(deal.values).toMatchObject({ name: 'K', value: 99, status: 'open' });
    expect(await bodies(id, 'POST', 'deals')).toEqual([{ data: { name: 'K', one_time_price: 99 } }]);
    expect(await bodies(id, 'PUT', 'deals/*')).toEqual([]);
  });

  test('that was created but not read may have been created, so that it is searched', async () => {
    const { id, connection } = await connectAccount(rd, { customKeys: { lead: [], deal: ['size'] } });
    await rd.control.fault({ kind: 'rate_limited', path: '/crm/v2/custom_fields', account: id });
    await expect(connection.create('deal', { name: 'M' })).rejects.toMatchObject({
      name: 'CrmUnreachable',
    });
    expect((await rd.control.account(id, 'rows')).rows.deals).toHaveLength(1);
  });

  test('is found after a lost response by name, value and minute', async () => {
    const { id, connection } = await connectAccount(rd);
    const values = { name: 'With "quotation" marks', value: 12.5 };
    await rd.control.add(id, 'deals', { name: values.name, one_time_price: 13 });
    await rd.control.add(id, 'deals', { name: 'Another', one_time_price: 12.5 });
    const since = await rd.control.now();
    expect(await findCreated(connection, 'deal', values, since)).toEqual([]);
    const deal = await connection.create('deal', values);
    expect(await findCreated(connection, 'deal', values, since)).toEqual([deal.id]);
    const later = new Date(Date.parse(since) - 120_000).toISOString();
    expect(await findCreated(connection, 'deal', values, later)).toEqual([]);
  });
});

describe('custom fields', () => {
  const FIELDS = [
    { name: 'CPF', slug: 'cpf', type: 'text', entity: 'contact' },
    { name: 'Score', slug: 'score', type: 'text', entity: 'contact' },
    { name: 'Size', slug: 'size', type: 'option', entity: 'contact', options: ['Small', 'Large'] },
    { name: 'Tags', slug: 'tags', type: 'multiple_choice', entity: 'contact', options: ['A', 'B'] },
  ];

  test('are written by slug; others stay', async () => {
    const { id, connection } = await connectAccount(rd, { customKeys: { lead: ['size', 'tags'], deal: [] } });
    await rd.control.addMany(id, 'custom_fields', FIELDS);
    const contact = await rd.control.add(id, 'contacts', { name: 'M', custom_fields: { cpf: '111' } });
    const custom = { size: 'Large', tags: ['A', 'B'] };
    const lead = await connection.update('lead', contact.id, { custom });
    expect(lead.values.custom).toEqual(custom);
    expect(await bodies(id, 'PUT', 'contacts/*')).toEqual([
      { data: { custom_fields: { cpf: '111', ...custom } } },
    ]);
    await connection.update('lead', contact.id, { custom: { size: null, score: 3 } });
    expect((await rd.control.record(id, 'contacts', contact.id)).custom_fields).toEqual({
      ...{ cpf: '111', size: null, tags: ['A', 'B'], score: 3 },
    });
  });

  test.each([
    [{ size: 'Huge' }, 'The field "size" has no option "Huge".'],
    [{ tags: ['A', 'Z'] }, 'The field "tags" has no option "Z".'],
    [{ nothing: 'x' }, 'The field "nothing" does not exist.'],
  ])('with unknown options and names are rejected: %j', async (custom, message) => {
    const { id, connection } = await connectAccount(rd, {
      customKeys: { lead: Object.keys(custom), deal: [] },
    });
    await rd.control.addMany(id, 'custom_fields', FIELDS);
    const contact = await rd.control.add(id, 'contacts', { name: 'N' });
    const writing = connection.update('lead', contact.id, { custom });
    await expect(writing).rejects.toMatchObject({ name: 'CrmRejected', message });
    expect(await bodies(id, 'PUT', 'contacts/*')).toEqual([]);
  });
});

describe('errors of writes', () => {
  test("are rejections in RD's words, as one short line", async () => {
    const { id, connection } = await connectAccount(rd);
    const row = await rd.control.add(id, 'deals', { name: 'O' });
    const stage = 'a'.repeat(24);
    await expect(connection.update('deal', row.id, { stage })).rejects.toMatchObject({
      name: 'CrmRejected',
      message: 'stage_id does not exist',
    });
    const body = { errors: [{ detail: `two\nlines ${'x'.repeat(400)}` }, { detail: 'more' }] };
    await rd.control.fault({ kind: 'error_before', method: 'PUT', account: id, status: 422, body });
    const error = await connection.update('deal', row.id, { name: 'P' }).catch((thrown) => thrown);
    expect(error.message).toMatch(/^two lines x{290}$/);
  });

  test('of a record that is gone', async () => {
    const { id, connection } = await connectAccount(rd);
    const gone = expect.objectContaining({ name: 'CrmRecordGone' });
    await expect(connection.update('lead', 'unknown', { name: 'Q' })).rejects.toEqual(gone);
    await expect(connection.update('lead', 'unknown', { email: 'q@example.com' })).rejects.toEqual(gone);
    await expect(connection.update('deal', 'unknown', { currency: 'BRL' })).rejects.toEqual(gone);
    const row = await rd.control.add(id, 'deals', { name: 'R' });
    await rd.control.remove(id, 'deals', row.id);
    await expect(connection.update('deal', row.id, { status: 'won' })).rejects.toEqual(gone);
  });
});
