// Jobs that a request creates are published to QStash by the function that served it. The sweep is only for jobs that were missed. The tests
// check what a separate function publishes, which no sweep touches.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { startOwnFunction } from '../../support/functions.ts';
import { createPayTenant, paidInvoice } from '../../support/payments/payment-flows.ts';
import { pay } from '../../support/payments/payments.ts';
import { createUser, expectData, mailsTo, newEmail } from '../../support/records/record-flows.ts';
import { createRecordsTenant } from '../../support/records/records.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createWebhook } from '../../support/webhooks/webhooks.ts';

const sql = connectDatabase();

/** A fake QStash that accepts every message and stores its text. */
async function startRecorder() {
  const published: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    published.push(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    has: (id: string) => published.some((text) => text.includes(id)),
  };
}

/** A function that publishes to a fake QStash, and a tenant with a webhook for this event. */
async function setUp(event: string) {
  const recorder = await startRecorder();
  const { baseUrl } = await startOwnFunction('v1', { QSTASH_URL: recorder.url });
  const { id: tenantId, token } = await createRecordsTenant(sql);
  const webhook = { url: 'https://hooks.example.invalid', events: [event] };
  await expectData(token, 'POST', '/webhooks', 201, webhook);
  const deliveryJob = async (): Promise<string> => {
    const [job, ...others] = await sql`
      select id from jobs where tenant_id = ${tenantId} and name = 'deliver-webhook'`;
    expect(others).toEqual([]);
    return job?.id;
  };
  return { baseUrl, token, recorder, deliveryJob };
}

test('effects of a write', async () => {
  const { baseUrl, token, recorder, deliveryJob } = await setUp('lead.created');
  const lead = { name: 'Ana', email: newEmail() };
  await expectData(token, 'POST', '/leads', 201, lead, { baseUrl });
  const job = await deliveryJob();
  // After the response.
  await waitFor(() => recorder.has(job));
});

test('effects of an accepted invitation', async () => {
  const { baseUrl, token, recorder, deliveryJob } = await setUp('user.activated');
  const email = newEmail();
  // Users who already have an Auth account receive our own link.
  await createUser((await createRecordsTenant(sql)).token, { email });
  await mailsTo(email);
  await createUser(token, { email });
  const [mail] = await mailsTo(email, 2);
  const { pathname, search } = new URL(mail?.links[0] ?? '');
  expect(pathname).toMatch(/\/v1\/invitations\/accept$/);
  expect((await fetch(`${baseUrl}/v1/invitations/accept${search}`)).status).toBe(200);
  expect(recorder.has(await deliveryJob())).toBe(true);
});

test('what a request stores before it completes, such as the dispute of an invoice in the sandbox', async () => {
  const recorder = await startRecorder();
  const { baseUrl } = await startOwnFunction('payments', { QSTASH_URL: recorder.url });
  const tenant = await createPayTenant(sql);
  const { id } = await paidInvoice(tenant.apiKey);
  await createWebhook(sql, tenant.id, 'https://hooks.example.invalid', ['invoice.disputed']);
  expect((await pay(tenant.apiKey, `/sandbox/invoices/${id}/dispute`, {}, { baseUrl })).status).toBe(200);
  const [job] = await sql`select id from jobs where tenant_id = ${tenant.id} and name = 'deliver-webhook'`;
  await waitFor(() => recorder.has(job?.id));
});
