// Request bodies with new activities.
import { randomUUID } from 'node:crypto';

/** Number of collaborators that the bench registers: `seller-0@bench.example` and so on. */
export const COLLABORATORS = 100;
export const emailOf = (index: number) => `seller-${index % COLLABORATORS}@bench.example`;

/** Placeholder for the part that differs between bodies. */
export const MARK = '{{one}}';

/**
 * Generates JSON arrays of activities. Only the ids differ between calls, so that generating them costs almost nothing. Small
 * arrays use one collaborator after the other, so that requests do not wait for the lock on one player's points.
 */
export function createBodies(activities: number, codes: string[]): () => string {
  const templates = Array.from({ length: Math.ceil(COLLABORATORS / activities) }, (_, turn) =>
    JSON.stringify(
      Array.from({ length: activities }, (_, index) => activityOf(turn * activities + index, codes)),
    ),
  ).map((template) => template.split(MARK));
  let turn = 0;
  return () => (templates[turn++ % templates.length] ?? []).join(randomUUID());
}

const activityOf = (index: number, codes: string[]) => ({
  activity_code: codes[index % codes.length],
  external_id: `${MARK}-${index}`,
  collaborator_email: emailOf(index),
  occurred_at: '2026-11-03T14:05:00-03:00',
  data: {
    deal: `D-${index}`,
    amount: 1250.5 + index,
    channel: 'phone',
    note: 'Called back, sent the offer.',
  },
});
