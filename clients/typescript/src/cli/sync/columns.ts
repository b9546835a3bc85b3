// Maps the columns of a file to members.

import type { Variant } from '../../records.ts';
import { usageError } from '../exit-codes.ts';
import { memberByAlias } from './aliases.ts';
import type { Fault, Item, Kind, KindName } from './kind.ts';
import { findKind } from './kinds.ts';

export interface Columns {
  kind: Kind;
  /** Columns that are not sent. */
  ignored: string[];
  /** Columns that were recognized by an alias, as `column: member`. */
  recognized: string[];
  /** The item of a line, and the faults of cells that cannot be parsed. */
  itemOf(cells: readonly string[]): { item: Item; faults: Fault[] };
}

/** Finds the columns by `map` (`activity_code` to `Code`), by their name, or by a common alias such as `E-mail` or `Telefone`. */
export function findColumns(
  header: readonly string[],
  map: Readonly<Record<string, string>>,
  { wanted, variant }: { wanted: KindName | undefined; variant: Variant },
): Columns {
  const names = header.map((name) => name.trim());
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`Two columns are named ${twice}.`);
  const missing = Object.entries(map).find(([, column]) => !names.includes(column));
  if (missing)
    throw usageError(
      `--map ${missing.join('=')}: no column is named ${missing[1]}. The columns are: ${names.join(', ')}.`,
    );
  const mapped = new Map(Object.entries(map).map(([member, column]) => [column, member]));
  // A column whose member is mapped to another column is ignored.
  const named = names.map((name) => mapped.get(name) ?? (name in map ? undefined : name));
  const kind = findKind(wanted ?? kindBy(named), variant);
  const members = withAliases(kind, named);
  const unknown = Object.keys(map).find((member) => !kind.isMember(member));
  if (unknown !== undefined)
    throw usageError(
      `--map ${unknown}: unknown member. Members of ${kind.name}: ${kind.members.join(', ')}.`,
    );
  const absent = kind.required.filter((member) => !members.includes(member));
  if (absent.length > 0) {
    const maps = absent.map((member) => `--map ${member}=<column>`).join(' ');
    throw usageError(
      `Missing columns for ${kind.name}: ${absent.join(', ')}. Name them with ${maps}. The columns are: ${names.join(', ')}.`,
    );
  }
  const used = members.map((member) => (member !== undefined && kind.isMember(member) ? member : undefined));
  return {
    kind,
    ignored: names.filter((_, index) => used[index] === undefined),
    recognized: names.flatMap((name, index) =>
      used[index] !== undefined && members[index] !== named[index] ? [`${name}: ${used[index]}`] : [],
    ),
    itemOf: (cells) => itemOf(kind, used, cells),
  };
}

/** Resolves aliases of members that no other column has. The first of several columns wins. */
function withAliases(kind: Kind, names: readonly (string | undefined)[]): (string | undefined)[] {
  const taken = new Set(names.filter((name) => name !== undefined && kind.isMember(name)));
  return names.map((name) => {
    if (name === undefined || kind.isMember(name)) return name;
    const member = memberByAlias(kind.name, name);
    if (member === undefined || taken.has(member) || !kind.isMember(member)) return name;
    taken.add(member);
    return member;
  });
}

const kindBy = (members: readonly (string | undefined)[]): KindName =>
  members.includes('activity_code') || !members.includes('name') ? 'activities' : 'collaborators';

function itemOf(kind: Kind, members: readonly (string | undefined)[], cells: readonly string[]) {
  const item: Item = {};
  const faults: Fault[] = [];
  const parts: Record<string, Item> = {};
  for (const [index, member] of members.entries()) {
    const cell = cells[index] ?? '';
    if (member === undefined) continue;
    // Invalid UTF-8 was replaced while reading.
    if (cell.includes('\ufffd')) faults.push({ field: member, message: 'must be UTF-8' });
    else if (kind.required.includes(member)) item[member] = cell;
    else if (cell !== '') put(parts, item, member, kind.valueOf(member, cell));
  }
  for (const [object, given] of Object.entries(parts)) {
    const whole = item[object];
    item[object] = { ...(typeof whole === 'object' ? whole : {}), ...given };
  }
  return { item, faults };
}

function put(parts: Record<string, Item>, item: Item, member: string, value: unknown): void {
  const [object = '', ...rest] = member.split('.');
  if (rest.length === 0) item[member] = value;
  else parts[object] = { ...parts[object], [rest.join('.')]: value };
}
