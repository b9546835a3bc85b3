// Maps the columns of a file to members.

import type { Variant } from '../../records.ts';
import { usageError } from '../exit-codes.ts';
import { printable } from '../output.ts';
import { memberByAlias, memberSpelledAs, secondColumn } from './aliases.ts';
import { type Kind, type KindName, kindNames, type MemberType } from './kind.ts';
import { findKind } from './kinds.ts';

export interface UsedColumn {
  index: number;
  /** Index of the column with the rest of the value: the time of a day, or a last name. */
  second: number | undefined;
  member: string;
  type: MemberType;
}

export interface Columns {
  kind: Kind;
  used: readonly UsedColumn[];
  /** Columns that are not sent. */
  ignored: string[];
  /** Index of the column with the currency of deals, if the names of the variant have no member for it. */
  unsentCurrency: number | undefined;
  /** Columns that were recognized by an alias, as `column: member`. */
  recognized: string[];
}

/** Finds the columns by `given` (`activity_code` to `Code`), by their name, or by a common alias such as `E-mail` or `Telefone`. */
export function findColumns(
  names: readonly string[],
  given: Readonly<Record<string, string>>,
  { wanted, variant }: { wanted: KindName | undefined; variant: Variant },
): Columns {
  const map = Object.fromEntries(
    Object.entries(given).map(([member, column]) => [member, columnName(column)]),
  );
  const list = names
    .filter((name) => name !== '')
    .map(printable)
    .join(', ');
  const missing = Object.entries(map).find(([, column]) => !names.includes(column));
  if (missing)
    throw usageError(
      `--map ${missing.join('=')}: no column is named ${missing[1]}. The columns are: ${list}.`,
    );
  const mapped = new Set(Object.values(map));
  // A column whose member is mapped to another column is ignored.
  const named = names.map((name) => (mapped.has(name) || name in map ? undefined : name));
  const kind = findKind(wanted ?? kindBy([...named, ...Object.keys(map)], list, variant), variant);
  const unknown = Object.keys(map).find((member) => !kind.isMember(member));
  if (unknown !== undefined)
    throw usageError(
      `--map ${unknown}: unknown member. Members of ${kind.name}: ${kind.members.join(', ')}.`,
    );
  const found = withAliases(kind, named, Object.keys(map));
  const unused = names.filter((_, index) => named[index] !== undefined && found[index] === undefined);
  const used: UsedColumn[] = [
    ...Object.entries(map).map(([member, column]) => ({
      ...{ member, index: names.indexOf(column), second: undefined },
    })),
    ...found.flatMap((member, index) => {
      if (member === undefined) return [];
      const second = secondColumn(member, names[index] ?? '', unused);
      return [{ member, index, second: second === undefined ? undefined : names.indexOf(second) }];
    }),
  ].map((column) => ({ ...column, type: kind.typeOf(column.member) }));
  const counts = (name: string | undefined) => names.filter((one) => one === name).length;
  const twice = used.map(({ index }) => names[index]).find((name) => counts(name) > 1);
  if (twice !== undefined) throw usageError(`Two columns are named ${printable(twice)}. Rename one of them.`);
  const absent = kind.required.filter((member) => used.every((one) => one.member !== member));
  if (absent.length > 0) throw usageError(absentColumns(kind.name, absent, list));
  return {
    kind,
    used,
    unsentCurrency:
      kind.name === 'deals' && kind.currency === undefined
        ? named.findIndex((name) => name !== undefined && memberByAlias('deals', name) === 'currency')
        : undefined,
    ignored: names.filter(
      (name, index) => name !== '' && used.every((one) => one.index !== index && one.second !== index),
    ),
    recognized: names.flatMap((name, index) => {
      const member = found[index];
      const { second } = used.find((one) => one.index === index && one.member === member) ?? {};
      const whole = second === undefined ? name : `${name} + ${names[second]}`;
      return member !== undefined && member !== whole ? [`${whole}: ${member}`] : [];
    }),
  };
}

/** A name in one Unicode form and on one line. */
export const columnName = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim();

function absentColumns(kind: KindName, absent: readonly string[], list: string): string {
  const maps = absent.map((member) => `--map ${member}=<column>`).join(' ');
  const hint =
    absent.includes('external_id') && kind !== 'activities'
      ? ' If no column has an id, use one that identifies each line, such as the email address: --map external_id=<column> --map email=<column>.'
      : '';
  return `Missing columns for ${kind}: ${absent.join(', ')}. Name them with ${maps}.${hint} The columns are: ${list}.`;
}

/** The members of columns, with aliases for members that no other column has. The first of several columns wins. */
function withAliases(
  kind: Kind,
  names: readonly (string | undefined)[],
  mapped: readonly string[],
): (string | undefined)[] {
  const taken = new Set([...mapped, ...names.filter((name) => name !== undefined && kind.isMember(name))]);
  return names.map((name) => {
    if (name === undefined || kind.isMember(name)) return name;
    const canonical = memberByAlias(kind.name, name);
    const member = canonical === undefined ? memberSpelledAs(name, kind.members) : kind.nameOf(canonical);
    if (member === undefined || taken.has(member) || !kind.isMember(member)) return undefined;
    taken.add(member);
    return member;
  });
}

/** Activities and collaborators are known by the API's names of their members. Other names can mean several kinds. */
function kindBy(names: readonly (string | undefined)[], list: string, variant: Variant): KindName {
  if (names.includes('activity_code')) return 'activities';
  if (['external_id', 'name', 'email'].every((member) => names.includes(member))) return 'collaborators';
  const fitting = kindNames.filter((name) => {
    const kind = findKind(name, variant);
    const members = withAliases(kind, names, []);
    return [...kind.required, ...(name === 'activities' ? [] : ['name'])].every((member) =>
      members.includes(member),
    );
  });
  if (fitting.length === 0 || fitting.includes('activities')) return 'activities';
  throw usageError(
    `The columns fit ${fitting.join(' and ')}. Pass ${fitting.map((name) => `--kind ${name}`).join(' or ')}. The columns are: ${list}.`,
  );
}
