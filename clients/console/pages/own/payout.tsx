// One payout, with its beneficiary. The page also says if it is sent without approval.
import type { FC } from 'hono/jsx';
import { KEY } from '../../api/access.ts';
import { asJson, asText, type Json } from '../../api/json.ts';
import { t, tName } from '../../kit/language.ts';
import { Facts, Panel } from '../../kit/small.tsx';
import { payouts } from '../../resources/payments.ts';
import { personPayouts } from '../../resources/person-payments.ts';
import type { Page } from '../../view.ts';
import { detailPage, recordPath } from '../detail.tsx';

export const payoutPage: Page = (view) =>
  detailPage(personPayouts, view, async ({ approval }) => {
    // The admin API, which the rest of the page comes from, has only the beneficiary's name.
    const payout = view.can(KEY) && (await view.api.find(recordPath(payouts, view.param('id'))));
    return (
      <>
        {approval === null && <p class="notice">{t('This payout does not need approval.')}</p>}
        {payout && <Beneficiary of={asJson(payout.record.beneficiary)} />}
      </>
    );
  });

const Beneficiary: FC<{ of: Json }> = ({ of: beneficiary }) => {
  const account = asJson(beneficiary.bank_account);
  const type = asText(account.type);
  return (
    <Panel title={t('Beneficiary')}>
      <Facts
        of={[
          [t('Name'), asText(beneficiary.name)],
          [t('CPF or CNPJ'), asText(beneficiary.document)],
          [t('Phone'), asText(beneficiary.phone)],
          [t('Email'), asText(beneficiary.email)],
          [t('Pay by'), type && tName(type)],
          [t('Pix key'), asText(account.key)],
          [t('Country'), asText(account.country)],
          [t('IBAN'), asText(account.iban)],
          [t('Account number'), asText(account.account_number)],
          [t('Routing number'), asText(account.routing_number)],
          [t('BIC'), asText(account.bic)],
        ]}
      />
    </Panel>
  );
};
