// Invalid headers and bodies after authentication, on every route.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../support/database.ts';
import { records } from '../../support/records/records.ts';
import { expectError, limitOf, logRow } from '../../support/records/records-answers.ts';
import { createPlan, type Furnished, furnish, stateOf } from '../../support/records/records-furnish.ts';
import { fillBody, fillPath, routes, sampleFor } from '../../support/records/records-routes.ts';

const sql = connectDatabase();
const MAX_BODY_BYTES = 6 * 1024 * 1024;

let own: Furnished;
beforeAll(async () => {
  own = await furnish(sql, await createPlan(sql));
});

/** Sends a request. Asserts that it is rejected with exactly this error. */
async function expectRefused(
  { method, path }: { method: string; path: string },
  sent: { body?: unknown; headers?: Record<string, string> },
  [status, code, ...fields]: [number, string, ...string[]],
) {
  const { tenant, ids } = own;
  const requestId = `mine-${crypto.randomUUID()}`;
  const headers = { 'X-Request-Id': requestId, ...sent.headers };
  const reply = await records(tenant.token, method, fillPath(path, ids), sent.body, { headers });
  expectError(reply, status, code, fields);
  expect(reply.body.meta.request_id).toBe(requestId);
  limitOf(reply);
  const row = await logRow(sql, reply);
  expect(row).toMatchObject({ status, method, path: `/v1${fillPath(path, ids)}` });
  // A body that is too large is rejected before authentication.
  if (status !== 413) expect(row).toMatchObject({ tenant_id: tenant.id, client_id: tenant.clientId });
}

describe.each(routes)('$name', (route) => {
  const { method, path, takesBody, example } = route;
  const good = () => fillBody(example?.(), own.ids);
  const refused = (
    body: unknown,
    wanted: [number, string, ...string[]],
    headers: Record<string, string> = {},
  ) => expectRefused(route, { body, headers }, wanted);

  let before: unknown;
  beforeAll(async () => {
    before = await stateOf(sql, own.tenant.id);
  });
  afterAll(async () => expect(await stateOf(sql, own.tenant.id), 'nothing was executed').toEqual(before));

  test('rejects an unknown variant and an invalid origin', async () => {
    for (const variant of sampleFor(route, ['d', '', 'A,B', 'toString', '__proto__'])) {
      await refused(good(), [400, 'VALIDATION_ERROR', 'X-Api-Variant'], { 'X-Api-Variant': variant });
    }
    for (const origin of sampleFor(route, ['x'.repeat(65), 'caf\u00e9', 'a\tb'])) {
      await refused(good(), [400, 'VALIDATION_ERROR', 'X-Origin'], { 'X-Origin': origin });
    }
  });

  test('keeps a request id of 1 to 128 visible characters, and generates one otherwise', async () => {
    const at = fillPath(path, own.ids);
    // Rejected immediately, so that nothing is executed.
    const send = (id: string) =>
      records(own.tenant.token, method, at, good(), {
        headers: { 'X-Request-Id': id, 'X-Api-Variant': 'x' },
      });
    for (const id of ['!', 'x'.repeat(120) + crypto.randomUUID().slice(0, 8)]) {
      const reply = await send(id);
      expect([reply.headers.get('x-request-id'), reply.body.meta.request_id]).toEqual([id, id]);
    }
    for (const id of sampleFor(route, ['x'.repeat(129), '', 'a b', 'caf\u00e9'])) {
      const reply = await send(id);
      expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(reply.body.meta.request_id).toBe(reply.headers.get('x-request-id'));
    }
  });

  if (takesBody === 'none') {
    test('ignores a body', async () => {
      // Rejected only because of its header.
      const headers = { 'Content-Type': 'text/plain', 'X-Api-Variant': 'x' };
      await (method === 'GET'
        ? refused(undefined, [400, 'VALIDATION_ERROR', 'X-Api-Variant'], headers)
        : refused('{', [400, 'VALIDATION_ERROR', 'X-Api-Variant'], headers));
    });
    return;
  }

  test('returns 413 for more than 6 MiB', async () => {
    const text = `{"name":"${'x'.repeat(MAX_BODY_BYTES)}"}`;
    await refused(text, [413, 'PAYLOAD_TOO_LARGE']);
  });

  test('returns 415 for a body that is not declared as JSON, before reading it', async () => {
    for (const type of sampleFor(route, [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      '',
    ])) {
      await refused('{', [415, 'UNSUPPORTED_MEDIA_TYPE'], { 'Content-Type': type });
    }
  });

  test('returns 400 for a body that is not a JSON object', async () => {
    const deep = `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`;
    const noUtf8 = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    for (const body of sampleFor(route, ['[]', '{', '"text"', 'null', '7', '{"a":1}x', deep, noUtf8])) {
      await refused(body, [400, 'VALIDATION_ERROR']);
    }
    if (takesBody === 'required') await refused('', [400, 'VALIDATION_ERROR']);
  });

  test('accepts JSON by any of its media types', async () => {
    const types = ['application/vnd.api+json', 'application/json; charset=utf-8', 'APPLICATION/JSON'];
    for (const type of sampleFor(route, types)) {
      await refused('{', [400, 'VALIDATION_ERROR'], { 'Content-Type': type });
    }
  });
});

test.each(routes.filter(({ takesBody }) => takesBody === 'optional'))(
  '$name needs no body',
  async (route) => {
    const { tenant, ids } = await furnish(sql);
    const reply = await records(tenant.token, route.method, fillPath(route.path, ids));
    expect([reply.status, reply.body]).toEqual([route.successStatus, expect.anything()]);
  },
);
