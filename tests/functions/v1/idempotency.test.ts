// Idempotency-Key on records and activity sync: one effect, one response, and the scope of keys.
import type postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { activity, collaborator, type Reply, sync } from '../../support/gamification/sync.ts';
import { followEvents, NOBODY, newEmail } from '../../support/records/record-flows.ts';
import {
  createRecordsTenant,
  createToken,
  type RecordsCallOptions,
  records,
} from '../../support/records/records.ts';
import { expectError } from '../../support/records/records-answers.ts';
import { furnish } from '../../support/records/records-furnish.ts';
import {
  fillBody,
  fillPath,
  newLead,
  newWebhook,
  routes,
  withoutReferences,
} from '../../support/records/records-routes.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replay') === 'true';
const withKey = (key: string, headers: object = {}): RecordsCallOptions => ({
  headers: { 'Idempotency-Key': key, ...headers },
});
const aLead = () => withoutReferences(newLead());

function expectReplay(reply: Reply, first: Reply): void {
  expect([reply.status, reply.body, isReplay(reply)]).toEqual([first.status, first.body, true]);
  expect(isReplay(first)).toBe(false);
  expect(reply.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(reply.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(reply.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
}

const leadsOf = (tenantId: string) => sql`select id from leads where tenant_id = ${tenantId}`;

interface Held {
  /** Resolves when another transaction waits for this one. */
  waiting(): Promise<unknown>;
  letGo(): Promise<void>;
}

/** Holds the locks of a statement, in a transaction that is rolled back. */
async function hold(lock: (holder: postgres.ReservedSql) => Promise<unknown>): Promise<Held> {
  const holder = await sql.reserve();
  await holder`begin`;
  await lock(holder);
  const [own] = await holder`select pg_backend_pid() as pid`;
  return {
    waiting: () =>
      waitFor(async () => {
        const [row] =
          await sql`select from pg_stat_activity where ${own?.pid}::integer = any (pg_blocking_pids(pid))`;
        return row !== undefined;
      }),
    async letGo() {
      await holder`rollback`;
      holder.release();
    },
  };
}

/** Makes a request wait when it stores its response, after its work is done. */
const holdAnswer = ({ id, clientId }: { id: string; clientId: string }, key: string): Promise<Held> =>
  hold(
    (holder) => holder`
      insert into request_answers (tenant_id, scope, key, fingerprint, status, headers)
      values (${id}, ${clientId}, ${key}, 'nobody', 201, '{}')`,
  );

test('every POST is executed once and replayed, and rejects another body under its key', async () => {
  const { tenant, ids } = await furnish(sql);
  const closing = ({ path }: { path: string }) => path.endsWith('/close');
  const posts = routes.filter(({ method }) => method === 'POST');
  expect(posts.length).toBeGreaterThan(15);
  // One deal is used for all: it is closed after everything else, and closing it again is rejected.
  for (const { name, path, example } of [...posts.filter((one) => !closing(one)), ...posts.filter(closing)]) {
    const { token } = tenant;
    const body = fillBody(example?.(), ids);
    const key = crypto.randomUUID();
    const first = await records(token, 'POST', fillPath(path, ids), body, withKey(key));
    const expected = path === '/opportunities/:id/close' ? [409] : [200, 201, 202];
    expect([name, expected]).toEqual([name, expect.arrayContaining([first.status])]);
    const again = await records(token, 'POST', fillPath(path, ids), body, withKey(key));
    if (path === '/webhooks') delete first.body.data.secret;
    expectReplay(again, first);
    const other = await records(
      token,
      'POST',
      fillPath(path, ids),
      { ...body, source: 'other' },
      withKey(key),
    );
    expectError(other, 422, 'IDEMPOTENCY_KEY_REUSED');
  }
});

test('of concurrent requests one is executed; the others wait or get its response', async () => {
  const tenant = await createRecordsTenant(sql);
  const [key, lead, events] = [crypto.randomUUID(), aLead(), followEvents(sql, tenant.id)];
  const send = () => records(tenant.token, 'POST', '/leads', lead, withKey(key));
  const replies = await Promise.all(Array.from({ length: 30 }, send));
  const done = replies.filter(({ status }) => status === 201);
  expect(done.filter((reply) => !isReplay(reply))).toHaveLength(1);
  for (const reply of done) expect(reply.body).toEqual(done[0]?.body);
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    expectError(reply, 409, 'IDEMPOTENCY_KEY_IN_USE');
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  expect((await leadsOf(tenant.id)).length).toBe(1);
  expect(await events.types()).toEqual(['lead.created']);
});

test('while the first is in flight, the key is in use, and another body is rejected', async () => {
  const tenant = await createRecordsTenant(sql);
  const [key, lead] = [crypto.randomUUID(), aLead()];
  const send = () => records(tenant.token, 'POST', '/leads', lead, withKey(key));
  const held = await holdAnswer(tenant, key);
  const first = send();
  await held.waiting();
  const second = await send();
  expectError(second, 409, 'IDEMPOTENCY_KEY_IN_USE');
  expect(second.headers.get('retry-after')).toBe('1');
  await held.letGo();
  expect((await first).status).toBe(201);
  expectReplay(await send(), await first);
});

describe('a function that is killed', () => {
  /** Kills the function during the request, then lets `held` release its locks. Returns the response to the same key. */
  async function killAt({ token }: { token: string }, lead: object, key: string, held: Held) {
    const { baseUrl, edge } = await startOwnFunction('v1', {});
    const cut = records(token, 'POST', '/leads', lead, { ...withKey(key), baseUrl }).catch(() => 'cut');
    await held.waiting();
    edge.crash();
    expect(await cut).toBe('cut');
    await held.letGo();
    return await waitFor(async () => {
      const reply = await records(token, 'POST', '/leads', lead, withKey(key));
      return reply.status !== 409 && reply;
    });
  }

  test('during its work left nothing, and the same key executes it', async () => {
    const tenant = await createRecordsTenant(sql);
    const [key, lead] = [crypto.randomUUID(), aLead()];
    const held = await hold(
      (holder) =>
        holder`insert into leads (tenant_id, name, email) values (${tenant.id}, 'x', ${String(lead.email)})`,
    );
    const reply = await killAt(tenant, lead, key, held);
    expect([reply.status, isReplay(reply)]).toEqual([201, false]);
    expect((await leadsOf(tenant.id)).length).toBe(1);
  });

  test('after everything was sent has executed it, and the same key returns the result', async () => {
    const tenant = await createRecordsTenant(sql);
    const [key, lead] = [crypto.randomUUID(), aLead()];
    const reply = await killAt(tenant, lead, key, await holdAnswer(tenant, key));
    expect([reply.status, isReplay(reply)]).toEqual([201, true]);
    expect((await leadsOf(tenant.id)).map(({ id }) => id)).toEqual([reply.body.data.id]);
  });
});

describe('the owner of a key', () => {
  test('other clients, tenants and activity sync have separate keys', async () => {
    const tenant = await createRecordsTenant(sql);
    const other = await createToken(sql, tenant.id);
    const stranger = await createRecordsTenant(sql);
    const key = crypto.randomUUID();
    const body = aLead();
    const made = await records(tenant.token, 'POST', '/leads', body, withKey(key));
    const taken = await records(other.token, 'POST', '/leads', body, withKey(key));
    expect([taken.status, taken.body.error.existing_id]).toEqual([409, made.body.data.id]);
    const theirs = await records(stranger.token, 'POST', '/leads', body, withKey(key));
    expect([theirs.status, isReplay(theirs)]).toEqual([201, false]);
    expect(theirs.body.data.id).not.toBe(made.body.data.id);
  });

  test('another variant or path is another request; the order of members and the origin do not matter', async () => {
    const { token } = await createRecordsTenant(sql);
    const [key, { name, email, ...rest }] = [crypto.randomUUID(), aLead()];
    const first = await records(token, 'POST', '/leads', { name, email, ...rest }, withKey(key));
    const turned = await records(
      token,
      'POST',
      '/leads',
      { ...rest, email, name },
      withKey(key, { 'X-Origin': 'crm' }),
    );
    expectReplay(turned, first);
    const asB = await records(
      token,
      'POST',
      '/leads',
      { name, email, ...rest },
      withKey(key, { 'X-Api-Variant': 'b' }),
    );
    expectError(asB, 422, 'IDEMPOTENCY_KEY_REUSED');
    const elsewhere = await records(token, 'POST', '/teams', { name, email, ...rest }, withKey(key));
    expectError(elsewhere, 422, 'IDEMPOTENCY_KEY_REUSED');
  });
});

describe('stored responses', () => {
  test('include rejections of the work, with the record they show, but not invalid requests', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const send = (path: string, body: object, key: string) =>
      records(token, 'POST', path, body, withKey(key));
    const lead = aLead();
    const { body: made } = await records(token, 'POST', '/leads', lead);
    const refusals = [
      [409, '/leads', lead],
      [422, '/leads', { ...aLead(), owner_id: NOBODY }],
      [404, `/deals/${NOBODY}/close`, { result: 'won' }],
    ] as const;
    for (const [status, path, body] of refusals) {
      const key = crypto.randomUUID();
      const first = await send(path, body, key);
      expect([path, first.status]).toEqual([path, status]);
      expectReplay(await send(path, body, key), first);
    }
    const [late, key] = [
      { ...withKey('late'), headers: { 'Idempotency-Key': 'late', 'If-Match': '"x"' } },
      'fresh',
    ];
    const convert = () => records(token, 'POST', `/leads/${made.data.id}/convert`, {}, late);
    const outdated = await convert();
    expect([outdated.status, outdated.body.error.current]).toEqual([412, made.data]);
    expectReplay(await convert(), outdated);

    expectError(await send('/leads', { name: 7 }, key), 400, 'VALIDATION_ERROR', ['name', 'email']);
    const mended = await send('/leads', aLead(), key);
    expect([mended.status, isReplay(mended)]).toEqual([201, false]);
    expect((await leadsOf(id)).length).toBe(2);
  });

  test('are kept for 24 hours', async () => {
    const tenant = await createRecordsTenant(sql);
    const [key, send] = [
      crypto.randomUUID(),
      (lead: object) => records(tenant.token, 'POST', '/leads', lead, withKey(key)),
    ];
    const age = (by: string) =>
      sql`update request_answers set created_at = created_at - ${by}::interval where tenant_id = ${tenant.id}`;
    const lead = aLead();
    const first = await send(lead);
    await age('23 hours 59 minutes');
    expectReplay(await send(lead), first);
    await age('1 minute');
    const later = aLead();
    const anew = await send(later);
    expect([anew.status, isReplay(anew)]).toEqual([201, false]);
    expectReplay(await send(later), anew);
  });

  test('contain no secret of a webhook', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const webhook = newWebhook();
    const send = () => records(token, 'POST', '/webhooks', webhook, withKey('one'));
    const first = await send();
    const { secret, ...shown } = first.body.data;
    expect(secret).toBe(webhook.secret);
    const again = await send();
    expect([again.status, isReplay(again), again.body.data]).toEqual([201, true, shown]);
    const [row] = await sql`select body::text from request_answers where tenant_id = ${id}`;
    expect(row?.body).not.toContain(secret);
  });
});

test('a key of another request returns 422 before errors of this one, and 400 is never stored', async () => {
  const { token } = await createRecordsTenant(sql);
  const key = withKey('once');
  expectError(await records(token, 'POST', '/leads', { name: '' }, key), 400, 'VALIDATION_ERROR', [
    'name',
    'email',
  ]);
  const first = await records(token, 'POST', '/leads', aLead(), key);
  expect(first.status).toBe(201);
  for (const [path, body] of [
    ['/leads', { name: '' }],
    ['/deals', {}],
    ['/leads/batch', {}],
  ] as const)
    expectError(await records(token, 'POST', path, body, key), 422, 'IDEMPOTENCY_KEY_REUSED');
});

test('an invalid key: 400, before anything is done', async () => {
  const { id, token } = await createRecordsTenant(sql);
  for (const key of ['', 'two words', 'ä', 'x'.repeat(256)]) {
    const reply = await records(token, 'POST', '/leads', aLead(), withKey(key));
    expectError(reply, 400, 'VALIDATION_ERROR', ['Idempotency-Key']);
  }
  expect((await leadsOf(id)).length).toBe(0);
  expect((await records(token, 'POST', '/leads', aLead(), withKey('x'.repeat(255)))).status).toBe(201);
});

test('activity sync: a batch is recorded once and replayed', async () => {
  const { apiKey } = await createTenant(sql);
  const email = newEmail();
  const send = (body: object, key: string) => sync(apiKey, body, { headers: { 'Idempotency-Key': key } });
  const people = { action: 'sync_collaborators', collaborators: [{ ...collaborator('ana'), email }] };
  const activities = {
    action: 'sync_activities',
    activities: [activity('1', email), activity('2', 'x@example.com')],
  };
  for (const body of [people, activities]) {
    const first = await send(body, body.action);
    expect([first.status, isReplay(first)]).toEqual([200, false]);
    const again = await send(body, body.action);
    expect([again.status, again.body, isReplay(again)]).toEqual([200, first.body, true]);
  }
  const other = await send(people, 'sync_activities');
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  const wrong = await send(people, ' ');
  expect([wrong.status, wrong.body.error.details]).toEqual([
    400,
    [expect.objectContaining({ field: 'Idempotency-Key' })],
  ]);
});
