// The points of the person: total, tier, rank, and the entries by day.
import type { FC } from 'hono/jsx';
import { asJson, asNumber, asText, type Json } from '../../api/json.ts';
import type { Rows } from '../../api/page-api.ts';
import { apiText } from '../../kit/api-words.tsx';
import { number } from '../../kit/format.ts';
import { clock, day } from '../../kit/format-time.ts';
import { t } from '../../kit/language.ts';
import { Empty, Panel, Progress } from '../../kit/small.tsx';
import type { Page } from '../../view.ts';
import { BestMissions, Neighbors } from './next.tsx';

const ROWS = 50;
const MAX_PAGE = 1000;
const MAX_MISSIONS = 100;
const SHOWN_MISSIONS = 3;
/** Rows of the standings around the person. */
const NEIGHBORS = 5;

export const ownPoints: Page = async (view) => {
  const page = Math.min(Math.max(Math.trunc(Number(view.query('page'))) || 1, 1), MAX_PAGE);
  const [{ record: me }, entries, missions] = await Promise.all([
    view.api.one('/v1/me'),
    view.api.rows('/v1/me/points', { page, per_page: ROWS }),
    view.api.rows('/v1/me/missions', { per_page: MAX_MISSIONS }),
  ]);
  const userId = asText(me.id);
  // Who has left the standings has no neighbors there.
  const around =
    asNumber(me.position) === undefined
      ? []
      : (await view.api.rows('/v1/standings', { around: userId, per_page: NEIGHBORS })).rows;
  return {
    section: '/me/points',
    title: t('My points'),
    lead: asText(me.name),
    body: (
      <>
        <Summary me={me} />
        {around.length > 1 && <Neighbors of={around} userId={userId} />}
        {missions.rows.length > 0 && <BestMissions of={missions.rows} atMost={SHOWN_MISSIONS} />}
        <Panel title={t('Entries')} live="points">
          <Entries of={entries} page={page} canOpenMissions={view.can('read:settings')} />
        </Panel>
      </>
    ),
  };
};

const Summary: FC<{ me: Json }> = ({ me }) => {
  const total = asNumber(me.total_points) ?? 0;
  const next = asJson(me.next_tier);
  const nextPoints = asNumber(next.min_points);
  const position = asNumber(me.position);
  return (
    <Panel class="own-summary">
      <p class="own-total">
        <strong>{number(total)}</strong> {t('points')}
      </p>
      <p>
        {me.ranking_tier ? t('Tier {name}', { name: asText(me.ranking_tier) }) : t('No tier yet')}
        {' · '}
        {me.standings_opt_out === true
          ? t('You are hidden in the standings')
          : position === undefined
            ? t('No rank yet')
            : t('Rank {position}', { position: number(position) })}
        {position === undefined && (
          <>
            {' · '}
            <a href="/standings">{t('Standings')}</a>
          </>
        )}
      </p>
      {nextPoints !== undefined && (
        <>
          <Progress
            value={total}
            of={nextPoints}
            label={t('Progress to {name}', { name: asText(next.name) })}
          />
          <p class="muted small">
            {t('{points} more points to {name}', {
              points: number(Math.max(0, nextPoints - total)),
              name: asText(next.name),
            })}
          </p>
        </>
      )}
    </Panel>
  );
};

const Entries: FC<{ of: Rows; page: number; canOpenMissions: boolean }> = ({
  of: { rows, totalPages = 1 },
  page,
  canOpenMissions,
}) => {
  if (rows.length === 0)
    return <Empty title={t('No points yet')}>{t('Points appear here once you earn them.')}</Empty>;
  const days = new Map<string, Json[]>();
  for (const row of rows) {
    const name = day(new Date(asText(row.created_at)));
    days.set(name, [...(days.get(name) ?? []), row]);
  }
  return (
    <>
      {[...days].map(([name, entries]) => (
        <section class="own-day">
          <h3>{name}</h3>
          <ul class="list">
            {entries.map((entry) => (
              <Entry of={entry} canOpenMissions={canOpenMissions} />
            ))}
          </ul>
        </section>
      ))}
      {totalPages > 1 && (
        <p class="own-pages">
          {page > 1 && <a href={`?page=${page - 1}`}>{t('Newer')}</a>}{' '}
          {page < totalPages && <a href={`?page=${page + 1}`}>{t('Older')}</a>}
        </p>
      )}
    </>
  );
};

const Entry: FC<{ of: Json; canOpenMissions: boolean }> = ({ of: entry, canOpenMissions }) => {
  const points = asNumber(entry.points) ?? 0;
  const cause = asJson(entry.cause);
  const activityId = asText(asJson(cause.activity).external_id);
  const links: [path: string, name: unknown][] = [];
  const add = (path: string, { id, name }: Json) => {
    if (id !== undefined) links.push([`${path}/${encodeURIComponent(asText(id))}`, name]);
  };
  add('/me/deals', asJson(cause.deal));
  add('/me/leads', asJson(cause.lead));
  if (canOpenMissions) add('/gamification/missions', asJson(cause.mission));
  const english = asText(entry.text);
  const said = apiText(english);
  const text = said ?? english;
  // The first record that the sentence names is the link; otherwise links follow it.
  const named = links.find(([, name]) => asText(name) && text.includes(asText(name)));
  const [before, ...after] = named ? text.split(asText(named[1])) : [text];
  return (
    <li data-key={asText(entry.id)}>
      <span class="list-main">
        {/* One child, because the line is a flexible box on phones. */}
        <span>
          <span {...(said === undefined && { lang: 'en' })}>
            {before}
            {named && <a href={named[0]}>{asText(named[1])}</a>}
            {after.join(asText(named?.[1]))}
          </span>
          {links
            .filter((one) => one !== named)
            .map(([href, name]) => (
              <>
                {' '}
                <a href={href}>{asText(name)}</a>
              </>
            ))}{' '}
          {activityId && <code class="muted small">{activityId}</code>}{' '}
          <span class="muted small nowrap">{clock(new Date(asText(entry.created_at)))}</span>
        </span>
      </span>
      <strong class={points < 0 ? 'own-minus' : 'own-plus'}>
        {points > 0 && '+'}
        {number(points)}
      </strong>
    </li>
  );
};
