/** Kinds of activities that a person logs. */
export const activityTypes = ['note', 'call', 'email', 'meeting', 'task'] as const;
export type ActivityType = (typeof activityTypes)[number];
