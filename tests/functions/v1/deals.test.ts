// Deals: creating, changing, moving, closing, deleting, and the events of each.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
  followEvents,
  NOBODY,
  stagesOf,
  statusesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const get = (token: string, id: string) => expectData(token, 'GET', `/deals/${id}`, 200);
const patch = (token: string, id: string, body: object) =>
  expectData(token, 'PATCH', `/deals/${id}`, 200, body);

/** A tenant with an open deal, whose previous events have been read. */
async function openDeal(deal: object = {}) {
  const tenant = await createRecordsTenant(sql);
  const stages = await stagesOf(tenant.token);
  const made = await createDeal(tenant.token, deal);
  const events = followEvents(sql, tenant.id);
  await events.all();
  return { token: tenant.token, stages, deal: made, events, path: `/deals/${made.id}` };
}

describe('creating', () => {
  test('accepts every field', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const [, second] = await stagesOf(token);
    const owner = await createUser(token);
    const lead = await createLead(token);
    const events = followEvents(sql, tenantId);
    await events.all();
    const sent = {
      name: 'Big one',
      value: 1250.5,
      contact_name: 'José',
      contact_email: 'jose@example.com',
      company: 'Acme',
      owner_id: owner.id,
      expected_close_date: '2028-02-29',
      priority: 'high',
      lead_id: lead.id,
      custom_fields: { a: 1 },
      tags: ['x'],
    };
    const deal = await createDeal(token, {
      ...sent,
      stage_id: second.id.toUpperCase(),
      status: 'won',
      currency: 'USD',
    });
    expect(deal).toEqual({
      ...sent,
      id: expect.any(String),
      stage: { id: second.id, name: second.name, probability: second.probability },
      status: 'open',
      loss_reason: null,
      external_id: null,
      created_at: expect.any(String),
      updated_at: deal.created_at,
    });
    expect(await get(token, deal.id)).toEqual(deal);
    expect(await events.types()).toEqual(['deal.created']);
    const [stored] = await sql`select currency, products from deals where id = ${deal.id}`;
    expect(stored).toEqual({ currency: 'BRL', products: [] });
  });

  test('starts open, in the first stage, with medium priority', async () => {
    const { token } = await createRecordsTenant(sql);
    const [first] = await stagesOf(token);
    const deal = await createDeal(token);
    expect(deal).toMatchObject({
      status: 'open',
      priority: 'medium',
      owner_id: null,
      lead_id: null,
      tags: [],
    });
    expect(deal.stage.id).toBe(first.id);
  });

  test.each([
    [{}, ['name', 'value']],
    [{ name: 'D', value: '5' }, ['value']],
    [{ name: 'D', value: null }, ['value']],
    [
      { name: 'D', value: 1, priority: 'urgent', expected_close_date: '2027-02-29' },
      ['priority', 'expected_close_date'],
    ],
    [
      { name: 'D', value: 1, stage_id: 'first', lead_id: 1, owner_id: '' },
      ['stage_id', 'owner_id', 'lead_id'],
    ],
  ])('rejects %j', async (body, fields) => {
    const { token } = await createRecordsTenant(sql);
    const fault = faultOf(await records(token, 'POST', '/deals', body));
    expect({ ...fault, fields: fault.fields.toSorted() }).toEqual({
      status: 400,
      code: 'VALIDATION_ERROR',
      fields: fields.toSorted(),
    });
  });

  test.each(['stage_id', 'owner_id', 'lead_id'])('rejects a %s that does not exist', async (field) => {
    const { token } = await createRecordsTenant(sql);
    const reply = await records(token, 'POST', '/deals', { name: 'D', value: 1, [field]: NOBODY });
    expect(faultOf(reply)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: [field] });
    expect((await records(token, 'GET', '/deals')).body.data).toEqual([]);
  });
});

