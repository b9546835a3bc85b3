// One payout. The page also says if it is sent without approval.
import { t } from '../../kit/language.ts';
import { personPayouts } from '../../resources/person-payments.ts';
import type { Page } from '../../view.ts';
import { detailPage } from '../detail.tsx';

export const payoutPage: Page = (view) =>
  detailPage(
    personPayouts,
    view,
    async ({ approval }) =>
      approval === null && <p class="notice">{t('This payout does not need approval.')}</p>,
  );
