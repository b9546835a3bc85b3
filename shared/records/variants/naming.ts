// How a variant of the records interface names a resource: members, query parameters, values, and what it shows.
import type { ErrorDetail } from '../../platform/errors.ts';

/** A record in stored form, or a body. */
export type Row = Record<string, unknown>;

export interface Naming {
  /** A stored record as this variant shows it. */
  show(record: Row): Row;
  /** Members that this variant names otherwise: its own name, and the canonical one. Those canonical names mean nothing in it. */
  names: Readonly<Record<string, string>>;
  /** Further names that bodies may use, and the canonical ones. */
  aliases?: Readonly<Record<string, string>>;
  /** Members of other variants, which mean nothing in this one. */
  unknown?: readonly string[];
  /** Values by canonical member: the variant's word, and the canonical words that it stands for. */
  values: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Members that a body of a creating request must have beside those that every variant asks for, by canonical name. */
  required?: readonly string[];
  /** Spreads a member that holds several canonical ones, each named `<member>.<part>` to the caller. */
  spread?: { member: string; parts: Readonly<Record<string, string>> };
}

/** A body in canonical names, and what is wrong with it so far, in the names of the variant. */
export interface Reading {
  body: Row;
  faults: ErrorDetail[];
}

/** The word of this variant for a canonical one. */
export function wordFor(naming: Naming, member: string, canonical: unknown): unknown {
  const words = Object.entries(naming.values[member] ?? {});
  return words.find(([, meanings]) => meanings.includes(String(canonical)))?.[0] ?? canonical;
}

/** The variant's name of a canonical member, or of a path into it. */
export function nameFor({ names, spread }: Naming, canonical: string): string {
  const [first = '', ...rest] = canonical.split('.');
  const part = Object.entries(spread?.parts ?? {}).find(([, name]) => name === first)?.[0];
  const own = Object.entries(names).find(([, name]) => name === first)?.[0];
  const name = part && spread ? `${spread.member}.${part}` : (own ?? first);
  return [name, ...rest].join('.');
}

/** The canonical name of what a caller names so; undefined where it means nothing in this variant. */
function canonicalName(naming: Naming, name: string): string | undefined {
  const { names, aliases = {}, unknown = [], spread } = naming;
  if (Object.hasOwn(names, name)) return names[name];
  if (Object.hasOwn(aliases, name)) return aliases[name];
  const taken = [...Object.values(names), ...unknown, ...Object.values(spread?.parts ?? {})];
  return taken.includes(name) ? undefined : name;
}

function spreadOut({ spread }: Naming, body: Row): Reading {
  if (!spread || !Object.hasOwn(body, spread.member)) return { body: {}, faults: [] };
  const { member, parts } = spread;
  const value = body[member];
  if (value === null) {
    return { body: Object.fromEntries(Object.values(parts).map((name) => [name, null])), faults: [] };
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { body: {}, faults: [{ field: member, message: 'must be an object' }] };
  }
  const present = Object.entries(parts).filter(([part]) => Object.hasOwn(value as Row, part));
  return {
    body: Object.fromEntries(present.map(([part, name]) => [name, (value as Row)[part]])),
    faults: [],
  };
}

/** Reads a body that is written in this variant's names and words. Members that are not `known`, canonically, are ignored. */
export function readBody(naming: Naming, given: Row, known: (canonical: string) => boolean): Reading {
  const { body, faults } = spreadOut(naming, given);
  for (const [name, value] of Object.entries(given)) {
    const canonical = name === naming.spread?.member ? undefined : canonicalName(naming, name);
    if (canonical === undefined || !known(canonical)) continue;
    const words = naming.values[canonical];
    if (!words || typeof value !== 'string') body[canonical] = value;
    else if (Object.hasOwn(words, value)) body[canonical] = words[value]?.[0];
    else faults.push({ field: name, message: `must be one of ${Object.keys(words).join(', ')}` });
  }
  return { body, faults };
}

/** The query in canonical names; values stay the caller's, `wordsFor` says what they stand for. */
export function readQuery(naming: Naming, query: URLSearchParams): Map<string, string> {
  const read = new Map<string, string>();
  for (const [name, value] of query) {
    const canonical = canonicalName(naming, name);
    if (canonical !== undefined && !read.has(canonical)) read.set(canonical, value);
  }
  return read;
}

/** The canonical words that a value of a query stands for; undefined when the variant has no such word. */
export function wordsFor(naming: Naming, member: string, value: string): readonly string[] | undefined {
  const words = naming.values[member] ?? {};
  return Object.hasOwn(words, value) ? words[value] : undefined;
}
