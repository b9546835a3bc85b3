// Columns of the ledger.
import type { FC } from 'hono/jsx';
import { money } from '../../../clients/console/kit/format.ts';
import { t, tName } from '../../../clients/console/kit/language.ts';
import { Time } from '../../../clients/console/kit/small.tsx';
import type { Column } from '../../../clients/console/kit/table.tsx';
import type { Entry } from './queries.ts';

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
