// Gamification terms that SQL defines as well. tests/database/sql-and-code-lists.test.ts checks that both lists match.

/** Metrics for badges and challenges. */
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

/** Events that point rules can award points for. */
export const pointRuleEvents = [
  'deal.stage_changed',
  'deal.won',
  'lead.qualified',
  'activity.completed',
] as const;

/** Reasons of entries in the points ledger. */
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

/** Events that the recounts in `jobs.ts` emit. */
export const gamificationEvents = ['badge.earned', 'challenge.completed', 'ranking.changed'] as const;
