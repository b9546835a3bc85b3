// Schemas in the names and words of a variant, made from the canonical ones and the variant's naming.
import { z } from 'zod';
import { type NamingRules, nameFor } from '../../shared/records/naming.ts';

/** `like` with what of `member` a caller notices beside its values: whether it may be null or left out, and what it says of itself. */
function withPresenceOf(member: z.ZodType, like: z.ZodType): z.ZodType {
  const nullable = member.safeParse(null).success ? like.nullable() : like;
  const optional = member.safeParse(undefined).success ? nullable.optional() : nullable;
  return member.description ? optional.describe(member.description) : optional;
}

function isType(member: unknown): member is z.ZodType {
  return member instanceof z.ZodType;
}

/** Words of a member that has them, instead of the canonical ones. */
function inWords({ values }: NamingRules, canonical: string, member: z.ZodType): z.ZodType {
  const words = Object.keys(values[canonical] ?? {});
  return words.length > 0 ? withPresenceOf(member, z.enum(words)) : member;
}

/** A body as the variant takes it. `creates` asks for what the variant wants of new records beside the schema's own. */
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
    members[alias] = member.optional().describe(`Another name of \`${name}\`.`);
  }
  if (spread) members[spread.member] = z.object(parts).nullable().optional();
  return z.object(members);
}

/** The member where it may neither be null nor left out. */
function filled(member: z.ZodType): z.ZodType {
  let inner = member;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable)
    inner = inner.unwrap() as z.ZodType;
  return member.description ? inner.describe(member.description) : inner;
}

/** An answer with other names for some members, and some members of its own. */
export function renamed(
  schema: z.ZodObject,
  names: Readonly<Record<string, string>>,
  own: z.ZodRawShape = {},
): z.ZodObject {
  const members = Object.entries(schema.shape).map(([name, member]) => [names[name] ?? name, member]);
  return z.object({ ...Object.fromEntries(members), ...own });
}

/** The words of a member as an enumeration. */
export const variantValues = ({ values }: NamingRules, member: string) =>
  z.enum(Object.keys(values[member] ?? {}));
