// The two kinds of lists that can be synced: their columns and rules, which are those of the API itself.
import type { z } from 'zod';
import { activitySchema } from '../../../../../shared/activity/activities/schema.ts';
import { collaboratorSchema } from '../../../../../shared/activity/collaborators/schema.ts';
import { issueDetails } from '../../../../../shared/platform/zod-issues.ts';

export type KindName = 'activities' | 'collaborators';

export interface Kind {
  name: KindName;
  /** Columns that a file must have. */
  required: readonly string[];
  optional: readonly string[];
  /** The member that is an object: a column of this name has JSON, `<name>.<key>` one of its members. */
  object: string;
  /** What is wrong with an item, field by field. */
  faultsOf(item: Item): Fault[];
}

/** A line as it is sent. */
export type Item = Record<string, unknown>;

export interface Fault {
  field: string;
  message: string;
}

const faultsBy = (schema: z.ZodType) => (item: Item) => {
  const { error } = schema.safeParse(item);
  return error ? issueDetails(error, '') : [];
};

/** Made of a schema, so that a member that the API gets is a column as well. */
function kindOf(name: KindName, schema: z.ZodObject, object: string): Kind {
  const columns = Object.entries<z.ZodType>(schema.shape).filter(([member]) => member !== object);
  const isOptional = ([, member]: [string, z.ZodType]) => member.safeParse(undefined).success;
  return {
    name,
    required: columns.filter((column) => !isOptional(column)).map(([member]) => member),
    optional: columns.filter(isOptional).map(([member]) => member),
    object,
    faultsOf: faultsBy(schema),
  };
}

export const kinds: Record<KindName, Kind> = {
  activities: kindOf('activities', activitySchema, 'data'),
  collaborators: kindOf('collaborators', collaboratorSchema, 'metadata'),
};
