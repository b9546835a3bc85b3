// Merging leads: the resulting winner, the events, and redirects from the loser.
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Json } from '../../support/gamification/sync.ts';
import { follow } from '../../support/records/feed.ts';
import {
  createDeal,
  createLead,
  createUser,
  expectData,
  faultOf,
  followEvents,
  NOBODY,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { newWebhook } from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const merge = (token: string, winner: string, loser: string, headers: Record<string, string> = {}) =>
  records(token, 'POST', `/leads/${winner}/merge`, { loser_id: loser }, { headers });
const merged = (token: string, winner: string, loser: string) =>
  expectData(token, 'POST', `/leads/${winner}/merge`, 200, { loser_id: loser });
const goneInto = async (token: string, method: string, path: string, body?: object) => {
  const { status, body: answer } = await records(token, method, path, body);
  return [status, answer.error?.code, answer.error?.merged_into];
};

describe('the winner', () => {
  test('gets missing values, the score and first qualification too, and has both histories', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const { token: c } = await createToken(sql, tenantId, { variant: 'c' });
    const owner = await createUser(token);
    const winner = await createLead(token, { phone: '1' });
    const loser = await createLead(token, { phone: '2', company: 'Acme', owner_id: owner.id });
    await records(c, 'PATCH', `/leads/${loser.id}`, { score: 0 });
    await records(token, 'PATCH', `/leads/${loser.id}`, { status: 'qualified' });
    const deal = await createDeal(token, { lead_id: loser.id });
    await expectData(token, 'POST', `/deals/${deal.id}/activities`, 201, { type: 'note' });
    const shown = await merged(token, winner.id, loser.id);
    expect(shown).toEqual({
      ...winner,
      company: 'Acme',
      owner_id: owner.id,
      updated_at: shown.updated_at,
    });
    expect(shown.updated_at > winner.updated_at).toBe(true);
    expect((await expectData(c, 'GET', `/leads/${winner.id}`, 200)).score).toBe(0);
    const one = await expectData(token, 'GET', `/leads/${winner.id}`, 200);
    expect(one.activities.map((entry: Json) => entry.deal_id)).toEqual([deal.id]);
    const stats = await expectData(token, 'GET', `/users/${owner.id}/stats?period=all_time`, 200);
    expect(stats).toMatchObject({ leads_created: 1, leads_qualified: 1 });

    // A lead that was qualified by another user does not count for the owner of the winner.
    const theirs = await createLead(token, { owner_id: (await createUser(token)).id });
    await merged(token, theirs.id, winner.id);
    const [row] = await sql`select qualified_at from leads where id = ${theirs.id}`;
    expect(row?.qualified_at).toBeNull();
  });

  test('keeps tags beyond the limit of a body, and custom fields beyond 16 KiB', async () => {
    const { token } = await createRecordsTenant(sql);
    const many = (prefix: string) => Array.from({ length: 50 }, (_, index) => `${prefix}${index}`);
    const winner = await createLead(token, { tags: many('a'), custom_fields: { a: 'x'.repeat(12_000) } });
    const loser = await createLead(token, { tags: many('b'), custom_fields: { b: 'x'.repeat(12_000) } });
    const shown = await merged(token, winner.id, loser.id);
    expect(shown.tags).toEqual([...many('a'), ...many('b')]);
    expect(Object.keys(shown.custom_fields).sort()).toEqual(['a', 'b']);
  });
});

