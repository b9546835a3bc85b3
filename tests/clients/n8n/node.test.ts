// The Placar node of n8n, run for items against the stack.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createCredentials, newInvoice } from '../../support/clients/client.ts';
import { connectDatabase } from '../../support/database.ts';
import { collaborator } from '../../support/gamification/sync.ts';
import { type BuiltPackage, buildNodes } from '../../support/n8n/build-nodes.ts';
import { Authentication, type CredentialData, type Parameters } from '../../support/n8n/helpers.ts';
import { NODE_ID, type RunOptions, runNode } from '../../support/n8n/run-node.ts';
import { startEndpoint } from '../../support/webhooks/webhooks.ts';
import { type Fault, type Seen, startFaultProxy } from '../../support/wire/fault-proxy.ts';

const sql = connectDatabase();
let built: BuiltPackage;
beforeAll(async () => {
  built = await buildNodes();
});

/** The node with credentials of a new tenant. Its requests go through a proxy, which can inject faults. */
async function connectNode(faultOf: (seen: Seen, nth: number) => Fault | undefined = () => undefined) {
  const { apiKey, clientId, clientSecret } = await createCredentials(sql);
  const proxy = await startFaultProxy(inject('stack').base_url, faultOf);
  const credentials: CredentialData = {
    placarOAuth2Api: { url: proxy.url, clientId, clientSecret },
    placarApiKeyApi: { url: `${proxy.url}/functions/v1/`, apiKey },
  };
  const run = (resource: string, operation: string, parameters: Parameters = {}, options: RunOptions = {}) =>
    runNode(built, credentials, { resource, operation, ...parameters }, options);
  return { run, proxy, credentials };
}

const newLead = (email = `${randomUUID()}@example.com`) => ({ name: 'Ana', email });

describe('records', () => {
  test('creates a lead, with texts, lists and JSON', async () => {
    const { run, proxy } = await connectNode();
    const body = { company: 'Ação', tags: ['hot', 'n8n'], custom_fields: '{"crm_id": "42"}', phone: null };
    const [output] = await run('leads', 'createLead', { ...newLead(), body, headers: { X_Origin: 'n8n' } });
    expect(output).toMatchObject({
      json: {
        name: 'Ana',
        company: 'Ação',
        tags: ['hot', 'n8n'],
        custom_fields: { crm_id: '42' },
        phone: null,
      },
      pairedItem: { item: 0 },
    });
    expect(proxy.to('/functions/v1/v1/leads')[0]?.headers).toMatchObject({
      'x-origin': 'n8n',
      'x-api-variant': 'a',
      'idempotency-key': `execution-1-${NODE_ID}-0`,
    });
  });

  test('a repeated execution of an item creates nothing; each run of a loop has its own key', async () => {
    const { run } = await connectNode();
    const lead = newLead();
    const [first] = await run('leads', 'createLead', lead);
    const [again] = await run('leads', 'createLead', lead);
    expect(again?.json.id).toBe(first?.json.id);
    await run('leads', 'createLead', newLead(), { runIndex: 1 });
    expect(await run('leads', 'listLeads')).toHaveLength(2);
  });

  test('a POST that is documented without an Idempotency-Key has one, too', async () => {
    const { run, proxy } = await connectNode(({ path }) =>
      path.endsWith('/export') ? { status: 200, body: {} } : undefined,
    );
    await run('administration', 'adminExportPerson', { email: 'ana@example.com' });
    expect(proxy.seen.at(-1)?.headers['idempotency-key']).toBe(`execution-1-${NODE_ID}-0`);
  });

  test('reads all pages of a list, or up to a limit, with filters', async () => {
    const { run, proxy } = await connectNode();
    const leads = Array.from({ length: 230 }, (_, index) => ({
      ...newLead(),
      source: index < 5 ? 'a & b' : 'c',
    }));
    const operations = JSON.stringify(leads.map((data) => ({ method: 'create', data })));
    await run('leads', 'batchLeads', { operations });
    const all = await run('leads', 'listLeads', { returnAll: true });
    expect(new Set(all.map(({ json }) => json.email))).toEqual(new Set(leads.map(({ email }) => email)));
    expect(proxy.to('/functions/v1/v1/leads').map(({ path }) => path.replace(/.*\?/, ''))).toEqual([
      'per_page=100',
      'per_page=100&page=2',
      'per_page=100&page=3',
    ]);
    expect(await run('leads', 'listLeads', { limit: 120 })).toHaveLength(120);
    expect(await run('leads', 'listLeads', { query: { source: 'a & b' } })).toHaveLength(5);
    expect(await run('opportunities', 'listOpportunities', { returnAll: true })).toEqual([]);
    const events = await run('webhooks', 'listEvents', { returnAll: true, query: { types: 'lead.created' } });
    expect(new Set(events.map(({ json }) => json.id)).size).toBe(230);
  });

  test('writes each item by its external id', async () => {
    const { run } = await connectNode();
    const items = ['crm/1 é', 'crm/2', 'crm/1 é'].map((external_id) => ({ external_id, body: newLead() }));
    const written = await run('leads', 'putLead', {}, { items });
    expect(written.map(({ pairedItem }) => pairedItem.item)).toEqual([0, 1, 2]);
    expect(written.map(({ json }) => json.external_id)).toEqual(['crm/1 é', 'crm/2', 'crm/1 é']);
    expect(written[2]?.json.id).toBe(written[0]?.json.id);
  });

  test('deletes, and reads lists without pages', async () => {
    const { run } = await connectNode();
    const [lead] = await run('leads', 'createLead', { specifyBody: 'json', jsonBody: newLead() });
    expect(await run('leads', 'deleteLead', { id: lead?.json.id })).toMatchObject([
      { json: { success: true } },
    ]);
    const stages = await run('deals', 'listStages');
    expect(stages.length).toBeGreaterThan(1);
    expect(stages[0]?.json).toHaveProperty('probability');
  });

  test('gets a new access token after the stored one was rejected', async () => {
    const { run, credentials, proxy } = await connectNode();
    const authentication = new Authentication(built, credentials);
    authentication.tokens.set('placarOAuth2Api', 'stale');
    expect(await run('leads', 'listLeads', {}, { authentication })).toEqual([]);
    expect(proxy.to('/functions/v1/v1/leads')).toHaveLength(2);
  });
});

