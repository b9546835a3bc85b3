// Generated requests for the OpenAPI document of records: every response has a documented status, and the
// headers and body that are documented for it.
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
  type Operation,
  operationsOf,
  REQUESTS,
  RUNS,
  requests,
  type Sent,
  TIMEOUT_MS,
} from '../../support/documents/openapi.ts';
import type { Reply } from '../../support/gamification/sync.ts';
import { createAdminTenant } from '../../support/records/admin-examples.ts';
import { records } from '../../support/records/records.ts';
import { createPlan, furnish } from '../../support/records/records-furnish.ts';
import { type Body, paramsOf, routes, withoutReferences } from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const documents = await openApiDocuments();
const v1: Document = JSON.parse(documents.v1 ?? '');
const all = operationsOf(v1);
const isAdministrative = ({ path }: Operation) => path.startsWith('/admin/');
const operations = all.filter((one) => !isAdministrative(one));
const administration = all.filter(isAdministrative);
const routeOf = ({ method, path }: Operation) =>
  routes.find((route) => route.name === `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);

/** Placeholders in paths and bodies that are replaced with a unique value in each request. */
const UNIQUE = '{unique}';
/** Minimum number of records of each kind. */
const KEPT = 8;

/** The example of a route, and other valid bodies. */
function examplesOf(operation: Operation | undefined): Body[] {
  if (!operation) throw new Error('the document has no such operation');
  const example = routeOf(operation)?.example?.() ?? {};
  if ('email' in example) return [{ ...example, email: `${UNIQUE}@example.com` }];
  // Frequent events would be sent to each of the many webhooks.
  if ('events' in example) return [{ ...example, events: ['badge.earned'] }];
  const { pathname } = new URL(operation.path, 'http://x');
  if (pathname.endsWith('/close')) return [example, { result: 'lost', status: 'lost', loss_reason: 'Price' }];
  return [example];
}

/** Existing records, of which each request uses a random one. */
class Pool {
  readonly #ids = new Map<string, string[]>();
  readonly #deliveries = new Map<string, string>();
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async make(kind: string, path: string): Promise<void> {
    const [example = {}] = examplesOf(operations.find(({ name }) => name === `post ${path}`));
    const body = this.fill(JSON.stringify(withoutReferences(example)), 0);
    const reply = await records(this.#token, 'POST', path, body);
    expect([path, reply.status, reply.body]).toEqual([path, 201, reply.body]);
    const { id } = reply.body.data;
    this.#ids.set(kind, [...(this.#ids.get(kind) ?? []), id]);
    if (kind !== 'webhook') return;
    const { body: tested } = await records(this.#token, 'POST', `/webhooks/${id}/test`);
    this.#deliveries.set(id, tested.data.delivery_id);
  }

  add(kind: string, id: string): void {
    this.#ids.set(kind, [...(this.#ids.get(kind) ?? []), id]);
  }

  /** Replaces a record that was deleted, or that few requests can use. */
  async renew(kind: string, id: string): Promise<void> {
    const ids = this.#ids.get(kind) ?? [];
    if (!madeAt[kind] || !ids.includes(id)) return;
    this.#ids.set(
      kind,
      ids.filter((one) => one !== id),
    );
    await this.make(kind, madeAt[kind]);
  }

  /** Replaces `{lead}` and the like with ids, which are the same for the same seed. */
  fill(text: string, seed: number): string {
    const pick = (kind: string) => {
      const ids = this.#ids.get(kind) ?? [];
      return ids[seed % ids.length];
    };
    return text.replace(/\{(\w+)\}|%7B(\w+)%7D/g, (whole, inText, inPath) => {
      const kind = inText ?? inPath;
      if (kind === 'unique') return crypto.randomUUID();
      if (kind === 'delivery') return this.#deliveries.get(pick('webhook') ?? '') ?? whole;
      return pick(kind) ?? whole;
    });
  }
}

/** The route that creates each kind of record. */
const madeAt: Record<string, string> = {
  user: '/users',
  team: '/teams',
  parent: '/teams',
  lead: '/leads',
  duplicate: '/leads',
  deal: '/deals',
  invitation: '/invitations',
  webhook: '/webhooks',
};

interface Varied extends Sent {
  seed: number;
  headers: Record<string, string>;
}

/** Most requests have valid headers, so that not all of them fail because of a header. */
const seldom = <T>(...values: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.constantFrom(...values));
const headers = fc
  .tuple(seldom('a', 'A', 'b', 'b', 'c', 'c', 'x'), seldom('my crm', 'x'.repeat(64), 'x'.repeat(65), ''))
  .map(([variant, origin]) => ({
    ...(variant !== undefined && { 'X-Api-Variant': variant }),
    ...(origin !== undefined && { 'X-Origin': origin }),
  }));

/** The variant that a request selects. */
const checks = {
  a: createChecker(v1),
  b: createChecker(JSON.parse(documents['v1-b'] ?? '')),
  c: createChecker(JSON.parse(documents['v1-c'] ?? '')),
};
const operationsIn = {
  a: operations,
  b: operationsOf(JSON.parse(documents['v1-b'] ?? '')),
  c: operationsOf(JSON.parse(documents['v1-c'] ?? '')),
};

/** Validates a response with the document of its variant. */
function check(operation: Operation, variant: string | undefined, reply: Reply, scene: string): void {
  const asked = variant?.toLowerCase();
  const id = asked === 'b' || asked === 'c' ? asked : 'a';
  const same = operationsIn[id].find(({ name }) => name === operation.name);
  // Each document has its own URL.
  if (same) checks[id](same, reply, scene);
}

const known: Known = {
  ids: (operation, name) => {
    const params = paramsOf(routeOf(operation)?.path ?? '');
    return [`{${params.find(([parameter]) => parameter === name)?.[1]}}`];
  },
  bodies: examplesOf,
};
const variedOf = (some: readonly Operation[]) =>
  fc
    .tuple(fc.oneof(...some.map((one) => requests(v1, one, known))), headers, fc.nat({ max: 1000 }))
    .map(([sent, more, seed]): Varied => ({ ...sent, headers: more, seed }));
const varied = variedOf(operations);

test('records: every response matches the documentation, for any request', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { tenant, ids } = await furnish(sql, await createPlan(sql));
  const pool = new Pool(tenant.token);
  for (const [kind, id] of Object.entries(ids)) pool.add(kind, id);
  for (const [kind, path] of Object.entries(madeAt)) {
    for (let i = 0; i < KEPT; i++) await pool.make(kind, path);
  }
  const seen = createTally();
  const reached = createTally();

  const send = async ({ operation, target, body, seed, ...options }: Varied) => {
    const at = pool.fill(target, seed);
    const sent = operation.method === 'GET' || body === undefined ? undefined : JSON.stringify(body);
    const text = sent && pool.fill(sent, seed);
    const reply = await records(tenant.token, operation.method, at, text, options);
    const scene = JSON.stringify([
      operation.name,
      at,
      options,
      text?.slice(0, 500),
      reply.status,
      reply.body,
    ]);
    expect(reply.status, scene).toBeLessThan(500);
    const done = reply.status < 300;
    check(operation, options.headers['X-Api-Variant'], reply, scene);
    seen.add(String(reply.status));
    if (done) reached.add(operation.name);
    if (done && target.endsWith('/merge')) await pool.renew('duplicate', JSON.parse(text ?? '{}').loser_id);
    if (reply.status === 204 || reply.status === 409) {
      const [[, kind] = []] = paramsOf(routeOf(operation)?.path ?? '');
      // Assigns or releases an external id, which is not a record itself.
      if (kind && kind !== 'external') await pool.renew(kind, at.split('/')[2] ?? '');
    }
  };
  const batches = fc.array(varied, { minLength: BATCH, maxLength: BATCH });
  const property = fc.asyncProperty(batches, async (batch) => void (await Promise.all(batch.map(send))));
  await fc.assert(property, RUNS);

  const missed = operations.map(({ name }) => name).filter((name) => reached.of(name) === 0);
  const summary = JSON.stringify([...seen.counts, 'never done:', ...missed]);
  for (const status of [200, 201, 202, 204, 400, 404, 409, 422]) {
    expect(seen.of(status), `${status} in ${summary}`).toBeGreaterThan(0);
  }
  expect(missed.length, summary).toBeLessThanOrEqual(REQUESTS < 5000 ? operations.length / 5 : 0);
  if (REQUESTS > 800) console.info(summary);
});

/** Everything with an external id or an id, and an example with a valid path. */
const adminKnown: Record<string, string> = { code: '010', request_id: 'unknown', change_id: '1' };

test('administration: every response matches the documentation, for any request', {
  timeout: TIMEOUT_MS,
}, async () => {
  const tenant = await createAdminTenant(sql);
  const seen = createTally();
  const send = async ({ operation, target, body, ...options }: Varied) => {
    const fill = (text: string) =>
      text.replace(/\{(\w+)\}|%7B(\w+)%7D/g, (whole, inText, inPath) =>
        (inText ?? inPath) === 'unique' ? crypto.randomUUID() : (adminKnown[inText ?? inPath] ?? whole),
      );
    const sent = operation.method === 'GET' || body === undefined ? undefined : JSON.stringify(body);
    const reply = await records(tenant.token, operation.method, fill(target), sent && fill(sent), options);
    const scene = JSON.stringify([
      operation.name,
      target,
      options,
      sent?.slice(0, 500),
      reply.status,
      reply.body,
    ]);
    expect(reply.status, scene).toBeLessThan(500);
    check(operation, options.headers['X-Api-Variant'], reply, scene);
    seen.add(String(reply.status));
  };
  const batches = fc.array(variedOf(administration), { minLength: BATCH, maxLength: BATCH });
  const property = fc.asyncProperty(batches, async (batch) => void (await Promise.all(batch.map(send))));
  await fc.assert(property, RUNS);
  for (const status of [200, 201, 400, 404])
    expect(seen.of(status), JSON.stringify(seen.counts)).toBeGreaterThan(0);
});
