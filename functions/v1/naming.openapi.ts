// Translates canonical schemas to the names and enum values of a variant.
import { z } from 'zod';
import { type NamingRules, nameFor } from '../../shared/records/naming.ts';

/** `like`, as nullable and optional as `member`, with the description of `member`. */
function withPresenceOf(member: z.ZodType, like: z.ZodType): z.ZodType {
  const nullable = member.safeParse(null).success ? like.nullable() : like;
  const optional = member.safeParse(undefined).success ? nullable.optional() : nullable;
  return member.description ? optional.describe(member.description) : optional;
}

function isType(member: unknown): member is z.ZodType {
  return member instanceof z.ZodType;
}

/** The member with the variant's enum values, if they differ from the canonical ones. */
function inWords({ values }: NamingRules, canonical: string, member: z.ZodType): z.ZodType {
  const words = Object.keys(values[canonical] ?? {});
  return words.length > 0 ? withPresenceOf(member, z.enum(words)) : member;
}

/** The request body of the variant. `creates` adds the members that the variant requires for new records. */
export function bodyInVariant(
  rules: NamingRules,
  schema: z.ZodObject,
  { creates = false } = {},
): z.ZodObject {
  const { unknown = [], spread, aliases = {}, required = [] } = rules;
  const members: Record<string, z.ZodType> = {};
  const parts: Record<string, z.ZodType> = {};
  const partOf = (canonical: string) =>
    Object.entries(spread?.parts ?? {}).find(([, name]) => name === canonical)?.[0];
  for (const [canonical, given] of Object.entries(schema.shape)) {
    if (unknown.includes(canonical) || !isType(given)) continue;
    const member = inWords(rules, canonical, given);
    const part = partOf(canonical);
    const needed = creates && required.includes(canonical);
    if (part) parts[part] = member;
    else members[nameFor(rules, canonical)] = needed ? filled(member) : member;
  }
  for (const [alias, canonical] of Object.entries(aliases)) {
    const name = nameFor(rules, canonical);
    const member = members[name];
    if (!member || alias === name) continue;
    members[alias] = member.optional().describe(`Alias of \`${name}\`.`);
  }
  if (spread) members[spread.member] = z.object(parts).nullable().optional();
  return z.object(members);
}

/** The member, required and not nullable. */
function filled(member: z.ZodType): z.ZodType {
  let inner = member;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable)
    inner = inner.unwrap() as z.ZodType;
  return member.description ? inner.describe(member.description) : inner;
}

/** The response schema with some members renamed and some added. */
export function renamed(
  schema: z.ZodObject,
  names: Readonly<Record<string, string>>,
  own: z.ZodRawShape = {},
): z.ZodObject {
  const members = Object.entries(schema.shape).map(([name, member]) => [names[name] ?? name, member]);
  return z.object({ ...Object.fromEntries(members), ...own });
}

/** The variant's enum values of a member. */
export const variantValues = ({ values }: NamingRules, member: string) =>
  z.enum(Object.keys(values[member] ?? {}));
