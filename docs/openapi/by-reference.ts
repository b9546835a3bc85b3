// Moves parameters, response headers, and responses without a result that several operations share into `components`.

export type Json = Record<string, unknown>;

type Operation = Json & { parameters?: unknown[]; responses: Record<string, Json> };
type PathItem = Record<string, Operation>;

/** The name as a valid component name. */
const plain = (name: string): string => name.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^_|_$/g, '');

/** Components of one kind: each value that is used at least twice gets a name. */
class Shared {
  readonly components: Json = {};
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  count(value: unknown): void {
    const text = JSON.stringify(value);
    this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
  }

  /** The value, or a reference to it if it was counted at least twice. The first value gets the name `wanted`, others a numbered one. */
  refer(value: unknown, wanted: string): unknown {
    const text = JSON.stringify(value);
    if ((this.#uses.get(text) ?? 0) < 2) return value;
    let name = this.#names.get(text);
    for (let n = 2; name === undefined; n++) {
      const free = n === 2 ? wanted : `${wanted}-${n - 1}`;
      if (!(free in this.components)) name = free;
    }
    this.#names.set(text, name);
    this.components[name] ??= value;
    return { $ref: `#/components/${this.#kind}/${name}` };
  }
}

/** Removes the schema's description if it repeats that of the parameter or header. */
function saidOnce(value: unknown): unknown {
  const { description, schema } = value as { description?: string; schema?: Json };
  if (!description || schema?.description !== description) return value;
  const { description: _, ...rest } = schema;
  return { ...(value as Json), schema: rest };
}

export function withReferences(document: object): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json & {
    paths: Record<string, PathItem>;
    webhooks?: Record<string, PathItem>;
  };
  const operations = [...Object.values(copy.paths), ...Object.values(copy.webhooks ?? {})].flatMap((item) =>
    Object.values(item),
  );
  const headers = shareHeaders(operations);
  const parameters = shareParameters(operations);
  const responses = shareResponses(operations);
  copy.components = { ...(copy.components as Json), ...filled({ parameters, headers, responses }) };
  return copy;
}

const filled = (kinds: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(kinds).filter(([, components]) => Object.keys(components).length > 0));

function shareParameters(operations: Operation[]): Json {
  const shared = new Shared('parameters');
  for (const operation of operations) {
    if (!operation.parameters) continue;
    operation.parameters = operation.parameters.map(saidOnce);
    for (const parameter of operation.parameters) shared.count(parameter);
  }
  for (const operation of operations) {
    if (!operation.parameters) continue;
    operation.parameters = operation.parameters.map((parameter) =>
      shared.refer(parameter, plain((parameter as { name: string }).name)),
    );
  }
  return shared.components;
}

function shareHeaders(operations: Operation[]): Json {
  const shared = new Shared('headers');
  const answers = operations.flatMap(({ responses }) => Object.values(responses)) as { headers?: Json }[];
  for (const answer of answers)
    for (const header of Object.values(answer.headers ?? {})) shared.count(header);
  for (const answer of answers) {
    if (!answer.headers) continue;
    answer.headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, header]) => [name, shared.refer(header, name)]),
    );
  }
  return shared.components;
}

function shareResponses(operations: Operation[]): Json {
  const shared = new Shared('responses');
  const isShared = (status: string) => Number(status) >= 300;
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) if (isShared(status)) shared.count(response);
  for (const { responses } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      const name = status === '304' ? 'NotModified' : `Failure${status}`;
      if (isShared(status)) responses[status] = shared.refer(response, name) as Json;
    }
  }
  return shared.components;
}
