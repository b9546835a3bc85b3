/** Fault injection for events: lost, duplicated, late or reordered. */
import { z } from 'zod';
import { matches } from './faults.ts';
import type { WebhookEvent } from './webhook-queue.ts';

/**
 * - `lost`: never sent, without any notice.
 * - `duplicated`: sent twice with the same id.
 * - `late`: queued after `delayMs` of emulator time; later events overtake it.
 * - `reordered`: held back until there are `times` events, then queued in reverse order.
 */
export const WebhookFault = z.strictObject({
  kind: z.enum(['lost', 'duplicated', 'late', 'reordered']),
  /** Number of events that the fault affects. */
  times: z.int().positive().default(1),
  /** Name of the event, with `*` as a wildcard. Default: all events. */
  event: z.string().optional(),
  /** Id of the account. Default: all accounts. */
  account: z.string().optional(),
  delayMs: z.int().positive().default(60_000),
});
export type WebhookFault = z.output<typeof WebhookFault>;
export type WebhookFaultOrder = z.input<typeof WebhookFault>;

interface Published {
  event: WebhookEvent;
  endpoints: readonly string[];
}

export interface WebhookFaults {
  list(): WebhookFault[];
  add(fault: WebhookFault): void;
  clear(): void;
  /** The events to queue instead of the given one: none, itself, or more. */
  meet(published: Published): (Published & { delayMs: number })[];
  /** Ends all reordering and returns the events that were held back, in reverse order. */
  release(): Published[];
}

export function createWebhookFaults(): WebhookFaults {
  let faults: WebhookFault[] = [];
  const gathered = new Map<WebhookFault, Published[]>();

  function release(): Published[] {
    const released = [...gathered.values()].flatMap((events) => events.reverse());
    faults = faults.filter((fault) => !gathered.has(fault));
    gathered.clear();
    return released;
  }

  return {
    list: () => faults,
    add: (fault) => void faults.push({ ...fault }),
    clear() {
      faults = [];
    },
    release,
    meet(published) {
      const { name, account } = published.event;
      const fault = faults.find(
        (candidate) =>
          (candidate.event === undefined || matches(candidate.event, name)) &&
          (candidate.account === undefined || candidate.account === account),
      );
      if (fault === undefined) return [{ ...published, delayMs: 0 }];
      fault.times -= 1;
      if (fault.times === 0) faults = faults.filter((candidate) => candidate !== fault);
      switch (fault.kind) {
        case 'lost':
          return [];
        case 'duplicated':
          return [0, 0].map((delayMs) => ({ ...published, delayMs }));
        case 'late':
          return [{ ...published, delayMs: fault.delayMs }];
        case 'reordered': {
          const events = [...(gathered.get(fault) ?? []), published];
          if (fault.times > 0) {
            gathered.set(fault, events);
            return [];
          }
          gathered.delete(fault);
          return events.reverse().map((event) => ({ ...event, delayMs: 0 }));
        }
      }
    },
  };
}
