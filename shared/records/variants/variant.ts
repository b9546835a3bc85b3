// What a variant of the records interface is: a naming for each resource, an envelope for lists, and event names.
import { a } from './a.ts';
import { b } from './b.ts';
import { c } from './c.ts';
import type { Naming, Row } from './naming.ts';

export type VariantId = 'a' | 'b' | 'c';
export type Resource =
  | 'lead'
  | 'deal'
  | 'closing'
  | 'stage'
  | 'user'
  | 'team'
  | 'activity'
  | 'invitation'
  | 'webhook';

export interface Variant {
  id: VariantId;
  defaultPerPage: number;
  /** Whether lists tell their page in `meta`, or in `pagination` and have no `meta`. */
  listsInMeta: boolean;
  /** Event types that this variant names otherwise: its own name by the canonical one. */
  eventTypes: Readonly<Record<string, string>>;
  namings: Readonly<Record<Resource, Naming>>;
}

export const variants: Readonly<Record<VariantId, Variant>> = { a, b, c };

export const show = (variant: Variant, resource: Resource, record: Row): Row =>
  variant.namings[resource].show(record);
