// Missions, and below them the unmapped codes, which can be mapped in one step.
import { asText, type Json } from '../api/json.ts';
import { t } from '../kit/language.ts';
import { Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { Value } from '../kit/value.tsx';
import { missions } from '../resources/gamification.ts';
import { labelOf } from '../resources/labels.ts';
import type { Page } from '../view.ts';
import { listPage } from './list.tsx';

export const codePanelPage: Page = async (view) => {
  const { rows } = await view.api.rows('/v1/admin/activity-codes', { mapped: 'false', per_page: 25 });
  const columns = [
    { name: 'code', as: 'text' as const },
    { name: 'activities', as: 'number' as const },
    { name: 'last_received_at' },
  ];
  const panel = rows.length > 0 && (
    <Panel title={t('Codes without a mission')}>
      <Table
        label={t('Codes without a mission')}
        columns={[
          ...columns.map((column) => ({
            name: labelOf(column),
            cell: (row: Json) => <Value column={column} row={row} />,
          })),
          {
            name: t('Action'),
            cell: ({ code }: Json) =>
              view.can('manage:gamification') && (
                <a class="button quiet" href={`/gamification/codes/${asText(code)}/map`}>
                  {t('Map to a mission')}
                  <span class="visually-hidden"> {asText(code)}</span>
                </a>
              ),
          },
        ]}
        rows={rows}
        keyOf={({ code }) => asText(code)}
      />
    </Panel>
  );
  return listPage(missions, view, panel);
};
