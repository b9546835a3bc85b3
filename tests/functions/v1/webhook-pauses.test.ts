// Webhooks that integrators pause and resume.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { expectError } from '../../support/records/records-answers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const make = (token: string, url = 'https://hooks.example.invalid/x') =>
  expectData(token, 'POST', '/webhooks', 201, { url, events: ['lead.created'] });

test('a paused webhook gets all events of that time once it is resumed', async () => {
  const { token } = await createRecordsTenant(sql);
  const { url, received } = await startEndpoint();
  const webhook = await make(token, url);
  const path = `/webhooks/${webhook.id}`;
  expect(webhook.status).toBe('active');
  const paused = await expectData(token, 'POST', `${path}/pause`, 200);
  expect(paused).toEqual({ ...webhook, status: 'paused', updated_at: paused.updated_at });
  expect(await expectData(token, 'POST', `${path}/pause`, 200)).toMatchObject({ status: 'paused' });
  const leads = [await createLead(token), await createLead(token)];
  const held = async () => (await expectData(token, 'GET', `${path}/deliveries?status=pending`, 200)).length;
  expect(await held()).toBe(2);
  // Their jobs have run, and nothing was sent.
  await waitFor(
    async () =>
      (
        await sql`
          select from jobs j join webhook_deliveries d on j.key = d.id
          where d.endpoint_id = ${webhook.id} and j.finished_at is not null`
      ).length === 2,
  );
  expect(received).toEqual([]);
  expect(await expectData(token, 'GET', path, 200)).toMatchObject({ active: true, status: 'paused' });

  expect(await expectData(token, 'POST', `${path}/resume`, 200)).toMatchObject({ status: 'active' });
  await waitFor(() => received.length === 2);
  const sent = received.map(({ body }) => JSON.parse(body).data.id).sort();
  expect(sent).toEqual(leads.map((lead) => lead.id).sort());
  await waitFor(async () => (await held()) === 0);
});

test('a deactivated one can be neither paused nor resumed', async () => {
  const { token } = await createRecordsTenant(sql);
  const webhook = await make(token);
  const path = `/webhooks/${webhook.id}`;
  await expectData(token, 'POST', `${path}/pause`, 200);
  await createLead(token);
  expect(await expectData(token, 'PATCH', path, 200, { active: false })).toMatchObject({
    active: false,
    status: 'deactivated',
  });
  for (const action of ['pause', 'resume']) {
    expectError(await records(token, 'POST', `${path}/${action}`), 409, 'CONFLICT');
  }
  expect(await expectData(token, 'PATCH', path, 200, { active: true })).toMatchObject({ status: 'active' });
  // Events that were stored for it are not sent later.
  const [dropped] = await expectData(token, 'GET', `${path}/deliveries`, 200);
  expect(dropped).toMatchObject({ status: 'failed' });
});

test('pausing and resuming requires the read scopes of its events, and only its client can do it', async () => {
  const { id, token } = await createRecordsTenant(sql);
  const webhook = await make(token);
  const { token: blind } = await createToken(sql, id, { scopes: ['write:webhooks', 'read:deals'] });
  const { token: reader } = await createToken(sql, id, { scopes: ['read:webhooks', 'read:leads'] });
  const { token: stranger } = await createRecordsTenant(sql);
  const [payments] = await sql`
    select id from admin.create_payment_webhook(${id}, 'https://hooks.example.invalid/y')`;
  for (const action of ['pause', 'resume']) {
    const path = `/webhooks/${webhook.id}/${action}`;
    expectError(await records(blind, 'POST', path), 403, 'FORBIDDEN');
    expectError(await records(reader, 'POST', path), 403, 'FORBIDDEN');
    expectError(await records(stranger, 'POST', path), 404, 'NOT_FOUND');
    expectError(await records(token, 'POST', `/webhooks/${payments?.id}/${action}`), 404, 'NOT_FOUND');
  }
  expect(await expectData(token, 'GET', `/webhooks/${webhook.id}`, 200)).toMatchObject({ status: 'active' });
});
