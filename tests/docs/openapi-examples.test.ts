// Sends the requests of the OpenAPI examples and compares the responses. `UPDATE_EXAMPLES=1 npx vitest run` with this file updates them
// in the documents; then `npm run openapi` writes the documents that are made of these.
import { writeFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { openApiDocuments } from '../../docs/openapi/documents.ts';
import { type Examples, examplesIn, operationsOf } from '../../docs/openapi/examples.ts';
import { eventOperation } from '../../docs/openapi/variant-examples.ts';
import { loadRenderers } from '../../functions/callbacks/job-registry.ts';
import type { NamingVariant } from '../../shared/platform/access/context.ts';
import { nameFor, valueFor } from '../../shared/records/naming.ts';
import { variants } from '../../shared/records/variants/variants.ts';
import { connectDatabase, createTenant } from '../support/database.ts';
import { headerFaults } from '../support/documents/documented.ts';
import { createCompiler, type Document, type Schema } from '../support/documents/json-schema.ts';
import { createStandIns, withoutVolatile } from '../support/documents/recorded.ts';
import { addGamification } from '../support/gamification/gamification-shown.ts';
import { activity, collaborator, type Reply, sync, syncCollaborators } from '../support/gamification/sync.ts';
import { createOAuthClient, grant, requestToken } from '../support/oauth.ts';
import { createPayTenant, untilStatus } from '../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, TAX_CODES, transferPayout } from '../support/payments/payments.ts';
import { signInAsUser } from '../support/persons.ts';
import { showAdmin } from '../support/records/admin-examples.ts';
import { records } from '../support/records/records.ts';
import { createPlan, furnish } from '../support/records/records-furnish.ts';
import {
  type Body,
  fillBody,
  fillPath,
  personRoutes,
  type Route,
  routes,
} from '../support/records/records-routes.ts';
import { waitFor } from '../support/wait-for.ts';

const sql = connectDatabase();
const documents = openApiDocuments();
const functionsUrl = `${inject('stack').base_url}/functions/v1`;

/** Requests and responses by operation. The responses have the headers that the document names. */
function createRecord(name: string) {
  const document: Document = JSON.parse(documents[name] ?? '');
  const responsesOf = Object.fromEntries(
    operationsOf(document).map(({ operationId, responses }) => [operationId, responses]),
  );
  const standIn = createStandIns();
  const examples: Record<string, Examples[string]> = {};
  return {
    examples,
    add(operationId: string, request: unknown, reply: Reply) {
      expect([operationId, reply.status, reply.body]).toEqual([
        operationId,
        expect.toSatisfy((n) => n < 300),
        reply.body,
      ]);
      const faults = headerFaults(document, responsesOf[operationId]?.[reply.status] ?? {}, reply.headers);
      expect.soft([operationId, faults]).toEqual([operationId, []]);
      examples[operationId] = {
        ...(request !== undefined && { request: standIn(request) }),
        status: reply.status,
        ...(reply.body !== undefined && reply.body !== '' && { response: standIn(reply.body) }),
      };
      return reply.body;
    },
    event(type: string, payload: unknown) {
      examples[eventOperation(type)] ??= { request: standIn(payload) };
    },
  };
}

/** The examples in the document match the recorded requests and responses. */
function compare(name: string, recorded: Examples): void {
  const { [name]: text = '' } = openApiDocuments({ [name]: recorded }, [name]);
  const file = new URL(`../../docs/openapi/${name}.json`, import.meta.url);
  if (process.env.UPDATE_EXAMPLES) writeFileSync(file, text);
  else
    expect(withoutVolatile(examplesIn(JSON.parse(text)))).toEqual(
      withoutVolatile(examplesIn(JSON.parse(documents[name] ?? ''))),
    );
}

/** The requests and responses match the schemas of the document, whose examples are made of those of variant A. */
function validate(name: string, recorded: Examples): void {
  const document: Document = JSON.parse(documents[name] ?? '');
  const compile = createCompiler(document);
  for (const { operationId, requestBody, responses } of operationsOf(document)) {
    const { request, status = 200, response } = recorded[operationId] ?? {};
    const sent = [
      [requestBody?.content, request],
      [responses[status]?.content, response],
    ] as const;
    for (const [content, body] of sent) {
      const [media] = Object.values(content ?? {});
      if (body === undefined || !media) continue;
      const isValid = compile(media.schema as Schema);
      expect([operationId, status, isValid(body), isValid.errors]).toEqual([operationId, status, true, null]);
    }
  }
}

/** Adds an example of each health check. */
async function showHealth(service: string, add: ReturnType<typeof createRecord>['add']): Promise<void> {
  const checks = { getHealth: '/health', getLiveness: '/health/live', getReadiness: '/health/ready' };
  for (const [operationId, path] of Object.entries(checks)) {
    const response = await fetch(`${functionsUrl}/${service}${path}`);
    const { status, headers } = response;
    add(operationId, undefined, { status, headers, body: await response.json() });
  }
}

/** Queries of examples whose full response would differ between runs. */
const queries: Readonly<Record<string, string>> = { listEvents: '?types=lead.created&limit=1' };

/** Which naming a body of this path is in. */
const resourceAt: Record<string, keyof (typeof variants)['a']['namings']> = {
  leads: 'lead',
  users: 'user',
  invitations: 'user',
  teams: 'team',
  activities: 'activity',
};

/** The example of a route in the names of a variant. */
function exampleIn(variant: NamingVariant, { name, path, example }: Route): Body | undefined {
  const [, first = ''] = path.split('/');
  if (variant !== 'a' && first === 'deals') {
    return routes.find((one) => one.name === name.replace('/deals', '/opportunities'))?.example?.();
  }
  const resource = resourceAt[first];
  const body = example?.();
  if (!resource || !body || variant === 'a') return body;
  const naming = variants[variant].namings[resource];
  const named = (members: Body): Body =>
    Object.fromEntries(
      Object.entries(members).map(([member, value]) => [
        nameFor(naming, member),
        typeof value === 'string' ? valueFor(naming, member, value) : value,
      ]),
    );
  if (!path.endsWith('/batch')) return named(body);
  // The names of a variant are those of its records.
  const operations = body.operations as { data: Body }[];
  return { operations: operations.map(({ data, ...rest }) => ({ ...rest, data: named(data) })) };
}

/** Order of operations: reads, updates, final transitions, deletions. */
function rankOf({ method, path }: Route): number {
  if (method === 'GET') return 0;
  if (method === 'DELETE') return path.includes('members') ? 4 : 5;
  if (/\/(convert|close)$/.test(path)) return 3;
  return /:id/.test(path) ? 2 : 1;
}

const nameOf = (variant: NamingVariant) => (variant === 'a' ? 'v1' : `v1-${variant}`);

describe.each(['a', 'b', 'c'] as const)('records, variant %s', (variant) => {
  test('requests and responses match the document, and every event matches its documentation', async () => {
    const plan = await createPlan(sql);
    // Deals and opportunities are the same records under two addresses; each uses its own.
    const worlds = [await furnish(sql, plan), await furnish(sql, plan)] as const;
    // Lists by name have one order.
    for (const { tenant, ids } of worlds) {
      await sql`update users set name = 'Caio Reis' where tenant_id = ${tenant.id} and id <> ${ids.user}`;
      await addGamification(sql, tenant.id, ids.user);
    }
    // Waits until the webhooks have received everything, so that their log is the same in each run.
    await waitFor(async () => {
      const tenants = worlds.map(({ tenant }) => tenant.id);
      const pending = await sql`
        select from webhook_deliveries where tenant_id = any (${tenants}) and status = 'pending' limit 1`;
      return pending.length === 0;
    });
    const record = createRecord(nameOf(variant));
    const ofPersons = new Set<Route>(personRoutes);
    const persons: string[] = [];
    // One after the other, so that their events have one order.
    for (const { tenant, ids } of worlds) {
      await sql`update tenants set name = 'Acme' where id = ${tenant.id}`;
      persons.push(await signInAsUser(sql, tenant.id, ids.user));
    }
    for (const route of [...routes, ...personRoutes].toSorted((a, b) => rankOf(a) - rankOf(b))) {
      const { operationId } = route;
      const world = /^\/(me\/opportunities|opportunities|pipeline)/.test(route.path) ? 1 : 0;
      const { tenant, ids } = worlds[world];
      const token = ofPersons.has(route) ? (persons[world] ?? null) : tenant.token;
      const body = fillBody(exampleIn(variant, route), ids);
      const sent = route.takesBody === 'none' ? undefined : body;
      const headers = { 'X-Api-Variant': variant };
      const path = fillPath(route.path, ids) + (queries[operationId] ?? '');
      const reply = await records(token, route.method, path, sent, { headers });
      record.add(operationId, sent, reply);
    }
    await showAdmin(sql, variant, record.add);
    await showHealth('v1', record.add);
    await checkEvents(
      nameOf(variant),
      variant,
      worlds.map(({ tenant }) => tenant.id),
      record.event,
    );
    const check = variant === 'a' ? compare : validate;
    check(nameOf(variant), record.examples);
  });
});

/** Every event of these tenants matches the document. */
async function checkEvents(
  name: string,
  variant: NamingVariant | null,
  tenants: string[],
  keep: (type: string, payload: unknown) => void,
): Promise<void> {
  const document: Document = JSON.parse(documents[name] ?? '');
  const compile = createCompiler(document);
  const rows = await sql`
    select id, type, data, origin, created_at, interface from events where tenant_id = any (${tenants})
      and interface = ${variant ? 'records' : 'payments'} and type <> 'ranking.changed' order by type, id`;
  expect(rows.length).toBeGreaterThan(3);
  const renderers = await loadRenderers(functionsUrl);
  for (const { id, type, data, origin, created_at: at } of rows) {
    const event = { id, type, data, origin, variant, clientId: null, createdAt: at.toISOString() };
    const payload = renderers[variant ? 'records' : 'payments'](event);
    const { schema } = document.webhooks[payload.type].post.requestBody.content['application/json'];
    const validate = compile(schema);
    expect([payload.type, validate(payload), validate.errors, payload]).toEqual([
      payload.type,
      true,
      null,
      payload,
    ]);
    keep(payload.type, payload);
  }
}

test('payments: the examples match real requests and responses, and every event matches its documentation', async () => {
  const { id, apiKey } = await createPayTenant(sql);
  const { add, event, examples } = createRecord('payments');
  const get = async (operationId: string, path: string) =>
    add(operationId, undefined, await pay(apiKey, path));
  const post = async (operationId: string, path: string, body: unknown) =>
    add(operationId, body, await pay(apiKey, path, body));
  const made = await post('createInvoice', '/invoices', invoice({ contractor_reference: 'order-42' }));
  await get('getInvoice', `/invoices/${made.id}`);
  await get('listInvoices', '/invoices');
  await post('payInSandbox', `/sandbox/invoices/${made.id}/pay`, { reason: 'Trying it out' });
  const documentsPath = `/invoices/${made.id}/tax-documents`;
  const asked = await post('requestTaxDocument', documentsPath, {
    type: 'nfse',
    service_code: '01.07',
    taxes: { iss: 5, ...TAX_CODES },
  });
  await untilStatus(apiKey, `${documentsPath}/${asked.id}`, 'issued');
  await get('getTaxDocument', `${documentsPath}/${asked.id}`);
  await post('cancelTaxDocument', `${documentsPath}/${asked.id}/cancel`, { reason: 'Wrong service' });
  const other = await pay(apiKey, '/invoices', invoice());
  await post('cancelInvoice', `/invoices/${other.body.id}/cancel`, { reason: 'Ordered twice' });
  await showRefunds(apiKey, { get, post });
  const payout = await post('createPayout', '/payouts', pixPayout());
  await untilStatus(apiKey, `/payouts/${payout.id}`, 'paid');
  await get('getPayout', `/payouts/${payout.id}`);
  await get('listPayouts', '/payouts');
  const abroad = await pay(apiKey, '/payouts', transferPayout());
  await post('cancelPayout', `/payouts/${abroad.body.id}/cancel`, { reason: 'Not needed' });
  const { data } = await get('listBalanceTransactions', '/balance-transactions');
  await get('getBalanceTransaction', `/balance-transactions/${data[0].id}`);
  await get('getBalance', '/balance');
  await get('getCapabilities', '/capabilities');
  await get('listEvents', '/events?types=invoice.paid&limit=1');
  await showWebhooks(id, apiKey, { add, get, post });
  await showHealth('payments', add);
  await checkEvents('payments', null, [id], event);
  compare('payments', examples);
});

/** All operations on refunds. */
async function showRefunds(
  apiKey: string,
  {
    get,
    post,
  }: {
    get(operationId: string, path: string): Promise<unknown>;
    post(operationId: string, path: string, body: unknown): Promise<{ id: string }>;
  },
): Promise<void> {
  const paid = async (more?: Record<string, unknown>) => {
    const { body } = await pay(apiKey, '/invoices', invoice(more));
    await pay(apiKey, `/sandbox/invoices/${body.id}/pay`, {});
    return body.id;
  };
  const id = await paid();
  const path = `/invoices/${id}/refunds`;
  const refund = await post('createRefund', path, { amount: 4000, reason: 'One hour less' });
  await untilStatus(apiKey, `${path}/${refund.id}`, 'succeeded');
  await get('getRefund', `${path}/${refund.id}`);
  await get('listRefunds', path);
  const { body: failing } = await pay(apiKey, path, { amount: 117 });
  await untilStatus(apiKey, `${path}/${failing.id}`, 'failed');
  await post('disputeInSandbox', `/sandbox/invoices/${id}/dispute`, { outcome: 'lost' });
  const boleto = await paid({ payment_method: { type: 'boleto' } });
  const { body: waiting } = await pay(apiKey, `/invoices/${boleto}/refunds`, {});
  await post('settleRefundInSandbox', `/sandbox/refunds/${waiting.id}/settle`, {});
}

/** All that is done with a webhook of payments. */
async function showWebhooks(
  tenantId: string,
  apiKey: string,
  {
    add,
    get,
    post,
  }: {
    add: ReturnType<typeof createRecord>['add'];
    get(operationId: string, path: string): Promise<unknown>;
    post(operationId: string, path: string, body: unknown): Promise<{ id: string; delivery_id: string }>;
  },
): Promise<void> {
  const url = `${inject('stack').inbox_url}/payments/${crypto.randomUUID()}`;
  const { id } = await post('createWebhook', '/webhooks', { url, events: ['invoice.paid', 'payout.paid'] });
  const path = `/webhooks/${id}`;
  await get('getWebhook', path);
  await get('listWebhooks', '/webhooks');
  const { delivery_id: delivery } = await post('testWebhook', `${path}/test`, {});
  await waitFor(async () => {
    const pending =
      await sql`select from webhook_deliveries where tenant_id = ${tenantId} and status = 'pending'`;
    return pending.length === 0;
  });
  await get('listWebhookKeys', `${path}/keys`);
  const replay = await post('replayWebhook', `${path}/replay`, {
    since: '2026-01-01T00:00:00Z',
    failed: true,
  });
  await get('getReplay', `${path}/replays/${replay.id}`);
  await get('listDeliveries', `${path}/deliveries`);
  await get('getDelivery', `${path}/deliveries/${delivery}`);
  await post('replayDelivery', `${path}/deliveries/${delivery}/replay`, {});
  await post('pauseWebhook', `${path}/pause`, {});
  await post('resumeWebhook', `${path}/resume`, {});
  await post('rotateWebhookSecret', `${path}/rotate-secret`, {});
  const filters = [{ field: 'amount', op: 'gt', value: 100_000 }];
  const change = {
    description: 'Bookkeeping',
    events: null,
    filters,
    headers: { 'X-Token': 'of the receiver' },
  };
  add('updateWebhook', change, await pay(apiKey, path, change, { method: 'PATCH' }));
  add('deleteWebhook', undefined, await pay(apiKey, path, undefined, { method: 'DELETE' }));
}

test('activity sync and access tokens: the examples match real requests and responses', async () => {
  const { id, apiKey } = await createTenant(sql);
  const first = createRecord('default-integration');
  await syncCollaborators(apiKey, [collaborator('ana')]);
  const body = { action: 'sync_activities', activities: [activity('call-1', 'ana@example.com')] };
  first.add('syncBatch', body, await sync(apiKey, body));
  await showHealth('default-integration', first.add);
  compare('default-integration', first.examples);

  const { add, examples } = createRecord('oauth');
  const client = await createOAuthClient(sql, id);
  const asked = grant(client, { scope: 'read:leads' });
  const { access_token: token } = add('createToken', asked, await requestToken(asked));
  const ended = { ...client, token };
  add('revokeToken', ended, await requestToken(ended, { path: '/revoke' }));
  const found = {
    listKeys: '/.well-known/jwks.json',
    getServerMetadata: '/.well-known/oauth-authorization-server',
    getOpenIdMetadata: '/.well-known/openid-configuration',
  };
  for (const [operationId, path] of Object.entries(found)) {
    add(operationId, undefined, await requestToken(undefined, { path, method: 'GET' }));
  }
  await showHealth('oauth', add);
  compare('oauth', examples);
});
