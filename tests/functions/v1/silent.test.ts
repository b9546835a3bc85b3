// Silent imports: the records exist, are counted and are in the feed, but cause no notifications.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
  newEmail,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { newWebhook } from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const silent = { headers: { 'X-Silent': 'true' } };

test('nothing is delivered, scored, automated or emailed; the feed marks it as silent, and statistics count it', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const owner = await createUser(token);
  for (const event of ['deal.won', 'lead.qualified', 'activity.completed', 'deal.stage_changed']) {
    await sql`select admin.set_point_rule(${tenantId}, ${event}, 10)`;
  }
  await sql`
    insert into automations (tenant_id, name, event, conditions, actions, active)
    select ${tenantId}, e, e, '[]', ${JSON.stringify([{ type: 'add_tag', tag: 'seen' }])}::text::jsonb, true
    from unnest(array['lead.created', 'deal.created']) as e`;
  await expectData(token, 'POST', '/webhooks', 201, {
    ...newWebhook(),
    events: ['lead.created', 'deal.won', 'user.created'],
  });
  const caused = async () => {
    const [row] = await sql`
      select (select count(*) from webhook_deliveries where tenant_id = ${tenantId})::integer as deliveries,
             (select count(*) from point_entries where tenant_id = ${tenantId})::integer as points,
             (select count(*) from jobs where tenant_id = ${tenantId} and name in ('run-automations', 'send-invitation', 'send-mail'))::integer as jobs`;
    return row;
  };
  const work = async (options: object) => {
    const send = (method: string, path: string, status: number, body: object) =>
      expectData(token, method, path, status, body, options);
    const lead = await send('POST', '/leads', 201, { name: 'Ana', email: newEmail(), owner_id: owner.id });
    await send('PATCH', `/leads/${lead.id}`, 200, { status: 'qualified' });
    const deal = await send('PUT', `/deals/external/${crypto.randomUUID()}`, 201, {
      name: 'D',
      value: 5,
      owner_id: owner.id,
    });
    await send('POST', `/deals/${deal.id}/activities`, 201, { type: 'call' });
    await send('POST', `/deals/${deal.id}/close`, 200, { result: 'won' });
    await send('POST', '/users', 201, { name: 'Eva', email: newEmail(), role: 'manager' });
  };
  const before = await caused();
  await work(silent);
  expect(await caused()).toEqual(before);
  const { data } = (await records(token, 'GET', '/events?limit=500')).body;
  const marks = data
    .filter(({ type }: Json) => type !== 'ranking.changed')
    .map(({ silent: mark }: Json) => mark);
  expect(marks.filter(Boolean)).toHaveLength(5);
  expect(await expectData(token, 'GET', `/users/${owner.id}/stats?period=all_time`, 200)).toMatchObject({
    deals_won: 1,
    leads_created: 1,
  });
  // The same write without silent mode causes each of them.
  await work({ headers: { 'X-Silent': 'false' } });
  const aloud = await caused();
  for (const name of ['deliveries', 'points', 'jobs']) expect(aloud?.[name]).toBeGreaterThan(before?.[name]);
});

test('requires admin, and accepts true or false', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const { token: writer } = await createToken(sql, tenantId, { scopes: ['write:leads', 'read:leads'] });
  const send = (as: string, value: string, method = 'POST', path = '/leads') =>
    records(as, method, path, method === 'GET' ? undefined : { name: 'Ana', email: newEmail() }, {
      headers: { 'X-Silent': value },
    });
  for (const value of ['', 'yes', '1', 'TRUE']) {
    for (const as of [token, writer]) {
      expect(faultOf(await send(as, value))).toEqual({
        status: 400,
        code: 'VALIDATION_ERROR',
        fields: ['X-Silent'],
      });
    }
  }
  expect(faultOf(await send(writer, 'true'))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect((await send(writer, 'false')).status).toBe(201);
  expect((await send(writer, 'true', 'GET')).status).toBe(200);
  expect((await send(token, 'true')).status).toBe(201);
  const lead = await createLead(token);
  expect((await records(token, 'DELETE', `/leads/${lead.id}`, undefined, silent)).status).toBe(204);
  await createDeal(token);
  const marked = await sql`select type from events where tenant_id = ${tenantId} and silent order by type`;
  expect(marked.map(({ type }) => type)).toEqual(['lead.created', 'lead.deleted']);
});
