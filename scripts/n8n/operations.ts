// Describes every operation of the OpenAPI documents as data, which the nodes of the n8n package interpret.
import { type Field, fieldOf, parameterField } from './fields.ts';
import { type Document, documents, membersOf, type Operation, parametersOf } from './openapi.ts';

/** See `Operation` in clients/n8n/shared/operation.ts. Fields are keys of the common table. */
interface Described {
  id: string;
  resource: string;
  name: string;
  description?: string;
  credential: 'oauth2' | 'apiKey';
  method: string;
  path: string;
  list?: 'pages' | 'ids' | 'cursor';
  isFile?: true;
  inPath?: string[];
  inQuery?: string[];
  inHeaders?: string[];
  inBody?: string[];
}

/** Parameters that the nodes set themselves. */
const PAGING = ['page', 'per_page', 'limit', 'starting_after', 'ending_before'];

/** Names of resources whose tag is used in several documents. */
const resourceNames: Record<string, string> = {
  'payments Webhooks': 'Payment webhooks',
  'payments Events': 'Payment events',
  'payments Service': 'Payments service',
  'default-integration Service': 'Activity sync service',
};

const camelCase = (text: string) =>
  text.charAt(0).toLowerCase() +
  text.slice(1).replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase());

/** Fields by key: the name, followed by a number if several fields have this name. */
class FieldTable {
  readonly fields: Record<string, Field> = {};

  keyOf(field: Field): string {
    for (let number = 1; ; number++) {
      const key = number === 1 ? field.name : `${field.name}-${number}`;
      const found = this.fields[key];
      if (!found) this.fields[key] = field;
      if (!found || JSON.stringify(found) === JSON.stringify(field)) return key;
    }
  }
}

function listOf(names: string[]): Described['list'] {
  if (names.includes('page')) return 'pages';
  if (names.includes('starting_after')) return 'ids';
  return names.includes('after') && names.includes('limit') ? 'cursor' : undefined;
}

/** Programs send an access token to records. Everything else takes an API key, or the token of a person or a board. */
function credentialOf({ name }: Document, { security }: Operation): Described['credential'] {
  const schemes = security.flatMap((one) => Object.keys(one));
  const isToken = schemes.length === 0 ? name === 'v1' : schemes.includes('oauth2');
  return isToken ? 'oauth2' : 'apiKey';
}

function describe(
  document: Document,
  table: FieldTable,
  [path, method, operation]: [string, string, Operation],
) {
  const parameters = parametersOf(document, operation);
  const list = listOf(parameters.map(({ name }) => name));
  const keys = (place: string, isShown: (name: string, values?: unknown[]) => boolean) => {
    const shown = parameters.filter((one) => one.in === place && isShown(one.name, one.schema.enum));
    return shown.map((one) => table.keyOf(parameterField(document, one)));
  };
  const body = operation.requestBody?.content['application/json'].schema;
  const inBody =
    body &&
    Object.entries(membersOf(document, body)).map(([name, { isRequired, ...schema }]) =>
      table.keyOf(fieldOf(document, name, schema, isRequired)),
    );
  const [, answer] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  const [type = 'application/json'] = Object.keys(answer?.content ?? {});
  const [tag] = operation.tags;
  const resource = resourceNames[`${document.name} ${tag}`] ?? tag;
  const described: Described = {
    id: operation.operationId,
    resource: camelCase(resource),
    name: operation.summary,
    ...(operation.description && { description: operation.description }),
    credential: credentialOf(document, operation),
    method: method.toUpperCase(),
    path,
    ...(list && { list }),
    ...(type !== 'application/json' && { isFile: true }),
    inPath: keys('path', () => true),
    inQuery: keys('query', (name) => !list || !PAGING.includes(name)),
    // The documents are those of variant A. A workflow has no cached record to compare with.
    inHeaders: keys(
      'header',
      (name, values) => name !== 'X-Api-Variant' && (name !== 'If-None-Match' || !!values),
    ),
    ...(inBody && { inBody }),
  };
  return { described, resource };
}

interface DescribedInterfaces {
  fields: Record<string, Field>;
  resources: Record<string, string>;
  operations: Described[];
  /** Types of events by interface. */
  events: { records: string[]; payments: string[] };
}

/** Everything that the nodes know about the interfaces. */
export function describeInterfaces(): DescribedInterfaces {
  const table = new FieldTable();
  const resources: Record<string, string> = {};
  const operations: Described[] = [];
  for (const document of documents) {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const { described, resource } = describe(document, table, [path, method, operation]);
        resources[described.resource] = resource;
        operations.push(described);
      }
    }
  }
  const typesOf = (resource: string) => {
    const { inBody = [] } =
      operations.find((one) => one.resource === resource && one.id === 'createWebhook') ?? {};
    const key = inBody.find((one) => table.fields[one]?.name === 'events');
    return (key && table.fields[key]?.values) || [];
  };
  return {
    fields: table.fields,
    resources,
    operations,
    events: { records: typesOf('webhooks'), payments: typesOf('paymentWebhooks') },
  };
}
