// The three variants by id, and a record in the names of one.
import type { NamingVariant } from '../../platform/access/context.ts';
import { a } from './a.ts';
import { b } from './b.ts';
import { c } from './c.ts';
import type { RecordTypes, Resource, Variant } from './variant.ts';

export const variants: Readonly<Record<NamingVariant, Variant>> = { a, b, c };

/** A record in the names of a variant, with the external id of this client. */
export const serialize = <R extends Resource>(
  variant: Variant,
  resource: R,
  record: RecordTypes[R],
  clientId: string | null,
): object => variant.namings[resource].serialize(record, clientId);
