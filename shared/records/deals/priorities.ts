export const dealPriorities = ['high', 'medium', 'low'] as const;
export type DealPriority = (typeof dealPriorities)[number];

export const DEFAULT_PRIORITY = 'medium' satisfies DealPriority;
