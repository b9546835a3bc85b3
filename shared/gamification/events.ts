/** What players reach emits. The recounts of `jobs.ts` lead to them. */
export const gamificationEvents = ['badge.earned', 'challenge.completed', 'ranking.changed'] as const;
