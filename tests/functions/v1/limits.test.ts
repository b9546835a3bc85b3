// The limit of requests per minute: which requests count, who shares it, and the response headers.
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { untilMinuteHas } from '../../support/limits/windows.ts';
import { createToken, records } from '../../support/records/records.ts';
import { expectError, expectNoLimit, limitOf, logRow } from '../../support/records/records-answers.ts';
import {
  createPlan,
  type Furnished,
  furnish,
  sendExample,
  stateOf,
} from '../../support/records/records-furnish.ts';
import { fillBody, fillPath, routes } from '../../support/records/records-routes.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase();

/** Sets the limit of the tenant from the next request on. */
const setLimit = async (tenantId: string, requestsPerMinute: number) =>
  sql`update tenants set plan = ${await createPlan(sql, requestsPerMinute)} where id = ${tenantId}`;

let own: Furnished;
beforeAll(async () => {
  own = await furnish(sql);
});

// Each write is counted in a transaction of its own. Reads are counted in one place, so some of them are enough.
const counted = routes.filter(
  ({ method, path }) => method !== 'GET' || /^\/(leads|events|stages)/.test(path),
);
test.each(counted)('$name returns 429 above the limit, and does nothing', async (route) => {
  const { id, token, clientId } = own.tenant;
  await untilMinuteHas(2);
  const { limit, remaining } = limitOf(await records(token, 'GET', '/nothing'));
  const used = limit - remaining;
  await setLimit(id, used + 1);
  const last = limitOf(await records(token, 'GET', '/leads'));
  expect(last).toMatchObject({ limit: used + 1, remaining: 0 });
  const state = await stateOf(sql, id);
  const absent = { ...own, ids: { ...own.ids, delivery: 'x' } };
  const sentAt = Date.now() / 1000;
  // Also if the request would be 400 or 404: beyond the limit, responses reveal nothing.
  const replies = [
    await sendExample(token, route, own),
    await sendExample(token, route, absent),
    await sendExample(token, route, own, { 'X-Api-Variant': 'x' }),
    await records(
      token,
      route.method,
      fillPath(route.path, { ...own.ids, ...nobody() }),
      fillBody(route.example?.(), own.ids),
    ),
  ];
  for (const reply of replies) {
    expectError(reply, 429, 'RATE_LIMITED');
    expect(limitOf(reply)).toEqual({ ...last });
    const retryAfter = Number(reply.headers.get('retry-after'));
    // The time of that response, in seconds.
    const saidAt = last.reset - retryAfter;
    expect(saidAt).toBeGreaterThanOrEqual(sentAt - 1);
    expect(saidAt).toBeLessThanOrEqual(Date.now() / 1000 + 1);
    expect(retryAfter).toBeGreaterThan(0);
    const row = { tenant_id: id, client_id: clientId, status: 429, reason: 'rate_limited' };
    expect(await logRow(sql, reply)).toMatchObject(row);
  }
  expect(await stateOf(sql, id)).toEqual(state);
});

const nobody = () => {
  const id = crypto.randomUUID();
  return { lead: id, deal: id, user: id, team: id, invitation: id, webhook: id };
};

