// GET /v1/events: the content of a page, in every variant and for every scope, waiting, expiry, and errors.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { inTransaction } from '../../support/gamification/gamification.ts';
import type { Json, Reply } from '../../support/gamification/sync.ts';
import { feed, follow } from '../../support/records/feed.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

const newLead = (more: object = {}) => ({
  name: 'Ana',
  email: `${crypto.randomUUID()}@example.com`,
  ...more,
});
const addLead = (tenantId: string) =>
  sql`insert into leads (tenant_id, name, email) values (${tenantId}, 'Ana', ${`${crypto.randomUUID()}@example.com`})`;
const typesOf = ({ data }: { data: Json[] }) => data.map(({ type }) => type);
const faultsOf = ({ status, body }: Reply) => [
  status,
  body.error.code,
  body.error.details.map(({ field }: { field: string }) => field),
];

describe('a page', () => {
  test("has the webhook's payload, the changed members, and a cursor for each event", async () => {
    const { token } = await createRecordsTenant(sql);
    const headers = { 'X-Origin': 'crm' };
    const { body: lead } = await records(token, 'POST', '/leads', newLead(), { headers });
    const path = `/leads/${lead.data.id}`;
    await records(token, 'PATCH', path, {
      phone: '+55 11 98765-4321',
      company: 'Ação',
      status: 'contacted',
    });
    await records(token, 'DELETE', path);
    const { status, body } = await feed(token);
    const created = {
      id: expect.stringMatching(/^evt_/),
      type: 'lead.created',
      created_at: expect.any(String),
      data: lead.data,
      changed: [],
      silent: false,
      origin: 'crm',
      cursor: expect.any(String),
    };
    const changed = ['company', 'phone', 'status'];
    const deleted = {
      type: 'lead.deleted',
      changed: [],
      data: expect.objectContaining({ phone: '+55 11 98765-4321' }),
    };
    expect([status, body]).toEqual([
      200,
      {
        data: [
          created,
          expect.objectContaining({ type: 'lead.updated', changed }),
          expect.objectContaining({ type: 'lead.status_changed', changed }),
          expect.objectContaining(deleted),
        ],
        meta: {
          request_id: expect.any(String),
          timestamp: expect.any(String),
          next_cursor: body.data[3]?.cursor,
          has_more: false,
        },
      },
    ]);
    expect(body.data[1]).not.toHaveProperty('origin');

    const first = await feed(token, 'limit=1');
    expect(first.body.data).toEqual([body.data[0]]);
    expect(first.body.meta).toMatchObject({ next_cursor: body.data[0].cursor, has_more: true });
    const rest = await feed(token, `after=${body.data[1].cursor}`);
    expect(rest.body.data).toEqual(body.data.slice(2));
    const whole = { events: body.data, cursor: body.data[3].cursor };
    expect(await follow(token, { limit: () => 1 })).toEqual(whole);
  });

  test('uses the names of the variant, for changed members as well', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const [stage] = await sql`select id from pipeline_stages where tenant_id = ${id} and position = 1`;
    const deal = { name: 'Plan', value: 1, stage_id: stage?.id };
    const { body: made } = await records(token, 'POST', '/deals', deal);
    const { body: lead } = await records(token, 'POST', '/leads', newLead());
    await sql`
      update deals set contact_name = 'Bia', company = 'Ação', currency = 'USD', stage_id = (
        select s.id from pipeline_stages s where s.tenant_id = ${id} and s.position = 2)
      where id = ${made.data.id}`;
    await sql`update leads set status = 'contacted', score = 5 where id = ${lead.data.id}`;
    const changedIn = async (variant: string) => {
      const { body } = await feed(token, '', { 'X-Api-Variant': variant });
      return Object.fromEntries(body.data.map(({ type, changed }: Json) => [type, changed]));
    };
    const none = { 'deal.created': [], 'lead.created': [] };
    const ofA = ['company', 'contact_name', 'stage'];
    expect(await changedIn('a')).toEqual({
      ...none,
      'deal.updated': ofA,
      'deal.stage_changed': ofA,
      'lead.updated': ['status'],
      'lead.status_changed': ['status'],
    });
    const ofB = ['contact', 'probability', 'stage', 'stage_id'];
    expect(await changedIn('b')).toEqual({
      ...none,
      'deal.updated': ofB,
      'deal.stage_changed': ofB,
      'lead.updated': ['status'],
      'lead.status_changed': ['status'],
    });
    const ofC = ['contact', 'currency', 'probability', 'stage', 'stage_id'];
    expect(await changedIn('c')).toEqual({
      ...none,
      'deal.updated': ofC,
      'deal.stage_changed': ofC,
      'lead.updated': ['score', 'stage'],
      'lead.stage_changed': ['score', 'stage'],
    });
    const inC = { 'X-Api-Variant': 'c' };
    const { body } = await feed(token, 'types=lead.stage_changed,deal.created', inC);
    expect(typesOf(body)).toEqual(['deal.created', 'lead.stage_changed']);
    expect(faultsOf(await feed(token, 'types=lead.stage_changed'))).toEqual([
      400,
      'VALIDATION_ERROR',
      ['types'],
    ]);
  });

  test('continues behind events of other types', async () => {
    const { id, token } = await createRecordsTenant(sql);
    for (let n = 0; n < 3; n++) await addLead(id);
    const { body } = await feed(token, 'types=deal.created&limit=1');
    expect(body).toMatchObject({ data: [], meta: { has_more: false } });
    const all = await feed(token);
    expect(body.meta.next_cursor).toBe(all.body.data[2].cursor);
  });

  test('does not contain webhook.test, which is for one webhook', async () => {
    const { id, token } = await createRecordsTenant(sql);
    await sql`insert into events (tenant_id, interface, type, data) values (${id}, 'records', 'webhook.test', '{}')`;
    await addLead(id);
    expect(typesOf((await feed(token)).body)).toEqual(['lead.created']);
  });
});

