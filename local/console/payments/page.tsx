// Payments: invoices, payouts and the ledger with its running balance.
import type { FC } from 'hono/jsx';
import { invoiceStatuses } from '../../../shared/payments/invoices/states.ts';
import { payoutStatuses } from '../../../shared/payments/payouts/states.ts';
import { money } from '../../../clients/console/kit/format.ts';
import { Filters } from '../../../clients/console/kit/forms.tsx';
import { t, tCount, tName } from '../../../clients/console/kit/language.ts';
import { List } from '../../../clients/console/kit/list.tsx';
import { Badge, None, Tabs, Time } from '../../../clients/console/kit/small.tsx';
import type { Column } from '../../../clients/console/kit/table.tsx';
import type { Page, View } from '../view.ts';
import {
  type Entry,
  type Invoice,
  type Payout,
  readBalances,
  readInvoices,
  readLedger,
  readPayouts,
  readSums,
} from './queries.ts';

const METHODS = ['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer'];

const PaymentTabs: FC<{ path: string }> = ({ path }) => (
  <Tabs
    path={path}
    label={t('Payments')}
    of={[
      ['/payments', t('Invoices')],
      ['/payments/payouts', t('Payouts')],
      ['/payments/ledger', t('Ledger')],
    ]}
  />
);

async function Balances({ view }: { view: View }) {
  const [balances, sums] = await Promise.all([readBalances(view), readSums(view)]);
  if (balances.length === 0 && sums.length === 0) return null;
  return (
    <div class="tiles" data-live="balances" id="live-balances">
      {balances.map(({ currency, net, entries }) => (
        <a class="tile" href="/payments/ledger">
          <span class="tile-name">{t('Balance, {currency}', { currency })}</span>
          <span class="tile-value">{money(net, currency)}</span>
          <span class="tile-note">{tCount(Number(entries), '{count} entry', '{count} entries')}</span>
        </a>
      ))}
      {sums.map(({ currency, open, open_count: openCount, paid, paid_count: paidCount }) => (
        <>
          <a class="tile" href="/payments?status=open">
            <span class="tile-name">{t('Open, {currency}', { currency })}</span>
            <span class="tile-value">{money(open, currency)}</span>
            <span class="tile-note">{tCount(openCount, '{count} invoice', '{count} invoices')}</span>
          </a>
          <a class="tile" href="/payments?status=paid">
            <span class="tile-name">{t('Paid, {currency}', { currency })}</span>
            <span class="tile-value">{money(paid, currency)}</span>
            <span class="tile-note">{tCount(paidCount, '{count} invoice', '{count} invoices')}</span>
          </a>
        </>
      ))}
    </div>
  );
}

export const invoices: Page = async (view) => {
  const filter = { text: view.query('q'), status: view.query('status'), method: view.query('method') };
  const rows = await readInvoices(view, filter);
  return {
    title: t('Payments'),
    lead: t('Invoices, payouts and the ledger.'),
    body: (
      <>
        <PaymentTabs path={view.path} />
        <Balances view={view} />
        <Filters
          action="/payments"
          search={{ value: filter.text, label: t('Search number, customer or text') }}
          choices={[
            { name: 'status', label: t('Status'), value: filter.status, values: invoiceStatuses },
            { name: 'method', label: t('Method'), value: filter.method, values: METHODS },
          ]}
        />
        <List
          view={view}
          live="invoices"
          label={t('Invoices')}
          columns={invoiceColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: filter, none: t('No invoice matches the filters'), path: '/payments' }}
          none={t('No invoices yet')}
        >
          {t('This command creates an invoice and pays it:')}{' '}
          <code>node_modules/.bin/tsx docs/examples/bill.ts</code>
        </List>
      </>
    ),
  };
};

const invoiceColumns = (now: Date): Column<Invoice>[] => [
  {
    name: t('Invoice'),
    cell: ({ id, our_number: number, description }) => (
      <span class="two-lines">
        <a href={`/payments/invoices/${id}`}>{number ?? id}</a>
        <span class="muted small clip">{description}</span>
      </span>
    ),
  },
  { name: t('Customer'), cell: ({ customer }) => customer.name },
  { name: t('Method'), cell: ({ method }) => tName(method) },
  { name: t('Amount'), number: true, cell: ({ amount, currency }) => money(amount, currency) },
  {
    name: t('Status'),
    cell: ({ status, failure_reason: reason }) => (
      <span title={reason ?? ''}>
        <Badge of={status} />
      </span>
    ),
  },
  { name: t('Created'), cell: ({ created }) => <Time at={created} now={now} /> },
  {
    name: t('Payer'),
    cell: (row) =>
      row.provider === 'sandbox' && row.provider_reference !== null ? (
        <a href={`/pay/${row.provider_reference}`}>
          {t('payer page')}
          <span class="visually-hidden"> {row.our_number}</span>
        </a>
      ) : (
        <None />
      ),
  },
];

