// Requests made from an OpenAPI document, and what it says of their answers.
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Document, fitting, nearlyFitting, resolve, type Schema } from './json-schema.ts';
import type { Reply } from './sync.ts';

export const BATCH = 10;
/** How many requests a suite makes; more of them find more, and take as much longer. */
export const REQUESTS = Number(process.env.OPENAPI_REQUESTS ?? 800);
export const RUNS = { numRuns: REQUESTS / BATCH, endOnFailure: true };
export const TIMEOUT_MS = 60_000 + REQUESTS * 100;

export interface Operation {
  /** Such as `get /leads/{id}`. */
  name: string;
  method: string;
  /** Below the function, with `{id}`. */
  path: string;
  parameters: Schema[];
  body: Schema | undefined;
  responses: Schema;
}

/** The operations of a function's document. */
export function operationsOf(document: Document): Operation[] {
  return Object.entries<Schema>(document.paths).flatMap(([full, methods]) =>
    Object.entries<Schema>(methods).map(([method, { parameters = [], requestBody, responses }]) => {
      const path = full.replace(/^\/[\w-]+/, '');
      return {
        name: `${method} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((parameter: Schema) => resolve(document, parameter)),
        body: requestBody?.content['application/json'].schema,
        responses,
      };
    }),
  );
}

/** A request to send. */
export interface Sent {
  operation: Operation;
  /** Path and query below the function. */
  target: string;
  body: unknown;
}

const STRANGE = ['', '%', '../x', 'é', 'a'.repeat(3000), '2026-01-01', '0', '-1', 'null', '\u0000'];
const strange = fc.constantFrom(...STRANGE, '\ud800x');
const strangeIds = fc.constantFrom(...STRANGE);

export interface Known {
  /** Values of a path's parameter that something is at. */
  ids(operation: Operation, parameter: string): string[];
  /** Bodies that are accepted, to be spoiled in one place; the schema alone seldom makes one. */
  bodies(operation: Operation): unknown[];
}

/** Requests to one operation, about things that are there or not. */
export function requests(document: Document, operation: Operation, known: Known): fc.Arbitrary<Sent> {
  const byPlace = (place: string) => operation.parameters.filter((one) => one.in === place);
  const path = fc.record(
    Object.fromEntries(
      byPlace('path').map(({ name }) => {
        const there = fc.constantFrom(...known.ids(operation, name));
        return [name, fc.oneof({ weight: 4, arbitrary: there }, strangeIds)];
      }),
    ),
  );
  const query = fc.record(
    Object.fromEntries(
      byPlace('query').map(({ name, schema }) => {
        const good = fitting(document, schema).map(String);
        return [name, fc.oneof({ weight: 3, arbitrary: good }, strange)];
      }),
    ),
    { requiredKeys: [] },
  );
  // Most queries have few parameters, so that not nearly all of them have one that is wrong.
  const queries = fc.oneof(fc.constant({}), query);
  return fc.tuple(path, queries, bodies(document, operation, known)).map(([names, search, body]) => {
    const filled = Object.entries<string>(names).reduce(
      (filling, [name, value]) => filling.replace(`{${name}}`, encodeURIComponent(value)),
      operation.path,
    );
    const text = String(new URLSearchParams(search));
    return { operation, target: `${filled}${text && `?${text}`}`, body };
  });
}

function bodies(document: Document, operation: Operation, known: Known): fc.Arbitrary<unknown> {
  const { body } = operation;
  if (!body) return fc.constantFrom(undefined, {}, { x: 1 });
  const good = { enum: known.bodies(operation) };
  return fc.oneof(
    fitting(document, body),
    nearlyFitting(document, body),
    { weight: 2, arbitrary: fitting(document, good) },
    nearlyFitting(document, good),
    nearlyFitting(document, good),
  );
}

/** The document with objects that hold nothing but what it names. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

/** Fails unless an answer has a documented status, the headers and exactly the body that are documented for it. */
export function createChecker(given: Document): (operation: Operation, reply: Reply, scene: string) => void {
  const document = closed(given) as Document;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ({ responses }, reply, scene) => {
    const documented = responses[reply.status];
    expect(documented, `undocumented status: ${scene}`).toBeDefined();
    const { headers = {}, content } = resolve(document, closed(documented) as Schema);
    const missing = Object.keys(headers).filter((name) => !reply.headers.has(name));
    expect(missing, `headers that are missing: ${scene}`).toEqual([]);
    if (!content) return expect(reply.body || undefined, scene).toBeUndefined();
    const type = reply.headers.get('content-type')?.split(';')[0] ?? '';
    const { schema } = content[type] ?? {};
    expect(schema, `undocumented ${type}: ${scene}`).toBeDefined();
    const valid = ajv.validate({ ...schema, components: document.components }, reply.body);
    expect(valid, `${JSON.stringify(ajv.errors)} ${scene}`).toBe(true);
  };
}

/** Counts of what was seen, by name. */
export function createTally() {
  const counts = new Map<string, number>();
  return {
    counts,
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    of: (name: string | number) => counts.get(String(name)) ?? 0,
  };
}
