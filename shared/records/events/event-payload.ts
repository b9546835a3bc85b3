// Payloads of record events. Separate from the `serialize.ts` files, because the variants import those and this file imports the variants.
import { namingVariants } from '../../platform/access/context.ts';
import { isExactNumber } from '../../platform/exact-json.ts';
import { utcTime } from '../../platform/instants.ts';
import type { Payload, StoredEvent } from '../../webhooks/event.ts';
import { type NamingRules, nameFor } from '../naming.ts';
import type { RecordTypes, Variant } from '../variants/variant.ts';
import { serialize, variants } from '../variants/variants.ts';

/** Resources whose events contain a snapshot of the record. */
const recordsInEvents = ['lead', 'deal', 'user'] as const;

const resourceOf = (type: string) => recordsInEvents.find((name) => type.startsWith(`${name}.`));

/** The payload of an event in the names of a variant. `origin` is present if the request that caused the event sent one. */
export function eventPayload({
  id,
  type,
  data,
  origin,
  createdAt,
  variant: variantId,
  clientId,
  fold,
}: StoredEvent): Payload {
  const variant = variants[namingVariants.find((name) => name === variantId) ?? 'a'];
  const resource = resourceOf(type);
  // The triggers that write events of a resource store the result of `app.<resource>_record`.
  const shown = resource
    ? serialize(variant, resource, data as RecordTypes[typeof resource], clientId)
    : withTimes(data);
  return {
    id,
    type: variant.eventTypes[type] ?? type,
    created_at: createdAt,
    data: shown,
    ...(origin !== null && { origin }),
    ...(fold && { changed: changedNames(variant, type, fold.changed, shown), folded: fold.folded }),
  };
}

/**
 * Sorted names of the members that changed, in the names of a variant. `changed` contains stored names, `data` is the record in the
 * variant's names.
 */
export function changedNames(
  variant: Variant,
  type: string,
  changed: readonly string[],
  data: unknown,
): string[] {
  const resource = resourceOf(type);
  if (!resource || typeof data !== 'object' || data === null) return [];
  const naming: NamingRules = variant.namings[resource];
  const names = changed.flatMap(
    // A change within a nested member is reported under the top-level member.
    (member) => naming.shownAs?.[member] ?? [nameFor(naming, member).split('.')[0] ?? member],
  );
  return [...new Set(names)].filter((name) => name !== 'updated_at' && Object.hasOwn(data, name)).sort();
}

/** Formats the times in data that is not a record in the same way as those of records. */
function withTimes(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data) || isExactNumber(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      name.endsWith('_at') ? timeOf(value) : withTimes(value),
    ]),
  );
}

const timeOf = (value: unknown): string | null => (typeof value === 'string' ? utcTime(value) : null);
