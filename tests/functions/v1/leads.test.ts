// Leads: creating, changing, converting, deleting, and the events of each.

import { describe, expect, test } from 'vitest';
import { leadTextNames } from '../../../shared/records/leads/texts.ts';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  expectData,
  faultOf,
  followEvents,
  NOBODY,
  newEmail,
  statusesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';

const sql = connectDatabase();
const get = (token: string, id: string) => expectData(token, 'GET', `/leads/${id}`, 200);
const patch = (token: string, id: string, body: object) =>
  expectData(token, 'PATCH', `/leads/${id}`, 200, body);

describe('creating', () => {
  test('accepts every field, and starts as new regardless of the sent status', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const owner = await createUser(token);
    const team = await createTeam(token);
    const events = followEvents(sql, tenantId);
    await events.all();
    const sent = {
      name: 'Ana Souza',
      email: newEmail(),
      ...Object.fromEntries(leadTextNames.map((name) => [name, `The ${name}`])),
      owner_id: owner.id,
      team_id: team.id,
      custom_fields: { crm: '42', nested: { deep: [1, null] } },
      tags: ['hot', 'vip'],
    };
    const lead = await createLead(token, { ...sent, status: 'qualified', score: 7, unknown: 1 });
    expect(lead).toEqual({
      ...sent,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'new',
      external_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      updated_at: lead.created_at,
    });
    expect(await get(token, lead.id)).toEqual({ ...lead, activities: [] });
    expect((await events.all()).map(({ type, data }) => [type, data.id, data.owner_id])).toEqual([
      ['lead.created', lead.id, owner.id],
    ]);
    const [stored] = await sql`select score from leads where id = ${lead.id}`;
    expect(stored?.score).toBeNull();
  });

  test('leaves absent members empty', async () => {
    const { token } = await createRecordsTenant(sql);
    const lead = await createLead(token, { status: 'nonsense' });
    const empty = Object.fromEntries([...leadTextNames, 'owner_id', 'team_id'].map((name) => [name, null]));
    expect(lead).toMatchObject({ ...empty, custom_fields: {}, tags: [], status: 'new' });
  });

  test.each([
    [{}, ['name', 'email']],
    [{ name: ' ', email: 'a@b.co' }, ['name']],
    [{ name: 'A', email: 'nobody' }, ['email']],
    [{ name: 'A', email: null }, ['email']],
    [
      { name: 'A', email: 'a@b.co', phone: 1, tags: 'x', custom_fields: [] },
      ['phone', 'custom_fields', 'tags'],
    ],
    [{ name: 'A', email: 'a@b.co', owner_id: 'x', team_id: 3 }, ['owner_id', 'team_id']],
    [{ name: 'A', email: 'a@b.co', company: 'x\u0000' }, ['company']],
    [{ name: 'A', email: 'a@b.co', tags: ['ok', 3] }, ['tags.1']],
  ])('rejects %j', async (body, fields) => {
    const { token } = await createRecordsTenant(sql);
    const fault = faultOf(await records(token, 'POST', '/leads', body));
    expect(fault).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields });
  });

  test('rejects owners and teams that do not exist or belong to another tenant', async () => {
    const { token } = await createRecordsTenant(sql);
    const other = await createRecordsTenant(sql);
    const stranger = await createUser(other.token);
    const post = (more: object) =>
      records(token, 'POST', '/leads', { name: 'A', email: newEmail(), ...more });
    for (const owner of [NOBODY, stranger.id]) {
      const fault = { status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['owner_id'] };
      expect(faultOf(await post({ owner_id: owner }))).toEqual(fault);
    }
    expect(faultOf(await post({ team_id: NOBODY }))).toMatchObject({ status: 422, fields: ['team_id'] });
    expect((await records(token, 'GET', '/leads')).body.meta.total).toBe(0);
  });

  test('emails are unique without case, per tenant', async () => {
    const { token } = await createRecordsTenant(sql);
    const other = await createRecordsTenant(sql);
    const email = newEmail();
    const first = await createLead(token, { email });
    const again = await records(token, 'POST', '/leads', { name: 'B', email: ` ${email.toUpperCase()} ` });
    expect(faultOf(again)).toEqual({ status: 409, code: 'CONFLICT', fields: ['email'] });
    expect(again.body.error.existing_id).toBe(first.id);
    await createLead(other.token, { email });

    const second = await createLead(token);
    const taken = await records(token, 'PATCH', `/leads/${second.id}`, { email: email.toUpperCase() });
    expect(faultOf(taken)).toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(taken.body.error.existing_id).toBe(first.id);
    expect((await get(token, second.id)).email).toBe(second.email);
  });

  test('of twenty concurrent requests with one email, one succeeds', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const email = newEmail();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        records(token, 'POST', '/leads', { name: 'A', email: index % 2 ? email : email.toUpperCase() }),
      ),
    );
    expect(statusesOf(replies)).toEqual([201, ...Array(19).fill(409)]);
    const made = replies.find(({ status }) => status === 201)?.body.data.id;
    const others = replies.filter(({ status }) => status === 409);
    expect(new Set(others.map(({ body }) => body.error.existing_id))).toEqual(new Set([made]));
    expect(await followEvents(sql, tenantId).types()).toEqual(['lead.created']);
  });
});

