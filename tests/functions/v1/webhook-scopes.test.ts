// Who owns a webhook, and which read scopes a client needs to receive its events.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { untilMinuteHas } from '../../support/limits/windows.ts';
import { createLead, expectData } from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { expectError, limitOf, logRow } from '../../support/records/records-answers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();
const url = 'https://hooks.example.invalid/x';
const rowOf = async (id: string) => (await sql`select * from admin.webhook_endpoints where id = ${id}`)[0];

function expectLacks(reply: Reply, ...scopes: string[]): void {
  expectError(reply, 403, 'FORBIDDEN');
  expect(reply.headers.get('www-authenticate')).toBe(
    `Bearer realm="placar", error="insufficient_scope", scope="${scopes.join(' ')}"`,
  );
  expect(reply.body.error.message).toBe(`This token lacks the scope ${scopes.join(' and ')}.`);
}

describe('subscribing needs the read scope of the data', () => {
  test.each([
    ['lead.created', 'read:leads'],
    ['deal.won', 'read:deals'],
    ['user.updated', 'read:users'],
    ['badge.earned', 'read:users'],
    ['ranking.changed', 'read:users'],
    ['challenge.completed', 'read:users'],
  ])('%s: %s', async (event, scope) => {
    expect((await sql`select private.scope_of_event(${event}) as scope`)[0]?.scope).toBe(scope);
    const { id } = await createRecordsTenant(sql);
    const others = ['read:leads', 'read:deals', 'read:users', 'read:teams'].filter((one) => one !== scope);
    const { token, clientId } = await createToken(sql, id, { scopes: ['write:webhooks', ...others] });
    await untilMinuteHas(5);
    const before = limitOf(await records(token, 'GET', '/nothing'));
    const reply = await records(token, 'POST', '/webhooks', { url, events: [event] });
    expectLacks(reply, scope);
    expect(limitOf(reply)).toEqual(before);
    expect(await logRow(sql, reply)).toMatchObject({
      client_id: clientId,
      status: 403,
      reason: 'insufficient_scope',
    });
    expect(await sql`select from webhook_endpoints where tenant_id = ${id}`).toHaveLength(0);
    await waitFor(async () => {
      const { remaining } = limitOf(await records(token, 'GET', '/nothing'));
      return remaining === before.remaining;
    });
    const able = await createToken(sql, id, { scopes: ['write:webhooks', scope] });
    expect((await records(able.token, 'POST', '/webhooks', { url, events: [event] })).status).toBe(201);
  });

  test('names all missing scopes, in the names of any variant', async () => {
    const { id } = await createRecordsTenant(sql);
    const { token } = await createToken(sql, id, { scopes: ['write:webhooks'], variant: 'c' });
    const events = ['user.created', 'lead.stage_changed', 'badge.earned', 'deal.won'];
    expectLacks(
      await records(token, 'POST', '/webhooks', { url, events }),
      'read:deals',
      'read:leads',
      'read:users',
    );
  });
});

