// The lifecycle of a deal. A new deal is `open` and moves between stages until it is closed as won or lost.
// The API cannot reopen a closed deal; an admin can, by setting its status in Studio.

export const dealStatuses = ['open', 'won', 'lost'] as const;
export type DealStatus = (typeof dealStatuses)[number];

/** Results of closing an open deal. */
export const dealResults = ['won', 'lost'] as const satisfies readonly DealStatus[];

/** Events of deals. A stage change emits `deal.stage_changed`; closing emits `deal.won` or `deal.lost`. */
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
