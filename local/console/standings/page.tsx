// Standings: the leaderboard, missions, challenges and badges.
import type { FC } from 'hono/jsx';
import { metricCount, number } from '../../../clients/console/kit/format.ts';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { Avatar, Empty, Panel, Progress, Time } from '../../../clients/console/kit/small.tsx';
import type { Page } from '../view.ts';
import {
  type BadgeRow,
  type Challenge,
  type Mission,
  readBadges,
  readChallenges,
  readMissions,
  readStandings,
  readTiers,
  type Standing,
  type Tier,
} from './queries.ts';

export const standings: Page = async (view) => {
  const [players, missions, challenges, badges, tiers] = await Promise.all([
    readStandings(view),
    readMissions(view),
    readChallenges(view),
    readBadges(view),
    readTiers(view),
  ]);
  const isPlayed = players.some(({ points }) => points !== '0');
  return {
    title: t('Standings'),
    lead: t(isPlayed ? 'All-time points, updated live.' : 'All players start with zero points.'),
    body: (
      <div class="standings">
        <Panel title={t('Board')} live="board" class="board-panel" aside={<TierLegend of={tiers} />}>
          {players.length === 0 ? (
            <Empty title={t('No players yet')}>
              {t('Collaborators that a CRM reports, and users who accept an invitation, appear here.')}
            </Empty>
          ) : (
            <Board of={players} tiers={tiers} now={view.now} />
          )}
        </Panel>
        <div class="standings-side">
          <Panel title={t('Challenges')} live="challenges">
            {challenges.length === 0 ? (
              <Empty title={t('No challenges')}>
                {t('Create one with')} <code>admin.create_challenge</code>.
              </Empty>
            ) : (
              challenges.map((one) => <ChallengeCard of={one} now={view.now} />)
            )}
          </Panel>
          <Panel title={t('Missions')} live="missions">
            {missions.length === 0 ? (
              <Empty title={t('No missions')}>
                {t('Create one with')} <code>admin.create_mission</code>.{' '}
                {t('Its codes determine which activities count.')}
              </Empty>
            ) : (
              <MissionList of={missions} />
            )}
          </Panel>
          <Panel title={t('Badges')} live="badges">
            {badges.length === 0 ? (
              <Empty title={t('No badges')}>
                {t('Create one with')} <code>admin.create_badge</code>.{' '}
                {t('Players earn it with a number of points, won deals and so on.')}
              </Empty>
            ) : (
              <BadgeList of={badges} />
            )}
          </Panel>
        </div>
      </div>
    ),
  };
};

/** Rank of a tier, which determines its color. */
const rankOf = (name: string | null, tiers: Tier[]) => tiers.findIndex((tier) => tier.name === name) + 1;

const TierLegend: FC<{ of: Tier[] }> = ({ of: tiers }) =>
  tiers.length > 0 && (
    <ul class="tiers">
      {tiers.map(({ name, min_points: points }) => (
        <li class={`tier tier-${rankOf(name, tiers)}`}>
          {name} <span>{number(points)}+</span>
        </li>
      ))}
    </ul>
  );

const Board: FC<{ of: Standing[]; tiers: Tier[]; now: Date }> = ({ of: players, tiers, now }) => {
  const most = Math.max(1, ...players.map(({ points }) => Number(points)));
  return (
    <ol class="board">
      {players.map(({ email, name, points, position, team, tier, badges, last_entry: last }) => (
        <li data-key={email} data-value={points} class={`place-${position}`}>
          <span class="place">
            <span class="visually-hidden">{t('Rank')} </span>
            {position}
          </span>
          <Avatar name={name} />
          <div class="player">
            <span class="player-name">
              {name}
              {tier !== null && <span class={`tier tier-${rankOf(tier, tiers)}`}>{tier}</span>}
            </span>
            <span class="player-note muted">
              {team ?? email}
              {last !== null && (
                <span class="last">
                  {last.points >= 0 ? '+' : '−'}
                  {number(Math.abs(last.points))} {last.what ?? tName(last.reason)},{' '}
                  <Time at={last.at} now={now} />
                </span>
              )}
            </span>
            {badges.length > 0 && (
              <ul class="earned" aria-label={t('Badges')}>
                {badges.map((badge) => (
                  <li>{badge}</li>
                ))}
              </ul>
            )}
          </div>
          <div class="points">
            <strong>{number(points)}</strong>
            <span class="visually-hidden"> {t('points')}</span>
            <Progress
              value={Number(points)}
              of={most}
              label={t('{name}, relative to the leader', { name })}
            />
          </div>
        </li>
      ))}
    </ol>
  );
};

const ChallengeCard: FC<{ of: Challenge; now: Date }> = ({ of: challenge, now }) => {
  const target = Number(challenge.target);
  const isOver = challenge.ends_at < now;
  return (
    <div class="challenge">
      <h3>{challenge.name}</h3>
      <p class="muted small">
        {metricCount(Math.round(target), challenge.metric)}
        {challenge.reward_points > 0 &&
          `, ${tCount(challenge.reward_points, 'worth {count} point', 'worth {count} points')}`}
        ; {t(isOver ? 'ended' : 'ends')} <Time at={challenge.ends_at} now={now} />
      </p>
      {challenge.leaders.length === 0 ? (
        <p class="muted small">{t('No progress yet.')}</p>
      ) : (
        <ul class="racers">
          {challenge.leaders.map(({ name, value, done }) => (
            <li data-key={name}>
              <span class="clip">{name}</span>
              <Progress
                value={value}
                of={target}
                label={t('{name} in {challenge}', { name, challenge: challenge.name })}
              />
              <span class={done ? 'done' : ''}>
                {number(Math.round(value))}
                {done && ' ✓'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const MissionList: FC<{ of: Mission[] }> = ({ of }) => (
  <ul class="missions">
    {of.map(({ id, name, points, codes, completions, players, given }) => (
      <li data-key={id}>
        <span class="mission-name">{name}</span>
        <span class="muted small">
          {tCount(points, '{count} point each', '{count} points each')},{' '}
          {codes.length > 0 ? t('code {codes}', { codes: codes.join(', ') }) : t('no code')}
        </span>
        <span class="mission-count">
          <strong>{number(completions)}×</strong>
          <span class="muted small">
            {tCount(players, '{count} player', '{count} players')},{' '}
            {tCount(Number(given), '{count} point', '{count} points')}
          </span>
        </span>
      </li>
    ))}
  </ul>
);

const BadgeList: FC<{ of: BadgeRow[] }> = ({ of }) => (
  <ul class="missions">
    {of.map(({ id, name, metric, threshold, earned_by: count }) => (
      <li data-key={id}>
        <span class="mission-name">{name}</span>
        <span class="muted small">{metricCount(Math.round(Number(threshold)), metric)}</span>
        <span class="mission-count">
          <strong>{number(count)}×</strong>
          <span class="muted small">{t('earned')}</span>
        </span>
      </li>
    ))}
  </ul>
);
