// Webhooks that integrators manage: creating, changing, deleting, testing, their log and replays.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import {
  createDeal,
  createLead,
  expectData,
  faultOf,
  NOBODY,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { answer, startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const URL_OF_NOBODY = 'https://hooks.example.invalid/x';
const create = (token: string, webhook: object = {}) =>
  expectData(token, 'POST', '/webhooks', 201, { url: URL_OF_NOBODY, events: ['lead.created'], ...webhook });
const get = (token: string, id: string) => expectData(token, 'GET', `/webhooks/${id}`, 200);
const patch = (token: string, id: string, body: object) =>
  expectData(token, 'PATCH', `/webhooks/${id}`, 200, body);
const logOf = (token: string, id: string, query = '') =>
  expectData(token, 'GET', `/webhooks/${id}/deliveries${query}`, 200);

describe('managing', () => {
  test('shows the secret only on creation', async () => {
    const { token } = await createRecordsTenant(sql);
    const webhook = await create(token, { secret: 'shh', description: 'Ours', active: false });
    const { secret, ...shown } = webhook;
    expect(secret).toBe('shh');
    expect(shown).toEqual({
      id: expect.any(String),
      url: URL_OF_NOBODY,
      events: ['lead.created'],
      filters: [],
      changed: [],
      header_names: [],
      fold_seconds: null,
      ordered: false,
      description: 'Ours',
      active: false,
      status: 'deactivated',
      public_key: expect.stringMatching(/^whpk_/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await get(token, webhook.id)).toEqual(shown);
    expect(await expectData(token, 'GET', '/webhooks', 200)).toEqual([shown]);
    const changed = await patch(token, webhook.id, { secret: 'other', description: null });
    expect(changed).toEqual({ ...shown, description: null, updated_at: expect.any(String) });
    const secretsOf = async () => {
      const rows = await sql`select secret from private.webhook_secrets where endpoint_id = ${webhook.id}`;
      return rows.map((row) => row.secret);
    };
    expect(await secretsOf()).toEqual(['other']);
    await patch(token, webhook.id, { secret: null });
    expect(await secretsOf()).toEqual([]);
  });

  test('is active by default, needs no secret, and stores each event once', async () => {
    const { token } = await createRecordsTenant(sql);
    const webhook = await create(token, { events: ['deal.won', 'badge.earned', 'deal.won'] });
    expect(webhook).toMatchObject({ active: true, description: null, events: ['deal.won', 'badge.earned'] });
    expect(webhook).not.toHaveProperty('secret');
    expect((await patch(token, webhook.id, { events: ['lead.deleted'] })).events).toEqual(['lead.deleted']);
  });

  test.each([
    [{}, ['url', 'events']],
    [{ url: URL_OF_NOBODY, events: [] }, ['events']],
    [{ url: URL_OF_NOBODY, events: Array(101).fill('lead.created') }, ['events']],
    [{ url: URL_OF_NOBODY, events: Array(24_000).fill({}) }, ['events']],
    [{ url: URL_OF_NOBODY, events: 'lead.created' }, ['events']],
    [{ url: URL_OF_NOBODY, events: ['lead.created', 'lead.stage_changed'] }, ['events']],
    [{ url: URL_OF_NOBODY, events: ['invoice.paid'] }, ['events']],
    [{ url: URL_OF_NOBODY, events: ['lead.created'], active: 'yes', secret: 5 }, ['secret', 'active']],
  ])('rejects %j', async (body, fields) => {
    const { token } = await createRecordsTenant(sql);
    const fault = faultOf(await records(token, 'POST', '/webhooks', body));
    expect(fault).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields });
  });

  test.each([
    'hooks.example.com',
    'ftp://example.com/',
    'https:example.com/x',
    'https://example.com/a b',
    'https://user:pw@example.com/',
    'https://@example.com/',
    'https://10.0.0.1/',
    'https://192.168.1.1:8443/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433.example.com:99999/',
    'https://0x0a000001/',
    'https://134744072/',
    'https://0x08080808/',
    'https://010.8.8.8/',
    'https://8.8.2056/',
    'https://%38.8.8.8/',
    'https://８.8.8.8/',
    'https://168.63.129.16/metadata',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://0.0.0.0/',
    `https://example.com/${'x'.repeat(2048)}`,
  ])('rejects the URL %s', async (url) => {
    const { token } = await createRecordsTenant(sql);
    const fault = { status: 400, code: 'VALIDATION_ERROR', fields: ['url'] };
    expect(faultOf(await records(token, 'POST', '/webhooks', { url, events: ['deal.won'] }))).toEqual(fault);
    const webhook = await create(token);
    expect(faultOf(await records(token, 'PATCH', `/webhooks/${webhook.id}`, { url }))).toEqual(fault);
    expect((await get(token, webhook.id)).url).toBe(URL_OF_NOBODY);
  });

  test('deleting also deletes the log', async () => {
    const { token } = await createRecordsTenant(sql);
    const webhook = await create(token);
    await createLead(token);
    expect(await logOf(token, webhook.id)).toHaveLength(1);
    await expectData(token, 'DELETE', `/webhooks/${webhook.id}`, 204);
    for (const path of ['', '/deliveries']) {
      expect((await records(token, 'GET', `/webhooks/${webhook.id}${path}`)).status).toBe(404);
    }
    await createLead(token);
    expect(await sql`select from webhook_deliveries where endpoint_id = ${webhook.id}`).toHaveLength(0);
  });

  test('does not know webhooks of other tenants and of payments', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const other = await createRecordsTenant(sql);
    const theirs = await create(other.token);
    const [payments] = await sql`select id from admin.create_payment_webhook(${tenantId}, ${URL_OF_NOBODY})`;
    for (const id of [theirs.id, payments?.id, NOBODY, 'x']) {
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { active: false, secret: 'mine' }],
        ['DELETE', ''],
        ['POST', '/test'],
        ['GET', '/deliveries'],
        ['GET', '/deliveries/whd_x'],
        ['POST', '/deliveries/whd_x/replay'],
      ] as const) {
        const reply = await records(token, method, `/webhooks/${id}${path}`, body);
        expect([path, faultOf(reply)]).toMatchObject([path, { status: 404, code: 'NOT_FOUND' }]);
      }
    }
    expect(await expectData(token, 'GET', '/webhooks', 200)).toEqual([]);
    expect(await get(other.token, theirs.id)).toMatchObject({ active: true });
    const secrets =
      await sql`select secret from private.webhook_secrets where endpoint_id in (${theirs.id}, ${payments?.id})`;
    expect(secrets.map((row) => row.secret)).not.toContain('mine');
  });
});

