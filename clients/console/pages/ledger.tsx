// The ledger, below the balance of each currency.
import { asText } from '../api/json.ts';
import { money } from '../kit/format.ts';
import { t } from '../kit/language.ts';
import { ledger } from '../resources/payments.ts';
import type { Page } from '../view.ts';
import { listPage } from './list.tsx';

export const ledgerPage: Page = async (view) => {
  const { rows } = await view.api.rows('/payments/balance');
  const balances = rows.length > 0 && (
    <ul class="tiles" data-live="balance" id="live-balance">
      {rows.map(({ currency, available, pending }) => (
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
  return listPage(ledger, view, undefined, balances);
};
