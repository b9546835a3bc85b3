// Accepted and rejected names of each variant, in addition to the scenario in variants.test.ts.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { faultOf, stagesOf } from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { variantWords } from '../../support/records/variant-words.ts';

const sql = connectDatabase();

test.each(['a', 'b', 'c'] as const)('%s rejects words of the other variants', async (id) => {
  const { token } = await createRecordsTenant(sql, { variant: id });
  const stages = await stagesOf(token);
  const fields = async (method: string, path: string, body?: unknown) =>
    faultOf(await records(token, method, path, body));
  const foreign = { a: 'seller', b: 'sales_rep', c: 'sales_rep' }[id];
  const invalid = { status: 400, code: 'VALIDATION_ERROR' };
  const user = { name: 'U', email: 'u@x.co' };
  expect(await fields('POST', '/users', { ...user, role: foreign })).toEqual({
    ...invalid,
    fields: ['role'],
  });
  expect(await fields('GET', `/users?role=${foreign}`)).toEqual({ ...invalid, fields: ['role'] });
  const status = { a: 'inactive', b: 'invited', c: 'deactivated' }[id];
  expect(await fields('GET', `/users?status=${status}`)).toEqual({ ...invalid, fields: ['status'] });
  const { leadStatus, owner } = variantWords[id];
  const word = id === 'b' ? 'unqualified' : 'discarded';
  const lead = (await records(token, 'POST', '/leads', { name: 'L', email: 'l@x.co' })).body.data;
  expect(await fields('PATCH', `/leads/${lead.id}`, { [leadStatus]: word })).toEqual({
    ...invalid,
    fields: [leadStatus],
  });
  expect(await fields('GET', `/leads?${leadStatus}=${word}`)).toEqual({ ...invalid, fields: [leadStatus] });
  expect(await fields('GET', `/leads?${owner}=x&sort=${word}`)).toEqual({
    ...invalid,
    fields: ['sort', owner],
  });
  expect(await fields('PATCH', `/leads/${lead.id}`, { [owner]: crypto.randomUUID() })).toMatchObject({
    status: 422,
    fields: [owner],
  });
  // The names of other variants have no meaning here, in bodies and in queries.
  const other = id === 'a' ? 'assigned_to' : 'owner_id';
  expect((await records(token, 'PATCH', `/leads/${lead.id}`, { [other]: 'x' })).body.data).toEqual(lead);
  expect((await records(token, 'GET', `/leads?${other}=x`)).status).toBe(200);
  const bare = { a: ['value'], b: ['value', 'stage'], c: ['value'] }[id];
  expect(await fields('POST', variantWords[id].deals, { name: 'D' })).toEqual({ ...invalid, fields: bare });
  if (id === 'b') {
    const empty = { name: 'D', value: 1, stage: null, stage_id: stages[0].id };
    expect(await fields('POST', '/deals', empty)).toEqual({ ...invalid, fields: ['stage'] });
  }
  if (id !== 'a') {
    const body = { name: 'D', value: 1, stage: 'Nowhere', contact: { email: 'x' } };
    expect(await fields('POST', '/deals', body)).toEqual({ ...invalid, fields: ['contact.email'] });
    expect(await fields('POST', '/deals', { ...body, contact: null })).toMatchObject({
      status: 422,
      fields: ['stage'],
    });
  }
});

