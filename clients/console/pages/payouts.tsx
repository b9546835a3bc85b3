// Payouts: first those that wait for approval or funding, then all of them.

import { KEY } from '../api/access.ts';
import { asText, type Json } from '../api/json.ts';
import { t } from '../kit/language.ts';
import { Empty, Panel } from '../kit/small.tsx';
import { Table } from '../kit/table.tsx';
import { Value } from '../kit/value.tsx';
import { labelOf } from '../resources/labels.ts';
import { payouts, waitingPayouts } from '../resources/payments.ts';
import { isOwnPayout, personPayouts } from '../resources/person-payments.ts';
import type { Page } from '../view.ts';
import { listPage } from './list.tsx';

export const payoutsPage: Page = async (view) => {
  const waiting = view.can('read:payouts')
    ? await view.api.rows('/v1/admin/payouts', { waiting: 'approval' })
    : undefined;
  const panel = waiting && (
    <Panel title={t('Waiting for approval')} live="waiting">
      {waiting.rows.length === 0 ? (
        <Empty title={t('Nothing waits for you')} />
      ) : (
        <Table
          label={t('Waiting for approval')}
          columns={[
            ...waitingPayouts.columns.map((column, index) => ({
              name: labelOf(column),
              cell: (row: Json) => (
                <Value
                  column={
                    index === 0
                      ? { ...column, href: () => `/payments/payouts/waiting/${asText(row.id)}` }
                      : column
                  }
                  row={row}
                />
              ),
            })),
            {
              name: t('Action'),
              cell: (row: Json) =>
                view.can('approve:payouts') &&
                (isOwnPayout(row, view) ? (
                  <span class="muted small">
                    {t('You requested it, so another person has to approve it.')}
                  </span>
                ) : (
                  <span class="cell-acts">
                    {(['approve', 'reject'] as const).map((act) => (
                      <a class="button quiet" href={`/payments/payouts/waiting/${asText(row.id)}/${act}`}>
                        {t(act === 'approve' ? 'Approve' : 'Reject')}
                        <span class="visually-hidden"> {asText(row.our_number)}</span>
                      </a>
                    ))}
                  </span>
                )),
            },
          ]}
          rows={waiting.rows}
          keyOf={({ id }) => asText(id)}
        />
      )}
    </Panel>
  );
  if (view.isPerson) return listPage(personPayouts, view, undefined, panel);
  return listPage(view.can(KEY) ? payouts : (payouts.otherwise ?? payouts), view, undefined, panel);
};