describe('a webhook with events that a client may not read', () => {
  /** A webhook of an admin, and a client that may only write webhooks and read deals. */
  async function make(events: string[]) {
    const { id, token: admin } = await createRecordsTenant(sql);
    const webhook = await expectData(admin, 'POST', '/webhooks', 201, { url, events, secret: 'orig' });
    const { token } = await createToken(sql, id, { scopes: ['write:webhooks', 'read:deals'] });
    const path = `/webhooks/${webhook.id}`;
    const secrets = () =>
      sql`select secret from private.webhook_secrets where endpoint_id = ${webhook.id}`.then(
        ([row]) => row?.secret,
      );
    return {
      id,
      admin,
      webhook,
      path,
      secrets,
      patch: (body: object) => records(token, 'PATCH', path, body),
      token,
    };
  }

  test.each([
    { url: `${url}/mine` },
    // Only clients that may change it learn whether its URL is allowed.
    { url: 'https://10.0.0.1/' },
    { events: ['deal.won', 'lead.updated'] },
    // Previously sent deliveries may still wait for a retry.
    { events: ['deal.won'] },
    { url: `${url}/mine`, events: ['deal.won'] },
    { secret: 'mine' },
    { secret: null },
    { active: true },
    { active: false },
  ])('cannot be changed by it: %j', async (change) => {
    const { webhook, patch, secrets } = await make(['lead.created']);
    const before = await rowOf(webhook.id);
    expectLacks(await patch(change), 'read:leads');
    expect(await rowOf(webhook.id)).toEqual(before);
    expect(await secrets()).toBe('orig');
  });

  test('can be described and tested by it, and not deleted', async () => {
    const { webhook, patch, path, token } = await make(['lead.created', 'deal.won']);
    expect((await patch({ description: 'ours' })).status).toBe(200);
    expect((await records(token, 'POST', `${path}/test`)).status).toBe(202);
    expectLacks(await records(token, 'DELETE', path), 'read:leads');
    expect(await rowOf(webhook.id)).toMatchObject({ description: 'ours', active: true });
  });

  test('names the missing scopes of its events', async () => {
    const { patch } = await make(['lead.created', 'user.created', 'deal.won']);
    expectLacks(await patch({ active: false, events: ['deal.lost'] }), 'read:leads', 'read:users');
  });

  test('one with events that it may read can be changed and deleted', async () => {
    const { patch, path, token, secrets } = await make(['deal.lost']);
    expect(
      (await patch({ url: `${url}/mine`, events: ['deal.won'], secret: 'new', active: false })).status,
    ).toBe(200);
    expect(await secrets()).toBe('new');
    expect((await records(token, 'DELETE', path)).status).toBe(204);
  });

  test('a missing webhook returns 404 for any change', async () => {
    const { token } = await make(['deal.lost']);
    for (const change of [{}, { url }, { active: true }]) {
      expectError(
        await records(token, 'PATCH', `/webhooks/${crypto.randomUUID()}`, change),
        404,
        'NOT_FOUND',
      );
    }
  });

  test('its deliveries cannot be replayed by it, even if it has other events by now', async () => {
    const { id, admin, webhook, path, token } = await make(['lead.created', 'deal.won']);
    await createLead(admin);
    const [delivery] = await sql`select id from webhook_deliveries where endpoint_id = ${webhook.id}`;
    const replay = (by: string) => records(by, 'POST', `${path}/deliveries/${delivery?.id}/replay`);
    expectLacks(await replay(token), 'read:leads');
    expect((await replay(admin)).status).toBe(202);
    await expectData(admin, 'PATCH', path, 200, { events: ['deal.won'] });
    expectLacks(await replay(token), 'read:leads');
    // It cannot be replayed, because nothing would be sent.
    expectError(await replay(admin), 409, 'CONFLICT');
    await expect(sql`select admin.replay_delivery(${delivery?.id ?? ''})`).rejects.toThrow(
      'does not subscribe to lead.created',
    );
    const jobs = await sql`select from jobs where tenant_id = ${id} and name = 'deliver-webhook'`;
    expect(jobs).toHaveLength(1);
  });

  test('anyone can replay a test, whatever the webhook subscribes to', async () => {
    const { path, token } = await make(['lead.created']);
    const sent = await expectData(token, 'POST', `${path}/test`, 202);
    expect((await records(token, 'POST', `${path}/deliveries/${sent.delivery_id}/replay`)).status).toBe(202);
  });
});

test('reading deliveries requires the read scope of the sent events', async () => {
  const { id, token: admin } = await createRecordsTenant(sql);
  const webhook = await expectData(admin, 'POST', '/webhooks', 201, { url, events: ['lead.created'] });
  const log = `/webhooks/${webhook.id}/deliveries`;
  const narrow = await createToken(sql, id, { scopes: ['read:webhooks', 'read:deals'] });
  const wide = await createToken(sql, id, { scopes: ['read:webhooks', 'read:leads'] });
  // Before anything was sent, and after.
  expectLacks(await records(narrow.token, 'GET', log), 'read:leads');
  await createLead(admin);
  expectLacks(await records(narrow.token, 'GET', log), 'read:leads');
  expect(await expectData(wide.token, 'GET', log, 200)).toHaveLength(1);
  // It now has other events. Sent deliveries stay as they are.
  await expectData(admin, 'PATCH', `/webhooks/${webhook.id}`, 200, { events: ['deal.won'] });
  expectLacks(await records(narrow.token, 'GET', log), 'read:leads');
  expectLacks(await records(wide.token, 'GET', log), 'read:deals');
  expect(await expectData(admin, 'GET', log, 200)).toHaveLength(1);
});

