// How often a request waits for the network, counted by proxies.
import { expect, test } from 'vitest';
import { connectDatabase, createTenant, noteUse } from '../support/database.ts';
import { startOwnFunction } from '../support/functions.ts';
import { activity, collaborator, sync, syncCollaborators } from '../support/gamification/sync.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWires, wireToDatabase } from '../support/wire/network-waits.ts';

const sql = connectDatabase();

test('a sync waits twice, for one activity and for a thousand: authentication with Redis in parallel, then the work', async () => {
  const tenant = await createTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await noteUse(sql, tenant);
  const wires = await startWires();
  const { baseUrl } = await startOwnFunction('default-integration', wires.env);
  let sent = 0;
  const send = (size: number) => {
    const activities = Array.from({ length: size }, () => activity(`w${sent++}`, 'ana@example.com'));
    return sync(tenant.apiKey, { action: 'sync_activities', activities }, { baseUrl });
  };
  const logged = (requestId: string | null) =>
    waitFor(async () => (await sql`select from request_log where request_id = ${requestId}`).length === 1);
  // Connections exist, statements are prepared, and the caller is known.
  for (let i = 0; i < 3; i++) expect((await send(1)).status).toBe(200);

  for (const size of [1, 1000]) {
    const counted = await wires.count(
      2,
      () => send(size),
      ({ headers }) => logged(headers.get('x-request-id')),
    );
    expect(counted.reply.body.data.processed).toBe(size);
    expect([size, counted.database, counted.redis]).toEqual([size, 2, 1]);
  }
});

test('a cold worker waits five times for its first response: startup, password (2), authentication, work', async () => {
  const tenant = await createTenant(sql);
  await syncCollaborators(tenant.apiKey, [collaborator('ana')]);
  await noteUse(sql, tenant);
  const { wire, env } = await wireToDatabase();
  const { baseUrl } = await startOwnFunction('default-integration', env);
  let answered = false;
  // While the proxy watches, it forwards no part of a response before the exchange is complete: the first request hangs.
  wire.watch({ answer: (nth) => answered || nth <= 5 });
  const sending = sync(
    tenant.apiKey,
    { action: 'sync_activities', activities: [activity('cold', 'ana@example.com')] },
    { baseUrl },
  ).finally(() => {
    answered = true;
  });
  await waitFor(() => answered).catch(() => {
    throw new Error(`after 5 waits there is no reply: ${wire.standstill().join('; ')}`);
  });
  expect((await sending).status).toBe(200);
  expect(wire.asked()).toBe(5);
  wire.open();
});
