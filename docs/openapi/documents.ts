// Generates the OpenAPI documents from the endpoints: one per public function, and one per naming variant of records.
import { readFileSync } from 'node:fs';
import { OpenAPIHono } from '@hono/zod-openapi';
import { SITE } from '../../shared/platform/documentation.ts';
import type { Endpoint } from '../../shared/platform/http/endpoint.ts';
import {
  allowHeader,
  json,
  type Operation,
  type ResponseHeaders,
  requestIdHeader,
} from '../../shared/platform/http/openapi.ts';
import { type Json, withReferences } from './by-reference.ts';
import { type Examples, examplesIn, withExamples } from './examples.ts';
import { withOptionalKey } from './idempotency.ts';
import { print } from './print.ts';
import { LOCAL_URL, schemes, securityOf } from './security.ts';
import { serviceOperations, serviceRoutes } from './service-operations.ts';
import { type Source, sources } from './sources.ts';
import { withTypes } from './typed-schemas.ts';
import { eventOperation, examplesInVariant } from './variant-examples.ts';

function render(name: string, source: Source, examples?: Examples): string {
  const app = new OpenAPIHono();
  for (const scheme of [...source.schemes, ...(source.otherSchemes ?? [])]) {
    app.openAPIRegistry.registerComponent('securitySchemes', scheme, schemes[scheme]);
  }
  for (const [operationId, endpoint] of Object.entries(source.endpoints)) {
    const described = source.operations[operationId];
    if (!described) throw new Error(`${name}: no OpenAPI description for ${operationId}`);
    const { scopes, everyPerson, idempotencyKeyOwner } = endpoint;
    const operation = idempotencyKeyOwner ? withOptionalKey(described, source.errorResponse) : described;
    const security = scopes && securityOf(source.schemes, scopes, everyPerson);
    const needs = scopes && `Requires the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
    const description = [operation.description, needs].filter(Boolean).join(' ');
    register(app, source, endpoint, {
      operationId,
      ...operation,
      description,
      ...(security && { security }),
    });
  }
  for (const [operationId, endpoint] of Object.entries(serviceRoutes(name))) {
    const operation = serviceOperations(source.errorResponse('The method is not GET.', allowHeader))[
      operationId
    ];
    if (!operation) throw new Error(`No OpenAPI description for ${operationId}`);
    register(app, source, endpoint, { operationId, security: [], ...operation }, source.headers);
  }
  for (const [type, { summary, headers, body }] of Object.entries(source.events ?? {})) {
    app.openAPIRegistry.registerWebhook({
      method: 'post',
      path: type,
      operationId: eventOperation(type),
      summary,
      description:
        'Sent to each subscribed webhook. Respond with a 2xx within 10 seconds. See docs/webhooks.md for retries.',
      tags: ['Events'],
      security: [],
      request: { headers, body: { required: true, content: json(body) } },
      responses: {
        '2XX': { description: 'The delivery succeeded.' },
        '4XX': { description: 'The delivery failed and is retried. A 410 deactivates the webhook.' },
      },
    });
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: source.title,
      description: source.description,
      version: '1',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      contact: { name: 'Placar', url: SITE },
    },
    servers: [
      { url: LOCAL_URL, description: 'Local stack' },
      {
        url: 'https://{project}.supabase.co/functions/v1',
        description: 'Deployment',
        variables: { project: { default: 'your-project' } },
      },
    ],
    tags: Object.entries(tagsOf(source)).map(([tag, description]) => ({ name: tag, description })),
  });
  if (Object.keys(document.webhooks ?? {}).length === 0) delete document.webhooks;
  const typed: Json = { ...withTypes(document) };
  return `${print(withReferences(withExamples(typed, examples ?? examplesOf(name, source, typed))))}\n`;
}

const tagsOf = ({ tags, events }: Source) => ({
  ...tags,
  ...(events && { Events: 'Events that are sent to webhooks.' }),
  Service: 'Health and OpenAPI document of the function.',
});

function register(
  app: OpenAPIHono,
  { service }: Source,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  operation: Operation & { operationId: string },
  headers: ResponseHeaders = {},
): void {
  const responses = Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      {
        ...response,
        headers: { ...requestIdHeader, ...headers, ...('headers' in response && response.headers) },
      },
    ]),
  ) as Operation['responses'];
  // Hono uses :name, OpenAPI {name}.
  const openApiPath = `/${service}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
  app.openAPIRegistry.registerPath({ ...operation, responses, method, path: openApiPath });
}

/** The examples of the committed document; variants B and C have those of variant A in their names. */
function examplesOf(name: string, { variant }: Source, document: Json): Examples {
  const file = new URL(`./${variant ? 'v1' : name}.json`, import.meta.url);
  const examples = examplesIn(JSON.parse(readFileSync(file, 'utf8')));
  return variant ? examplesInVariant(variant, document, examples) : examples;
}

/** Documents that are not committed: `npm ci` writes them. */
export const builtDocuments = Object.keys(sources).filter((name) => sources[name]?.variant);

/** The documents as JSON text, by file name without extension. `recorded` replaces examples of the committed documents. */
export const openApiDocuments = (
  recorded: Readonly<Record<string, Examples>> = {},
  names = Object.keys(sources),
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(sources)
      .filter(([name]) => names.includes(name))
      .map(([name, source]) => [name, render(name, source, recorded[name])]),
  );
