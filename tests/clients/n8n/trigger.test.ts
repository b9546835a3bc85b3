// The Placar Trigger node of n8n: its webhook at Placar, and the deliveries that it accepts.
import { createHmac, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { connect, createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { type ActiveWorkflow, startWorkflow } from '../../support/n8n/active-workflow.ts';
import { type BuiltPackage, buildNodes } from '../../support/n8n/build-nodes.ts';
import type { Parameters } from '../../support/n8n/helpers.ts';
import { waitFor } from '../../support/wait-for.ts';

const sql = connectDatabase(undefined, { announces: true });
let built: BuiltPackage;
beforeAll(async () => {
  built = await buildNodes();
});

async function newWorkflow(parameters: Parameters) {
  const credentials = await createCredentials(sql);
  const { apiKey, clientId, clientSecret } = credentials;
  const url = inject('stack').base_url;
  const data = { placarOAuth2Api: { url, clientId, clientSecret }, placarApiKeyApi: { url, apiKey } };
  const workflow = await startWorkflow(built, data, parameters);
  return { workflow, placar: connect(credentials) };
}

const wonDeals = { interface: 'records', events: ['deal.won'] };
const paidInvoices = { interface: 'payments', events: ['invoice.paid'], options: { ordered: true } };

/** A delivery as Placar sends it, signed with the secret that the workflow remembers. */
async function deliver(
  { url, staticData }: ActiveWorkflow,
  changes: Record<string, string> = {},
  tampered = '',
) {
  const body = JSON.stringify({ id: 'evt_1', type: 'deal.won', data: { name: 'Ação' } });
  const id = changes['webhook-id'] ?? `whd_${randomUUID()}`;
  const timestamp = changes['webhook-timestamp'] ?? String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(String(staticData.secret).slice('whsec_'.length), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    ...changes,
  };
  return (await fetch(url, { method: 'POST', headers, body: body + tampered })).status;
}

describe('the webhook', () => {
  test('records: activating twice makes one, deactivating removes it', async () => {
    const { workflow, placar } = await newWorkflow({ ...wonDeals, options: { description: 'won' } });
    await workflow.activate();
    await workflow.activate();
    expect(await placar.webhooks.list().toArray()).toMatchObject([
      {
        id: workflow.staticData.webhookId,
        url: workflow.url,
        events: ['deal.won'],
        description: 'won',
        active: true,
      },
    ]);
    await workflow.deactivate();
    expect(await placar.webhooks.list().toArray()).toEqual([]);
    expect(workflow.staticData).toEqual({});
    await workflow.deactivate();
  });

  test('payments: the same', async () => {
    const { workflow, placar } = await newWorkflow(paidInvoices);
    await workflow.activate();
    await workflow.activate();
    expect(await placar.paymentWebhooks.list().toArray()).toMatchObject([
      { id: workflow.staticData.webhookId, url: workflow.url, events: ['invoice.paid'], ordered: true },
    ]);
    await workflow.deactivate();
    expect(await placar.paymentWebhooks.list().toArray()).toEqual([]);
  });

  test('payments without a choice of events: the default ones of Placar', async () => {
    const { workflow, placar } = await newWorkflow({ interface: 'payments' });
    await workflow.activate();
    expect(await placar.paymentWebhooks.list().toArray()).toMatchObject([{ events: null }]);
  });

  test('one that is gone is no error, and is made again', async () => {
    const { workflow, placar } = await newWorkflow(wonDeals);
    await workflow.activate();
    await placar.webhooks.delete(String(workflow.staticData.webhookId));
    await workflow.activate();
    const [webhook] = await placar.webhooks.list().toArray();
    expect(webhook?.id).toBe(workflow.staticData.webhookId);
    await placar.webhooks.delete(String(webhook?.id));
    await workflow.deactivate();
  });

  test('one whose secret was lost, or that was deactivated, is replaced', async () => {
    const { workflow, placar } = await newWorkflow({
      ...wonDeals,
      options: { filters: '[{"field": "source", "op": "eq", "value": "site"}]' },
    });
    await workflow.activate();
    workflow.staticData = {};
    await workflow.activate();
    const [replaced, ...others] = await placar.webhooks.list().toArray();
    expect([replaced?.id, others]).toEqual([workflow.staticData.webhookId, []]);
    await placar.webhooks.update(String(replaced?.id), { active: false });
    await workflow.activate();
    expect(await placar.webhooks.list().toArray()).toMatchObject([
      { id: workflow.staticData.webhookId, active: true, filters: [{ value: 'site' }] },
    ]);
    expect(workflow.staticData.webhookId).not.toBe(replaced?.id);
  });

  test('one with an address that n8n no longer has is replaced', async () => {
    const { workflow, placar } = await newWorkflow(wonDeals);
    await workflow.activate();
    workflow.url += '-moved';
    await workflow.activate();
    expect(await placar.webhooks.list().toArray()).toMatchObject([
      { id: workflow.staticData.webhookId, url: workflow.url },
    ]);
  });

  test('a client without the scopes is an error that names them', async () => {
    const { tenantId, ...credentials } = await createCredentials(sql);
    const [client] = await sql`
      select client_id, client_secret from admin.create_oauth_client(${tenantId}, 'n8n', ${['read:webhooks', 'write:webhooks']})`;
    const data = {
      placarOAuth2Api: {
        url: inject('stack').base_url,
        clientId: client?.client_id,
        clientSecret: client?.client_secret,
      },
    };
    const workflow = await startWorkflow(built, data, wonDeals);
    await expect(workflow.activate()).rejects.toMatchObject({ name: 'NodeApiError', httpCode: '403' });
    expect(await connect(credentials).webhooks.list().toArray()).toEqual([]);
  });
});

describe('deliveries', () => {
  test('a deal that is won runs the workflow once', async () => {
    const { workflow, placar } = await newWorkflow(wonDeals);
    await workflow.activate();
    const deal = await placar.deals.create({ name: 'Ação', value: 100 });
    await placar.deals.close(deal.id, { result: 'won' });
    await waitFor(() => workflow.runs.length > 0);
    expect(workflow.runs).toMatchObject([{ type: 'deal.won', data: { id: deal.id, name: 'Ação' } }]);
    expect(workflow.responses).toEqual([200]);
    const webhookId = String(workflow.staticData.webhookId);
    // A replay of a delivery whose attempt still runs sends nothing more.
    const delivery = await waitFor(async () => {
      const [first] = await placar.webhooks.listDeliveries(webhookId).toArray();
      return first?.status === 'delivered' && first;
    });
    await placar.webhooks.replay(webhookId, delivery.id);
    await waitFor(() => workflow.responses.length === 2);
    expect(workflow.responses).toEqual([200, 200]);
    expect(workflow.runs).toHaveLength(1);
  });

  test('an invoice that is paid runs the workflow', async () => {
    const { workflow, placar } = await newWorkflow(paidInvoices);
    await workflow.activate();
    const invoice = await placar.invoices.create(newInvoice());
    await placar.invoices.payInSandbox(invoice.id);
    await waitFor(() => workflow.runs.length > 0);
    expect(workflow.runs).toMatchObject([{ type: 'invoice.paid', data: { id: invoice.id } }]);
  });

  test('forged ones get 401 and run nothing', async () => {
    const { workflow } = await newWorkflow(wonDeals);
    await workflow.activate();
    const { secret } = workflow.staticData;
    const now = Math.floor(Date.now() / 1000);
    const attempts = [
      await deliver(workflow, { 'webhook-signature': 'v1,AAAA' }),
      await deliver(workflow, { 'webhook-signature': '' }),
      await deliver(workflow, {}, ' '),
      await deliver(workflow, { 'webhook-timestamp': String(now - 400) }),
      await deliver(workflow, { 'webhook-timestamp': String(now + 400) }),
      await deliver({ ...workflow, staticData: { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' } }),
      (await fetch(workflow.url, { method: 'POST' })).status,
    ];
    expect(attempts).toEqual(attempts.map(() => 401));
    expect(workflow.runs).toEqual([]);
    expect(await deliver(workflow, { 'webhook-signature': `v1,AAAA v1a,AAAA` })).toBe(401);
    // After the workflow was deactivated, nothing is signed with a secret that the workflow knows.
    await workflow.deactivate();
    expect(await deliver({ ...workflow, staticData: { secret } })).toBe(401);
    expect(workflow.runs).toEqual([]);
  });

  test('a repeated id of the last 1000 is answered with 200 and runs nothing, also after a restart of n8n', async () => {
    const { workflow } = await newWorkflow(wonDeals);
    await workflow.activate();
    const once = { 'webhook-id': 'whd_first' };
    expect([await deliver(workflow, once), await deliver(workflow, once)]).toEqual([200, 200]);
    expect(workflow.runs).toEqual([{ id: 'evt_1', type: 'deal.won', data: { name: 'Ação' } }]);
    workflow.restart(await buildNodes());
    for (let count = 0; count < 999; count++) await deliver(workflow);
    expect(await deliver(workflow, once)).toBe(200);
    expect(workflow.runs).toHaveLength(1000);
    await deliver(workflow);
    expect(await deliver(workflow, once)).toBe(200);
    expect(workflow.runs).toHaveLength(1002);
    expect(workflow.staticData.deliveries).toHaveLength(1000);
  });

  test('deliveries that arrive together do not forget each other', async () => {
    const { workflow } = await newWorkflow(wonDeals);
    await workflow.activate();
    const stored = { ...workflow.staticData };
    const ids = ['whd_a', 'whd_b', 'whd_c'].map((id) => ({ 'webhook-id': id }));
    for (const changes of ids) {
      // Each starts with what was stored before the others.
      Object.assign(workflow.staticData, { deliveries: [] }, stored);
      await deliver(workflow, changes);
    }
    for (const changes of ids) await deliver(workflow, changes);
    expect(workflow.runs).toHaveLength(3);
  });
});
