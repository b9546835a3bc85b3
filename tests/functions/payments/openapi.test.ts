// Requests made from the OpenAPI document of payments: every answer has a documented status and the body documented for it.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { connectDatabase } from '../../support/database.ts';
import { type Document, fitting, nearlyFitting, resolve, type Schema } from '../../support/json-schema.ts';
import {
  createInvoice,
  createPayout,
  createPayTenant,
  issued,
  paidInvoice,
} from '../../support/payment-flows.ts';
import { invoice, pay, pixPayout, transferPayout } from '../../support/payments.ts';

const sql = connectDatabase();
const document: Document = JSON.parse((await openApiDocuments()).payments ?? '');

interface Operation {
  name: string;
  method: string;
  path: string;
  parameters: Schema[];
  body: Schema | undefined;
  responses: Schema;
}

const operations: Operation[] = Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Schema>(methods).map(([method, { parameters = [], requestBody, responses }]) => ({
    name: `${method} ${path}`,
    method: method.toUpperCase(),
    path: path.replace(/^\/payments/, ''),
    parameters,
    body: requestBody?.content['application/json'].schema,
    responses,
  })),
);

interface Sent {
  operation: Operation;
  target: string;
  body: unknown;
  key: string;
}

/** Bodies that are accepted, to be spoiled in one place; the schema alone seldom makes one. */
const goodBodies: Record<string, unknown[]> = {
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
  '/invoices/{id}/tax-documents': [{ type: 'nfse', service_code: '01.07', metadata: { a: 'b' } }],
};

function bodies({ path, body }: Operation): fc.Arbitrary<unknown> {
  if (!body) return fc.constantFrom(undefined, {}, { x: 1 });
  const good = { enum: goodBodies[path] ?? [{ reason: 'a reason' }] };
  return fc.oneof(
    fitting(document, body),
    nearlyFitting(document, body),
    fitting(document, good),
    nearlyFitting(document, good),
    nearlyFitting(document, good),
  );
}

const STRANGE = ['', '%', '../x', 'é', 'a'.repeat(3000), '2026-01-01', '0', '-1', 'null', '\u0000'];
const strange = fc.constantFrom(...STRANGE, '\ud800x');
const strangeIds = fc.constantFrom(...STRANGE);

/** Requests to one operation, about things that are there or not. */
function requests(operation: Operation, ids: Record<string, string[]>): fc.Arbitrary<Sent> {
  const byPlace = (place: string) => operation.parameters.filter((one) => one.in === place);
  const path = fc.record(
    Object.fromEntries(
      byPlace('path').map(({ name }) => {
        const kind = name === 'doc_id' ? 'txd' : operation.path.slice(1, 4).replace('san', 'inv');
        return [name, fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...(ids[kind] ?? [])) }, strangeIds)];
      }),
    ),
  );
  const query = fc.record(
    Object.fromEntries(
      byPlace('query').map(({ name, schema }) => [
        name,
        fc.oneof({ weight: 3, arbitrary: fitting(document, schema).map(String) }, strange),
      ]),
    ),
    { requiredKeys: [] },
  );
  const keys = fc.oneof({ weight: 9, arbitrary: fc.uuid() }, fc.constantFrom('same', 'k'.repeat(256), ''));
  return fc.tuple(path, query, bodies(operation), keys).map(([names, search, body, key]) => {
    const filled = Object.entries<string>(names).reduce(
      (filling, [name, value]) => filling.replace(`{${name}}`, encodeURIComponent(value)),
      operation.path,
    );
    const text = String(new URLSearchParams(search));
    return { operation, target: `${filled}${text && `?${text}`}`, body, key };
  });
}

function createChecker(): (sent: Sent) => Promise<number> {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return async ({ operation, target, body, key }) => {
    const { apiKey, ...options } = { apiKey: await caller, method: operation.method, key };
    const text = operation.method === 'GET' || body === undefined ? undefined : JSON.stringify(body);
    const reply = await pay(apiKey, target, text, options);
    const scene = JSON.stringify([operation.name, target, text?.slice(0, 500), reply.status, reply.body]);
    expect([200, 201, 202, 501, 502].includes(reply.status) || reply.status < 500, scene).toBe(true);
    // An empty or a relative id is another path.
    if (reply.status === 404 || reply.status === 405) return reply.status;
    const documented = operation.responses[reply.status];
    expect(documented, `undocumented: ${scene}`).toBeDefined();
    const response = resolve(document, documented);
    const type = reply.headers.get('content-type') ?? '';
    const { schema } = response.content[type] ?? {};
    expect(schema, `undocumented ${type}: ${scene}`).toBeDefined();
    const valid = ajv.validate({ ...schema, components: document.components }, reply.body);
    expect(valid, `${JSON.stringify(ajv.errors)} ${scene}`).toBe(true);
    return reply.status;
  };
}

const tenant = createPayTenant(sql);
const caller = tenant.then(({ apiKey }) => apiKey);

test('whatever is sent, every answer is as documented', { timeout: 120_000 }, async () => {
  const apiKey = await caller;
  const paid = await paidInvoice(apiKey);
  const made = [await createInvoice(apiKey), await createInvoice(apiKey), paid];
  const payouts = [await createPayout(apiKey), await createPayout(apiKey, transferPayout())];
  const document = await issued(apiKey, paid.id);
  const entries = (await pay(apiKey, '/balance-transactions')).body.data;
  const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
  const ids = { inv: idsOf(made), pay: idsOf(payouts), txd: [document.id], bal: idsOf(entries) };

  const check = createChecker();
  const seen = new Map<number, number>();
  const one = fc.oneof(...operations.map((operation) => requests(operation, ids)));
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 10, maxLength: 10 }), async (batch) => {
      for (const status of await Promise.all(batch.map(check))) seen.set(status, (seen.get(status) ?? 0) + 1);
    }),
    { numRuns: 80, endOnFailure: true },
  );
  const total = [...seen.values()].reduce((sum, n) => sum + n, 0);
  expect(total).toBe(800);
  for (const status of [200, 201, 400, 404, 409, 422])
    expect([status, seen.get(status) ?? 0]).toEqual([status, expect.toSatisfy((n) => n > 5)]);
});