describe('now', () => {
  test('is the current end, after all committed events', async () => {
    const { id, token } = await createRecordsTenant(sql);
    for (let n = 0; n < 3; n++) await addLead(id);
    const { body } = await feed(token, 'after=now');
    expect(body).toMatchObject({ data: [], meta: { has_more: false } });
    await addLead(id);
    const { body: rest } = await feed(token, `after=${body.meta.next_cursor}`);
    expect(rest.data).toHaveLength(1);
    expect((await feed(token)).body.data).toHaveLength(4);
  });
});

describe('waiting', () => {
  test('ends with the first event', async () => {
    const { id, token } = await createRecordsTenant(sql);
    const { body } = await feed(token, 'after=now');
    let answered = false;
    const waiting = feed(token, `after=${body.meta.next_cursor}&wait=20&types=lead.created`).then((reply) => {
      answered = true;
      return reply;
    });
    // An event of another type: it continues to wait.
    await sql`insert into events (tenant_id, interface, type, data) values (${id}, 'records', 'deal.deleted', '{}')`;
    await feed(token, `after=${body.meta.next_cursor}&types=lead.created`);
    expect(answered).toBe(false);
    await addLead(id);
    const reply = await waiting;
    expect(typesOf(reply.body)).toEqual(['lead.created']);
    expect((await feed(token, `after=${reply.body.meta.next_cursor}`)).body.data).toEqual([]);
  });

  test('ends without an event when its time is over, with a cursor', async () => {
    const { token } = await createRecordsTenant(sql);
    const startedAt = performance.now();
    const { body } = await feed(token, 'wait=1');
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1000);
    expect(body).toMatchObject({ data: [], meta: { has_more: false, next_cursor: expect.any(String) } });
  });
});

describe('limits of waiting', () => {
  test('a waiting request ends with 401 when its client is revoked', async () => {
    const { id } = await createRecordsTenant(sql);
    const { token, clientId } = await createToken(sql, id);
    const waiting = feed(token, 'after=now&wait=20');
    // Its first query is done.
    await waitFor(async () => (await sql`select from event_feeds where tenant_id = ${id}`).length === 1);
    await sql`select admin.revoke_oauth_client(${clientId})`;
    expect((await waiting).status).toBe(401);
  });

  test('fifty requests of a tenant can wait and all get the event; further ones get 429; other tenants are not affected', async () => {
    const [tenant, neighbor] = [await createRecordsTenant(sql), await createRecordsTenant(sql)];
    const wait = ({ token }: { token: string }) => feed(token, 'wait=20');
    const statuses: number[] = [];
    const replies = Array.from({ length: 53 }, async () => {
      const reply = await wait(tenant);
      statuses.push(reply.status);
      return reply;
    });
    await waitFor(() => statuses.length === 3);
    expect(statuses).toEqual([429, 429, 429]);
    const next = wait(neighbor);
    await addLead(tenant.id);
    await addLead(neighbor.id);
    const all = await Promise.all([...replies, next]);
    const served = all.filter(({ status }) => status === 200);
    expect(served).toHaveLength(51);
    for (const { body } of served) expect(typesOf(body)).toEqual(['lead.created']);
    const refused = all.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('5');
  });
});