describe('changing', () => {
  test('keeps absent members and clears null ones', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const owner = await createUser(token);
    const full = {
      phone: '1',
      company: 'Acme',
      owner_id: owner.id,
      tags: ['a'],
      custom_fields: { a: 1, b: 2 },
    };
    const lead = await createLead(token, full);
    const events = followEvents(sql, tenantId);
    await events.all();

    const one = await patch(token, lead.id, { company: 'Bcme', custom_fields: { c: 3 } });
    expect(one).toEqual({
      ...lead,
      company: 'Bcme',
      custom_fields: { c: 3 },
      updated_at: expect.any(String),
    });
    expect(one.updated_at > lead.updated_at).toBe(true);
    const cleared = { phone: null, company: null, owner_id: null, tags: null, custom_fields: null };
    expect(await patch(token, lead.id, cleared)).toMatchObject({ ...cleared, tags: [], custom_fields: {} });
    const faults = faultOf(await records(token, 'PATCH', `/leads/${lead.id}`, { name: null, status: null }));
    expect(faults).toMatchObject({ status: 400, fields: ['name', 'status'] });
    expect(await events.types()).toEqual(['lead.updated', 'lead.updated']);
  });

  test('emits events for changes: none, the status, a field, or both', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const lead = await createLead(token, { phone: '1' });
    const events = followEvents(sql, tenantId);
    await events.all();
    for (const same of [{}, { phone: '1' }, { status: 'new', tags: [] }, { ignored: true }]) {
      expect(await patch(token, lead.id, same)).toEqual(lead);
    }
    expect(await events.types()).toEqual([]);
    for (const status of ['contacted', 'qualified', 'unqualified', 'new']) {
      expect((await patch(token, lead.id, { status })).status).toBe(status);
    }
    expect(await events.types()).toEqual(Array(4).fill('lead.status_changed'));
    await patch(token, lead.id, { status: 'qualified', name: 'Other' });
    expect((await events.types()).sort()).toEqual(['lead.status_changed', 'lead.updated']);
  });

  test('keeps both of two concurrent changes of different fields', async () => {
    const { token } = await createRecordsTenant(sql);
    const lead = await createLead(token);
    for (let round = 0; round < 5; round++) {
      const value = `round ${round}`;
      await Promise.all(leadTextNames.map((field) => patch(token, lead.id, { [field]: value })));
      const after = await get(token, lead.id);
      expect(leadTextNames.map((field) => after[field])).toEqual(leadTextNames.map(() => value));
    }
  });

  test('neither sets nor leaves converted', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const lead = await createLead(token);
    const set = await records(token, 'PATCH', `/leads/${lead.id}`, { status: 'converted' });
    expect(faultOf(set)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['status'] });
    await expectData(token, 'POST', `/leads/${lead.id}/convert`, 200);
    const events = followEvents(sql, tenantId);
    await events.all();
    const left = await records(token, 'PATCH', `/leads/${lead.id}`, { status: 'new', phone: '2' });
    expect(faultOf(left)).toEqual({ status: 422, code: 'UNPROCESSABLE_ENTITY', fields: ['status'] });
    expect(await events.types()).toEqual([]);
    expect(await patch(token, lead.id, { phone: '3' })).toMatchObject({ status: 'converted', phone: '3' });
    const bad = await records(token, 'PATCH', `/leads/${lead.id}`, { status: 'discarded' });
    expect(faultOf(bad)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['status'] });
  });
});

test('deleting also deletes the history and leaves the deals without a lead', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const lead = await createLead(token);
  const deal = await createDeal(token, { lead_id: lead.id });
  const events = followEvents(sql, tenantId);
  await events.all();
  expect((await records(token, 'DELETE', `/leads/${lead.id}`)).status).toBe(204);
  expect((await records(token, 'GET', `/leads/${lead.id}`)).status).toBe(404);
  expect((await records(token, 'DELETE', `/leads/${lead.id}`)).status).toBe(404);
  expect(await expectData(token, 'GET', `/deals/${deal.id}`, 200)).toMatchObject({ lead_id: null });
  const happened = await events.all();
  expect(happened.map(({ type, data }) => `${type} ${data.id}`).sort()).toEqual([
    `deal.updated ${deal.id}`,
    `lead.deleted ${lead.id}`,
  ]);
  expect(happened.find(({ type }) => type === 'lead.deleted')?.data.email).toBe(lead.email);
});

test('a lead of another tenant does not exist', async () => {
  const { token } = await createRecordsTenant(sql);
  const other = await createRecordsTenant(sql);
  const lead = await createLead(other.token);
  for (const id of [lead.id, NOBODY, 'x']) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'B' }],
      ['DELETE', '', undefined],
      ['POST', '/convert', {}],
    ] as const) {
      const reply = await records(token, method, `/leads/${id}${path}`, body);
      expect(faultOf(reply)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  }
  expect(await get(other.token, lead.id)).toEqual({ ...lead, activities: [] });
});
