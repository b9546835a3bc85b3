// Entity tags: when they change, 304, 412, and that programs that use them lose no changes.
import { expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import {
  createDeal,
  createLead,
  createTeam,
  createUser,
  faultOf,
  followEvents,
  NOBODY,
  stagesOf,
} from '../../support/records/record-flows.ts';
import { createRecordsTenant, createToken, records } from '../../support/records/records.ts';
import { newWebhook } from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const tagOf = ({ headers }: Reply) => headers.get('etag') ?? '';
const versionOf = (reply: Reply) => tagOf(reply).replace(/^"(\d{20})\.[\w-]{16}"$/, '$1');
const ifMatch = (tag: string) => ({ headers: { 'If-Match': tag } });
const ifNoneMatch = (tag: string) => ({ headers: { 'If-None-Match': tag } });

/** One record of each kind, and a change of it. */
async function oneOfEach(token: string) {
  const webhook = await records(token, 'POST', '/webhooks', newWebhook());
  return [
    [`/leads/${(await createLead(token)).id}`, { name: 'Bia' }],
    [`/deals/${(await createDeal(token)).id}`, { value: 7 }],
    [`/opportunities/${(await createDeal(token)).id}`, { value: 7 }],
    [`/users/${(await createUser(token)).id}`, { name: 'Bia' }],
    [`/teams/${(await createTeam(token)).id}`, { name: 'South' }],
    [`/webhooks/${webhook.body.data.id}`, { description: 'Other' }],
  ] as const;
}

test.each(['a', 'b', 'c'])(
  'every record has an ETag, with which it is read and changed, in variant %s',
  async (variant) => {
    const { id: tenantId, token } = await createRecordsTenant(sql, { variant });
    const inA = (await createToken(sql, tenantId)).token;
    for (const [path, change] of await oneOfEach(inA)) {
      const first = await records(token, 'GET', path);
      expect([path, versionOf(first)]).toEqual([path, expect.stringMatching(/^\d{20}$/)]);
      expect(first.headers.get('vary')).toContain('Authorization, X-Api-Variant');
      for (const tags of [tagOf(first), `W/${tagOf(first)}`, `"x", ${tagOf(first)}`, '*']) {
        const known = await records(token, 'GET', path, undefined, ifNoneMatch(tags));
        expect([known.status, tagOf(known), known.body]).toEqual([304, tagOf(first), '']);
      }
      expect((await records(token, 'GET', path, undefined, ifNoneMatch('"x"'))).status).toBe(200);

      const changed = await records(token, 'PATCH', path, change, ifMatch(tagOf(first)));
      expect([path, changed.status, versionOf(changed) > versionOf(first)]).toEqual([path, 200, true]);
      expect((await records(token, 'GET', path, undefined, ifNoneMatch(tagOf(first)))).status).toBe(200);
      expect(tagOf(await records(token, 'GET', path))).toBe(tagOf(changed));
      const again = await records(token, 'PATCH', path, change, ifMatch(`W/${tagOf(changed)}, "x"`));
      expect([again.status, tagOf(again)]).toEqual([200, tagOf(changed)]);

      for (const method of ['PATCH', ...(path.startsWith('/teams') ? [] : ['DELETE'])]) {
        const body = method === 'PATCH' ? change : undefined;
        const late = await records(token, method, path, body, ifMatch(tagOf(first)));
        expect(faultOf(late)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
        expect([late.body.error.current, tagOf(late)]).toEqual([changed.body.data, tagOf(changed)]);
        for (const bad of ['x', '"x', '"a" "b"', `${tagOf(first)},x`, '']) {
          const malformed = await records(token, method, path, body, ifMatch(bad));
          expect(faultOf(malformed)).toMatchObject({ status: 400, fields: ['If-Match'] });
        }
      }
      const malformed = await records(token, 'GET', path, undefined, ifNoneMatch('x'));
      expect(faultOf(malformed)).toMatchObject({ status: 400, fields: ['If-None-Match'] });
      if (path.startsWith('/teams')) continue;
      expect((await records(token, 'DELETE', path, undefined, ifMatch(tagOf(changed)))).status).toBe(204);
    }
  },
);

test('an ETag with an invalid date matches no version', async () => {
  const { token } = await createRecordsTenant(sql);
  const { id } = await createLead(token, { external_id: 'x' });
  for (const version of [
    '20260230000000000000',
    '20261301000000000000',
    '00000101000000000000',
    '20260101250000000000',
  ])
    for (const [method, path, body] of [
      ['PATCH', `/leads/${id}`, { name: 'Bia' }],
      ['PUT', '/leads/external/x', { name: 'Bia' }],
      ['DELETE', `/leads/${id}`, undefined],
    ] as const) {
      const reply = await records(token, method, path, body, ifMatch(`"${version}.x"`));
      expect([version, method, reply.status]).toEqual([version, method, 412]);
    }
});

test('404 takes precedence over 412, and 412 over 409 and 422', async () => {
  const { token } = await createRecordsTenant(sql);
  const stale = ifMatch('"20200101000000000000.x"');
  const lead = await createLead(token);
  const other = await createLead(token);
  const deal = await createDeal(token);
  const [stage] = await stagesOf(token);
  const attempts: [method: string, path: string, body: object][] = [
    ['PATCH', `/leads/${lead.id}`, { email: other.email }],
    ['PATCH', `/leads/${lead.id}`, { status: 'converted' }],
    ['PATCH', `/leads/${lead.id}`, { owner_id: NOBODY }],
    ['POST', `/leads/${lead.id}/convert`, { stage_id: NOBODY }],
    ['POST', `/deals/${deal.id}/move`, { stage_id: stage.id }],
    ['POST', `/deals/${deal.id}/close`, { result: 'lost' }],
  ];
  for (const [method, path, body] of attempts) {
    expect((await records(token, method, path, body, stale)).status).toBe(412);
    const missing = path.replace(lead.id, NOBODY).replace(deal.id, NOBODY);
    if (JSON.stringify(body).includes('converted') || path.endsWith('close')) continue;
    expect((await records(token, method, missing, body, stale)).status).toBe(404);
  }
  const fine = ifMatch('*');
  expect((await records(token, 'PATCH', `/leads/${lead.id}`, { status: 'converted' }, fine)).status).toBe(
    422,
  );
  expect((await records(token, 'PATCH', `/leads/${lead.id}`, { email: other.email }, fine)).status).toBe(409);
  expect((await records(token, 'PATCH', `/leads/${lead.id}`, { name: 3 }, stale)).status).toBe(400);
});

test('computed members distinguish representations, but do not make updates fail', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const user = await createUser(token);
  const path = `/users/${user.id}`;
  const before = await records(token, 'GET', path);
  await sql`select admin.adjust_points(${tenantId}, ${user.email}, 5, 'Won the game')`;
  const after = await records(token, 'GET', path, undefined, ifNoneMatch(tagOf(before)));
  expect([after.status, versionOf(after)]).toEqual([200, versionOf(before)]);
  expect(tagOf(after)).not.toBe(tagOf(before));
  expect((await records(token, 'PATCH', path, { name: 'Rui L.' }, ifMatch(tagOf(before)))).status).toBe(200);

  const lead = await createLead(token);
  const shown = (headers: Record<string, string> = {}) =>
    records(token, 'GET', `/leads/${lead.id}`, undefined, { headers });
  const alone = await shown();
  const deal = await createDeal(token, { lead_id: lead.id });
  await records(token, 'POST', `/deals/${deal.id}/activities`, { type: 'note', title: 'Hi' });
  const withHistory = await shown({ 'If-None-Match': tagOf(alone) });
  expect([withHistory.status, versionOf(withHistory)]).toEqual([200, versionOf(alone)]);
  const inB = await shown({ 'X-Api-Variant': 'b', 'If-None-Match': tagOf(withHistory) });
  expect([inB.status, versionOf(inB)]).toEqual([200, versionOf(alone)]);
});

test('of concurrent programs that increment one number, every increment is stored', async () => {
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const lead = await createLead(token, { custom_fields: { count: 0 } });
  const path = `/leads/${lead.id}`;
  const writers = 12;
  const tries = await Promise.all(
    Array.from({ length: writers }, async () => {
      let seen = await records(token, 'GET', path);
      for (let attempt = 1; ; attempt++) {
        const { count } = (seen.body.data ?? seen.body.error.current).custom_fields;
        seen = await records(
          token,
          'PATCH',
          path,
          { custom_fields: { count: count + 1 } },
          ifMatch(tagOf(seen)),
        );
        if (seen.status === 200) return attempt;
        expect(seen.status).toBe(412);
      }
    }),
  );
  expect((await records(token, 'GET', path)).body.data.custom_fields).toEqual({ count: writers });
  expect(Math.max(...tries)).toBeGreaterThan(1);
  expect(await followEvents(sql, tenantId).types()).toEqual([
    'lead.created',
    ...Array(writers).fill('lead.updated'),
  ]);
});