describe('counted requests', () => {
  test('every accepted call counts once, whatever its response; no other does', async () => {
    const own = await furnish(sql);
    const { id, token } = own.tenant;
    const { token: reader } = await createToken(sql, id, { scopes: ['read:leads'] });
    const { token: revoked, clientId } = await createToken(sql, id);
    await sql`select admin.revoke_oauth_client(${clientId})`;
    await untilMinuteHas(10);
    const start = limitOf(await records(token, 'GET', '/nothing'));
    const large = `{"name":"${'x'.repeat(6 * 1024 * 1024)}"}`;
    const calls: [counts: 0 | 1, status: number, call: () => ReturnType<typeof records>][] = [
      [1, 200, () => records(token, 'GET', '/leads')],
      [1, 200, () => records(reader, 'GET', '/leads')],
      [0, 404, () => records(token, 'GET', '/nothing')],
      [1, 404, () => records(token, 'GET', `/leads/${crypto.randomUUID()}`)],
      [1, 404, () => records(token, 'GET', '/leads/x')],
      [1, 400, () => records(token, 'GET', '/leads?page=0')],
      [1, 201, () => records(token, 'POST', '/teams', { name: 'South' })],
      [1, 400, () => records(token, 'POST', '/teams', {})],
      [1, 400, () => records(token, 'POST', '/teams', '{')],
      [1, 415, () => records(token, 'POST', '/teams', '{', { headers: { 'Content-Type': 'text/plain' } })],
      [0, 413, () => records(token, 'POST', '/teams', large)],
      [1, 422, () => records(token, 'POST', '/teams', { name: 'x', leader_id: crypto.randomUUID() })],
      [1, 409, () => records(token, 'PATCH', `/leads/${own.ids.lead}`, { email: 'taken@example.com' })],
      [1, 204, () => records(token, 'DELETE', `/webhooks/${own.ids.webhook}`)],
      [1, 404, () => records(token, 'DELETE', `/webhooks/${own.ids.webhook}`)],
      [0, 405, () => records(token, 'PUT', '/leads')],
      [0, 403, () => records(reader, 'POST', '/leads', {})],
      [0, 403, () => records(reader, 'GET', '/deals')],
      [0, 401, () => records(revoked, 'POST', '/leads', {})],
      [0, 401, () => records(revoked, 'GET', '/leads')],
      [0, 404, () => records(revoked, 'GET', '/nothing')],
      [1, 200, () => records(token, 'GET', '/stages')],
    ];
    const taken = { name: 'Taken', email: 'taken@example.com' };
    let left = limitOf(await records(token, 'POST', '/leads', taken)).remaining;
    expect(left).toBe(start.remaining - 1);
    for (const [counts, status, call] of calls) {
      const reply = await call();
      expect(reply.status).toBe(status);
      left -= counts;
      expect([status, limitOf(reply)]).toEqual([status, { ...start, remaining: left }]);
      // Requests of a revoked client are uncounted after the response.
      await waitFor(async () => limitOf(await records(token, 'GET', '/nothing')).remaining === left);
    }
  });

  test("unknown paths and methods do not count, and get 429 above the plan's limit", async () => {
    const own = await furnish(sql);
    const { id, token } = own.tenant;
    await untilMinuteHas(10);
    const { limit, remaining } = limitOf(await records(token, 'GET', '/nothing'));
    const allowed = limit - remaining + 2;
    await setLimit(id, allowed);
    // So that the function knows the limit.
    await records(token, 'GET', '/leads');
    const unknown = (_: unknown, n: number) =>
      n % 2 ? records(token, 'GET', '/nothing') : records(token, 'PUT', '/leads');
    const replies = await Promise.all(Array.from({ length: allowed + 2 }, unknown));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(3);
    for (const reply of refused) {
      expectError(reply, 429, 'RATE_LIMITED');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const read = await records(token, 'GET', '/leads');
    expect([read.status, limitOf(read).remaining]).toEqual([200, 0]);
  });

  test("rejections by scope count up to the plan's limit", async () => {
    const own = await furnish(sql);
    const { id } = own.tenant;
    const { token } = await createToken(sql, id, { scopes: ['write:webhooks'] });
    await untilMinuteHas(5);
    const { limit, remaining } = limitOf(await records(token, 'GET', '/nothing'));
    const allowed = limit - remaining + 2;
    await setLimit(id, allowed);
    const change = () => records(token, 'PATCH', `/webhooks/${own.ids.webhook}`, { active: false });
    const told: [status: number, remaining: number][] = [];
    for (let n = 0; n < allowed + 3; n++) {
      const reply = await change();
      told.push([reply.status, limitOf(reply).remaining]);
      // The count is reverted after the response.
      await waitFor(async () => {
        const left = limitOf(await records(token, 'GET', '/nothing')).remaining;
        return left === limitOf(reply).remaining;
      });
    }
    expect(told).toEqual([...Array(allowed).fill([403, 2]), [403, 1], [403, 0], [429, 0]]);
  });

  test('a call of an unknown caller reveals nothing', async () => {
    for (const token of [null, 'garbage']) {
      for (const [method, path] of [
        ['GET', '/leads'],
        ['POST', '/leads'],
        ['PUT', '/leads'],
        ['GET', '/nothing'],
      ] as const) {
        expectNoLimit(await records(token, method, path));
      }
    }
  });
});

describe('plans', () => {
  test.each([
    ['starter', 100],
    ['professional', 500],
    ['enterprise', 2000],
  ])('%s allows %i requests a minute', async (plan, limit) => {
    const { tenant } = await furnish(sql, plan);
    expect(limitOf(await records(tenant.token, 'GET', '/leads')).limit).toBe(limit);
  });

  test('another plan applies from the next request, with the existing token', async () => {
    const { tenant } = await furnish(sql, 'starter');
    for (const limit of [7000, 3000]) {
      await setLimit(tenant.id, limit);
      expect(limitOf(await records(tenant.token, 'GET', '/leads')).limit).toBe(limit);
      expect(limitOf(await records(tenant.token, 'GET', '/nothing')).limit).toBe(limit);
    }
  });

  test('each tenant has its own limit', async () => {
    const [one, other] = [await furnish(sql), await furnish(sql)];
    await setLimit(one.tenant.id, 1);
    await untilMinuteHas(2);
    await records(one.tenant.token, 'GET', '/leads');
    expect((await records(one.tenant.token, 'GET', '/leads')).status).toBe(429);
    expect((await records(other.tenant.token, 'GET', '/leads')).status).toBe(200);
  });
});
