/** Compares requests with a vendor's OpenAPI document: paths, methods, query, members of bodies, required ones and enums. */
import type { LoggedRequest } from '../../../local/fakes/request-log.ts';
import type { Result } from '../run.ts';
import type { OpenApiDocument, Operation, Schema } from './document.ts';

export type SentRequest = Pick<LoggedRequest, 'method' | 'path' | 'query' | 'body'>;

/** One result per operation, in the order of its first request. */
export function compareRequests(document: OpenApiDocument, requests: readonly SentRequest[]): Result[] {
  const faults = new Map<string, Set<string>>();
  for (const request of requests) {
    const operation = document.operation(request.method, request.path);
    const name = `${request.method} ${operation?.path ?? request.path}`;
    const known = faults.get(name) ?? new Set();
    faults.set(name, known);
    for (const fault of operation ? faultsOf(document, operation, request) : ['is not in the document'])
      known.add(fault);
  }
  return [...faults].map(([name, known]) => ({
    name,
    outcome: known.size === 0 ? 'held' : 'did not hold',
    why: [...known].join('; '),
  }));
}

function faultsOf(document: OpenApiDocument, { query, body }: Operation, request: SentRequest): string[] {
  const known = new Map(query.map((parameter) => [parameter.name ?? '', parameter]));
  const faults: string[] = [];
  for (const [name, value] of Object.entries(request.query)) {
    const parameter = known.get(name);
    if (!parameter) faults.push(`query ${name} is unknown`);
    else faults.push(...enumFaults(document.resolve(parameter.schema ?? {}), value, `query ${name}`));
  }
  for (const [name, { required }] of known)
    if (required && !(name in request.query)) faults.push(`query ${name} is required`);
  if (request.body === null || request.body === undefined)
    return body?.required ? [...faults, 'a body is required'] : faults;
  if (!body) return [...faults, 'no body is documented'];
  return [...faults, ...valueFaults(document, body.schema ?? {}, request.body, '')];
}

function valueFaults(document: OpenApiDocument, given: Schema, value: unknown, at: string): string[] {
  const schema = document.resolve(given);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) {
    const rest: Schema = { ...schema, oneOf: undefined, anyOf: undefined };
    const tried = variants.map((variant) => valueFaults(document, { allOf: [rest, variant] }, value, at));
    return tried.reduce((fewest, faults) => (faults.length < fewest.length ? faults : fewest));
  }
  const parts = partsOf(document, schema);
  const here = at === '' ? 'the body' : at;
  const wrong = parts.flatMap((part) => [...typeFaults(part, value, here), ...enumFaults(part, value, here)]);
  if (wrong.length > 0) return wrong;
  if (Array.isArray(value)) {
    const items = parts.find((part) => part.items)?.items;
    return items ? value.flatMap((item, n) => valueFaults(document, items, item, `${at}[${n}]`)) : [];
  }
  return typeof value === 'object' && value !== null ? memberFaults(document, parts, value, at) : [];
}

function memberFaults(document: OpenApiDocument, parts: Schema[], value: object, at: string): string[] {
  const isOpen = parts.some((part) => part.additionalProperties) || parts.every((part) => !part.properties);
  const path = (member: string) => (at === '' ? member : `${at}.${member}`);
  const missing = parts
    .flatMap(({ required = [] }) => required)
    .filter((member) => !(member in value))
    .map((member) => `${path(member)} is required`);
  const wrong = Object.entries(value).flatMap(([member, inner]) => {
    const schema = parts.find((part) => part.properties?.[member])?.properties?.[member];
    if (schema) return valueFaults(document, schema, inner, path(member));
    return isOpen ? [] : [`${path(member)} is unknown`];
  });
  return [...missing, ...wrong];
}

/** A schema and all schemas that it consists of. */
function partsOf(document: OpenApiDocument, schema: Schema): Schema[] {
  const own = document.resolve(schema);
  return [own, ...(own.allOf ?? []).flatMap((part) => partsOf(document, part))];
}

const isNullable = ({ type, nullable }: Schema): boolean =>
  nullable === true || (Array.isArray(type) && type.includes('null'));

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

function typeFaults(schema: Schema, value: unknown, at: string): string[] {
  if (schema.type === undefined) return [];
  const types = [schema.type].flat();
  if (value === null) return isNullable(schema) ? [] : [`${at} may not be null`];
  const type = typeOf(value);
  const fits = types.some((one) => one === type || (one === 'integer' && Number.isInteger(value)));
  return fits ? [] : [`${at} must be of type ${types.join(' or ')}`];
}

/** In a query, numbers and booleans are strings. */
function enumFaults(schema: Schema, value: unknown, at: string): string[] {
  if (!schema.enum || (value === null && isNullable(schema))) return [];
  return schema.enum.some((one) => one === value || String(one) === value)
    ? []
    : [`${at} has the undocumented value ${JSON.stringify(value)}`];
}
