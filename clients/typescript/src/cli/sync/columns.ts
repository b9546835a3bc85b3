// Which column of a file has which member.
import { usageError } from '../exit-codes.ts';
import { type Fault, type Item, type Kind, type KindName, kinds } from './kinds.ts';

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
  wanted: KindName | undefined,
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
  const kind = kinds[wanted ?? kindBy(members)];
  const unknown = Object.keys(map).find((member) => !isMember(kind, member));
  if (unknown !== undefined) throw usageError(`--map ${unknown}: ${kind.name} have ${listOf(kind)}.`);
  const absent = kind.required.filter((member) => !members.includes(member));
  if (absent.length > 0) {
    throw usageError(
      `Columns are missing for ${kind.name}: ${absent.join(', ')}. Name them by --map ${absent[0]}=<column>. There are: ${names.join(', ')}.`,
    );
  }
  const used = members.map((member) => (member !== undefined && isMember(kind, member) ? member : undefined));
  return {
    kind,
    ignored: names.filter((_, index) => used[index] === undefined),
    itemOf: (cells) => itemOf(kind, used, cells),
  };
}

const kindBy = (members: readonly (string | undefined)[]): KindName =>
  members.includes('activity_code') || !members.includes('name') ? 'activities' : 'collaborators';

const isMember = (kind: Kind, name: string): boolean =>
  kind.required.includes(name) ||
  kind.optional.includes(name) ||
  name === kind.object ||
  (name.startsWith(`${kind.object}.`) && name.length > kind.object.length + 1);

const listOf = ({ required, optional, object }: Kind): string =>
  [...required, ...optional, object, `${object}.<key>`].join(', ');

function itemOf(kind: Kind, members: readonly (string | undefined)[], cells: readonly string[]) {
  const item: Item = {};
  const faults: Fault[] = [];
  const parts: Record<string, string> = {};
  for (const [index, member] of members.entries()) {
    const cell = cells[index] ?? '';
    if (member === undefined) continue;
    // What was no UTF-8 was replaced when it was read.
    if (cell.includes('\ufffd')) faults.push({ field: member, message: 'must be UTF-8' });
    else if (kind.required.includes(member)) item[member] = cell;
    else if (cell === '') continue;
    else if (member.startsWith(`${kind.object}.`)) parts[member.slice(kind.object.length + 1)] = cell;
    else if (member === kind.object) item[member] = parsed(cell);
    else item[member] = cell;
  }
  if (Object.keys(parts).length > 0) {
    const whole = item[kind.object];
    item[kind.object] = { ...(typeof whole === 'object' ? whole : {}), ...parts };
  }
  return { item, faults };
}

/** JSON, or the text itself, which the rules then refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