describe('notifications', () => {
  test.each([
    ['a', 'status', 'owner_id'],
    ['b', 'status', 'assigned_to'],
    ['c', 'stage', 'assigned_to'],
  ])(
    'in variant %s: one event, in the feed and in webhooks, and none for the loser or its deals',
    async (variant, status, owned) => {
      const { id: tenantId, token } = await createRecordsTenant(sql, { variant });
      const owner = await createUser(token, { role: 'manager' });
      const winner = await createLead(token, { external_id: 'w', tags: ['a'] });
      const loser = await createLead(token, {
        external_id: 'l',
        company: 'X',
        [owned]: owner.id,
        tags: ['a', 'b'],
      });
      const other = await createToken(sql, tenantId, { variant });
      await records(other.token, 'PATCH', `/leads/${loser.id}`, { external_id: 'theirs' });
      await expectData(token, 'POST', `/leads/${loser.id}/convert`, variant === 'b' ? 201 : 200);
      await expectData(token, 'POST', '/webhooks', 201, {
        ...newWebhook(),
        events: ['lead.merged', 'lead.deleted', 'deal.updated', 'lead.updated'],
      });
      const { cursor } = await follow(token);
      const shown = await merged(token, winner.id, loser.id);
      expect(shown[status]).toBe('converted');
      const { events } = await follow(token, { after: cursor });
      const ours = events.filter(({ type }) => type !== 'ranking.changed');
      expect(ours).toMatchObject([
        {
          type: 'lead.merged',
          data: { ...shown, merged_id: loser.id },
          changed: ['company', owned, status, 'tags'].sort(),
          silent: false,
        },
      ]);
      const { events: theirs } = await follow(other.token, { after: cursor });
      expect(theirs.find(({ type }) => type === 'lead.merged')?.data.external_id).toBe('theirs');
      const deliveries = await sql`
      select e.type from webhook_deliveries d join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
      where d.tenant_id = ${tenantId}`;
      expect(deliveries.map(({ type }) => type)).toEqual(['lead.merged']);
      expect((await expectData(token, 'GET', '/leads/external/l', 200)).id).toBe(winner.id);
      expect((await expectData(token, 'GET', '/leads/external/w', 200)).external_id).toBe('w');
    },
  );

  test('points stay unchanged, whatever the rules; a silent merge is not delivered', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    for (const event of ['deal.won', 'lead.qualified', 'activity.completed', 'deal.stage_changed'])
      await sql`select admin.set_point_rule(${tenantId}, ${event}, 10)`;
    const [owner, keeper] = [await createUser(token), await createUser(token)];
    const pairOf = async () => {
      const winner = await createLead(token, { owner_id: keeper.id });
      const loser = await createLead(token, { owner_id: owner.id });
      await records(token, 'PATCH', `/leads/${loser.id}`, { status: 'qualified' });
      const deal = await createDeal(token, { lead_id: loser.id, owner_id: owner.id });
      await expectData(token, 'POST', `/deals/${deal.id}/activities`, 201, { type: 'call' });
      await expectData(token, 'POST', `/deals/${deal.id}/close`, 200, { result: 'won' });
      return [winner.id, loser.id] as const;
    };
    const ledger = () => sql`
      select player_id, points from point_entries where tenant_id = ${tenantId} order by id`;
    const pairs = [await pairOf(), await pairOf()] as const;
    await expectData(token, 'POST', '/webhooks', 201, { ...newWebhook(), events: ['lead.merged'] });
    const before = await ledger();
    expect(before.length).toBeGreaterThan(3);
    await merged(token, ...pairs[0]);
    const silent = await merge(token, ...pairs[1], { 'X-Silent': 'true', 'X-Origin': 'crm' });
    expect(silent.status).toBe(200);
    expect([...(await ledger())]).toEqual([...before]);
    const events = await sql`
      select e.silent, e.origin, (select count(*)::integer from webhook_deliveries d where d.event_id = e.id) as deliveries
      from events e where e.tenant_id = ${tenantId} and e.type = 'lead.merged' order by e.sequence`;
    expect([...events]).toEqual([
      { silent: false, origin: null, deliveries: 1 },
      { silent: true, origin: 'crm', deliveries: 0 },
    ]);
  });
});

