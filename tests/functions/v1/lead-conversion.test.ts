// Converting leads into deals.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
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
const get = (token: string, id: string) => expectData(token, 'GET', `/leads/${id}`, 200);

describe('converting', () => {
  test('creates a deal from the lead', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const owner = await createUser(token);
    const [first, , third] = await stagesOf(token);
    const lead = await createLead(token, { company: 'Acme', owner_id: owner.id });
    const events = followEvents(sql, tenantId);
    await events.all();
    const plain = await expectData(token, 'POST', `/leads/${lead.id}/convert`, 200);
    expect(plain.lead).toMatchObject({ id: lead.id, status: 'converted' });
    expect(plain.deal).toMatchObject({
      name: lead.name,
      value: 0,
      status: 'open',
      stage: { id: first.id, name: first.name, probability: first.probability },
      contact_name: lead.name,
      contact_email: lead.email,
      company: 'Acme',
      owner_id: owner.id,
      lead_id: lead.id,
      expected_close_date: null,
    });
    expect((await events.types()).sort()).toEqual(['deal.created', 'lead.converted']);
    expect(await expectData(token, 'GET', `/deals/${plain.deal.id}`, 200)).toEqual(plain.deal);

    const other = await createLead(token);
    const body = {
      deal_name: 'Big',
      deal_value: 12.5,
      stage_id: third.id,
      expected_close_date: '2027-02-28',
    };
    const full = await expectData(token, 'POST', `/leads/${other.id}/convert`, 200, body);
    expect(full.deal).toMatchObject({ name: 'Big', value: 12.5, expected_close_date: '2027-02-28' });
    expect(full.deal.stage.id).toBe(third.id);
  });

  test('is rejected as a whole for an unknown stage and for invalid fields', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const lead = await createLead(token);
    const convert = (body: object) => records(token, 'POST', `/leads/${lead.id}/convert`, body);
    expect(faultOf(await convert({ stage_id: NOBODY }))).toMatchObject({ status: 422, fields: ['stage_id'] });
    const bad = { deal_name: '', deal_value: '5', expected_close_date: '2027-02-30' };
    expect(faultOf(await convert(bad))).toMatchObject({ status: 400, fields: Object.keys(bad) });
    expect((await get(token, lead.id)).status).toBe('new');
    expect(await followEvents(sql, tenantId).types()).toEqual(['lead.created']);
  });

  test('happens once for twenty concurrent requests', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const lead = await createLead(token);
    const convert = () => records(token, 'POST', `/leads/${lead.id}/convert`);
    const replies = await Promise.all(Array.from({ length: 20 }, convert));
    expect(statusesOf(replies)).toEqual([200, ...Array(19).fill(409)]);
    expect(faultOf(await convert())).toMatchObject({ status: 409, code: 'CONFLICT' });
    const types = await followEvents(sql, tenantId).types();
    expect(types.sort()).toEqual(['deal.created', 'lead.converted', 'lead.created']);
  });

  test('concurrently with a status change leaves it converted', async () => {
    const { token } = await createRecordsTenant(sql);
    for (let round = 0; round < 10; round++) {
      const lead = await createLead(token);
      const [convert, change] = await Promise.all([
        records(token, 'POST', `/leads/${lead.id}/convert`),
        records(token, 'PATCH', `/leads/${lead.id}`, { status: 'contacted' }),
      ]);
      expect(convert.status).toBe(200);
      expect([200, 422]).toContain(change.status);
      expect((await get(token, lead.id)).status).toBe('converted');
    }
  });
});
