// The OpenAPI document of activity sync, kept by every answer.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openApiDocuments } from '../../docs/openapi/documents.ts';
import { connectDatabase, createTenant } from '../support/database.ts';
import {
  type Document,
  fitting,
  nearlyFitting,
  resolve,
  type Schema,
} from '../support/documents/json-schema.ts';
import { collaborator, type Reply, sync, syncCollaborators } from '../support/gamification/sync.ts';

const sql = connectDatabase();
const documents = await openApiDocuments();

/** Fails unless the answer has a documented status and the body that is documented for it. */
function createChecker(document: Document, operation: Schema): (reply: Reply) => void {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  return ({ status, body }) => {
    const response = operation.responses[status];
    expect(response, `status ${status} is documented: ${JSON.stringify(body)}`).toBeDefined();
    const { schema } = response.content['application/json'];
    const { components } = document;
    const validate = ajv.compile({ ...schema, components });
    expect(validate(body), JSON.stringify([validate.errors, body])).toBe(true);
  };
}

test('activity sync: no request causes a 5xx, and every response matches the documentation', async () => {
  const { apiKey } = await createTenant(sql);
  await syncCollaborators(apiKey, [collaborator('ana'), collaborator('bia')]);
  const document = JSON.parse(documents['default-integration'] ?? '');
  const operation = document.paths['/default-integration'].post;
  const schema = resolve(document, operation.requestBody.content['application/json'].schema);
  const check = createChecker(document, operation);
  const bodies = fc.oneof(
    fitting(document, schema),
    nearlyFitting(document, schema),
    nearlyFitting(document, schema),
  );
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(bodies, { minLength: 8, maxLength: 8 }), async (batch) => {
      for (const reply of await Promise.all(batch.map((body) => sync(apiKey, body)))) {
        expect(reply.status).toBeLessThan(500);
        seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
        check(reply);
      }
    }),
    { numRuns: 60 },
  );
  expect(seen.get(200)).toBeGreaterThan(50);
  expect(seen.get(400)).toBeGreaterThan(50);
});
