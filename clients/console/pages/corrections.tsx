// Activities that can be voided, and above them the latest corrections.
import { asText } from '../api/json.ts';
import { changes } from '../resources/administration.ts';
import { corrections } from '../resources/gamification.ts';
import type { Page, View } from '../view.ts';
import { SectionPanel } from './detail.tsx';
import { listPage } from './list.tsx';

const ACTS = ['points.adjusted', 'activity.voided', 'ranking.*'];
const ROWS = 5;

/** The latest corrections of all kinds, newest first. */
async function latest({ api }: View) {
  const found = await Promise.all(
    ACTS.map(async (act) => (await api.rows('/v1/admin/changes', { act, limit: ROWS })).rows),
  );
  return found
    .flat()
    .sort((one, other) => asText(other.at).localeCompare(asText(one.at)))
    .slice(0, ROWS);
}

export const correctionsPage: Page = async (view) => {
  if (!view.can('read:audit')) return listPage(corrections, view);
  const columns = changes.columns.filter(({ name }) => name !== 'via');
  return listPage(
    corrections,
    view,
    undefined,
    <SectionPanel
      section={{ title: 'Latest corrections', none: 'No corrections yet' }}
      columns={columns.map((column) =>
        column.name === 'summary' ? { ...column, href: ({ id }) => `/changes/${asText(id)}` } : column,
      )}
      rows={await latest(view)}
    />,
  );
};
