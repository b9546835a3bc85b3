// Adds examples to a document: requests that the tests send, and their responses.
import type { Json } from './by-reference.ts';

/** By `operationId`. Webhooks have only a request. */
export type Examples = Readonly<Record<string, { request?: unknown; status?: number; response?: unknown }>>;

interface Content {
  content?: Record<string, Json>;
}

interface Described {
  operationId?: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

function add(to: Content | undefined, example: unknown): void {
  if (example === undefined) return;
  for (const media of Object.values(to?.content ?? {})) media.example = example;
}

export function withExamples(document: object, examples: Examples): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json;
  const paths = { ...(copy.paths as Json), ...(copy.webhooks as Json) } as Record<
    string,
    Record<string, Described>
  >;
  for (const { operationId = '', requestBody, responses } of Object.values(paths).flatMap((one) =>
    Object.values(one),
  )) {
    const { request, status = 200, response } = examples[operationId] ?? {};
    add(requestBody, request);
    add(responses[status], response);
    // An operation that creates or updates has the same response for both.
    if (status === 201) add(responses[200], response);
  }
  return copy;
}
