// How a variant of the records interface names a resource: members, query parameters, values, and what it shows.

import type { z } from 'zod';
import { ApiError, type ErrorDetail } from '../platform/errors.ts';
import type { FilterValues } from '../platform/lists/filters.ts';
import type { Query } from '../platform/query.ts';
import { issueDetails } from '../platform/zod-issues.ts';

/** Members of a body or an answer, whatever they are. */
export type Members = Record<string, unknown>;

export interface NamingRules {
  /** Members that this variant names otherwise: its own name, and the canonical one. Those canonical names mean nothing in it. */
  names: Readonly<Record<string, string>>;
  /** Further names that bodies may use, and the canonical ones. */
  aliases?: Readonly<Record<string, string>>;
  /** Members of other variants, which mean nothing in this one. */
  unknown?: readonly string[];
  /** Values by canonical member: the variant's words, and the canonical ones that each stands for. */
  values: Readonly<Record<string, FilterValues>>;
  /** Members that a body of a creating request must have beside those that every variant asks for, by canonical name. */
  required?: readonly string[];
  /** Members of an answer that show a stored one, where they are others than the one of its name. */
  shownAs?: Readonly<Record<string, readonly string[]>>;
  /** Members of an answer that show a part of a stored one: the path of it. */
  paths?: Readonly<Record<string, string>>;
  /** Spreads a member that holds several canonical ones, each named `<member>.<part>` to the caller. */
  spread?: { member: string; parts: Readonly<Record<string, string>> };
}

/** The rules, and how a record in stored form looks to callers of this variant. */
export interface Naming<R> extends NamingRules {
  /** For the client with this id, whose own names for records are shown. */
  serialize(record: R, clientId: string | null): object;
}

/** A body in canonical names, and what is wrong with it so far, in the names of the variant. */
export interface BodyReading {
  body: Members;
  faults: ErrorDetail[];
}

/** Each word stands for itself. */
export const sameWords = (...list: readonly string[]): FilterValues =>
  Object.fromEntries(list.map((word) => [word, [word]]));

/** The word of this variant for a canonical one. */
export function wordFor({ values }: NamingRules, member: string, canonical: string): string {
  const own = Object.entries(values[member] ?? {});
  return own.find(([, meanings]) => meanings.includes(canonical))?.[0] ?? canonical;
}

/** The variant's name of a canonical member, or of a path into it. */
export function nameFor({ names, spread }: NamingRules, canonical: string): string {
  const [first = '', ...rest] = canonical.split('.');
  const part = Object.entries(spread?.parts ?? {}).find(([, name]) => name === first)?.[0];
  const own = Object.entries(names).find(([, name]) => name === first)?.[0];
  const name = part && spread ? `${spread.member}.${part}` : (own ?? first);
  return [name, ...rest].join('.');
}

/** Gives members other names, in their places. */
export const rename = (members: object, names: Readonly<Record<string, string>>): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [names[name] ?? name, value]));

/** The canonical name of what a caller names so; undefined where it means nothing in this variant. */
function canonicalName(rules: NamingRules, name: string): string | undefined {
  const { names, aliases = {}, unknown = [], spread } = rules;
  if (Object.hasOwn(names, name)) return names[name];
  if (Object.hasOwn(aliases, name)) return aliases[name];
  const taken = [...Object.values(names), ...unknown, ...Object.values(spread?.parts ?? {})];
  return taken.includes(name) ? undefined : name;
}

/** The stored path of what an answer shows at this one; undefined where this variant shows nothing there. */
export function canonicalPath({ names, paths = {}, spread }: NamingRules, path: string): string | undefined {
  const [first = '', ...rest] = path.split('.');
  if (spread && first === spread.member) {
    const [part = '', ...more] = rest;
    const whole = Object.hasOwn(spread.parts, part) ? spread.parts[part] : undefined;
    return whole && [whole, ...more].join('.');
  }
  const shown = { ...names, ...paths };
  if (Object.hasOwn(shown, first)) return [shown[first], ...rest].join('.');
  const hidden = [...Object.values(names), ...Object.values(spread?.parts ?? {})];
  return hidden.includes(first) ? undefined : path;
}

/** What a value at a stored path stands for: the canonical words of a variant's word, or the value itself. */
export function meaningsOf({ values }: NamingRules, path: string, value: unknown): unknown[] {
  const own = values[path];
  return own && typeof value === 'string' && Object.hasOwn(own, value) ? [...(own[value] ?? [])] : [value];
}

function spreadOut({ spread }: NamingRules, body: Members): BodyReading {
  if (!spread || !Object.hasOwn(body, spread.member)) return { body: {}, faults: [] };
  const { member, parts } = spread;
  const value = body[member];
  if (value === null) {
    return { body: Object.fromEntries(Object.values(parts).map((name) => [name, null])), faults: [] };
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { body: {}, faults: [{ field: member, message: 'must be an object' }] };
  }
  const given: Members = { ...value };
  const present = Object.entries(parts).filter(([part]) => Object.hasOwn(given, part));
  return { body: Object.fromEntries(present.map(([part, name]) => [name, given[part]])), faults: [] };
}

/** Reads a body that is written in this variant's names and words. Members that are not `known`, canonically, are ignored. */
export function renameMembers(
  rules: NamingRules,
  given: Members,
  known: (canonical: string) => boolean,
): BodyReading {
  const { body, faults } = spreadOut(rules, given);
  for (const [name, value] of Object.entries(given)) {
    const canonical = name === rules.spread?.member ? undefined : canonicalName(rules, name);
    if (canonical === undefined || !known(canonical)) continue;
    const own = rules.values[canonical];
    if (!own || typeof value !== 'string') body[canonical] = value;
    else if (Object.hasOwn(own, value)) body[canonical] = own[value]?.[0];
    else faults.push({ field: name, message: `must be one of ${Object.keys(own).join(', ')}` });
  }
  return { body, faults };
}

/** The query in canonical names, as far as they are `known`; values stay the caller's words. Throws 400 for what comes twice. */
export function readQuery(rules: NamingRules, query: Query, known: readonly string[]): Map<string, string> {
  return query.take((name) => {
    const canonical = canonicalName(rules, name);
    return canonical !== undefined && known.includes(canonical) ? canonical : undefined;
  });
}

/**
 * Reads a body that is written in a variant's names. `required` members, by canonical name, must be there beside those
 * that the schema asks for. Throws `validation` naming every fault, in the same names.
 */
export function parseBody<S extends z.ZodObject>(
  schema: S,
  naming: NamingRules,
  json: Members,
  required: readonly string[] = [],
): z.output<S> {
  const { body, faults } = renameMembers(naming, json, (member) => Object.hasOwn(schema.shape, member));
  const result = schema.safeParse(body);
  const found = [
    ...faults,
    ...(result.success ? [] : issueDetails(result.error, 'body')).map(({ field, message }) => ({
      field: nameFor(naming, field),
      message,
    })),
  ];
  const missing = required.filter((member) => body[member] === undefined || body[member] === null);
  found.push(...missing.map((member) => ({ field: nameFor(naming, member), message: 'is required' })));
  const details = [...new Map(found.toReversed().map((detail) => [detail.field, detail])).values()].reverse();
  if (!result.success || details.length > 0)
    throw new ApiError('validation', 'Fix these fields.', { details });
  return result.data;
}
