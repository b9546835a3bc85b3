// How often a request of records waits on the network, counted at the wires.
import { expect, test } from 'vitest';
import { connectDatabase } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { startWires } from '../support/network-waits.ts';
import { records } from '../support/records.ts';
import { createPlan, furnish } from '../support/records-furnish.ts';
import { newDeal, newLead, withoutReferences } from '../support/records-routes.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();

test('a read waits once (client and rows, Redis beside), a write twice (client, then work)', async () => {
  const { tenant, ids } = await furnish(sql, await createPlan(sql));
  const wires = await startWires();
  const { baseUrl } = await startOwnFunction('v1', wires.env);
  const call =
    (method: string, path: string, body: () => unknown = () => undefined) =>
    () =>
      records(tenant.token, method, path, body(), { baseUrl });
  const read = { waits: 1, after: 1 };
  const write = { waits: 2, after: 0 };
  /** Reads write their log row after the answer; that is one more round trip, which nobody waits for. */
  const cases: [string, number, { waits: number; after: number }, ReturnType<typeof call>][] = [
    ['get a lead', 200, read, call('GET', `/leads/${ids.lead}`)],
    ['list leads', 200, read, call('GET', '/leads?per_page=100&search=an&sort=name')],
    ['list deals', 200, read, call('GET', '/deals?status=open')],
    ['members', 200, read, call('GET', `/teams/${ids.team}/members`)],
    ['stages', 200, read, call('GET', '/stages')],
    ['statistics', 200, read, call('GET', `/users/${ids.user}/stats`)],
    ['deliveries', 200, read, call('GET', `/webhooks/${ids.webhook}/deliveries`)],
    ['malformed query', 400, read, call('GET', '/leads?page=0')],
    // What a transaction refuses takes the limit with it, which is then asked for alone.
    ['nobody', 404, { waits: 2, after: 1 }, call('GET', `/leads/${crypto.randomUUID()}`)],
    ['create a lead', 201, write, call('POST', '/leads', () => withoutReferences(newLead()))],
    ['create a deal', 201, write, call('POST', '/deals', () => withoutReferences(newDeal()))],
    ['change a deal', 200, write, call('PATCH', `/deals/${ids.deal}`, () => ({ value: Math.random() }))],
    ['move a deal', 200, write, call('POST', `/deals/${ids.deal}/move`, () => ({ stage_id: ids.stage }))],
    ['test a webhook', 202, write, call('POST', `/webhooks/${ids.webhook}/test`)],
    ['malformed body', 400, { waits: 1, after: 1 }, call('POST', '/leads', () => ({}))],
  ];
  /** Until the request is in the log: then nothing of it uses the database any more. */
  const logged = ({ headers }: { headers: Headers }) => {
    const requestId = headers.get('x-request-id');
    return waitFor(
      async () => (await sql`select from request_log where request_id = ${requestId}`).length === 1,
    );
  };
  for (const [name, status, { waits, after }, send] of cases) {
    // Connections are made and statements prepared; the caller becomes one that is expected again.
    for (let i = 0; i < 3; i++) {
      const reply = await send();
      await logged(reply);
      expect([name, reply.status]).toEqual([name, status]);
    }
    const { reply, database, redis } = await wires.count(waits, send, logged);
    expect([name, reply.status, database, redis]).toEqual([name, status, waits + after, 1]);
  }
});
