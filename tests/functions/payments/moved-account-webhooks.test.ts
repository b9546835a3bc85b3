// Provider webhooks for an account that has moved reach the new project unchanged, within the same limits.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';

const sql = connectDatabase();

interface Received {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A new project, and an account whose tenant has moved there. */
async function moveAway() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url, headers: request.headers, body });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b' });
    response.end('{"received":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const tenant = await createTenant(sql);
  const [account] = await sql`
    with move as (
      insert into private.tenant_moves (tenant_id, slug, direction, state, moved_to)
      values (${tenant.id}, 'moved', 'out', 'finished', ${`http://127.0.0.1:${port}/functions/v1`}) returning id)
    insert into private.moved_callers (kind, name, move_id)
    select 'provider_account', app.typeid('pacc'), id from move returning name as id`;
  const send = (body: string) =>
    fetch(`${inject('env').FUNCTIONS_URL}/callbacks/providers/stripe/${account?.id}`, {
      method: 'POST',
      headers: { 'Stripe-Signature': 't=1,v1=aa', 'Content-Type': 'application/json' },
      body,
    });
  return { received, send, id: account?.id as string };
}

test('as large as a provider may send it, and no larger', async () => {
  const { received, send, id } = await moveAway();
  const body = JSON.stringify({ id: 'evt_1', data: 'x'.repeat(300 * 1024) });
  const reply = await send(body);
  expect([reply.status, reply.headers.get('set-cookie'), await reply.json()]).toEqual([
    200,
    null,
    { received: true },
  ]);
  expect(received).toEqual([
    expect.objectContaining({ url: `/functions/v1/callbacks/providers/stripe/${id}`, body }),
  ]);
  expect(received[0]?.headers['stripe-signature']).toBe('t=1,v1=aa');
  expect((await send('x'.repeat(513 * 1024))).status).toBe(413);
  expect(received).toHaveLength(1);
});
