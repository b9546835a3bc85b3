// What the adapter of HubSpot writes, and how it finds what an earlier request may have written.

import { describe, expect, test } from 'vitest';
import { findCreated } from '../../../../shared/connectors/crms/created.ts';
import { CrmRecordGone, CrmRejected, CrmUnreachable } from '../../../../shared/connectors/crms/errors.ts';
import { createAccount, fakeOfThisFile, type TestAccount } from './hubspot-account.ts';

fakeOfThisFile();

const stagesOf = async ({ fake, id }: TestAccount) => {
  const { pipelines } = await fake.control.account(id, 'pipelines');
  return pipelines.map((pipeline) => ({
    pipeline: pipeline.id,
    open: pipeline.stages[0]?.id ?? '',
    won: pipeline.stages.at(-2)?.id ?? '',
    lost: pipeline.stages.at(-1)?.id ?? '',
  }));
};

describe('leads', () => {
  test('are created with what is given, and returned as HubSpot has them', async () => {
    const account = await createAccount();
    const [owner] = (await account.fake.control.account(account.id, 'owners')).owners;
    const values = {
      ...{ name: 'Ana Maria  Souza', email: 'ana@acme.example', phone: '+55 11 9', position: 'CEO' },
      ...{ owner: owner?.id ?? null, company: 'Ignored' },
    };

    const created = await (await account.connect()).create('lead', values);

    const { properties, updatedAt } = await account.fake.control.record(account.id, 'contacts', created.id);
    expect(properties).toMatchObject({ firstname: 'Ana', lastname: 'Maria Souza', company: null });
    const expected = { ...values, name: 'Ana Maria Souza', company: null, custom: {} };
    expect(created).toEqual({ id: created.id, updatedAt, values: expected });
  });

  test('are updated in what is given, where null clears', async () => {
    const account = await createAccount();
    const contact = await account.fake.control.add(account.id, 'contacts', {
      ...{ firstname: 'Ana', lastname: 'Souza', phone: '1', jobtitle: 'CEO', email: 'ana@acme.example' },
    });
    const connection = await account.connect();

    const updated = await connection.update('lead', contact.id, { phone: null, position: 'CTO' });

    const { phone, position, name } = updated.values;
    expect({ phone, position, name }).toEqual({ phone: null, position: 'CTO', name: 'Ana Souza' });
    const writes = account.sent.filter(({ method }) => method === 'PATCH');
    expect(writes.map(({ body }) => body)).toEqual([{ properties: { phone: '', jobtitle: 'CTO' } }]);
    const unchanged = await connection.update('lead', contact.id, { company: 'Ignored' });
    expect(unchanged).toEqual(updated);
  });

  test('that HubSpot rejects say why, in one line and without the token', async () => {
    const account = await createAccount();
    const connection = await account.connect();
    const contact = await connection.create('lead', { email: 'ana@acme.example' });
    const again = connection.create('lead', { email: 'ana@acme.example' });
    await expect(again).rejects.toThrow(
      new CrmRejected(`Contact already exists. Existing ID: ${contact.id}`),
    );
    const message = `Not\n  ${account.token} ${'x'.repeat(400)}`;
    const fault = { kind: 'error_before', account: account.id, method: 'PATCH', status: 400 } as const;
    await account.fake.control.fault({ ...fault, body: { message } });
    const update = connection.update('lead', contact.id, { phone: '1' });
    await expect(update).rejects.toThrow(new CrmRejected(`Not *** ${'x'.repeat(292)}`));
  });

  test('that are gone cannot be updated', async () => {
    const account = await createAccount();
    const { fake, id } = account;
    const [gone, loser, winner] = await fake.control.addMany(id, 'contacts', [{}, {}, {}]);
    await fake.control.remove(id, 'contacts', gone?.id ?? '');
    await fake.control.merge(id, 'contacts', winner?.id ?? '', loser?.id ?? '');
    const connection = await account.connect();
    for (const contact of [gone?.id ?? '', loser?.id ?? '', '999999'])
      await expect(connection.update('lead', contact, { phone: '1' })).rejects.toThrow(CrmRecordGone);
  });

  test('are found by their address at once', async () => {
    const account = await createAccount({ options: { searchLagMs: 60_000 } });
    const connection = await account.connect();
    const { id } = await connection.create('lead', { email: 'ana@acme.example' });
    const find = (email: string | null) => findCreated(connection, 'lead', { email }, '2026-01-01T00:00:00Z');
    expect(await find('ana@acme.example')).toEqual([id]);
    expect(await find('other@acme.example')).toEqual([]);
    expect(await find(null)).toEqual([]);
  });
});

