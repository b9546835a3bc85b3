// Webhooks: whether HubSpot sent them, and what they say. A body is an array of up to 100 events.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { constantTimeEqual } from '../../../platform/crypto.ts';
import type { Delivery, Hint, Merge, Subject } from '../crm.ts';
import { id } from '../wire.ts';
import { activityId } from './activities.ts';
import { DECODED_WHEN_SIGNED, LIMITS, OBJECT_NAMES, OBJECTS, type ObjectName } from './facts.ts';

/**
 * Verifies `X-HubSpot-Signature-v3`: an HMAC by the app's client secret over method, URI, body and time
 * (developers.hubspot.com/docs/apps/developer-platform/build-apps/authentication/request-validation).
 */
export async function isGenuine({ headers, body, url, credentials, nowMs }: Delivery): Promise<boolean> {
  const signature = headers.get('x-hubspot-signature-v3');
  const time = headers.get('x-hubspot-request-timestamp');
  const secret = credentials.client_secret;
  if (!signature || !time || !secret || !/^\d+$/.test(time)) return false;
  if (Math.abs(nowMs - Number(time)) > LIMITS.signatureAgeMs) return false;
  const uri = url.replace(DECODED_WHEN_SIGNED, decodeURIComponent);
  const hmac = createHmac('sha256', secret).update(`POST${uri}`).update(body).update(time);
  return constantTimeEqual(hmac.digest('base64'), signature);
}

const eventSchema = z.looseObject({
  /** `contact.creation`, or `object.creation` with `objectTypeId`. */
  subscriptionType: z.string(),
  mergedObjectIds: z.array(id).nullish(),
});
type Event = z.infer<typeof eventSchema>;

/** A member of an event that is a text or a number. */
const memberOf = (event: Event, name: string): string | undefined => id.safeParse(event[name]).data;

export function readHints(events: unknown): Hint[] {
  return (Array.isArray(events) ? events : [events]).map((parsed) => {
    const { data: event } = eventSchema.safeParse(parsed);
    if (!event) return { type: 'unknown' };
    return { eventId: eventIdOf(event), type: event.subscriptionType, about: aboutOf(event) };
  });
}

/** HubSpot does not promise that `eventId` is unique. */
function eventIdOf(event: Event): string | undefined {
  const parts = ['eventId', 'subscriptionId', 'occurredAt', 'objectId'].map((name) => memberOf(event, name));
  return parts[0] && parts.join(':');
}

const CHANGES = ['creation', 'deletion', 'privacyDeletion', 'propertyChange', 'restore'];

function aboutOf(event: Event): Subject | undefined {
  const [subject, change = ''] = event.subscriptionType.split('.');
  const typeId = memberOf(event, 'objectTypeId');
  const object = OBJECT_NAMES.find((name) =>
    subject === 'object' ? OBJECTS[name].typeId === typeId : OBJECTS[name].subject === subject,
  );
  if (change === 'associationChange') return dealOf(event, object);
  if (change !== 'merge')
    return CHANGES.includes(change) ? recordOf(object, memberOf(event, 'objectId')) : undefined;
  const primary = memberOf(event, 'primaryObjectId') ?? memberOf(event, 'objectId');
  const winner = recordOf(object, memberOf(event, 'newObjectId') ?? primary);
  return winner && { ...winner, merged: mergeOf(event, winner.id, primary) };
}

function recordOf(object: ObjectName | undefined, id: string | undefined): Subject | undefined {
  if (!object || !id) return undefined;
  const { kind } = OBJECTS[object];
  return kind === 'activity' ? { kind, id: activityId(object, id), activityType: object } : { kind, id };
}

function mergeOf({ mergedObjectIds }: Event, winner: string, primary: string | undefined): Merge {
  const losers = (mergedObjectIds ?? []).filter((id) => id !== winner && id !== primary);
  return { losers, ...(primary && primary !== winner && { formerId: primary }) };
}

/** Only the deal of two linked records shows the link. */
function dealOf(event: Event, object: ObjectName | undefined): Subject | undefined {
  // Such as `DEAL_TO_CONTACT`.
  const [from, to] = memberOf(event, 'associationType')?.toLowerCase().split('_to_') ?? [];
  const { subject, typeId } = OBJECTS.deals;
  if (object === 'deals' || from === subject || memberOf(event, 'fromObjectTypeId') === typeId)
    return recordOf('deals', memberOf(event, 'fromObjectId') ?? memberOf(event, 'objectId'));
  if (to === subject || memberOf(event, 'toObjectTypeId') === typeId)
    return recordOf('deals', memberOf(event, 'toObjectId'));
  return undefined;
}