describe('the delivery log', () => {
  test("has each delivery: what was sent, and the receiver's response", async () => {
    const { token } = await createRecordsTenant(sql);
    // Longer than 1 KiB, with a character across the boundary.
    const long = `${'x'.repeat(1023)}é and more`;
    const endpoint = await startEndpoint((response, index) =>
      index === 0 ? response.writeHead(500).end(long) : answer(204)(response),
    );
    const webhook = await create(token, { url: endpoint.url });
    const lead = await createLead(token);
    const failed = await waitFor(async () => {
      const [entry] = await logOf(token, webhook.id);
      return entry?.response_status === 500 && entry;
    });
    expect(failed).toEqual({
      id: expect.stringMatching(/^whd_/),
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'lead.created',
      payload: JSON.parse(endpoint.received[0]?.body ?? ''),
      response_status: 500,
      response_time_ms: expect.any(Number),
      status: 'pending',
      success: false,
      error: 'the receiver responded with 500',
      response_excerpt: 'x'.repeat(1023),
      attempts: [
        {
          at: expect.stringMatching(/Z$/),
          status: 500,
          error: 'the receiver responded with 500',
          duration_ms: failed.response_time_ms,
        },
      ],
      retry_count: 0,
      created_at: expect.any(String),
      next_attempt_at: expect.any(String),
    });
    const path = `/webhooks/${webhook.id}/deliveries/${failed.id}`;
    expect(await expectData(token, 'GET', path, 200)).toEqual(failed);
    expect(failed.payload).toMatchObject({ id: failed.event_id, type: 'lead.created', data: lead });

    const replayed = await expectData(
      token,
      'POST',
      `/webhooks/${webhook.id}/deliveries/${failed.id}/replay`,
      202,
    );
    expect(replayed).toEqual({ delivery_id: failed.id });
    const delivered = await waitFor(async () => {
      const [entry] = await logOf(token, webhook.id);
      return entry?.success && entry;
    });
    expect(delivered).toMatchObject({
      id: failed.id,
      response_status: 204,
      status: 'delivered',
      error: null,
      response_excerpt: '',
      attempts: [failed.attempts[0], { status: 204, error: null }],
      retry_count: 1,
      next_attempt_at: null,
    });
    await expectData(token, 'POST', `/webhooks/${webhook.id}/deliveries/${failed.id}/replay`, 202);
    await waitFor(() => endpoint.received.length === 3);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([failed.id]),
    );
    const other = await create(token, { events: ['lead.updated'] });
    const wrong = await records(token, 'POST', `/webhooks/${other.id}/deliveries/${failed.id}/replay`);
    expect(wrong.status).toBe(404);
    for (const place of [
      `/webhooks/${other.id}/deliveries/${failed.id}`,
      `/webhooks/${webhook.id}/deliveries/x`,
    ]) {
      expect((await records(token, 'GET', place)).status).toBe(404);
    }
  });

  test('is read in pages, newest first, and by status', async () => {
    const { token } = await createRecordsTenant(sql);
    const webhook = await create(token);
    const leads = [await createLead(token), await createLead(token), await createLead(token)];
    const { body } = await records(token, 'GET', `/webhooks/${webhook.id}/deliveries?per_page=2`);
    expect(body.meta).toMatchObject({ total: 3, total_pages: 2, per_page: 2 });
    const ids = body.data.map(({ payload }: { payload: { data: { id: string } } }) => payload.data.id);
    expect(ids).toEqual([leads[2].id, leads[1].id]);
    expect(await logOf(token, webhook.id, '?status=delivered')).toEqual([]);
    expect(await logOf(token, webhook.id, '?status=pending')).toHaveLength(3);
    const bad = await records(token, 'GET', `/webhooks/${webhook.id}/deliveries?status=open`);
    expect(faultOf(bad)).toMatchObject({ status: 400, fields: ['status'] });
  });
});

