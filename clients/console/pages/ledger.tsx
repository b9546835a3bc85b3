// The ledger, below the balance of each currency.
import type { FC } from 'hono/jsx';
import { asText, type Json } from '../api/json.ts';
import { withQuery } from '../api/page-api.ts';
import { money } from '../kit/format.ts';
import { fieldTime, monthName } from '../kit/format-time.ts';
import { language, t, timeZone } from '../kit/language.ts';
import { ledger } from '../resources/payments.ts';
import type { Page, View } from '../view.ts';
import { listPage } from './list.tsx';

/** Address of the files. */
export const LEDGER_FILE = '/payments/ledger/file';

export const ledgerPage: Page = async (view) => {
  const { rows } = await view.api.rows('/payments/balance');
  const before = (
    <>
      <Balances of={rows} />
      {view.isPerson && <MonthFile view={view} />}
    </>
  );
  return listPage(ledger, view, undefined, before);
};

/** The balance of each currency. */
export const Balances: FC<{ of: readonly Json[] }> = ({ of }) =>
  of.length === 0 ? null : (
    <ul class="tiles" data-live="balance" id="live-balance">
      {of.map(({ currency, available, pending }) => (
        <li class="tile">
          <span class="tile-name">{t('Balance')}</span>
          <span class="tile-value">{money(Number(available) + Number(pending), asText(currency))}</span>
          <span class="tile-note">
            {t('{available} available, {pending} pending', {
              available: money(Number(available), asText(currency)),
              pending: money(Number(pending), asText(currency)),
            })}
          </span>
        </li>
      ))}
    </ul>
  );

/** Downloads a month for bookkeeping. */
const MonthFile: FC<{ view: View }> = ({ view: { now } }) => (
  <form class="filters full" method="get" action={LEDGER_FILE}>
    <div class="choice">
      <label for="ledger-month">{t('Month')}</label>
      <select id="ledger-month" name="period">
        {lastMonths(now).map((month) => (
          <option value={month}>{monthName(month)}</option>
        ))}
      </select>
    </div>
    {(['csv', 'ofx'] as const).map((format) => (
      <button type="submit" class="button quiet" name="format" value={format}>
        {format.toUpperCase()}
      </button>
    ))}
  </form>
);

const MONTHS = 24;

/** Months as `2026-11`, the current one first. */
function lastMonths(now: Date): string[] {
  const [year = 0, month = 1] = fieldTime(now, timeZone()).split('-').map(Number);
  return Array.from({ length: MONTHS }, (_, index) =>
    new Date(Date.UTC(year, month - 1 - index)).toISOString().slice(0, 7),
  );
}

/** The file of a month from the API, for the query of the form. */
export const ledgerFile = (view: View): string =>
  withQuery(`/payments/balance-transactions.${view.query('format') === 'ofx' ? 'ofx' : 'csv'}`, {
    period: view.query('period'),
    locale: language(),
  });
