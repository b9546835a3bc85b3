// Which column of a file has which member.

import type { Variant } from '../../records.ts';
import { usageError } from '../exit-codes.ts';
import type { Fault, Item, Kind, KindName } from './kind.ts';
import { findKind } from './kinds.ts';

export interface Columns {
  kind: Kind;
  /** Columns that lead nowhere. */
  ignored: string[];
  /** A line as it would be sent, and what cannot be read of it. */
  itemOf(cells: readonly string[]): { item: Item; faults: Fault[] };
}

/** Finds the columns by their names, or by those that `map` says: `activity_code` to `Code`. */
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
      `--map ${missing.join('=')}: there is no column ${missing[1]}. There are: ${names.join(', ')}.`,
    );
  const mapped = new Map(Object.entries(map).map(([member, column]) => [column, member]));
  // A column whose member is taken from another one has no member.
  const members = names.map((name) => mapped.get(name) ?? (name in map ? undefined : name));
  const kind = findKind(wanted ?? kindBy(members), variant);
  const unknown = Object.keys(map).find((member) => !kind.isMember(member));
  if (unknown !== undefined)
    throw usageError(`--map ${unknown}: ${kind.name} have ${kind.members.join(', ')}.`);
  const absent = kind.required.filter((member) => !members.includes(member));
  if (absent.length > 0) {
    throw usageError(
      `Columns are missing for ${kind.name}: ${absent.join(', ')}. Name them by --map ${absent[0]}=<column>. There are: ${names.join(', ')}.`,
    );
  }
  const used = members.map((member) => (member !== undefined && kind.isMember(member) ? member : undefined));
  return {
    kind,
    ignored: names.filter((_, index) => used[index] === undefined),
    itemOf: (cells) => itemOf(kind, used, cells),
  };
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
    // What was no UTF-8 was replaced when it was read.
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