describe('deals', () => {
  test('are created in the stage given, with their contact', async () => {
    const account = await createAccount({
      pipelines: [
        { name: 'A', stages: ['A1'] },
        { name: 'B', stages: ['B1'] },
      ],
    });
    const [, second] = await stagesOf(account);
    const connection = await account.connect();
    const contact = await connection.create('lead', { email: 'ana@acme.example' });
    const values = {
      ...{ name: 'Proposal', value: 1250.5, currency: 'BRL', stage: second?.open ?? '' },
      ...{ contact: contact.id, expectedCloseDate: '2026-12-24', owner: null, status: 'open' as const },
    };

    const deal = await connection.create('deal', values);

    expect(deal).toMatchObject({ pipeline: second?.pipeline, closedAt: null });
    expect(deal.values).toEqual({ ...values, lossReason: null, custom: {} });
  });

  test('without a stage are created in the first one', async () => {
    const account = await createAccount();
    const [stages] = await stagesOf(account);
    const connection = await account.connect();
    const deal = await connection.create('deal', { name: 'Deal', status: 'open' });
    expect(deal.values.stage).toBe(stages?.open);
    const creation = account.sent.find(({ method, url }) => method === 'POST' && url.endsWith('/deals'));
    const properties = { dealname: 'Deal', dealstage: stages?.open, pipeline: stages?.pipeline };
    expect(creation?.body).toEqual({ properties, associations: [] });
  });

  test('are won and lost in their own pipeline, and opened again by a stage', async () => {
    const account = await createAccount({
      pipelines: [
        { name: 'A', stages: ['A1'] },
        { name: 'B', stages: ['B1'] },
      ],
    });
    const [, stages] = await stagesOf(account);
    const connection = await account.connect();
    const { id } = await connection.create('deal', { name: 'Deal', stage: stages?.open ?? '' });
    const stageOf = async () =>
      (await account.fake.control.record(account.id, 'deals', id)).properties.dealstage;

    const won = await connection.update('deal', id, { status: 'won' });
    expect(await stageOf()).toBe(stages?.won);
    expect(won.values).toMatchObject({ status: 'won', stage: null });
    expect(won.closedAt).toMatch(/^\d{4}-/);

    const change = { status: 'lost' as const, lossReason: 'Price', expectedCloseDate: '2020-01-01' };
    const lost = await connection.update('deal', id, change);
    expect(await stageOf()).toBe(stages?.lost);
    expect(lost.values).toMatchObject({ status: 'lost', lossReason: 'Price' });
    // The date when it was closed is not overwritten.
    expect(lost.closedAt).toBe(won.closedAt);

    const open = connection.update('deal', id, { status: 'open' });
    await expect(open).rejects.toThrow(CrmRejected);
    const opened = await connection.update('deal', id, { status: 'open', stage: stages?.open ?? '' });
    expect(opened.values).toMatchObject({ status: 'open', stage: stages?.open });
    expect(opened.closedAt).toBeNull();
  });

  test('that are already lost stay in their stage', async () => {
    const account = await createAccount();
    const [stages] = await stagesOf(account);
    const connection = await account.connect();
    const { id } = await connection.create('deal', { name: 'Deal', status: 'lost' });
    await connection.update('deal', id, { status: 'lost', lossReason: 'Price' });
    const writes = account.sent.filter(({ method }) => method === 'PATCH');
    expect(writes.map(({ body }) => body)).toEqual([{ properties: { closed_lost_reason: 'Price' } }]);
    expect(stages?.lost).toBe(
      (await account.fake.control.record(account.id, 'deals', id)).properties.dealstage,
    );
  });

  test('cannot be won in a pipeline without a stage for that', async () => {
    const account = await createAccount();
    const stages = [{ id: 'a', label: 'A', metadata: { isClosed: 'false', probability: '1.0' } }];
    const fault = {
      kind: 'error_before',
      account: account.id,
      path: '/crm/pipelines/*',
      status: 200,
    } as const;
    await account.fake.control.fault({ ...fault, body: { results: [{ id: 'p', label: 'P', stages }] } });
    const creation = (await account.connect()).create('deal', { name: 'Deal', status: 'won' });
    await expect(creation).rejects.toThrow(/no stage for won deals/);
  });

  test('are linked to another contact', async () => {
    const account = await createAccount();
    const connection = await account.connect();
    const contact = await account.fake.control.add(account.id, 'contacts', {});
    const { id } = await connection.create('deal', { name: 'Deal' });
    const linked = await connection.update('deal', id, { contact: contact.id });
    expect(linked.values.contact).toBe(contact.id);
    const missing = connection.update('deal', id, { contact: '999999' });
    await expect(missing).rejects.toThrow(CrmRejected);
    const writes = () => account.sent.filter(({ method }) => method === 'PUT' || method === 'DELETE').length;
    const before = writes();
    await connection.update('deal', id, { contact: contact.id });
    expect(writes()).toBe(before);
  });

  test('are found by name, value and the minute after', async () => {
    const account = await createAccount();
    const { control } = account.fake;
    const connection = await account.connect();
    await connection.create('deal', { name: 'Proposal', value: 10 });
    await control.advance({ minutes: 2 });
    const since = await control.now();
    await connection.create('deal', { name: 'proposal', value: 10 });
    await connection.create('deal', { name: 'Proposal', value: 11 });
    const { id } = await connection.create('deal', { name: 'Proposal', value: 10 });
    const find = (name: string, value: number | null) =>
      findCreated(connection, 'deal', { name, value }, since);
    expect(await find('Proposal', 10)).toEqual([id]);
    expect(await find('Proposal', null)).toEqual([]);
    expect(await find('Other', 10)).toEqual([]);
    await control.advance({ minutes: 2 });
    await connection.create('deal', { name: 'Late', value: 10 });
    expect(await find('Late', 10)).toEqual([]);
  });
});

test('says that a record may have been written if it cannot be read afterwards', async () => {
  const account = await createAccount();
  const connection = await account.connect();
  const fault = { kind: 'rate_limited', account: account.id, path: '*/batch/read' } as const;
  await account.fake.control.fault(fault);
  const creation = connection.create('lead', { email: 'ana@acme.example' });
  await expect(creation).rejects.toThrow(CrmUnreachable);
  const [found] = await findCreated(
    connection,
    'lead',
    { email: 'ana@acme.example' },
    '2026-01-01T00:00:00Z',
  );
  expect(found).toMatch(/^\d+$/);
});
