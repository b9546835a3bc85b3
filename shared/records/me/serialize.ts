// Converts what persons read of themselves to responses.
import { utcTime, utcTimeOrNull } from '../../platform/instants.ts';
import { boundOf, serializePointEntry } from '../gamification/schema.ts';
import { canonical, type NamingRules, valueFor } from '../naming.ts';
import type {
  MeRecord,
  OwnBadgeRecord,
  OwnChallengeRecord,
  OwnMissionRecord,
  OwnPointEntryRecord,
} from './queries.ts';
import type {
  causeKinds,
  MeResponse,
  OwnBadgeResponse,
  OwnChallengeResponse,
  OwnMissionResponse,
  OwnPointEntryResponse,
} from './schema.ts';

type Cause = OwnPointEntryResponse['cause'];
type Reason = OwnPointEntryRecord['reason'];

const kinds: Readonly<Record<Reason, (typeof causeKinds)[number]>> = {
  mission_completed: 'mission',
  mission_reverted: 'mission',
  deal_stage_changed: 'rule',
  deal_won: 'rule',
  lead_qualified: 'rule',
  activity_completed: 'rule',
  challenge_completed: 'challenge',
  automation: 'automation',
  activity_voided: 'void',
  adjustment: 'adjustment',
};

/** Events of rules, whose events may not be stored any more. */
const ruleEvents: Partial<Record<Reason, string>> = {
  deal_stage_changed: 'deal.stage_changed',
  deal_won: 'deal.won',
  lead_qualified: 'lead.qualified',
  activity_completed: 'activity.completed',
};

function causeOf(entry: OwnPointEntryRecord, eventTypes: Readonly<Record<string, string>>): Cause {
  const { reason, mission_id: missionId, mission_name: missionName, activity, deal, lead, challenge } = entry;
  const event = ruleEvents[reason] ?? (reason === 'automation' ? (entry.event?.type ?? null) : null);
  return {
    kind: kinds[reason],
    mission: missionId === null ? null : { id: missionId, name: missionName ?? '' },
    activity: activity && { ...activity, occurred_at: utcTime(activity.occurred_at) },
    event: event && (eventTypes[event] ?? event),
    deal,
    lead,
    challenge,
  };
}

const LOGGED: Readonly<Record<string, string>> = {
  note: 'Note',
  call: 'Call',
  email: 'Email',
  meeting: 'Meeting',
  task: 'Task',
};

/** What happened, such as `Deal won`, and to what. */
function headOf(entry: OwnPointEntryRecord): readonly [what: string, subject?: string | undefined] {
  const record = (entry.deal ?? entry.lead)?.name;
  switch (entry.reason) {
    case 'mission_completed':
    case 'mission_reverted':
    case 'activity_voided':
      return [entry.mission_name ?? 'Mission', `activity ${entry.activity?.code ?? ''}`.trim()];
    case 'deal_won':
      return ['Deal won', record];
    case 'deal_stage_changed':
      return [entry.event?.stage ? `Deal moved to ${entry.event.stage}` : 'Deal moved', record];
    case 'lead_qualified':
      return ['Lead qualified', record];
    case 'activity_completed':
      return [`${LOGGED[entry.logged ?? ''] ?? 'Activity'} logged`, record];
    case 'challenge_completed':
      return ['Challenge completed', entry.challenge?.name];
    case 'automation':
      return ['Automation', record];
    case 'adjustment':
      return ['Adjustment', entry.note ?? undefined];
  }
}

/** What happened to the activity of a mission afterwards. */
function tailOf({ reason, note }: OwnPointEntryRecord): string {
  if (reason === 'mission_reverted') return ' no longer counts';
  if (reason === 'activity_voided') return note ? ` was voided: ${note}` : ' was voided';
  return '';
}

/** One sentence on one line, such as `Visit: activity 002 on 2 Mar 2026 (+25).` */
function textOf(entry: OwnPointEntryRecord): string {
  const [what, subject] = headOf(entry);
  const sign = entry.points < 0 ? '' : '+';
  const happened = `${what}${subject ? `: ${subject}` : ''} on ${entry.day}${tailOf(entry)}`;
  return `${happened.replace(/\s+/g, ' ').replace(/\.$/, '')} (${sign}${entry.points}).`;
}

function serializeOwnPointEntry(
  entry: OwnPointEntryRecord,
  eventTypes: Readonly<Record<string, string>>,
): OwnPointEntryResponse {
  const { subject } = entry;
  const name = !subject || subject.resource === 'activity' ? null : entry[subject.resource]?.name;
  return {
    ...serializePointEntry(entry),
    // Without a name, the deal or lead is not the person's own any more.
    subject: subject && name !== undefined ? { ...subject, name } : null,
    text: textOf(entry),
    cause: causeOf(entry, eventTypes),
  };
}

const serializeOwnBadge = (badge: OwnBadgeRecord): OwnBadgeResponse => ({
  id: badge.id,
  name: badge.name,
  metric: badge.metric,
  threshold: badge.threshold,
  value: badge.value,
  earned_at: utcTimeOrNull(badge.earned_at),
});

const serializeOwnChallenge = (challenge: OwnChallengeRecord): OwnChallengeResponse => ({
  id: challenge.id,
  name: challenge.name,
  metric: challenge.metric,
  target: challenge.target,
  starts_at: challenge.starts_at && boundOf(challenge.starts_at),
  ends_at: challenge.ends_at && boundOf(challenge.ends_at),
  reward_points: challenge.reward_points,
  state: challenge.state,
  value: challenge.value,
  completed_at: utcTimeOrNull(challenge.completed_at),
});

function serializeMe(me: MeRecord, user: NamingRules): object {
  const shown: MeResponse = {
    id: me.id,
    name: me.name,
    email: me.email,
    phone: me.phone,
    avatar_url: me.avatar_url,
    role: me.role,
    team: me.team && { id: me.team.id, name: me.team.name },
    tenant: me.tenant,
    access: me.access,
    scopes: [...me.scopes],
    total_points: me.total_points,
    ranking_tier: me.ranking_tier,
    next_tier: me.next_tier,
    position: me.position,
    standings_opt_out: me.standings_opt_out,
  };
  const { team, ...members } = shown;
  return {
    ...members,
    role: valueFor(user, 'role', me.role),
    ...(user.shownAs?.team ? { team_id: team?.id ?? null, team_name: team?.name ?? null } : { team }),
  };
}

/** The naming of what persons read of themselves. Their roles and teams have the words for users. */
export const ownNamings = (user: NamingRules, eventTypes: Readonly<Record<string, string>>) => ({
  me: canonical((me: MeRecord) => serializeMe(me, user)),
  ownPointEntry: canonical((entry: OwnPointEntryRecord) => serializeOwnPointEntry(entry, eventTypes)),
  ownBadge: canonical(serializeOwnBadge),
  ownChallenge: canonical(serializeOwnChallenge),
  ownMission: canonical((mission: OwnMissionRecord): OwnMissionResponse => mission),
});
