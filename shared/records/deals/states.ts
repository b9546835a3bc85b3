// The life of a deal. A new one is `open` and moves from stage to stage; closing wins or loses it.
// No request opens it again; an admin can, by setting its status in Studio.

export const dealStatuses = ['open', 'won', 'lost'] as const;
export type DealStatus = (typeof dealStatuses)[number];

/** How an open deal is closed. */
export const dealResults = ['won', 'lost'] as const satisfies readonly DealStatus[];

/** What changes of deals emit. Another stage is `deal.stage_changed`, being closed `deal.won` or `deal.lost`. */
export const dealEvents = [
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'deal.won',
  'deal.lost',
  'deal.deleted',
] as const;

export const dealPriorities = ['high', 'medium', 'low'] as const;
export type DealPriority = (typeof dealPriorities)[number];

export const DEFAULT_PRIORITY = 'medium' satisfies DealPriority;
