// Moves responses that several operations have into `components`: most failures are the same everywhere.

export type Json = Record<string, unknown>;

/** `Failure404`, or `Failure404b` where that is taken. */
function nameOf(status: string, taken: Json): string {
  let name = `Failure${status}`;
  while (name in taken) name += 'b';
  return name;
}

export function withSharedResponses(document: object): Json {
  const copy = JSON.parse(JSON.stringify(document)) as { paths: Record<string, Record<string, Json>> } & Json;
  const operations = Object.values(copy.paths).flatMap((methods) => Object.values(methods));
  const uses = new Map<string, number>();
  const each = (visit: (responses: Json, status: string, text: string) => void) => {
    for (const { responses } of operations as { responses: Json }[]) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) >= 400) visit(responses, status, `${status} ${JSON.stringify(response)}`);
      }
    }
  };
  each((_, _status, text) => uses.set(text, (uses.get(text) ?? 0) + 1));
  const shared: Json = {};
  const names = new Map<string, string>();
  each((responses, status, text) => {
    if ((uses.get(text) ?? 0) < 2) return;
    const name = names.get(text) ?? nameOf(status, shared);
    names.set(text, name);
    shared[name] ??= responses[status];
    responses[status] = { $ref: `#/components/responses/${name}` };
  });
  copy.components = { ...(copy.components as Json), ...(names.size > 0 && { responses: shared }) };
  return copy;
}