test('a client that loses the scope of an event no longer receives it, and its old token does not change that', async () => {
  const { id } = await createRecordsTenant(sql);
  const { token, clientId } = await createToken(sql, id, {
    scopes: ['read:leads', 'read:users', 'read:webhooks', 'write:webhooks'],
  });
  const make = (path: string, events: string[]) =>
    records(token, 'POST', '/webhooks', { url: `${url}/${path}`, events });
  const [people, leads] = [
    await make('people', ['user.created', 'lead.created']),
    await make('leads', ['lead.created']),
  ];
  await sql`update oauth_clients set scopes = '{read:leads,read:webhooks,write:webhooks}' where client_id = ${clientId}`;
  expect(await rowOf(people.body.data.id)).toMatchObject({
    active: false,
    deactivation_reason: 'its client lost the scope of its events',
  });
  expect(await rowOf(leads.body.data.id)).toMatchObject({ active: true });
  const replies = [
    await records(token, 'PATCH', `/webhooks/${people.body.data.id}`, { active: true }),
    await make('again', ['badge.earned']),
  ];
  expect(replies.map(({ status, body }) => [status, body.error.message])).toEqual(
    replies.map(() => [409, expect.stringContaining('no longer has the scopes')]),
  );
  expect((await make('more', ['lead.updated'])).status).toBe(201);
});

describe('when a client is revoked', () => {
  test('its webhooks stop, with pending deliveries; others continue', async () => {
    const { id, token, clientId } = await createRecordsTenant(sql);
    const endpoint = await startEndpoint((response) => response.writeHead(500).end());
    const own = await createToken(sql, id);
    const other = await startEndpoint();
    const theirs = await expectData(token, 'POST', '/webhooks', 201, {
      url: endpoint.url,
      events: ['lead.created'],
    });
    await expectData(own.token, 'POST', '/webhooks', 201, { url: other.url, events: ['lead.created'] });
    expect(await rowOf(theirs.id)).toMatchObject({ client_id: clientId, active: true });
    await createLead(own.token);
    await waitFor(() => endpoint.received.length === 1 && other.received.length === 1);

    await sql`select admin.revoke_oauth_client(${clientId})`;
    expect(await rowOf(theirs.id)).toMatchObject({
      active: false,
      deactivated_at: expect.any(Date),
      deactivation_reason: 'its client was revoked',
    });
    await createLead(own.token);
    await waitFor(() => other.received.length === 2);
    expect(await expectData(own.token, 'GET', `/webhooks/${theirs.id}/deliveries`, 200)).toHaveLength(1);
    // No admin restarts it by mistake, but another client can take it over.
    await expect(sql`select admin.reactivate_webhook(${theirs.id})`).rejects.toThrow('was revoked');
    await expect(sql`update webhook_endpoints set active = true where id = ${theirs.id}`).rejects.toThrow(
      'was revoked',
    );
    await expectData(own.token, 'PATCH', `/webhooks/${theirs.id}`, 200, { active: true });
    expect(await rowOf(theirs.id)).toMatchObject({ active: true, client_id: own.clientId });
  });

  test('one that it moved to its own URL stops as well; one that it only described does not', async () => {
    const { id, token, clientId } = await createRecordsTenant(sql);
    const mover = await createToken(sql, id);
    const make = (path: string) =>
      expectData(token, 'POST', '/webhooks', 201, { url: `${url}/${path}`, events: ['lead.created'] });
    const [moved, described] = [await make('a'), await make('b')];
    await expectData(mover.token, 'PATCH', `/webhooks/${moved.id}`, 200, {
      url: 'https://mine.example.invalid',
    });
    const kept = { url: described.url, description: 'x', active: true };
    await expectData(mover.token, 'PATCH', `/webhooks/${described.id}`, 200, kept);
    await sql`select admin.revoke_oauth_client(${mover.clientId})`;
    expect(await rowOf(moved.id)).toMatchObject({ active: false, client_id: mover.clientId });
    expect(await rowOf(described.id)).toMatchObject({ active: true, client_id: clientId });
  });

  test('concurrently with changes: no webhook of it stays active', async () => {
    const { id } = await createRecordsTenant(sql);
    for (let round = 0; round < 5; round++) {
      const { token, clientId } = await createToken(sql, id);
      const posts = Array.from({ length: 6 }, (_, i) =>
        records(token, 'POST', '/webhooks', {
          url: `https://h${round}-${i}.example.invalid`,
          events: ['deal.won'],
        }),
      );
      await Promise.race(posts);
      await sql`select admin.revoke_oauth_client(${clientId})`;
      for (const { status } of await Promise.all(posts)) expect([201, 401, 409]).toContain(status);
      expect(await sql`select from webhook_endpoints where client_id = ${clientId} and active`).toHaveLength(
        0,
      );
    }
  });

  test('and when it is deleted', async () => {
    const { token, clientId } = await createRecordsTenant(sql);
    const { id } = await expectData(token, 'POST', '/webhooks', 201, { url, events: ['lead.created'] });
    await sql`delete from oauth_clients where client_id = ${clientId}`;
    expect(await rowOf(id)).toMatchObject({ active: false, client_id: null });
  });
});