test('a test is sent to one webhook, whatever it subscribes to', async () => {
  const { token } = await createRecordsTenant(sql);
  const [endpoint, other] = [await startEndpoint(), await startEndpoint()];
  const webhook = await create(token, { url: endpoint.url });
  await create(token, { url: other.url });
  const sent = await expectData(token, 'POST', `/webhooks/${webhook.id}/test`, 202);
  const [received] = await waitFor(() => endpoint.received.length > 0 && endpoint.received);
  expect(received?.headers).toMatchObject({
    'x-service-event': 'webhook.test',
    'x-service-delivery': sent.delivery_id,
  });
  expect(JSON.parse(received?.body ?? '')).toMatchObject({ id: sent.event_id, type: 'webhook.test' });
  expect((await logOf(token, webhook.id))[0].id).toBe(sent.delivery_id);
  expect(other.received).toEqual([]);
});

test('an inactive webhook gets nothing; activating it resets its failures', async () => {
  const { token } = await createRecordsTenant(sql);
  const endpoint = await startEndpoint();
  const webhook = await create(token, { url: endpoint.url });
  await patch(token, webhook.id, { active: false });
  const [stage] = await stagesOf(token);
  await createLead(token);
  await createDeal(token, { stage_id: stage.id });
  for (const path of ['/test', '/deliveries/whd_x/replay']) {
    const { status } = await records(token, 'POST', `/webhooks/${webhook.id}${path}`);
    expect(status).toBe(path === '/test' ? 409 : 404);
  }
  expect(await logOf(token, webhook.id)).toEqual([]);
  await sql`
    update webhook_endpoints set consecutive_failures = 9, first_failure_at = now(), deactivated_at = now(),
      deactivation_reason = 'dead' where id = ${webhook.id}`;
  expect((await patch(token, webhook.id, { description: 'x' })).active).toBe(false);
  const stateOf = async () =>
    (
      await sql`select active, consecutive_failures as failures, first_failure_at, deactivated_at, deactivation_reason as reason
               from webhook_endpoints where id = ${webhook.id}`
    )[0];
  expect(await stateOf()).toMatchObject({ active: false, failures: 9, reason: 'dead' });
  expect((await patch(token, webhook.id, { active: true })).active).toBe(true);
  expect(await stateOf()).toEqual({
    active: true,
    failures: 0,
    first_failure_at: null,
    deactivated_at: null,
    reason: null,
  });
  await createLead(token);
  await waitFor(() => endpoint.received.length === 1);
});