describe('scopes', () => {
  test('a token sees the events that it may read, and cannot name others', async () => {
    const { id } = await createRecordsTenant(sql);
    const { token } = await createToken(sql, id, { scopes: ['read:leads', 'write:leads'] });
    await addLead(id);
    await sql`insert into events (tenant_id, interface, type, data) values (${id}, 'records', 'deal.deleted', '{}')`;
    expect(typesOf((await feed(token)).body)).toEqual(['lead.created']);
    const refused = await feed(token, 'types=lead.created,deal.deleted');
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining('read:deals'),
    ]);
  });

  test.each([[['write:leads', 'read:webhooks']], [['read:teams']]])('%j read none', async (scopes) => {
    const { token } = await createRecordsTenant(sql, { scopes });
    expect((await feed(token)).status).toBe(403);
  });
});

describe('cursors', () => {
  test('are invalid in the feed of another tenant or interface', async () => {
    const mine = await createRecordsTenant(sql);
    const theirs = await createRecordsTenant(sql);
    await addLead(mine.id);
    await addLead(theirs.id);
    const { body } = await feed(mine.token);
    const refused = await feed(theirs.token, `after=${body.meta.next_cursor}`);
    expect(faultsOf(refused)).toEqual([400, 'VALIDATION_ERROR', ['after']]);
    expect((await follow(theirs.token)).events).toHaveLength(1);
  });

  test('expire with the oldest stored events', async () => {
    const { id, token } = await createRecordsTenant(sql);
    for (let n = 0; n < 3; n++) await addLead(id);
    const { body } = await feed(token);
    const at = (n: number): string => body.data[n].cursor;
    // Makes two of them a month old.
    const old = body.data.slice(0, 2).map((event: Json) => event.id);
    await sql.begin(async (tx) => {
      await tx`select set_config('app.maintenance', 'on', true)`;
      await tx`update events set created_at = now() - interval '31 days' where tenant_id = ${id} and id = any (${old})`;
      await tx`
        update event_positions p set created_at = e.created_at from events e
        where e.tenant_id = ${id} and p.tenant_id = e.tenant_id and p.sequence = e.sequence`;
    });
    await sql`select app.drop_expired('event_positions', 1000000)`;
    const expired = await feed(token, `after=${at(0)}`);
    expect(faultsOf(expired)).toEqual([410, 'CURSOR_EXPIRED', ['after']]);
    for (const query of ['', `after=${at(1)}`]) {
      expect((await feed(token, query)).body.data).toEqual([body.data[2]]);
    }
    expect((await feed(token, `after=${at(2)}`)).body.data).toEqual([]);
  });

  test('for positions that were not assigned yet are from before a restore', async () => {
    const { id, token } = await createRecordsTenant(sql);
    await addLead(id);
    const { body } = await feed(token);
    await sql`delete from event_positions where tenant_id = ${id}`;
    await sql`update event_feeds set last_position = 0 where tenant_id = ${id}`;
    await sql`update event_feeds set settled = (select max(sequence) from events where tenant_id = ${id}) where tenant_id = ${id}`;
    expect((await feed(token, `after=${body.meta.next_cursor}`)).status).toBe(410);
  });

  test('events that are older than the feed get no position, and are deleted', () =>
    inTransaction(sql, async (tx) => {
      const { id } = await createRecordsTenant(sql);
      await tx`
        insert into events (tenant_id, interface, type, data, created_at)
        values (${id}, 'records', 'lead.created', '{}', now() - interval '31 days'),
               (${id}, 'records', 'lead.updated', '{}', now())`;
      await tx`select set_config('app.tenant_id', ${id}, true)`;
      await tx`select app.number_events()`;
      expect(await tx`select type from event_positions where tenant_id = ${id}`).toEqual([
        { type: 'lead.updated' },
      ]);
    }));
});

describe('rejected requests', () => {
  test.each([
    ['after=', ['after']],
    ['after=nonsense', ['after']],
    ['after=AAAAAAAAAAAAAAAAAAAA', ['after']],
    ['after=evt_01m80m7wmce5y83645c71y0acc', ['after']],
    ['after=%00', ['after']],
    ['after=NOW', ['after']],
    ['limit=0', ['limit']],
    ['limit=501', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=', ['limit']],
    ['wait=21', ['wait']],
    ['wait=-1', ['wait']],
    ['wait=x', ['wait']],
    ['types=', ['types']],
    ['types=lead.created,,', ['types']],
    ['types=invoice.paid', ['types']],
    ['types=webhook.test', ['types']],
    ['after=x&limit=x&wait=x&types=x', ['after', 'types', 'limit', 'wait']],
    ['limit=1&limit=2', ['limit']],
  ])('%s', async (query, fields) => {
    const { token } = await createRecordsTenant(sql);
    expect(faultsOf(await feed(token, query))).toEqual([400, 'VALIDATION_ERROR', fields]);
  });
});
