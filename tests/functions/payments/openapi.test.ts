// Generated requests for the OpenAPI document of payments: every response has a documented status and the body documented for it.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { connectDatabase } from '../../support/database.ts';
import type { Document } from '../../support/documents/json-schema.ts';
import {
  BATCH,
  createChecker,
  createTally,
  type Known,
  operationsOf,
  REQUESTS,
  RUNS,
  requests,
  type Sent,
  TIMEOUT_MS,
} from '../../support/documents/openapi.ts';
import {
  createInvoice,
  createPayout,
  createPayTenant,
  issued,
  paidInvoice,
} from '../../support/payments/payment-flows.ts';
import { invoice, pay, pixPayout, TAX_CODES, transferPayout } from '../../support/payments/payments.ts';

const sql = connectDatabase();
const document: Document = JSON.parse((await openApiDocuments()).payments ?? '');

const operations = operationsOf(document);

const NOWHERE = 'https://hooks.example.invalid/x';

/** Valid bodies, in each of which one member is made invalid. The schema alone rarely produces a valid body. */
const goodBodies: Record<string, unknown[]> = {
  '/webhooks': [{ url: `${NOWHERE}/new`, events: ['invoice.paid'], description: 'Books', active: true }],
  '/webhooks/{id}': [{ url: `${NOWHERE}/other`, events: null, active: false }],
  '/invoices': [
    invoice({
      tax_document: { auto_issue: true, type: 'nfse', service_code: '01.07' },
      metadata: { a: 'b' },
    }),
    invoice({ payment_method: { type: 'boleto', expires_in_seconds: 86_400 } }),
    invoice({
      payment_method: { type: 'card', return_url: 'https://example.com/' },
      contractor_reference: 'c',
    }),
    invoice({ payment_method: { type: 'bolepix' }, amount: 4213 }),
  ],
  '/payouts': [pixPayout(), transferPayout({ metadata: { a: 'b' } })],
  '/invoices/{id}/tax-documents': [
    { type: 'nfse', service_code: '01.07', metadata: { a: 'b' }, taxes: { iss: 5, ...TAX_CODES } },
    { type: 'nfse', service_code: '01.07', customer_address: { line1: 'Rua A', postal_code: '01001000' } },
  ],
};

type Keyed = Sent & { key: string };

const keys = fc.oneof({ weight: 9, arbitrary: fc.uuid() }, fc.constantFrom('same', 'k'.repeat(256), ''));
const checkAnswer = createChecker(document);

async function check({ operation, target, body, key }: Keyed): Promise<number> {
  const { apiKey, ...options } = { apiKey: await caller, method: operation.method, key };
  const text = operation.method === 'GET' || body === undefined ? undefined : JSON.stringify(body);
  const reply = await pay(apiKey, target, text, options);
  const scene = JSON.stringify([operation.name, target, text?.slice(0, 500), reply.status, reply.body]);
  expect([501, 502].includes(reply.status) || reply.status < 500, scene).toBe(true);
  // An empty or a relative id results in another path.
  if (reply.status !== 404 && reply.status !== 405) checkAnswer(operation, reply, scene);
  return reply.status;
}

const tenant = createPayTenant(sql);
const caller = tenant.then(({ apiKey }) => apiKey);

test('every response matches the documentation, for any request', { timeout: TIMEOUT_MS }, async () => {
  const apiKey = await caller;
  const paid = await paidInvoice(apiKey);
  const made = [await createInvoice(apiKey), await createInvoice(apiKey), paid];
  const payouts = [await createPayout(apiKey), await createPayout(apiKey, transferPayout())];
  const taxDocument = await issued(apiKey, paid.id);
  const entries = (await pay(apiKey, '/balance-transactions')).body.data;
  const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
  const webhooks = await Promise.all(
    [1, 2, 3].map(async (n) => (await pay(apiKey, '/webhooks', { url: `${NOWHERE}${n}` })).body.id as string),
  );
  const test = await pay(apiKey, `/webhooks/${webhooks[0]}/test`, {});
  const ids = {
    inv: idsOf(made),
    pay: idsOf(payouts),
    txd: [taxDocument.id],
    bal: idsOf(entries),
    web: webhooks,
    whd: [test.body.delivery_id as string],
  };
  const special: Record<string, keyof typeof ids> = { doc_id: 'txd', delivery_id: 'whd' };

  const known: Known = {
    ids: ({ path }, name) =>
      ids[special[name] ?? (path.slice(1, 4).replace('san', 'inv') as keyof typeof ids)],
    bodies: ({ path }) => goodBodies[path] ?? [{ reason: 'a reason' }],
  };
  const one = fc
    .tuple(fc.oneof(...operations.map((operation) => requests(document, operation, known))), keys)
    .map(([sent, key]): Keyed => ({ ...sent, key }));
  const seen = createTally();
  const batches = fc.array(one, { minLength: BATCH, maxLength: BATCH });
  const property = fc.asyncProperty(batches, async (batch) => {
    for (const status of await Promise.all(batch.map(check))) seen.add(String(status));
  });
  await fc.assert(property, RUNS);
  const total = [...seen.counts.values()].reduce((sum, n) => sum + n, 0);
  expect(total).toBe(REQUESTS);
  for (const status of [200, 201, 400, 404, 409, 422])
    expect([status, seen.of(status)]).toEqual([status, expect.toSatisfy((n) => n > 0)]);
});
