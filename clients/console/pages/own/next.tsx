// Beside the points of the person: who is ahead, and what earns points now.
import type { FC } from 'hono/jsx';
import { asNumber, asText, type Json } from '../../api/json.ts';
import { number } from '../../kit/format.ts';
import { t } from '../../kit/language.ts';
import { Panel } from '../../kit/small.tsx';
import { missionItem } from './progress.tsx';

const Line: FC<{ name: string; points: unknown; place?: string; isOwn?: boolean }> = ({
  name,
  points,
  place,
  isOwn,
}) => (
  <li>
    <span class="list-main">
      {place} {isOwn ? <strong>{name}</strong> : name}
    </span>
    <span class={isOwn ? 'own-plus' : 'muted'}>{number(asNumber(points) ?? 0)}</span>
  </li>
);

/** The person in the standings, with the neighbors. */
export const Neighbors: FC<{ of: Json[]; userId: string }> = ({ of: rows, userId }) => (
  <Panel title={t('Around you')} aside={<a href="/standings">{t('Standings')}</a>}>
    <ol class="list own-lines">
      {rows.map((row) => (
        <Line
          name={asText(row.name)}
          points={row.points}
          place={`${asText(row.position)}.`}
          isOwn={row.user_id === userId}
        />
      ))}
    </ol>
  </Panel>
);

/** What earns most points now. */
export const BestMissions: FC<{ of: Json[]; atMost: number }> = ({ of: rows, atMost }) => (
  <Panel title={t('What earns points')} aside={<a href="/me/missions">{t('Missions')}</a>}>
    <ul class="list own-lines">
      {rows
        .toSorted((one, other) => (asNumber(other.points) ?? 0) - (asNumber(one.points) ?? 0))
        .slice(0, atMost)
        .map((row) => (
          <Line name={missionItem(row).name} points={row.points} />
        ))}
    </ul>
  </Panel>
);
