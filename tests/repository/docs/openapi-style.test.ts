// Requirements of client generators and readers for each operation.
import { describe, expect, test } from 'vitest';
import { paymentsEventTypes } from '../../../shared/payments/webhooks/event-types.ts';
import { eventTypes } from '../../../shared/records/events/event-types.ts';
import { variants } from '../../../shared/records/variants/variants.ts';
import { createCompiler, type Document, resolve, type Schema } from '../../support/documents/json-schema.ts';
import { openApiFiles } from '../../support/documents/openapi-files.ts';

const all = Object.entries(openApiFiles).map(([name, text]): [string, Document] => [name, JSON.parse(text)]);

/** The document itself is its own example. */
const WITHOUT_EXAMPLE = ['getOpenApiDocument'];

describe.each(all)('%s', (_, document) => {
  const operations = Object.values<Schema>(document.paths).flatMap((one) => Object.values<Schema>(one));
  const tags = document.tags.map(({ name }: { name: string }) => name);

  test('each operation has a unique id of verb and noun, a summary, a description and a known tag', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { operationId, summary, description, tags: own, security } of operations) {
      expect(operationId).toMatch(/^[a-z]+([A-Z][a-zA-Z]+)+$/);
      expect([operationId, summary, description]).toEqual([
        operationId,
        expect.stringMatching(/\w/),
        expect.stringMatching(/\w/),
      ]);
      expect([operationId, own.length, tags.includes(own[0])]).toEqual([operationId, 1, true]);
      expect([operationId, Array.isArray(security)]).toEqual([operationId, true]);
    }
  });

  test('each parameter has a description', () => {
    const described = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((given: Schema) => {
        const { name, schema, description = schema.description } = resolve(document, given);
        return [operationId, name, description];
      }),
    );
    for (const one of described) expect(one).toEqual([one[0], one[1], expect.stringMatching(/\w/)]);
  });

  test('each request body and successful response has a valid example', () => {
    const compile = createCompiler(document);
    for (const { operationId, requestBody, responses } of operations) {
      if (WITHOUT_EXAMPLE.includes(operationId)) continue;
      const [success] = Object.keys(responses).filter((status) => status < '300');
      const media = [requestBody, responses[success ?? '']].flatMap((one) =>
        Object.values<Schema>(one?.content ?? {}),
      );
      for (const { schema, example } of media) {
        expect([operationId, example]).toEqual([operationId, expect.anything()]);
        const validate = compile(schema);
        expect([operationId, validate(example), validate.errors]).toEqual([operationId, true, null]);
      }
    }
  });

  test('every response has the request id, 401 and 403 a challenge, 405 the allowed methods, 429 and 503 Retry-After', () => {
    for (const { operationId, responses, tags: own } of operations) {
      for (const [status, given] of Object.entries<Schema>(responses)) {
        const { headers } = resolve(document, given);
        const always = Object.keys(headers).filter((name) => resolve(document, headers[name]).required);
        const wanted = ['X-Request-Id'];
        if (['401', '403'].includes(status)) wanted.push('WWW-Authenticate');
        if (status === '405') wanted.push('Allow');
        if (status === '429' || (status === '503' && own[0] !== 'Service')) wanted.push('Retry-After');
        expect([operationId, status, always]).toEqual([operationId, status, expect.arrayContaining(wanted)]);
      }
    }
  });
});

test.each([
  ['payments', [...paymentsEventTypes, 'webhook.test']],
  ...(['a', 'b', 'c'] as const).map((id): [string, string[]] => [
    id === 'a' ? 'v1' : `v1-${id}`,
    [...eventTypes.map((type) => variants[id].eventTypes[type] ?? type), 'webhook.test'],
  ]),
])('%s describes every event that webhooks receive', (name, types) => {
  const document = new Map(all).get(name) ?? {};
  expect(Object.keys(document.webhooks).sort()).toEqual(types.toSorted());
  for (const [type, { post }] of Object.entries<Schema>(document.webhooks)) {
    const { schema } = post.requestBody.content['application/json'];
    expect([type, schema.properties.type.enum ?? [schema.properties.type.const]]).toEqual([type, [type]]);
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(['id', 'type', 'created_at', 'data']),
    );
  }
});
