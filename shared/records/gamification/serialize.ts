// Serializes gamification for responses.
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import type {
  BadgeRecord,
  ChallengeRecord,
  EarnedBadgeRecord,
  MissionRecord,
  PointEntryRecord,
  SeasonRecord,
  StandingRecord,
} from './queries.ts';
import type {
  BadgeResponse,
  ChallengeResponse,
  EarnedBadgeResponse,
  MissionResponse,
  PointEntryResponse,
  SeasonResponse,
  StandingResponse,
} from './schema.ts';

export const serializeMission = (mission: MissionRecord): MissionResponse => ({
  id: mission.id,
  name: mission.name,
  points: mission.points,
  codes: mission.codes,
  completions: mission.completions,
});

export const serializeBadge = (badge: BadgeRecord): BadgeResponse => ({
  id: badge.id,
  name: badge.name,
  metric: badge.metric,
  threshold: badge.threshold,
  earned_by: badge.earned_by,
});

export const serializeEarnedBadge = (badge: EarnedBadgeRecord): EarnedBadgeResponse => ({
  ...serializeBadge(badge),
  earned_at: utcTime(badge.earned_at),
});

/** Null for an infinite bound, which an ISO timestamp cannot express. */
const boundOf = (stored: string): string | null => (stored.endsWith('infinity') ? null : utcTime(stored));

export const serializeChallenge = (challenge: ChallengeRecord): ChallengeResponse => ({
  id: challenge.id,
  name: challenge.name,
  metric: challenge.metric,
  target: challenge.target,
  starts_at: boundOf(challenge.starts_at),
  ends_at: boundOf(challenge.ends_at),
  reward_points: challenge.reward_points,
  progress: challenge.progress.map(({ user_id, name, value, completed_at }) => ({
    user_id,
    name,
    value,
    completed_at: utcTimeOrNull(completed_at),
  })),
});

export const serializeSeason = (season: SeasonRecord): SeasonResponse => ({
  id: season.id,
  name: season.name,
  starts_at: utcTime(season.starts_at),
  ends_at: utcTime(season.ends_at),
});

export const serializePointEntry = (entry: PointEntryRecord): PointEntryResponse => ({
  id: entry.id,
  points: entry.points,
  reason: entry.reason,
  note: entry.note,
  mission_id: entry.mission_id,
  created_at: utcTime(entry.created_at),
});

export const serializeStanding = (standing: StandingRecord): StandingResponse => standing;
