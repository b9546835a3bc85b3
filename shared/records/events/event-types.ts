// What webhooks can subscribe to.
import { gamificationEvents } from '../../gamification/words.ts';
import { dealEvents } from '../deals/states.ts';
import { leadEvents } from '../leads/states.ts';
import { userEvents } from '../users/states.ts';

export const eventTypes = [...dealEvents, ...leadEvents, ...userEvents, ...gamificationEvents] as const;

/** How a variant names event types. */
export interface EventNaming {
  /** Those that it names otherwise: its own name by the canonical one. */
  eventTypes: Readonly<Record<string, string>>;
}

/** The event types that a variant can subscribe to, by its names and by the canonical ones, which are what they stand for. */
export function knownEvents({ eventTypes: own }: EventNaming): Map<string, string> {
  const pairs = eventTypes.flatMap((type) => {
    const name = own[type];
    return name ? [[name, type] as const, [type, type] as const] : [[type, type] as const];
  });
  return new Map(pairs);
}
