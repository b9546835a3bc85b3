// Event types that webhooks can subscribe to.

import { dealEvents } from '../deals/states.ts';
import { gamificationEvents } from '../gamification/states.ts';
import { leadEvents } from '../leads/states.ts';
import { userEvents } from '../users/states.ts';

export const eventTypes = [...dealEvents, ...leadEvents, ...userEvents, ...gamificationEvents] as const;

/** How a variant names event types. */
export interface EventNaming {
  /** Event types with another name in this variant: canonical name to the variant's name. */
  eventTypes: Readonly<Record<string, string>>;
}

/** Event type names that a variant accepts, its own and the canonical ones, each mapped to the canonical type. */
export function knownEvents({ eventTypes: own }: EventNaming): Map<string, string> {
  const pairs = eventTypes.flatMap((type) => {
    const name = own[type];
    return name ? [[name, type] as const, [type, type] as const] : [[type, type] as const];
  });
  return new Map(pairs);
}
