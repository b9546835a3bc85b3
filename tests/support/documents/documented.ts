// The operations of an OpenAPI document, and validation of their responses.
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Reply } from '../gamification/sync.ts';
import { createCompiler, type Document, resolve, type Schema } from './json-schema.ts';

export interface Operation {
  /** Such as `get /leads/{id}`. */
  name: string;
  method: string;
  /** Path below the function, with `{id}`. */
  path: string;
  parameters: Schema[];
  body: Schema | undefined;
  /** The body of the documented example. */
  example: object | undefined;
  responses: Schema;
  /** Whether it is public and ignores credentials. */
  isOpen: boolean;
}

/** The operations of a function's document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries<Schema>(document.paths).flatMap(([full, methods]) =>
    Object.entries<Schema>(methods).map(([method, { parameters = [], requestBody, responses, security }]) => {
      const path = full.replace(/^\/[\w-]+/, '');
      return {
        name: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((parameter: Schema) => resolve(document, parameter)),
        body: requestBody?.content['application/json'].schema,
        example: requestBody?.content['application/json'].example,
        responses,
        isOpen: Array.isArray(security) && security.length === 0,
      };
    }),
  );
}

/** The document with schemas that forbid additional members. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

/** Headers that clients use: responses that have one must document it. */
const OWN_HEADERS = [
  'x-request-id',
  'idempotent-replay',
  'etag',
  'location',
  'content-disposition',
  'retry-after',
  'www-authenticate',
  'allow',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

/** Headers that a response lacks or has against its documentation. */
export function headerFaults(document: Document, response: Schema, sent: Headers): string[] {
  const { headers = {} } = resolve(document, response);
  const missing = Object.keys(headers).filter(
    (name) => resolve(document, headers[name]).required && !sent.has(name),
  );
  const known = Object.keys(headers).map((name) => name.toLowerCase());
  const untold = OWN_HEADERS.filter((name) => sent.has(name) && !known.includes(name));
  return [
    ...missing.map((name) => `no header ${name}`),
    ...untold.map((name) => `undocumented header ${name}`),
  ];
}

/** Differences between a response and its documentation: status, missing headers, media type, body. */
export type Inspector = (operation: Operation, reply: Reply) => string[];

export function createInspector(given: Document): Inspector {
  const compile = createCompiler(closed(given) as Document);
  /** Each is compiled once, because there are many responses. */
  const validators = new Map<unknown, ValidateFunction>();
  const validatorOf = (schema: Schema, known: unknown): ValidateFunction => {
    const validator = validators.get(known) ?? compile(schema);
    validators.set(known, validator);
    return validator;
  };
  return ({ responses }, { status, headers: sent, body }) => {
    const documented = responses[status];
    if (!documented) return [`undocumented status ${status}`];
    const { content } = resolve(given, documented);
    const faults = headerFaults(given, documented, sent).map((fault) => `${fault} beside ${status}`);
    if (!content) return body ? [...faults, `a body beside ${status}`] : faults;
    const type = sent.get('content-type')?.split(';')[0] ?? '';
    const schema = content[type]?.schema;
    if (!schema) return [...faults, `undocumented media type ${type} beside ${status}`];
    const validate = validatorOf(closed(schema) as Schema, schema);
    if (validate(body)) return faults;
    const [error] = validate.errors ?? [];
    return [
      ...faults,
      `body of ${status}: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`,
    ];
  };
}
