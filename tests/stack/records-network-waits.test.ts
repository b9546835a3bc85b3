// How often a request of records waits for the network, counted by proxies.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { untilMinuteHas } from '../support/limits/windows.ts';
import { createRecordsTenant, records } from '../support/records/records.ts';
import { limitOf } from '../support/records/records-answers.ts';
import { createPlan, furnish } from '../support/records/records-furnish.ts';
import { newDeal, newLead, withoutReferences } from '../support/records/records-routes.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWires, wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

test('an unknown path returns 404 without a database query, with the rate limit headers', async () => {
  const { id, token } = await createRecordsTenant(sql, { plan: await createPlan(sql, 700) });
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('v1', env);
  const send = (path: string) => records(token, 'GET', path, undefined, { baseUrl });
  await untilMinuteHas(5);
  // No earlier request of the tenant: only the token contains the limit of its plan.
  const first = await send('/nothing');
  expect([first.status, limitOf(first)]).toMatchObject([404, { limit: 700, remaining: 700 }]);
  await waitFor(() => isLogged(first.headers));

  await sql`update tenants set plan = ${await createPlan(sql, 900)} where id = ${id}`;
  const read = await send('/leads');
  await waitFor(() => isLogged(read.headers));
  // Requests from here on wait for the response.
  wire.watch({ ask: () => false });
  const reply = await send('/nothing');
  wire.open();
  expect([reply.status, limitOf(reply)]).toEqual([404, limitOf(read)]);
  expect(limitOf(reply).limit).toBe(900);
});

const isLogged = async (headers: Headers) => {
  const rows = await sql`select from request_log where request_id = ${headers.get('x-request-id')}`;
  return rows.length === 1;
};

test('a read waits once (client and rows, Redis in parallel), a write twice (Redis, then client and work)', async () => {
  // Such a small limit is counted one by one.
  const { tenant, ids } = await furnish(sql, await createPlan(sql, 190));
  let points = 1_000_000;
  const tier = `Tier ${crypto.randomUUID()}`;
  await records(tenant.token, 'POST', '/admin/tiers', { name: tier, min_points: points++ });
  const wires = await startWires();
  const { baseUrl } = await startOwnFunction('v1', wires.env);
  const call =
    (
      method: string,
      path: string | (() => string),
      body: () => unknown = () => undefined,
      headers: Record<string, string> = {},
    ) =>
    () =>
      records(tenant.token, method, typeof path === 'string' ? path : path(), body(), { baseUrl, headers });
  const read = { waits: 1, after: 1 };
  const write = { waits: 1, after: 0, order: 'redis first' } as const;
  /** Reads write their log row after the response. This is one more round trip, which nobody waits for. */
  type Expected = { waits: number; after: number; order?: 'beside' | 'redis first' };
  const cases: [string, number, Expected, ReturnType<typeof call>][] = [
    ['get a lead', 200, read, call('GET', `/leads/${ids.lead}`)],
    ['list leads', 200, read, call('GET', '/leads?per_page=100&search=an&sort=name')],
    ['list deals', 200, read, call('GET', '/deals?status=open')],
    ['members', 200, read, call('GET', `/teams/${ids.team}/members`)],
    ['stages', 200, read, call('GET', '/stages')],
    ['statistics', 200, read, call('GET', `/users/${ids.user}/stats`)],
    ['standings', 200, read, call('GET', `/standings?period=month&around=${ids.user}`)],
    ['challenges', 200, read, call('GET', `/challenges?user_id=${ids.user}`)],
    ['points', 200, read, call('GET', `/users/${ids.user}/points`)],
    ['badges of a user', 200, read, call('GET', `/users/${ids.user}/badges`)],
    ['deliveries', 200, read, call('GET', `/webhooks/${ids.webhook}/deliveries`)],
    ['malformed query', 400, read, call('GET', '/leads?page=0')],
    // A rejected transaction also discards its limit query, which is then sent alone.
    ['nobody', 404, { waits: 2, after: 1 }, call('GET', `/leads/${crypto.randomUUID()}`)],
    ['create a lead', 201, write, call('POST', '/leads', () => withoutReferences(newLead()))],
    ['create a deal', 201, write, call('POST', '/deals', () => withoutReferences(newDeal()))],
    ['change a deal', 200, write, call('PATCH', `/deals/${ids.deal}`, () => ({ value: Math.random() }))],
    ['move a deal', 200, write, call('POST', `/deals/${ids.deal}/move`, () => ({ stage_id: ids.stage }))],
    [
      'change a lead, where nobody else did',
      200,
      write,
      call('PATCH', `/leads/${ids.lead}`, () => ({ name: `A${Math.random()}` }), { 'If-Match': '*' }),
    ],
    [
      'a lead that is known',
      304,
      read,
      call('GET', `/leads/${ids.lead}`, undefined, { 'If-None-Match': '*' }),
    ],
    ['a lead by external id', 200, read, call('GET', `/leads/external/${ids.external}`)],
    [
      'make a deal by external id',
      201,
      write,
      call(
        'PUT',
        () => `/deals/external/${crypto.randomUUID()}`,
        () => withoutReferences(newDeal()),
      ),
    ],
    [
      'change a deal by external id',
      200,
      write,
      call('PUT', `/deals/external/${ids.external}`, () => ({ value: Math.random() })),
    ],
    [
      'import in silence',
      201,
      write,
      call('POST', '/leads', () => withoutReferences(newLead()), { 'X-Silent': 'true' }),
    ],
    [
      'a batch',
      200,
      write,
      call('POST', '/leads/batch', () => ({
        operations: Array.from({ length: 20 }, () => ({
          method: 'create',
          data: withoutReferences(newLead()),
        })),
      })),
    ],
    ['test a webhook', 202, write, call('POST', `/webhooks/${ids.webhook}/test`)],
    ['malformed body', 400, { waits: 1, after: 1 }, call('POST', '/leads', () => ({}))],
    ['settings', 200, read, call('GET', '/admin/settings')],
    ['list missions', 200, read, call('GET', '/admin/missions')],
    ['the audit trail', 200, read, call('GET', '/admin/changes')],
    [
      'create a mission',
      201,
      write,
      call('POST', '/admin/missions', () => ({ name: crypto.randomUUID(), points: 1 })),
    ],
    [
      'change a tier by name',
      200,
      write,
      call('PATCH', `/admin/tiers/${tier}`, () => ({ min_points: points++ })),
    ],
    [
      'change the settings',
      200,
      write,
      call('PATCH', '/admin/settings', () => ({ name: `A${Math.random()}` })),
    ],
  ];
  /** Waits until the request is in the log: then it no longer uses the database. */
  const logged = ({ headers }: { headers: Headers }) => waitFor(() => isLogged(headers));
  for (const [name, status, { waits, after, order = 'beside' }, send] of cases) {
    // Connections exist, statements are prepared, and the caller is known.
    for (let i = 0; i < 3; i++) {
      const reply = await send();
      await logged(reply);
      expect([name, reply.status]).toEqual([name, status]);
    }
    const { reply, database, redis } = await wires.count(waits, send, logged, order);
    expect([name, reply.status, database, redis]).toEqual([name, status, waits + after, 1]);
  }
});
