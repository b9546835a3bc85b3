/** Faults on demand of what a vendor sends: events lost, doubled, late, or in another order. */
import { z } from 'zod';
import { matches } from './faults.ts';
import type { WebhookEvent } from './webhook-queue.ts';

/**
 * - `lost`: never sent. A vendor that drops an event says nothing of it.
 * - `duplicated`: sent twice, with the same id.
 * - `late`: queued after `delayMs` on the emulator's clock; later ones overtake it.
 * - `reordered`: gathered until there are `times` of them, then queued last first.
 */
export const WebhookFault = z.strictObject({
  kind: z.enum(['lost', 'duplicated', 'late', 'reordered']),
  /** How many events meet it. */
  times: z.int().positive().default(1),
  /** Name of the event, with `*` for anything; all of them when absent. */
  event: z.string().optional(),
  /** Id of the account; all of them when absent. */
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
  /** What becomes of an event: nothing, itself, or more. */
  meet(published: Published): (Published & { delayMs: number })[];
  /** Ends all reordering and answers what was gathered, last first. */
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
