// Words of gamification that SQL has as well; tests/database/facts.test.ts holds the two against each other.

/** What badges and challenges can count. */
export const metrics = [
  'points',
  'missions_completed',
  'deals_created',
  'deals_won',
  'revenue_closed',
  'leads_created',
  'leads_qualified',
  'activities_logged',
] as const;
export type Metric = (typeof metrics)[number];

/** What gives points or takes them back: reasons of entries of the ledger. */
export const pointReasons = [
  'mission_completed',
  'mission_reverted',
  'deal_stage_changed',
  'deal_won',
  'lead_qualified',
  'activity_completed',
  'challenge_completed',
  'automation',
  'activity_voided',
  'adjustment',
] as const;
export type PointReason = (typeof pointReasons)[number];

/** What players reach emits. The recounts of `jobs.ts` lead to them. */
export const gamificationEvents = ['badge.earned', 'challenge.completed', 'ranking.changed'] as const;
