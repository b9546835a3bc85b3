// Badges, challenges and missions of the person: what is done, and how far the rest is.
import type { Child, FC } from 'hono/jsx';
import { asNumber, asText, asTexts, type Json } from '../../api/json.ts';
import { decimal, number } from '../../kit/format.ts';
import { day } from '../../kit/format-time.ts';
import { type Message, t, tCount, tName } from '../../kit/language.ts';
import { Badge, Empty, Panel, Progress } from '../../kit/small.tsx';
import type { Page, View } from '../../view.ts';

const MAX_ROWS = 100;

const dayOf = (at: unknown): string => day(new Date(asText(at)));

interface Item {
  name: string;
  aside?: Child;
  note: Child;
  value?: number;
  target?: number;
}

const Items: FC<{ of: Item[]; empty: Message }> = ({ of, empty }) => (
  <Panel>
    {of.length === 0 ? (
      <Empty title={t(empty)} />
    ) : (
      <ul class="own-items">
        {of.map(({ name, aside, note, value, target }) => (
          <li>
            <p class="own-item-head">
              <strong>{name}</strong> {aside}
            </p>
            <p class="muted small">{note}</p>
            {value !== undefined && target !== undefined && (
              <>
                <Progress value={value} of={target} label={t('Progress to {name}', { name })} />
                <p class="small">{t('{used} of {max}', { used: decimal(value), max: decimal(target) })}</p>
              </>
            )}
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

const rowsOf = async ({ api }: View, path: string): Promise<Json[]> =>
  (await api.rows(path, { per_page: MAX_ROWS })).rows;

const amounts = (value: unknown, target: unknown) => ({
  value: asNumber(Number(value)) ?? 0,
  target: asNumber(Number(target)) ?? 1,
});

export const ownBadges: Page = async (view) => ({
  title: t('My badges'),
  lead: t('Badges that you have earned, and how far the others are.'),
  body: (
    <Items
      empty="No badges"
      of={(await rowsOf(view, '/v1/me/badges')).map(({ name, metric, threshold, value, earned_at: at }) => ({
        name: asText(name),
        note: at
          ? t('Earned on {day}', { day: dayOf(at) })
          : `${tName(asText(metric))}: ${decimal(Number(threshold))}`,
        ...(at ? { aside: <Badge of="earned" tone="good" /> } : amounts(value, threshold)),
      }))}
    />
  ),
});

export const ownChallenges: Page = async (view) => ({
  title: t('My challenges'),
  lead: t('Challenges that you take part in.'),
  body: (
    <Items
      empty="No challenges"
      of={(await rowsOf(view, '/v1/me/challenges')).map((one) => ({
        name: asText(one.name),
        aside: <Badge of={asText(one.completed_at ? 'completed' : one.state)} />,
        note: [
          `${dayOf(one.starts_at)} – ${dayOf(one.ends_at)}`,
          tName(asText(one.metric)),
          t('{points} points', { points: number(asNumber(one.reward_points) ?? 0) }),
        ].join(' · '),
        ...amounts(one.value, one.target),
      }))}
    />
  ),
});

export const ownMissions: Page = async (view) => ({
  title: t('My missions'),
  lead: t('What earns you points now.'),
  body: <Items empty="No missions yet" of={(await rowsOf(view, '/v1/me/missions')).map(missionItem)} />,
});

/** How a mission or rule reads, and how far it is used up. */
export function missionItem(row: Json): Item {
  const aside = (
    <span class="own-plus">{t('{points} points', { points: number(asNumber(row.points) ?? 0) })}</span>
  );
  if (row.kind === 'mission') {
    const count = asNumber(row.completions) ?? 0;
    const codes = asTexts(row.codes).join(', ');
    return {
      name: asText(row.name),
      aside,
      note: `${codes} · ${tCount(count, 'done {count} time', 'done {count} times')}`,
    };
  }
  const max = asNumber(row.max_per_day);
  const name = [tName(asText(row.event).replace('.', ' ')), asText(row.stage)].filter(Boolean).join(': ');
  return {
    name,
    aside,
    note: max === undefined ? t('Each time') : t('At most {max} points a day', { max: number(max) }),
    ...(max !== undefined && { value: asNumber(row.today) ?? 0, target: max }),
  };
}
