// Generates requests from an OpenAPI document, and validates the responses.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Reply } from '../gamification/sync.ts';
import { createInspector, type Operation } from './documented.ts';
import { type Document, fitting, nearlyFitting } from './json-schema.ts';

export { type Operation, operationsOf } from './documented.ts';

export const BATCH = 10;
/** How many requests a suite sends. More requests find more errors but take longer. */
export const REQUESTS = Number(process.env.OPENAPI_REQUESTS ?? 800);
export const RUNS = { numRuns: REQUESTS / BATCH, endOnFailure: true };
export const TIMEOUT_MS = 60_000 + REQUESTS * 100;

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
  /** Values of path parameters for which something exists. */
  ids(operation: Operation, parameter: string): string[];
  /** Valid bodies, in each of which one member is made invalid. The schema alone rarely produces a valid body. */
  bodies(operation: Operation): unknown[];
}

/** Generates requests to one operation, for existing and missing records. */
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
  // Most queries have few parameters, so that not almost all of them contain an invalid one.
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

/** Fails unless a response has a documented status, and exactly the documented headers and body. */
export function createChecker(
  document: Document,
): (operation: Operation, reply: Reply, scene: string) => void {
  const inspect = createInspector(document);
  return (operation, reply, scene) => expect(inspect(operation, reply), scene).toEqual([]);
}

/** Counters by name. */
export function createTally() {
  const counts = new Map<string, number>();
  return {
    counts,
    add: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    of: (name: string | number) => counts.get(String(name)) ?? 0,
  };
}