describe('the loser', () => {
  test('returns 404 with the lead that it was merged into, through chains, until that is deleted', async () => {
    const { token } = await createRecordsTenant(sql);
    const [a, b, c] = [await createLead(token), await createLead(token), await createLead(token)];
    await merged(token, b.id, c.id);
    await merged(token, a.id, b.id);
    for (const { id } of [b, c]) {
      for (const [method, path, body] of [
        ['GET', ''],
        ['GET', '/activities'],
        ['PATCH', '', { phone: '1' }],
        ['DELETE', ''],
        ['POST', '/convert'],
        ['POST', '/merge', { loser_id: a.id }],
      ] as const) {
        expect(await goneInto(token, method, `/leads/${id}${path}`, body)).toEqual([404, 'NOT_FOUND', a.id]);
      }
    }
    const guarded = await records(
      token,
      'PATCH',
      `/leads/${c.id}`,
      { phone: '1' },
      { headers: { 'If-Match': '*' } },
    );
    expect([guarded.status, guarded.body.error.merged_into]).toEqual([404, a.id]);
    // Its email address is available again, and its name identifies no other lead.
    const again = await createLead(token, { email: c.email });
    expect(await goneInto(token, 'GET', `/leads/${c.id}`)).toEqual([404, 'NOT_FOUND', a.id]);
    await merged(token, a.id, again.id);
    expect((await records(token, 'DELETE', `/leads/${a.id}`)).status).toBe(204);
    for (const { id } of [a, b, c, again])
      expect(await goneInto(token, 'GET', `/leads/${id}`)).toEqual([404, 'NOT_FOUND', undefined]);
  });

  test('must be another existing lead of the tenant', async () => {
    const { id: tenantId, token } = await createRecordsTenant(sql);
    const foreign = await createRecordsTenant(sql);
    const [lead, gone, theirs] = [
      await createLead(token),
      await createLead(token),
      await createLead(foreign.token),
    ];
    await merged(token, (await createLead(token)).id, gone.id);
    const events = followEvents(sql, tenantId);
    await events.all();
    for (const loser of [lead.id, NOBODY, theirs.id, gone.id]) {
      expect(faultOf(await merge(token, lead.id, loser))).toEqual({
        status: 422,
        code: 'UNPROCESSABLE_ENTITY',
        fields: ['loser_id'],
      });
    }
    for (const bad of [undefined, null, 'x', 7]) {
      const reply = await records(token, 'POST', `/leads/${lead.id}/merge`, { loser_id: bad });
      expect(faultOf(reply)).toEqual({ status: 400, code: 'VALIDATION_ERROR', fields: ['loser_id'] });
    }
    expect(await goneInto(token, 'POST', `/leads/${theirs.id}/merge`, { loser_id: lead.id })).toEqual([
      404,
      'NOT_FOUND',
      undefined,
    ]);
    expect(await goneInto(foreign.token, 'GET', `/leads/${gone.id}`)).toEqual([404, 'NOT_FOUND', undefined]);
    const { token: reader } = await createToken(sql, tenantId, { scopes: ['read:leads'] });
    expect((await merge(reader, lead.id, theirs.id)).status).toBe(403);
    expect(await events.types()).toEqual([]);
    expect((await expectData(foreign.token, 'GET', `/leads/${theirs.id}`, 200)).email).toBe(theirs.email);
  });

  test('is only merged if the winner has the version in the request', async () => {
    const { token } = await createRecordsTenant(sql);
    const [winner, loser] = [await createLead(token), await createLead(token, { phone: '2' })];
    const seen = (await records(token, 'GET', `/leads/${winner.id}`)).headers.get('etag') ?? '';
    expect(faultOf(await merge(token, winner.id, loser.id, { 'If-Match': 'x' }))).toMatchObject({
      status: 400,
      fields: ['If-Match'],
    });
    expect(faultOf(await merge(token, NOBODY, loser.id, { 'If-Match': '"x"' }))).toMatchObject({
      status: 404,
    });
    // Checked before errors about the loser.
    for (const id of [loser.id, winner.id]) {
      const refused = await merge(token, winner.id, id, { 'If-Match': '"x"' });
      expect([
        refused.status,
        refused.body.error.current,
        refused.headers.get('etag')?.split('.')[0],
      ]).toEqual([412, winner, seen.split('.')[0]]);
    }
    const done = await merge(token, winner.id, loser.id, { 'If-Match': seen });
    expect([done.status, done.body.data.phone]).toEqual([200, '2']);
    const after = await records(token, 'GET', `/leads/${winner.id}`);
    expect(after.headers.get('etag')).toBe(done.headers.get('etag'));
    expect(after.headers.get('etag')?.split('.')[0]).not.toBe(seen.split('.')[0]);
  });
});