describe('with an API key', () => {
  test('payments are signed: an invoice, and lists of invoices', async () => {
    const { run, proxy } = await connectNode();
    const { customer, payment_method, ...invoice } = newInvoice();
    const objects = { customer: JSON.stringify(customer), payment_method };
    const made = await run('invoices', 'createInvoice', { ...invoice, ...objects }, { items: [{}, {}, {}] });
    expect(made.map(({ json }) => json.status)).toEqual(['open', 'open', 'open']);
    const query = { payment_method_type: 'pix', created_gte: '2020-01-01T00:00:00Z' };
    const listed = await run('invoices', 'listInvoices', { limit: 2, query });
    expect(listed).toHaveLength(2);
    expect(await run('invoices', 'listInvoices', { returnAll: true, query })).toHaveLength(3);
    const signatures = proxy.seen.map(({ headers }) => headers.authorization);
    expect(signatures.every((one) => one?.startsWith('SVC-SIGN-V1 '))).toBe(true);
  });

  test('a list continues after the last id', async () => {
    const page = (ids: string[], has_more: boolean) => ({
      status: 200,
      body: { data: ids.map((id) => ({ id })), has_more },
    });
    const { run, proxy } = await connectNode((_, nth) =>
      nth === 0 ? page(['a', 'b'], true) : page(['c'], false),
    );
    const listed = await run('payouts', 'listPayouts', { returnAll: true });
    expect(listed.map(({ json }) => json.id)).toEqual(['a', 'b', 'c']);
    expect(proxy.seen[1]?.path).toBe('/functions/v1/payments/payouts?limit=100&starting_after=b');
  });

  test('activities are sent with the key as Bearer', async () => {
    const { run, proxy, credentials } = await connectNode();
    const send = (action: string, body: object) => run('activitySync', 'syncBatch', { action, body });
    await send('sync_collaborators', { collaborators: [collaborator('ana')] });
    const activity = { activity_code: '001', external_id: 'call-1', collaborator_email: 'ana@example.com' };
    const options = { executionId: 'execution-2' };
    const parameters = { action: 'sync_activities', body: { activities: JSON.stringify([activity]) } };
    const [sent] = await run('activitySync', 'syncBatch', parameters, options);
    expect(sent?.json).toMatchObject({ processed: 1, total: 1 });
    expect(proxy.seen.at(-1)?.headers.authorization).toBe(`Bearer ${credentials.placarApiKeyApi?.apiKey}`);
  });

  test('a file is binary data', async () => {
    const { run } = await connectNode();
    const [output] = await run('ledger', 'exportBalanceTransactionsCsv', { query: { period: '2026-01' } });
    expect(output?.binary?.data).toMatchObject({
      fileName: 'balance-transactions.csv',
      mimeType: 'text/csv',
    });
    expect(output?.binary?.data?.text).toContain('currency');
  });
});

