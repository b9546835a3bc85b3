/** The phases of a run, in order. `checks` reads again what differs and what a comparison has not listed. */
export const runPhases = ['users', 'leads', 'deals', 'activities', 'checks', 'done'] as const;
export type RunPhase = (typeof runPhases)[number];
