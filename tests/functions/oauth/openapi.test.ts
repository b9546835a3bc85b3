// Generated requests for the OpenAPI document of access tokens: every response has a documented status, and the headers and
// body that are documented for it.
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openApiDocuments } from '../../../docs/openapi/documents.ts';
import { connectDatabase, createTenant } from '../../support/database.ts';
import type { Document } from '../../support/documents/json-schema.ts';
import {
  BATCH,
  createChecker,
  createTally,
  operationsOf,
  RUNS,
  requests,
  type Sent,
  TIMEOUT_MS,
} from '../../support/documents/openapi.ts';
import { createOAuthClient, grant, requestToken } from '../../support/oauth.ts';

const sql = connectDatabase();

test('access tokens: every response matches the documentation, for any request', {
  timeout: TIMEOUT_MS,
}, async () => {
  const document: Document = JSON.parse((await openApiDocuments()).oauth ?? '');
  const { id } = await createTenant(sql);
  const client = await createOAuthClient(sql, id);
  const check = createChecker(document);
  const seen = createTally();
  const audience = inject('env').FUNCTIONS_URL;
  const good = [grant(client), grant(client, { scope: 'read:leads', audience })];
  const all = operationsOf(document).map((one) =>
    requests(document, one, { ids: () => [], bodies: () => good }),
  );
  const one = fc.tuple(fc.oneof(...all), fc.boolean(), fc.ipV4());
  const send = async ([{ operation, target, body }, isForm, address]: [Sent, boolean, string]) => {
    const isFlat = typeof body === 'object' && body !== null && !Array.isArray(body);
    const form = isFlat ? new URLSearchParams(body as Record<string, string>) : undefined;
    const text = JSON.stringify(body);
    // Each has its own IP address, so that failures are not counted together.
    const reply = await requestToken(operation.method === 'GET' ? undefined : isForm && form ? form : text, {
      ...{ path: target, method: operation.method, headers: { 'CF-Connecting-IP': address } },
    });
    const scene = JSON.stringify([
      operation.name,
      target,
      isForm,
      text?.slice(0, 500),
      reply.status,
      reply.body,
    ]);
    expect(reply.status, scene).toBeLessThan(500);
    check(operation, reply, scene);
    seen.add(String(reply.status));
  };
  const batches = fc.array(one, { minLength: BATCH, maxLength: BATCH });
  const property = fc.asyncProperty(batches, async (batch) => void (await Promise.all(batch.map(send))));
  await fc.assert(property, { ...RUNS, numRuns: RUNS.numRuns / 4 });
  for (const status of [200, 400, 401]) {
    expect(seen.of(status), JSON.stringify([...seen.counts])).toBeGreaterThan(3);
  }
});
