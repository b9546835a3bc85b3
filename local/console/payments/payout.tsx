// One payout: its state and ledger entries.
import { money } from '../../../clients/console/kit/format.ts';
import { t, tName } from '../../../clients/console/kit/language.ts';
import { Badge, Empty, Facts, Panel, Time } from '../../../clients/console/kit/small.tsx';
import { Table } from '../../../clients/console/kit/table.tsx';
import type { Page } from '../view.ts';
import { entryColumns } from './page.tsx';
import { readLedger, readPayout } from './queries.ts';

export const payout: Page = async (view) => {
  const id = view.param('id');
  const [row, entries] = await Promise.all([readPayout(view, id), readLedger(view, { sourceId: id })]);
  if (!row) return undefined;
  return {
    title: row.our_number ?? row.id,
    lead: <a href="/payments/payouts">{t('All payouts')}</a>,
    body: (
      <>
        <Panel title={money(row.amount, row.currency)} live="payout" aside={<Badge of={row.status} />}>
          <Facts
            of={[
              [t('Beneficiary'), row.beneficiary_name],
              [t('Purpose'), tName(row.purpose)],
              [t('Provider'), row.provider],
              [t('Approval'), row.waits_for_approval && t('awaiting approval')],
              [t('Created'), <Time at={row.created} now={view.now} />],
              [t('Failure reason'), row.failure_reason],
              [t('Id'), <code>{row.id}</code>],
            ]}
          />
        </Panel>
        <Panel title={t('Ledger')} live="entries">
          {entries.length > 0 ? (
            <Table
              label={t('Ledger')}
              columns={entryColumns(view.now)}
              rows={entries}
              keyOf={({ id: key }) => key}
            />
          ) : (
            <Empty title={t('No entries')}>{t('The payout creates its entry once it is paid.')}</Empty>
          )}
        </Panel>
      </>
    ),
  };
};
