// Queries for standings, missions, challenges and badges.
import type { View } from '../view.ts';

const MAX_PLAYERS = 50;

export interface Standing {
  email: string;
  name: string;
  /** `bigint`, which the driver returns as a string. */
  points: string;
  position: string;
  team: string | null;
  tier: string | null;
  badges: string[];
  /** `what` is a mission's name or a note, if any. */
  last_entry: { points: number; what: string | null; reason: string; at: string } | null;
}

export const readStandings = ({ sql, tenant }: View) => sql<Standing[]>`
  select s.email, s.name, s.points, s.position,
         coalesce((select t.name from public.users u join public.teams t on t.id = u.team_id where u.id = s.user_id),
                  (select c.team from public.collaborators c where c.id = s.collaborator_id)) as team,
         (select t.name from public.tiers t where t.tenant_id = s.tenant_id and t.min_points <= s.points
          order by t.min_points desc limit 1) as tier,
         array(select b.badge from admin.earned_badges b where b.tenant_id = s.tenant_id and b.email = s.email
               order by b.earned_at) as badges,
         (select jsonb_build_object('points', e.points, 'what', coalesce(e.mission_name, e.note), 'reason', e.reason,
                                    'at', e.created_at)
          from admin.point_entries e where e.tenant_id = s.tenant_id and e.email = s.email
          order by e.id desc limit 1) as last_entry
  from admin.standings s
  where s.tenant_id = ${tenant.id}
  order by s.position, s.name, s.email
  limit ${MAX_PLAYERS}`;

export interface Mission {
  id: string;
  name: string;
  points: number;
  codes: string[];
  completions: string;
  players: number;
  given: string;
}

export const readMissions = ({ sql, tenant }: View) => sql<Mission[]>`
  select m.id, m.name, m.points, m.codes, coalesce(sum(p.completions), 0) as completions,
         (count(p.email) filter (where p.completions > 0))::integer as players, coalesce(sum(p.points), 0) as given
  from admin.missions m
  left join admin.mission_progress p on p.tenant_id = m.tenant_id and p.mission_id = m.id
  where m.tenant_id = ${tenant.id}
  group by m.id, m.name, m.points, m.codes, m.created_at
  order by m.created_at, m.points`;

export interface Challenge {
  id: string;
  name: string;
  metric: string;
  target: string;
  starts_at: Date;
  ends_at: Date;
  reward_points: number;
  /** The players with the most progress, in descending order. */
  leaders: { name: string; value: number; done: boolean }[];
}

export const readChallenges = ({ sql, tenant }: View) => sql<Challenge[]>`
  select c.id, c.name, c.metric, c.target, c.starts_at, c.ends_at, c.reward_points,
         coalesce((
           select jsonb_agg(jsonb_build_object('name', l.name, 'value', l.value, 'done', l.completed_at is not null)
                            order by l.value desc, l.name)
           from (
             select coalesce(s.name, p.email) as name, p.value, p.completed_at
             from admin.challenge_progress p
             left join admin.standings s on s.tenant_id = p.tenant_id and s.email = p.email
             where p.tenant_id = c.tenant_id and p.challenge = c.name and p.value > 0
             order by p.value desc limit 4
           ) as l
         ), '[]') as leaders
  from admin.challenges c
  where c.tenant_id = ${tenant.id} and c.ends_at > now() - interval '1 week'
  order by c.ends_at`;

export interface BadgeRow {
  id: string;
  name: string;
  metric: string;
  threshold: string;
  earned_by: string;
}

export const readBadges = ({ sql, tenant }: View) => sql<BadgeRow[]>`
  select id, name, metric, threshold, earned_by from admin.badges where tenant_id = ${tenant.id} order by metric, threshold`;

export interface Tier {
  name: string;
  min_points: string;
}

export const readTiers = ({ sql, tenant }: View) => sql<Tier[]>`
  select name, min_points from admin.tiers where tenant_id = ${tenant.id} order by min_points`;
