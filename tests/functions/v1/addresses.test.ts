// Paths and ids: missing records, records of other tenants, and methods that a path does not support. This is the
// same on every route of the service.
import { beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { type Document, resolve } from '../../support/documents/json-schema.ts';
import { openApiFiles } from '../../support/documents/openapi-files.ts';
import { records } from '../../support/records/records.ts';
import { expectError, expectNoLimit, limitOf } from '../../support/records/records-answers.ts';
import { createPlan, type Furnished, furnish, stateOf } from '../../support/records/records-furnish.ts';
import {
  bodiesWithForeignIds,
  fillBody,
  fillPath,
  type Ids,
  paramsOf,
  routes,
} from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const NOT_IDS = ['x', 'null', '0', '%00', '%ff', '%27%20or%20true', '%7B%7D', 'a'.repeat(3000)];

let mine: Furnished;
let theirs: Furnished;
let token: string;
beforeAll(async () => {
  const plan = await createPlan(sql);
  [mine, theirs] = await Promise.all([furnish(sql, plan), furnish(sql, plan)]);
  token = mine.tenant.token;
});

const states = () => Promise.all([mine, theirs].map(({ tenant }) => stateOf(sql, tenant.id)));
const paths = [...new Set(routes.map(({ path }) => path))].map((path) => ({
  path,
  methods: routes.filter((route) => route.path === path).map(({ method }) => method),
}));

// External ids are free text: see external-ids.test.ts.
const byId = routes.filter(({ path }) => path.includes(':') && !path.includes(':external_id'));

describe.each(byId)('$name', ({ method, path, example }) => {
  const send = (ids: Ids) => records(token, method, fillPath(path, ids), fillBody(example?.(), mine.ids));

  test("returns 404 for another tenant's ids, and changes nothing", async () => {
    const before = await states();
    const kinds = paramsOf(path).map(([, kind]) => kind);
    const cases = [
      theirs.ids,
      ...kinds.map((kind) => ({ ...mine.ids, [kind]: theirs.ids[kind] })),
      ...kinds.map((kind) => ({ ...mine.ids, [kind]: crypto.randomUUID() })),
    ];
    for (const ids of cases) {
      const reply = await send(ids);
      expectError(reply, 404, 'NOT_FOUND');
      limitOf(reply);
    }
    expect(await states()).toEqual(before);
  });

  test('returns 404 for text that is not an id', async () => {
    const before = await states();
    for (const [, kind] of paramsOf(path)) {
      for (const wrong of [...NOT_IDS, `${mine.ids[kind]}0`, mine.ids[kind].slice(0, -1)]) {
        const reply = await send({ ...mine.ids, [kind]: wrong });
        expectError(reply, 404, 'NOT_FOUND');
        limitOf(reply);
      }
    }
    expect(await states()).toEqual(before);
  });
});

test.each(routes.filter(({ example }) => example && /\{\w+\}/.test(JSON.stringify(example()))))(
  "$name rejects another tenant's records in its body, and changes nothing",
  async ({ method, path, example = () => ({}) }) => {
    const before = await states();
    const cases = [
      ...bodiesWithForeignIds(example(), mine.ids, theirs.ids),
      ...bodiesWithForeignIds(example(), mine.ids, absent()),
    ];
    expect(cases).not.toEqual([]);
    for (const { field, body } of cases) {
      const reply = await records(token, method, fillPath(path, mine.ids), body);
      if (path.endsWith('/batch')) {
        const { status, error } = reply.body.data.results[0];
        expect([reply.status, status, error.code]).toEqual([200, 422, 'UNPROCESSABLE_ENTITY']);
      } else expectError(reply, 422, 'UNPROCESSABLE_ENTITY', [field]);
      limitOf(reply);
    }
    expect(await states()).toEqual(before);
  },
);

test('the examples reference every record that a body can reference', async () => {
  const document: Document = JSON.parse(openApiFiles.v1 ?? '');
  for (const { name, method, path, example } of routes) {
    const operation = document.paths[`/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`][method.toLowerCase()];
    const { properties = {} } = resolve(
      document,
      operation.requestBody?.content['application/json'].schema ?? {},
    );
    const fields = Object.keys(properties).filter((field) => {
      const { format, items } = properties[field];
      return [format, items?.format].includes('uuid');
    });
    const inExample = Object.entries(example?.() ?? {}).filter(([, value]) =>
      /\{\w+\}/.test(JSON.stringify(value)),
    );
    expect([name, inExample.map(([field]) => field)]).toEqual([name, expect.arrayContaining(fields)]);
  }
});

/** Ids that do not exist. */
const absent = () =>
  Object.fromEntries(Object.keys(mine.ids).map((kind) => [kind, crypto.randomUUID()])) as unknown as Ids;

describe.each(paths)('$path', ({ path, methods }) => {
  test('returns 405 for other methods, naming its own, with and without a token', async () => {
    const before = await states();
    const at = fillPath(path, mine.ids);
    for (const method of METHODS.filter((one) => !methods.includes(one))) {
      for (const as of [token, null]) {
        const reply = await records(as, method, at);
        expectError(reply, 405, 'METHOD_NOT_ALLOWED');
        expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(methods.toSorted());
        if (as) limitOf(reply);
        else expectNoLimit(reply);
      }
    }
    expect(await states()).toEqual(before);
  });

  test('returns 404 with a trailing slash or in capitals', async () => {
    const at = fillPath(path, mine.ids);
    for (const wrong of [`${at}/`, at.replace(/^\/\w/, (start) => start.toUpperCase())]) {
      const reply = await records(token, 'GET', wrong);
      expectError(reply, 404, 'NOT_FOUND');
      limitOf(reply);
    }
  });
});

test('unknown paths return 404, and no response has CORS headers', async () => {
  for (const path of ['', '/', '/nothing', '/leads//convert', '/lead', '/leads/x/y/z']) {
    for (const as of [token, null, 'garbage']) {
      const reply = await records(as, 'GET', path, undefined, { headers: { Origin: 'https://example.com' } });
      expectError(reply, 404, 'NOT_FOUND');
      if (as === token) limitOf(reply);
      else expectNoLimit(reply);
      expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  }
});