describe('errors', () => {
  const invalid = { name: 'Ana', email: 'no address' };

  test('say what the API said, and which item it was', async () => {
    const { run } = await connectNode();
    const error = await run('leads', 'createLead', invalid).catch((failure) => failure);
    expect(error).toMatchObject({
      name: 'NodeApiError',
      httpCode: '400',
      message: 'Fix these fields: email: must be a valid email address',
      context: { itemIndex: 0 },
    });
    const problem = await run('invoices', 'getInvoice', { id: 'inv_0' }).catch((failure) => failure);
    expect(problem).toMatchObject({ name: 'NodeApiError', httpCode: '404' });
    expect(problem.message).not.toContain('status');
  });

  test('with continueOnFail, the other items go on', async () => {
    const { run } = await connectNode();
    const items = [newLead(), invalid, newLead()];
    const outputs = await run('leads', 'createLead', {}, { items, continueOnFail: true });
    expect(outputs.map(({ pairedItem }) => pairedItem.item)).toEqual([0, 1, 2]);
    expect(outputs[1]?.json).toEqual({ error: 'Fix these fields: email: must be a valid email address' });
    expect(outputs[1]?.error).toMatchObject({ name: 'NodeApiError' });
  });

  test('a parameter that is not valid JSON sends nothing', async () => {
    const { run, proxy } = await connectNode();
    const given = { ...newLead(), body: { custom_fields: '{' } };
    await expect(run('leads', 'createLead', given)).rejects.toMatchObject({
      name: 'NodeOperationError',
      message: 'custom_fields is not valid JSON',
    });
    expect(proxy.to('/functions/v1/v1/leads')).toEqual([]);
  });

  test.each(['.', '..', null])('the id %j is not sent', async (id) => {
    const { run, proxy } = await connectNode();
    const asked = run('leads', 'deleteLead', {}, { items: [{ id }] });
    await expect(asked).rejects.toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 0 } });
    expect(proxy.seen).toEqual([]);
  });

  test('a response of another server is not taken for a success', async () => {
    const page = await startEndpoint((response) => response.end('<html></html>'));
    const credentials = { placarApiKeyApi: { url: page.url, apiKey: 'sk_test_a' } };
    const asked = runNode(built, credentials, { resource: 'payouts', operation: 'listPayouts' });
    await expect(asked).rejects.toMatchObject({
      name: 'NodeApiError',
      message: 'The response is not JSON. Check the URL of the credential.',
    });
  });

  test('a rejected key or client is an error without secrets', async () => {
    const { credentials } = await connectNode();
    const wrong = {
      placarApiKeyApi: { url: credentials.placarApiKeyApi?.url ?? '', apiKey: 'sk_test_wrong' },
    };
    const error = await runNode(built, wrong, { resource: 'payouts', operation: 'listPayouts' }).catch(
      (one) => one,
    );
    expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '401', context: { itemIndex: 0 } });
    expect(JSON.stringify([error, error.message, error.cause])).not.toContain('sk_test_wrong');
  });
});

describe('waiting', () => {
  const busy = (status: number, seconds?: string): Fault => ({
    status,
    ...(seconds && { headers: { 'retry-after': seconds } }),
  });

  test.each([429, 503, 409])('after %i with Retry-After, the same request is sent again', async (status) => {
    const { run, proxy } = await connectNode(({ path }, nth) =>
      path.includes('/leads') && nth === 0 ? busy(status, '1') : undefined,
    );
    expect(await run('leads', 'createLead', newLead())).toHaveLength(1);
    const [first, second] = proxy.to('/functions/v1/v1/leads');
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  test.each([
    [429, '61'],
    [409, undefined],
    [500, '1'],
  ])('%i with Retry-After %s is an error', async (status, seconds) => {
    const { run, proxy } = await connectNode(({ path }) =>
      path.includes('/leads') ? busy(status, seconds) : undefined,
    );
    await expect(run('leads', 'createLead', newLead())).rejects.toMatchObject({ httpCode: String(status) });
    expect(proxy.to('/functions/v1/v1/leads')).toHaveLength(1);
  });

  test('payments are signed again after waiting', async () => {
    const { run, proxy } = await connectNode((_, nth) => (nth === 0 ? busy(429, '1') : undefined));
    await run('payouts', 'listPayouts');
    const [first, second] = proxy.seen;
    expect(second?.headers.authorization).not.toBe(first?.headers.authorization);
  });
});
