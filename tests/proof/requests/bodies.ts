// JSON bodies: valid ones, and ones with exactly one invalid member.
import { type Document, fitting, type Schema } from '../../support/documents/json-schema.ts';
import { nastyJson, strangers } from './nasty.ts';
import type { Chance } from './random.ts';

type Members = Record<string, unknown>;

/** Placeholder in a body for raw JSON. */
const MARK = '\u0001mark\u0001';

/** Members that reference records, with the kind of record. */
const references: Record<string, string> = {
  owner_id: 'user',
  assigned_to: 'user',
  leader_id: 'user',
  manager_id: 'user',
  user_id: 'user',
  team_id: 'team',
  parent_team_id: 'team',
  stage_id: 'stage',
  lead_id: 'lead',
  deal_id: 'deal',
  opportunity_id: 'deal',
};

/** A valid body, generated from the schema or an example. Most of its references exist. */
export function fittingBody(
  chance: Chance,
  document: Document,
  schema: Schema,
  examples: unknown[],
): unknown {
  if (examples.length > 0 && !chance.oneIn(3)) return structuredClone(chance.of(examples));
  const body = chance.sample(fitting(document, schema));
  visit(body, (node, name) => {
    const kind = references[name];
    if (kind && typeof node[name] === 'string' && !chance.oneIn(5)) node[name] = `{${kind}}`;
  });
  return body;
}

function visit(node: unknown, each: (node: Members, name: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  // Arrays are treated as objects by index.
  const members = node as Members;
  for (const name of Object.keys(members)) {
    each(members, name);
    visit(members[name], each);
  }
}

/** The text of a body with one invalid part. */
export function spoiledText(chance: Chance, body: unknown): string {
  const places: [Members, string][] = [];
  visit(body, (node, name) => places.push([node, name]));
  if (places.length === 0) return chance.of(nastyJson);
  const [node, name] = chance.of(places);
  const before = JSON.stringify(node[name]);
  const nasty = chance.of(nastyJson);
  const put = (raw: string) => {
    node[name] = MARK;
    return (JSON.stringify(body) ?? 'null').replace(JSON.stringify(MARK), () => raw);
  };
  const inObject = !Array.isArray(node);
  const ways: (() => string)[] = [
    () => put(nasty),
    () => put(nasty),
    () => put(nasty),
    () => {
      if (inObject) delete node[name];
      return JSON.stringify(body);
    },
    () => put(inObject ? `${nasty},${JSON.stringify(name)}:${before}` : nasty),
    () => put(inObject ? `${before},${JSON.stringify(chance.of(strangers))}:${nasty}` : nasty),
    () => put(chance.oneIn(2) ? `[${before}]` : `{${JSON.stringify(name)}:${before}}`),
    () =>
      put(before?.startsWith('"') ? before.toUpperCase().replaceAll('\\U', '\\u') : `"${before?.length}"`),
  ];
  return chance.of(ways)();
}