export const payouts: Page = async (view) => {
  const status = view.query('status');
  const rows = await readPayouts(view, { status });
  return {
    title: t('Payouts'),
    lead: t('Prizes, commissions and bills paid to others.'),
    body: (
      <>
        <PaymentTabs path={view.path} />
        <Filters
          action="/payments/payouts"
          choices={[{ name: 'status', label: t('Status'), value: status, values: payoutStatuses }]}
        />
        <List
          view={view}
          live="payouts"
          label={t('Payouts')}
          columns={payoutColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          filtered={{ by: { status }, none: t('No payout matches the filters'), path: '/payments/payouts' }}
          none={t('No payouts yet')}
        >
          {t('Create one with')} <a href="/reference">POST /payments/payouts</a>.
        </List>
      </>
    ),
  };
};

const payoutColumns = (now: Date): Column<Payout>[] => [
  {
    name: t('Payout'),
    cell: ({ id, our_number: number }) => <a href={`/payments/payouts/${id}`}>{number ?? id}</a>,
  },
  { name: t('Beneficiary'), cell: (row) => row.beneficiary_name },
  { name: t('Purpose'), cell: ({ purpose }) => tName(purpose) },
  { name: t('Amount'), number: true, cell: ({ amount, currency }) => money(amount, currency) },
  {
    name: t('Status'),
    cell: ({ status, waits_for_approval: waits, failure_reason: reason }) => (
      <span class="reason">
        <Badge of={status} />
        {waits && <span class="muted">{t('awaiting approval')}</span>}
        {reason !== null && <span class="muted">{reason}</span>}
      </span>
    ),
  },
  { name: t('Provider'), cell: (row) => row.provider },
  { name: t('Created'), cell: ({ created }) => <Time at={created} now={now} /> },
];

export const ledger: Page = async (view) => {
  const rows = await readLedger(view);
  return {
    title: t('Ledger'),
    lead: t('All entries with the balance after each. Entries are never changed or deleted.'),
    body: (
      <>
        <PaymentTabs path={view.path} />
        <Balances view={view} />
        <List
          view={view}
          live="ledger"
          label={t('Ledger')}
          columns={entryColumns(view.now)}
          rows={rows}
          keyOf={({ id }) => id}
          none={t('The ledger is empty')}
        >
          {t('The first paid invoice or payout creates the first entry.')}
        </List>
      </>
    ),
  };
};

/** An amount with its sign. */
const Signed: FC<{ amount: string; currency: string }> = ({ amount, currency }) => (
  <span class={Number(amount) < 0 ? 'out' : 'in'}>
    {Number(amount) > 0 ? '+' : ''}
    {money(amount, currency)}
  </span>
);

export const entryColumns = (now: Date): Column<Entry>[] => [
  {
    name: t('Entry'),
    cell: ({ type, reason, our_number: number, invoice_id: invoiceId }) => (
      <span class="two-lines">
        <strong>{tName(type)}</strong>
        <span class="muted small">
          {invoiceId !== null ? (
            <a href={`/payments/invoices/${invoiceId}`}>{number ?? invoiceId}</a>
          ) : (
            number
          )}
          {reason !== null && ` ${tName(reason)}`}
        </span>
      </span>
    ),
  },
  {
    name: t('Amount'),
    number: true,
    cell: ({ amount, currency }) => <Signed amount={amount} currency={currency} />,
  },
  { name: t('Fee'), number: true, cell: ({ fee, currency }) => money(fee, currency) },
  { name: t('Net'), number: true, cell: ({ net, currency }) => <Signed amount={net} currency={currency} /> },
  {
    name: t('Balance'),
    number: true,
    cell: ({ balance, currency }) => <strong>{money(balance, currency)}</strong>,
  },
  { name: t('Time'), cell: ({ created }) => <Time at={created} now={now} /> },
];
