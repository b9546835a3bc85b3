// The kinds of lists that can be synced: their columns and rules, which are those of the API itself.
import type { z } from 'zod';
import { activitySchema } from '../../../../../shared/activity/activities/schema.ts';
import { collaboratorSchema } from '../../../../../shared/activity/collaborators/schema.ts';
import { issueDetails } from '../../../../../shared/platform/zod-issues.ts';
import type { Variant } from '../../records.ts';
import { type Fault, type Item, type Kind, type KindName, parsed } from './kind.ts';
import { recordsKind } from './records-kind.ts';

const faultsBy =
  (schema: z.ZodType) =>
  (item: Item): Fault[] => {
    const { error } = schema.safeParse(item);
    return error ? issueDetails(error, '') : [];
  };

/** Made of a schema, so that a member that the API gets is a column as well. `object` is the member that is one. */
function kindOf(name: KindName, schema: z.ZodObject, object: string): Kind {
  const columns = Object.entries<z.ZodType>(schema.shape).filter(([member]) => member !== object);
  const required = columns
    .filter(([, member]) => !member.safeParse(undefined).success)
    .map(([member]) => member);
  const names = [...columns.map(([member]) => member), object];
  return {
    name,
    required,
    members: [...names, `${object}.<key>`],
    isMember: (one) =>
      names.includes(one) || (one.startsWith(`${object}.`) && one.length > object.length + 1),
    valueOf: (member, cell) => (member === object ? parsed(cell) : cell),
    faultsOf: faultsBy(schema),
  };
}

/** Records have the names of the variant. */
export function findKind(name: KindName, variant: Variant): Kind {
  if (name === 'activities') return kindOf(name, activitySchema, 'data');
  if (name === 'collaborators') return kindOf(name, collaboratorSchema, 'metadata');
  return recordsKind(name, variant);
}
