// Events of records as webhooks show them. Apart from `serialize.ts`, which the variants need and this needs them.
import { namingVariants } from '../../platform/access/context.ts';
import type { Payload, StoredEvent } from '../../webhooks/delivery/signed-request.ts';
import { type NamingRules, nameFor } from '../naming.ts';
import { utcTime } from '../utc-time.ts';
import { type RecordTypes, serialize, type Variant } from '../variants/variant.ts';
import { variants } from '../variants/variants.ts';

/** Resources whose events hold the record as it then was. */
const recordsInEvents = ['lead', 'deal', 'user'] as const;

const resourceOf = (type: string) => recordsInEvents.find((name) => type.startsWith(`${name}.`));

/** The payload of an event in the names of a variant. `origin` is there when the request that caused it had one. */
export function eventPayload({
  id,
  type,
  data,
  origin,
  createdAt,
  variant: variantId,
  clientId,
  burst,
}: StoredEvent): Payload {
  const variant = variants[namingVariants.find((one) => one === variantId) ?? 'a'];
  const resource = resourceOf(type);
  // The triggers that write events of a resource put what `app.<resource>_record` gives into them.
  const shown = resource
    ? serialize(variant, resource, data as RecordTypes[typeof resource], clientId)
    : withTimes(data);
  return {
    id,
    type: variant.eventTypes[type] ?? type,
    created_at: createdAt,
    data: shown,
    ...(origin !== null && { origin }),
    ...(burst && { changed: changedNames(variant, type, burst.changed, shown), folded: burst.folded }),
  };
}

/**
 * Names of changed members in a variant's words, sorted: those that show a stored member which changed. `data` is the record as the variant
 * shows it.
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
    // A part of a member is named by the member.
    (member) => naming.shownAs?.[member] ?? [nameFor(naming, member).split('.')[0] ?? member],
  );
  return [...new Set(names)].filter((name) => name !== 'updated_at' && Object.hasOwn(data, name)).sort();
}

/** Data that is no record, its times in the form that records have. */
function withTimes(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      name.endsWith('_at') ? timeOf(value) : withTimes(value),
    ]),
  );
}

const timeOf = (value: unknown): string | null => (typeof value === 'string' ? utcTime(value) : null);
