// Events of records as webhooks show them. Apart from `serialize.ts`, which the variants need and this needs them.
import { namingVariants } from '../../platform/context.ts';
import type { Payload, StoredEvent } from '../../webhooks/signed-request.ts';
import { utcTime } from '../utc-time.ts';
import { type RecordTypes, serialize } from '../variants/variant.ts';
import { variants } from '../variants/variants.ts';

/** Resources whose events hold the record as it then was. */
const recordsInEvents = ['lead', 'deal', 'user'] as const;

/** The payload of an event in the names of a variant. `origin` is there when the request that caused it had one. */
export function eventPayload({
  id,
  type,
  data,
  origin,
  createdAt,
  variant: variantId,
}: StoredEvent): Payload {
  const variant = variants[namingVariants.find((one) => one === variantId) ?? 'a'];
  const resource = recordsInEvents.find((name) => type.startsWith(`${name}.`));
  return {
    id,
    type: variant.eventTypes[type] ?? type,
    created_at: createdAt,
    // The triggers that write events of a resource put what `app.<resource>_record` gives into them.
    data: resource ? serialize(variant, resource, data as RecordTypes[typeof resource]) : withTimes(data),
    ...(origin !== null && { origin }),
  };
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
