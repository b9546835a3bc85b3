/** What runs read, in this order: last of all again what differs, and what a comparison has not listed. */
export const runPhases = ['users', 'leads', 'deals', 'activities', 'checks', 'done'] as const;
export type RunPhase = (typeof runPhases)[number];
