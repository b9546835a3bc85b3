// Naming rules of a variant: member names, query parameters and values of a resource. Variant A has the canonical names, so it renames
// almost nothing.

import type { z } from 'zod';
import { ApiError, type ErrorDetail, issueDetails } from '../platform/errors.ts';
import type { FilterValues } from '../platform/lists/filters.ts';
import type { Query } from '../platform/query.ts';

/** Members of a request or response body. */
export type Members = Record<string, unknown>;

export interface NamingRules {
  /** Members with another name in this variant: its own name to the canonical name. The variant ignores those canonical names. */
  names: Readonly<Record<string, string>>;
  /** Additional names that request bodies may use: alias to canonical name. */
  aliases?: Readonly<Record<string, string>>;
  /** Members that exist only in other variants. */
  unknown?: readonly string[];
  /** Values by canonical member: each of the variant's words and the canonical values that it stands for. */
  values: Readonly<Record<string, FilterValues>>;
  /** Members that this variant additionally requires on creation, by canonical name. */
  required?: readonly string[];
  /** By stored member: the response members that show it. Default: the member with the same name. */
  shownAs?: Readonly<Record<string, readonly string[]>>;
  /** Response members that show part of a stored member, with the path to that part. */
  paths?: Readonly<Record<string, string>>;
  /** A member that contains several canonical members; callers see their names as `<member>.<part>`. */
  spread?: { member: string; parts: Readonly<Record<string, string>> };
}

/** Naming rules and the serializer of a resource. */
export interface Naming<R> extends NamingRules {
  /** `clientId` is the client whose external ids are shown. */
  serialize(record: R, clientId: string | null): object;
}

/** The naming of a resource whose members keep their canonical names. */
export const canonical = <R>(
  serialize: Naming<R>['serialize'],
  values: NamingRules['values'] = {},
): Naming<R> => ({ serialize, names: {}, values });

/** A body in canonical names, and the errors found so far in the names of the variant. */
interface ParsedBody {
  body: Members;
  faults: ErrorDetail[];
}

/** Values that the variant does not rename. */
export const unchangedValues = (...list: readonly string[]): FilterValues =>
  Object.fromEntries(list.map((word) => [word, [word]]));

/** The variant's word for a canonical value. */
export function valueFor({ values }: NamingRules, member: string, canonical: string): string {
  const own = Object.entries(values[member] ?? {});
  return own.find(([, meanings]) => meanings.includes(canonical))?.[0] ?? canonical;
}

/** The variant's name for a canonical member or a path into it. */
export function nameFor({ names, spread }: NamingRules, canonical: string): string {
  const [first = '', ...rest] = canonical.split('.');
  const part = Object.entries(spread?.parts ?? {}).find(([, name]) => name === first)?.[0];
  const own = Object.entries(names).find(([, name]) => name === first)?.[0];
  const name = part && spread ? `${spread.member}.${part}` : (own ?? first);
  return [name, ...rest].join('.');
}

/** Renames members and keeps their order. */
export const rename = (members: object, names: Readonly<Record<string, string>>): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [names[name] ?? name, value]));

/** The canonical name for a caller's name; undefined if the variant does not know it. */
function canonicalName(rules: NamingRules, name: string): string | undefined {
  const { names, aliases = {}, unknown = [], spread } = rules;
  if (Object.hasOwn(names, name)) return names[name];
  if (Object.hasOwn(aliases, name)) return aliases[name];
  const hidden = [...Object.values(names), ...unknown, ...Object.values(spread?.parts ?? {})];
  return hidden.includes(name) ? undefined : name;
}

/** The stored path for a path in a response; undefined if the variant has no such path. */
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

/** The canonical values that a variant's word stands for at a stored path, or the value itself. */
export function canonicalValuesOf({ values }: NamingRules, path: string, value: unknown): unknown[] {
  const own = values[path];
  return own && typeof value === 'string' && Object.hasOwn(own, value) ? [...(own[value] ?? [])] : [value];
}

function spreadOut({ spread }: NamingRules, body: Members): ParsedBody {
  if (!spread || !Object.hasOwn(body, spread.member)) return { body: {}, faults: [] };
  const { member, parts } = spread;
  const value = body[member];
  if (value === null) {
    return { body: Object.fromEntries(Object.values(parts).map((name) => [name, null])), faults: [] };
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { body: {}, faults: [{ field: member, message: 'must be an object' }] };
  }
  const nested: Members = { ...value };
  const present = Object.entries(parts).filter(([part]) => Object.hasOwn(nested, part));
  return { body: Object.fromEntries(present.map(([part, name]) => [name, nested[part]])), faults: [] };
}

/** Converts a body from the variant's names and words. Ignores members whose canonical name is not `known`. */
export function renameMembers(
  rules: NamingRules,
  json: Members,
  known: (canonical: string) => boolean,
): ParsedBody {
  const { body, faults } = spreadOut(rules, json);
  for (const [name, value] of Object.entries(json)) {
    const canonical = name === rules.spread?.member ? undefined : canonicalName(rules, name);
    if (canonical === undefined || !known(canonical)) continue;
    const own = rules.values[canonical];
    if (!own || typeof value !== 'string') body[canonical] = value;
    else if (Object.hasOwn(own, value)) body[canonical] = own[value]?.[0];
    else faults.push({ field: name, message: `must be one of ${Object.keys(own).join(', ')}` });
  }
  return { body, faults };
}

/** The `known` query parameters in canonical names, with unconverted values. Throws `validation` for duplicate parameters. */
export function readQuery(rules: NamingRules, query: Query, known: readonly string[]): Map<string, string> {
  return query.take((name) => {
    const canonical = canonicalName(rules, name);
    return canonical !== undefined && known.includes(canonical) ? canonical : undefined;
  });
}

/**
 * Parses a body in a variant's names. `required` lists canonical names that must be present in addition to those that the schema
 * requires. Throws `validation` listing every error in the variant's names.
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
