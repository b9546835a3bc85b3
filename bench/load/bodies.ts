// Bodies of activities that were never sent before.
import { randomUUID } from 'node:crypto';

/** Collaborators that the bench registers: `seller-0@bench.example` and on. */
export const COLLABORATORS = 100;
export const emailOf = (index: number) => `seller-${index % COLLABORATORS}@bench.example`;

/** Stands for what differs from body to body. */
export const MARK = '{{one}}';

/**
 * Makes JSON arrays of activities. Only the ids differ from call to call, so that making one costs next to nothing; small
 * ones are of one collaborator after the other, so that they don't wait for each other at one player's points.
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
