// Examples in a document: requests that the tests send, and their responses.
import type { Json } from './by-reference.ts';

/** By `operationId`. Webhooks have only a request. */
export type Examples = Readonly<Record<string, { request?: unknown; status?: number; response?: unknown }>>;

interface Content {
  content?: Record<string, Json>;
}

interface Described {
  path: string;
  method: string;
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** The operations and webhooks of a document. */
export function operationsOf(document: Json): Described[] {
  const items = { ...(document.paths as Json), ...(document.webhooks as Json) } as Record<
    string,
    Record<string, Omit<Described, 'path' | 'method'>>
  >;
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => ({ ...described, path, method })),
  );
}

function add(to: Content | undefined, example: unknown): void {
  if (example === undefined) return;
  for (const media of Object.values(to?.content ?? {})) media.example = example;
}

/** A copy of the document with examples. */
export function withExamples(document: object, examples: Examples): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json;
  for (const { operationId, requestBody, responses } of operationsOf(copy)) {
    const { request, status = 200, response } = examples[operationId] ?? {};
    add(requestBody, request);
    add(responses[status], response);
    // An operation that creates or updates has the same response for both.
    if (status === 201) add(responses[200], response);
  }
  return copy;
}

const exampleIn = (part: Content | undefined): unknown => Object.values(part?.content ?? {})[0]?.example;

/** The examples that a document contains. */
export function examplesIn(document: Json): Examples {
  return Object.fromEntries(
    operationsOf(document).map(({ operationId, requestBody, responses }) => {
      const [status, response] = Object.entries(responses)
        .toReversed()
        .find(([code, answer]) => code < '300' && exampleIn(answer) !== undefined) ?? [200];
      return [
        operationId,
        { request: exampleIn(requestBody), status: Number(status), response: exampleIn(response) },
      ];
    }),
  );
}
