/** What players reach emits. The recounts of `jobs.ts` lead to them. */
export const gamificationEvents = ['badge.earned', 'ranking.changed', 'challenge.completed'] as const;
