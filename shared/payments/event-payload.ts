// Events of payments as webhooks show them: their data as the resource's GET does.
import type { EventRenderer } from '../webhooks/signed-request.ts';
import { serializeEventData } from './snapshots.ts';
import { shownThen } from './webhooks/event-types.ts';

/** Names of the members of `data` that changed, sorted. Columns that callers do not see are none of theirs. */
export function changedNames(type: string, changed: readonly string[], data: object): string[] {
  const names = [...changed, ...(shownThen[type] ?? [])];
  return [...new Set(names)].filter((name) => Object.hasOwn(data, name)).sort();
}

/** `functionsUrl` is the public address below which the payer's files open. */
export const paymentEvent =
  (functionsUrl: string): EventRenderer =>
  ({ id, type, createdAt, data: stored, burst }) => {
    const data = serializeEventData(type, stored, functionsUrl);
    return {
      id,
      type,
      created_at: createdAt,
      data,
      ...(burst && { changed: changedNames(type, burst.changed, data), folded: burst.folded }),
    };
  };
