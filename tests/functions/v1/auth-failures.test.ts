// Auth is unreachable or fails: changes of users are synchronized as soon as it works again.
import { createServer } from 'node:http';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connectDatabase, createTenant } from '../../support/database.ts';
import { authUserOf, mailsTo, newEmail } from '../../support/records/record-flows.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startDenoDeliverer } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();

/** A proxy in front of Auth that can respond with 500 instead. */
async function startFaultyAuth() {
  const state = { failing: true, failures: 0 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (state.failing) {
      state.failures++;
      return void response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"msg":"down"}');
    }
    const { method = 'GET', url = '', headers } = request;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const sent = Object.entries(headers).filter(([name]) =>
      /^(authorization|apikey|content-type|x-)/.test(name),
    );
    const answer = await fetch(`${inject('env').SUPABASE_URL}${url}`, {
      method,
      headers: sent as [string, string][],
      ...(body && { body }),
    });
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { state, url: `http://127.0.0.1:${port}` };
}

test('failed invitations, bans and deletions are retried until Auth does them', async () => {
  const { id: tenantId } = await createTenant(sql);
  const auth = await startFaultyAuth();
  const worker = await startDenoDeliverer({ SUPABASE_URL: auth.url });
  const email = newEmail();

  /** Makes a change whose job only this test's worker receives. Waits until the job has failed once, and then until it is done. */
  const failsFirst = async (name: string, change: (tx: typeof sql) => Promise<unknown>) => {
    auth.state.failing = true;
    const jobId = await sql.begin(async (tx) => {
      await change(tx as unknown as typeof sql);
      const [job] = await tx`
        update jobs set published_at = '2999-01-01'
        where tenant_id = ${tenantId} and name = ${name} and finished_at is null returning id`;
      return job?.id;
    });
    const jobRow = async () =>
      (await sql`select failures, last_error, finished_at from jobs where id = ${jobId}`)[0];
    const failuresBefore = auth.state.failures;
    await worker.publish({ jobId, name });
    await waitFor(async () => (await jobRow())?.failures === 1);
    expect(auth.state.failures).toBeGreaterThan(failuresBefore);
    auth.state.failing = false;
    await sql`update jobs set due_at = now() where id = ${jobId}`;
    await worker.publish({ jobId, name });
    await waitFor(async () => (await jobRow())?.finished_at);
  };

  await failsFirst(
    'send-invitation',
    (tx) =>
      tx`insert into users (tenant_id, name, email, status) values (${tenantId}, 'Rui', ${email}, 'invited')`,
  );
  expect(await mailsTo(email)).toHaveLength(1);
  await failsFirst(
    'sync-auth-user',
    (tx) => tx`update users set status = 'deactivated' where tenant_id = ${tenantId}`,
  );
  expect((await authUserOf(sql, email)).banned).toBe(true);
  await failsFirst('sync-auth-user', (tx) => tx`delete from users where tenant_id = ${tenantId}`);
  expect(await authUserOf(sql, email)).toBeUndefined();
});
