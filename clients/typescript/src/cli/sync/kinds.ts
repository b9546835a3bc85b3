// The kinds of lists that can be synced: their columns and rules, which are those of the API itself.
import type { z } from 'zod';
import { activitySchema } from '../../../../../shared/activity/activities/schema.ts';
import { collaboratorSchema } from '../../../../../shared/activity/collaborators/schema.ts';
import { issueDetails } from '../../../../../shared/platform/zod-issues.ts';
import type { Variant } from '../../records.ts';
import type { KindName } from './kind-names.ts';
import { recordsKind } from './records-kind.ts';

export interface Kind {
  name: KindName;
  /** Columns that a file must have. */
  required: readonly string[];
  /** All that a column can be, for people. */
  members: readonly string[];
  /** Whether a column of this name is sent; `data.city` is a member of the object `data`. */
  isMember(name: string): boolean;
  /** What a cell stands for. */
  valueOf(member: string, cell: string): unknown;
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

/** JSON, or the text itself, which the rules then refuse. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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
