// The file with which a person subscribes an app to our webhooks
// (developers.hubspot.com/docs/apps/developer-platform/add-features/configure-webhooks).
import type { ConnectOptions } from '../crm.ts';
import { LIMITS, OBJECT_NAMES, OBJECTS, type ObjectName } from './facts.ts';

const NO_KEYS = { lead: [], deal: [] };

/** The text of `src/app/webhooks/webhooks-hsmeta.json`. HubSpot does not report changes of mapped properties without `customKeys`. */
export function webhookSetup(url: string, customKeys: ConnectOptions['customKeys'] = NO_KEYS): string {
  const keys = { ...customKeys, activity: [] };
  const crmObjects = OBJECT_NAMES.flatMap((object) => subscriptionsTo(object, keys[OBJECTS[object].kind]));
  const hubEvents = [{ subscriptionType: 'contact.privacyDeletion', active: true }];
  const config = {
    settings: { targetUrl: url, maxConcurrentRequests: LIMITS.concurrentDeliveries },
    subscriptions: { crmObjects, legacyCrmObjects: [], hubEvents },
  };
  return `${JSON.stringify({ uid: 'webhooks', type: 'webhooks', config }, null, 2)}\n`;
}

function subscriptionsTo(object: ObjectName, customKeys: readonly string[]) {
  const { kind, subject: objectType, properties } = OBJECTS[object];
  const events = ['object.creation', 'object.deletion', 'object.restore'];
  if (kind !== 'activity') events.push('object.merge');
  if (kind === 'deal') events.push('object.associationChange');
  const names = [...new Set([...properties, ...customKeys])];
  const to = (subscriptionType: string, propertyName?: string) => ({
    ...{ subscriptionType, objectType, propertyName, active: true },
  });
  return [...events.map((event) => to(event)), ...names.map((name) => to('object.propertyChange', name))];
}
