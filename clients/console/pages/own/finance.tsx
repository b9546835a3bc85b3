// The start page of finance: payouts that wait, open invoices, and the balance.
import type { Child, FC } from 'hono/jsx';
import { asText, type Json, memberOf } from '../../api/json.ts';
import { money } from '../../kit/format.ts';
import { t, tName } from '../../kit/language.ts';
import { Empty, Panel } from '../../kit/small.tsx';
import { currencyOf } from '../../kit/value.tsx';
import { isOwnPayout, personInvoices, personPayouts } from '../../resources/person-payments.ts';
import { pathOf, type Resource } from '../../resources/resource.ts';
import type { Page } from '../../view.ts';
import { Balances } from '../ledger.tsx';
import { ActLinks } from '../workspace.tsx';

const MAX_ROWS = 10;

export const financePage: Page = async (view) => {
  const { api } = view;
  const [waiting, open, balance] = await Promise.all([
    api.rows('/v1/admin/payouts', { waiting: 'approval', per_page: MAX_ROWS }),
    api.rows('/payments/invoices', { status: 'open', limit: MAX_ROWS }),
    api.rows('/payments/balance'),
  ]);
  return {
    title: t('Payments'),
    lead: view.workspace.name,
    actions: (
      <>
        <ActLinks resource={personInvoices} view={view} />
        <ActLinks resource={personPayouts} view={view} />
      </>
    ),
    body: (
      <>
        <Balances of={balance.rows} />
        <Panel
          title={t('Waiting for approval')}
          live="waiting"
          aside={<a href="/payments/payouts">{t('All payouts')}</a>}
        >
          <Amounts
            of={waiting.rows}
            resource={personPayouts}
            nameOf={({ beneficiary_name: name }) => name}
            noteOf={(row) => isOwnPayout(row, view) && t('Requested by you')}
          />
        </Panel>
        <Panel
          title={t('Open invoices')}
          live="open"
          aside={<a href="/payments/invoices?status=open">{t('All open invoices')}</a>}
        >
          <Amounts
            of={open.rows}
            resource={personInvoices}
            nameOf={(row) => memberOf(row, 'customer.name')}
            noteOf={(row) => tName(asText(memberOf(row, 'payment_method.type')))}
          />
        </Panel>
      </>
    ),
  };
};

interface AmountsProps {
  of: readonly Json[];
  resource: Resource;
  nameOf(row: Json): unknown;
  noteOf(row: Json): Child;
}

const Amounts: FC<AmountsProps> = ({ of, resource, nameOf, noteOf }) =>
  of.length === 0 ? (
    <Empty title={t('Nothing waits for you')} />
  ) : (
    <ul class="list">
      {of.map((row) => (
        <li data-key={asText(row.id)}>
          <a class="list-main" href={pathOf(resource, row)}>
            {asText(nameOf(row)) || asText(row.our_number)}
          </a>
          <span class="list-note muted">{noteOf(row)}</span>
          <strong>{money(Number(row.amount), currencyOf(row))}</strong>
        </li>
      ))}
    </ul>
  );
