// The standings of a period, season or team, with tiers and badges.
import { asNumber, asText, type Json } from '../api/json.ts';
import { withQuery } from '../api/page-api.ts';
import { decimal, number } from '../kit/format.ts';
import { t, tName } from '../kit/language.ts';
import { Avatar, Empty, Panel, Progress } from '../kit/small.tsx';
import type { Resource } from '../resources/resource.ts';
import type { Page, View } from '../view.ts';

const periods = ['today', 'week', 'month', 'quarter', 'year'];
const BOARD_ROWS = 100;

/** The list behind the CSV file. */
export const standingsList: Resource = {
  path: '/standings',
  api: '/v1/standings',
  scope: 'read:standings',
  title: 'Standings',
  lead: 'Players by points.',
  paging: 'pages',
  filters: ['period', 'season', 'team_id'].map((name) => ({ name, label: 'Period' as const })),
  columns: [
    { name: 'position', as: 'number', label: 'Rank' },
    { name: 'name' },
    { name: 'points', as: 'number' },
  ],
  more: [{ name: 'user_id', as: 'code' }],
  flat: true,
  none: 'No players yet',
};

export const standings: Page = async (view) => {
  const filters = Object.fromEntries(['period', 'season', 'team_id'].map((name) => [name, view.query(name)]));
  const rows = async (path: string, query = {}) => (await view.api.rows(path, query)).rows;
  const [players, seasons, badges, tiers, { teams }] = await Promise.all([
    // A season has its own dates, which a period would contradict.
    rows('/v1/standings', { ...filters, ...(filters.season && { period: '' }), per_page: BOARD_ROWS }),
    rows('/v1/seasons', { per_page: 100 }),
    view.can('read:users') ? rows('/v1/badges', { per_page: 100 }) : undefined,
    view.can('read:settings') ? rows('/v1/admin/tiers', { per_page: 100 }) : [],
    view.directory('teams'),
  ]);
  return {
    title: t('Standings'),
    lead: t('Players by points.'),
    actions: (
      <a class="button quiet" href={withQuery('/standings', { ...filters, format: 'csv' })}>
        CSV
      </a>
    ),
    body: (
      <>
        <Filters view={view} seasons={seasons} teams={[...teams]} />
        <div class="standings">
          <Panel title={t('Board')} live="board" class="board-panel" aside={<Tiers of={tiers} />}>
            {players.length === 0 ? (
              <Empty title={t('No players yet')}>
                {t('Collaborators that a CRM reports, and users who accept an invitation, appear here.')}
              </Empty>
            ) : (
              <Board
                of={players}
                tiers={tiers}
                isTotal={!filters.season && ['', 'all'].includes(filters.period ?? '')}
                linksUsers={view.can('read:users')}
              />
            )}
          </Panel>
          {badges && (
            <div class="standings-side">
              <Panel title={t('Badges')}>
                {badges.length === 0 ? (
                  <Empty title={t('No badges')} />
                ) : (
                  <ul class="missions">
                    {badges.map(({ id, name, metric, threshold, earned_by: count }) => (
                      <li data-key={asText(id)}>
                        <span class="mission-name">{asText(name)}</span>
                        <span class="muted small">
                          {tName(asText(metric))}: {decimal(Number(threshold))}
                        </span>
                        <span class="mission-count">
                          <strong>{number(Number(count))}×</strong>
                          <span class="muted small">{t('earned')}</span>
                        </span>
                      </li>
                    ))}
                  </ul>
                )}
              </Panel>
            </div>
          )}
        </div>
      </>
    ),
  };
};

function Filters({ view, seasons, teams }: { view: View; seasons: Json[]; teams: Json[] }) {
  const choice = (name: string, label: string, options: [value: string, text: string][]) => (
    <label class="choice">
      <span>{label}</span>
      <select name={name}>
        <option value="">{t('any')}</option>
        {options.map(([value, text]) => (
          <option value={value} selected={value === view.query(name)}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const named = (rows: Json[]): [string, string][] => rows.map(({ id, name }) => [asText(id), asText(name)]);
  return (
    <search>
      <form class="filters" method="get" action="/standings" data-filters>
        {choice(
          'period',
          t('Period'),
          periods.map((period) => [period, tName(period)]),
        )}
        {choice('season', t('Season'), named(seasons))}
        {choice('team_id', t('Team'), named(teams))}
        <button type="submit" class="button quiet">
          {t('Filter')}
        </button>
      </form>
    </search>
  );
}

/** Tiers from the lowest. */
const byPoints = (tiers: Json[]): Json[] =>
  [...tiers].sort((one, other) => Number(one.min_points) - Number(other.min_points));

const Tiers = ({ of }: { of: Json[] }) =>
  of.length > 0 && (
    <ul class="tiers">
      {byPoints(of).map(({ name, min_points: points }, index) => (
        <li class={`tier tier-${index + 1}`}>
          {asText(name)} <span>{number(Number(points))}+</span>
        </li>
      ))}
    </ul>
  );

function Board({
  of: players,
  tiers,
  isTotal,
  linksUsers,
}: {
  of: Json[];
  tiers: Json[];
  isTotal: boolean;
  linksUsers: boolean;
}) {
  const most = Math.max(1, ...players.map(({ points }) => asNumber(points) ?? 0));
  const ranked = byPoints(tiers);
  return (
    <ol class="board">
      {players.map(({ position, name, points, user_id: user, collaborator_id: collaborator }) => {
        // Tiers are based on all-time points.
        const rank = isTotal ? ranked.filter((tier) => Number(tier.min_points) <= Number(points)).length : 0;
        return (
          <li
            data-key={asText(user) || asText(collaborator)}
            data-value={asText(points)}
            class={`place-${asText(position)}`}
          >
            <span class="place">
              <span class="visually-hidden">{t('Rank')} </span>
              {asText(position)}
            </span>
            <Avatar name={asText(name)} />
            <div class="player">
              <span class="player-name">
                {linksUsers && asText(user) ? (
                  <a href={`/records/users/${asText(user)}`}>{asText(name)}</a>
                ) : (
                  asText(name)
                )}
                {rank > 0 && <span class={`tier tier-${rank}`}>{asText(ranked[rank - 1]?.name)}</span>}
              </span>
            </div>
            <div class="points">
              <strong>{number(Number(points))}</strong>
              <span class="visually-hidden"> {t('points')}</span>
              <Progress
                value={Number(points)}
                of={most}
                label={t('{name}, relative to the leader', { name: asText(name) })}
              />
            </div>
          </li>
        );
      })}
    </ol>
  );
}