describe('in addition to the story', () => {
  test('paths of B and C use B for a client of A', async () => {
    const { token } = await createRecordsTenant(sql);
    const stages = await records(token, 'GET', '/pipeline/stages');
    expect(Object.keys(stages.body)).toEqual(['data']);
    const [, second] = stages.body.data;
    expect(Object.keys(second)).toEqual(['id', 'name', 'order', 'default_probability']);
    const missing = await records(token, 'POST', '/opportunities', { name: 'D', value: 1 });
    expect(faultOf(missing)).toMatchObject({ status: 400, fields: ['stage'] });
    const { body } = await records(token, 'POST', '/opportunities', {
      name: 'D',
      value: 1,
      stage: second.name,
    });
    expect(Object.keys(body.data).toSorted()).toEqual(variantWords.b.members.deal.split(' ').toSorted());
    const list = await records(token, 'GET', '/opportunities');
    expect(list.body.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    const path = `/opportunities/${body.data.id}`;
    const headers = { 'X-Api-Variant': 'C' };
    expect((await records(token, 'GET', path, undefined, { headers })).body.data.currency).toBe('BRL');
    const inA = await records(token, 'GET', `/deals/${body.data.id}`);
    expect(inA.body.data.stage).toEqual({ id: second.id, name: second.name, probability: 25 });
    expect((await records(token, 'DELETE', path)).status).toBe(204);
  });

  test.each(['b', 'c'])(
    '%s filters by stage, by name or id, and closes with either name',
    async (variant) => {
      const { token } = await createRecordsTenant(sql, { variant });
      const [, , third] = await stagesOf(token);
      const offer = { name: 'D', value: 1, stage: 'proposal' };
      const { id } = (await records(token, 'POST', '/opportunities', offer)).body.data;
      await records(token, 'POST', '/opportunities', { ...offer, stage: 'Prospecting' });
      for (const stage of ['PROPOSAL', third.id]) {
        const { data } = (await records(token, 'GET', `/opportunities?stage=${stage}`)).body;
        expect(data.map((row: { id: string }) => row.id)).toEqual([id]);
      }
      const path = `/opportunities/${id}/close`;
      expect(faultOf(await records(token, 'POST', path, { status: 'lost' }))).toMatchObject({
        status: 422,
        fields: ['loss_reason'],
      });
      expect(faultOf(await records(token, 'POST', path, { status: 'open' }))).toMatchObject({
        status: 400,
        fields: ['status'],
      });
      expect(faultOf(await records(token, 'POST', path, {}))).toMatchObject({
        status: 400,
        fields: ['status'],
      });
      const lost = await records(token, 'POST', path, { result: 'lost', close_notes: 'Too expensive' });
      expect(lost.body.data).toMatchObject({ status: 'lost', loss_reason: 'Too expensive' });
    },
  );

  test('only C has score, currency, products and viewers, whom the others show unchanged', async () => {
    const { token } = await createRecordsTenant(sql, { variant: 'c' });
    const call = (method: string, path: string, body?: unknown, variant = 'c') =>
      records(token, method, path, body, { headers: { 'X-Api-Variant': variant } });
    const lead = (await call('POST', '/leads', { name: 'L', email: 'l@x.co', score: 7.5 })).body.data;
    expect(lead.score).toBe(7.5);
    expect((await call('PATCH', `/leads/${lead.id}`, { score: 1 }, 'a')).body.data).not.toHaveProperty(
      'score',
    );
    expect((await call('GET', `/leads/${lead.id}`)).body.data.score).toBe(7.5);
    expect((await call('PATCH', `/leads/${lead.id}`, { score: null })).body.data.score).toBeNull();
    const offer = { name: 'D', value: 1, currency: 'USD', products: [{ sku: 'x', quantity: 2 }] };
    const deal = (await call('POST', '/opportunities', offer)).body.data;
    expect(deal).toMatchObject(offer);
    expect(
      (await call('POST', '/opportunities', { ...offer, products: ['x'], currency: 'usd' })).status,
    ).toBe(400);
    expect((await call('GET', `/opportunities/${deal.id}`, undefined, 'b')).body.data).not.toHaveProperty(
      'currency',
    );
    const viewer = (await call('POST', '/users', { name: 'V', email: 'v@x.co', role: 'viewer' })).body.data;
    for (const variant of ['a', 'b', 'c']) {
      expect((await call('GET', `/users/${viewer.id}`, undefined, variant)).body.data.role).toBe('viewer');
    }
    expect((await call('GET', '/users?role=viewer')).body.data).toEqual([viewer]);
    const logged = await call('POST', '/activities', {
      type: 'task',
      title: 'T',
      opportunity_id: deal.id,
      due_date: '2026-01-02',
    });
    expect(logged.body.data).toMatchObject({ title: 'T', opportunity_id: deal.id });
    expect((await call('GET', `/activities?opportunity_id=${deal.id}`)).body.data).toEqual([
      logged.body.data,
    ]);
  });
});
