// The record kinds that can be synced, with the columns and rules of the API's own schemas.
import type { z } from 'zod';
import { activitySchema } from '../../../../../shared/activity/activities.ts';
import { collaboratorSchema } from '../../../../../shared/activity/collaborators.ts';
import { issueDetails } from '../../../../../shared/platform/errors.ts';
import type { Variant } from '../../records.ts';
import {
  asReceived,
  type Fault,
  type Item,
  type Kind,
  type KindName,
  type MemberType,
  typeBySchema,
} from './kind.ts';
import { recordsKind } from './records-kind.ts';

const faultsBy =
  (schema: z.ZodType) =>
  (item: Item): Fault[] => {
    const { error } = schema.safeParse(asReceived(item));
    return error ? issueDetails(error, '') : [];
  };

/** Derives a kind from a schema, so that every member of the API is a column. `object` names the member that is an object. */
function kindOf(name: KindName, schema: z.ZodObject, object: string): Kind {
  const columns = Object.entries<z.ZodType>(schema.shape).filter(([member]) => member !== object);
  const required = columns
    .filter(([, member]) => !member.safeParse(undefined).success)
    .map(([member]) => member);
  const names = [...columns.map(([member]) => member), object];
  const types = new Map<string, MemberType>([
    ...columns.map(([member, one]): [string, MemberType] => [member, typeBySchema(one)]),
    ['activity_code', 'code'],
    [object, 'json'],
  ]);
  return {
    name,
    required,
    members: [...names, `${object}.<key>`],
    isMember: (one) =>
      names.includes(one) || (one.startsWith(`${object}.`) && one.length > object.length + 1),
    typeOf: (member) => types.get(member) ?? 'text',
    nameOf: (member) => member,
    wordOf: (_member, text) => text,
    currency: undefined,
    changeOnly: undefined,
    faultsOf: faultsBy(schema),
    newFaultsOf: () => [],
    uniqueOf: () => undefined,
    keyOf: ({ email, external_id: id }) =>
      name === 'collaborators' ? String(email).trim().toLowerCase() : String(id),
  };
}

/** Records use the member names of the variant. */
export function findKind(name: KindName, variant: Variant): Kind {
  if (name === 'activities') return kindOf(name, activitySchema, 'data');
  if (name === 'collaborators') return kindOf(name, collaboratorSchema, 'metadata');
  return recordsKind(name, variant);
}