describe('changing', () => {
  test('keeps absent members, clears null ones, and ignores the status', async () => {
    const { token, deal, events } = await openDeal({
      company: 'Acme',
      tags: ['a'],
      expected_close_date: '2027-01-31',
    });
    const one = await patch(token, deal.id, { value: 7, status: 'won' });
    expect(one).toEqual({ ...deal, value: 7, updated_at: expect.any(String) });
    expect(one.updated_at > deal.updated_at).toBe(true);
    expect(await patch(token, deal.id, { status: 'nonsense', value: 7 })).toEqual(one);
    const cleared = await patch(token, deal.id, {
      company: null,
      tags: null,
      expected_close_date: null,
      priority: null,
    });
    expect(cleared).toMatchObject({ company: null, tags: [], expected_close_date: null, priority: 'medium' });
    expect(await events.types()).toEqual(['deal.updated', 'deal.updated']);
    const faults = faultOf(await records(token, 'PATCH', `/deals/${deal.id}`, { name: null, value: null }));
    expect(faults).toMatchObject({ status: 400, fields: ['name', 'value'] });
  });

  test('another stage is a move', async () => {
    const { token, deal, stages, events } = await openDeal();
    const target = { id: stages[2].id, name: stages[2].name, probability: stages[2].probability };
    expect((await patch(token, deal.id, { stage_id: target.id })).stage).toEqual(target);
    const [moved, ...others] = await events.all();
    expect(others).toEqual([]);
    expect(moved).toMatchObject({
      type: 'deal.stage_changed',
      data: { stage: target, previous_stage: deal.stage },
    });
    await patch(token, deal.id, { stage_id: stages[2].id });
    expect(await events.types()).toEqual([]);
    await patch(token, deal.id, { stage_id: stages[0].id, name: 'Other' });
    expect((await events.types()).sort()).toEqual(['deal.stage_changed', 'deal.updated']);
  });

  test('keeps concurrent changes of different fields', async () => {
    const { token, deal } = await openDeal();
    const fields = ['company', 'contact_name', 'name'];
    await Promise.all(fields.map((field) => patch(token, deal.id, { [field]: 'kept' })));
    const after = await get(token, deal.id);
    expect(fields.map((field) => after[field])).toEqual(['kept', 'kept', 'kept']);
  });
});

describe('moving', () => {
  test('keeps the status, stores the note, and reports the previous stage', async () => {
    const { token, deal, stages, events, path } = await openDeal();
    const moved = await expectData(token, 'POST', `${path}/move`, 200, {
      stage_id: stages[3].id,
      note: 'Called',
    });
    expect(moved).toMatchObject({ id: deal.id, status: 'open', stage: { id: stages[3].id } });
    const [event, ...others] = await events.all();
    expect(others).toEqual([]);
    expect(event.data).toMatchObject({ stage: moved.stage, previous_stage: deal.stage });
    const notes = await expectData(token, 'GET', `${path}/activities`, 200);
    expect(notes).toMatchObject([{ type: 'note', description: 'Called', deal_id: deal.id }]);

    expect(await expectData(token, 'POST', `${path}/move`, 200, { stage_id: stages[3].id })).toEqual(moved);
    expect(await events.types()).toEqual([]);
  });

  test('rejects a missing, malformed or unknown stage', async () => {
    const { token, path } = await openDeal();
    const move = async (body: object) => faultOf(await records(token, 'POST', `${path}/move`, body));
    for (const body of [{}, { stage_id: null }, { stage_id: 'x' }, { stage: 'Proposal' }]) {
      expect(await move(body)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['stage_id'] });
    }
    expect(await move({ stage_id: NOBODY })).toMatchObject({ status: 422, fields: ['stage_id'] });
  });
});

describe('closing', () => {
  test('won sets the final value, keeps the stage, and reports the previous stage', async () => {
    const { token, deal, events, path } = await openDeal();
    const body = { result: 'won', final_value: 99.9, loss_reason: 'none', note: 'Signed' };
    const won = await expectData(token, 'POST', `${path}/close`, 200, body);
    expect(won).toEqual({ ...deal, status: 'won', value: 99.9, updated_at: expect.any(String) });
    const [event, ...others] = await events.all();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ type: 'deal.won', data: { value: 99.9, previous_stage: deal.stage } });
    const [note] = await expectData(token, 'GET', `${path}/activities`, 200);
    expect(note).toMatchObject({ type: 'note', description: 'Signed' });
  });

  test('lost requires a reason, which is stored; the final value is ignored', async () => {
    const { token, deal, events, path } = await openDeal();
    for (const reason of [{}, { loss_reason: null }, { loss_reason: ' ' }, { note: 'Too expensive' }]) {
      const reply = await records(token, 'POST', `${path}/close`, { result: 'lost', ...reason });
      expect(faultOf(reply)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['loss_reason'] });
    }
    for (const body of [{}, { result: 'open' }, { status: 'won' }]) {
      expect(faultOf(await records(token, 'POST', `${path}/close`, body))).toMatchObject({
        status: 400,
        fields: ['result'],
      });
    }
    expect(await events.types()).toEqual([]);
    const body = { result: 'lost', loss_reason: 'Too expensive', final_value: 1 };
    const lost = await expectData(token, 'POST', `${path}/close`, 200, body);
    expect(lost).toMatchObject({ status: 'lost', value: deal.value, loss_reason: 'Too expensive' });
    expect(await events.types()).toEqual(['deal.lost']);
  });

  test('happens once for twenty concurrent requests, and prevents moves', async () => {
    const { token, deal, stages, events, path } = await openDeal();
    const close = (index: number) =>
      records(token, 'POST', `${path}/close`, { result: index % 2 ? 'won' : 'lost', loss_reason: 'x' });
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => close(index)));
    expect(statusesOf(replies)).toEqual([200, ...Array(19).fill(409)]);
    expect(await events.types()).toHaveLength(1);

    const conflict = { status: 409, code: 'CONFLICT' };
    for (const stage of [stages[1], stages[0]]) {
      expect(faultOf(await records(token, 'POST', `${path}/move`, { stage_id: stage.id }))).toMatchObject(
        conflict,
      );
    }
    const patched = await records(token, 'PATCH', path, { stage_id: stages[1].id, name: 'Moved' });
    expect(faultOf(patched)).toMatchObject(conflict);
    expect(await get(token, deal.id)).toMatchObject({ name: deal.name, stage: deal.stage });
    expect(await patch(token, deal.id, { name: 'Closed' })).toMatchObject({ name: 'Closed' });
    expect(await events.types()).toEqual(['deal.updated']);
  });

  test('and moving concurrently end in a single state', async () => {
    const { token, stages, events, path } = await openDeal();
    const [close, move] = await Promise.all([
      records(token, 'POST', `${path}/close`, { result: 'won' }),
      records(token, 'POST', `${path}/move`, { stage_id: stages[1].id }),
    ]);
    expect(close.status).toBe(200);
    const types = move.status === 200 ? ['deal.stage_changed', 'deal.won'] : ['deal.won'];
    expect(await events.types()).toEqual(types);
  });
});

test('deleting also deletes its activities', async () => {
  const { token, deal, events, path } = await openDeal();
  await expectData(token, 'POST', `${path}/activities`, 201, { type: 'call' });
  expect((await records(token, 'DELETE', path)).status).toBe(204);
  for (const [method, below] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/activities'],
  ] as const) {
    expect(faultOf(await records(token, method, path + below))).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
  }
  expect((await records(token, 'GET', '/activities')).body.data).toEqual([]);
  const [gone] = await events.all();
  expect(gone).toMatchObject({
    type: 'deal.deleted',
    data: { id: deal.id, name: deal.name, stage: deal.stage },
  });
});

test('a deal of another tenant does not exist', async () => {
  const { token } = await createRecordsTenant(sql);
  const { deal, token: theirs, stages } = await openDeal();
  const closing = { result: 'won' };
  for (const id of [deal.id, NOBODY, 'x']) {
    const replies = await Promise.all([
      records(token, 'GET', `/deals/${id}`),
      records(token, 'PATCH', `/deals/${id}`, { name: 'B' }),
      records(token, 'DELETE', `/deals/${id}`),
      records(token, 'POST', `/deals/${id}/move`, { stage_id: stages[1].id }),
      records(token, 'POST', `/deals/${id}/close`, closing),
      records(token, 'GET', `/deals/${id}/activities`),
      records(token, 'POST', `/deals/${id}/activities`, { type: 'note' }),
    ]);
    expect(statusesOf(replies)).toEqual(Array(7).fill(404));
  }
  expect(await get(theirs, deal.id)).toEqual(deal);
});
