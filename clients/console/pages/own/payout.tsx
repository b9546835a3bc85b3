// One payout, and whether it waits for approval.
import { t } from '../../kit/language.ts';
import { isOwnPayout, personPayouts } from '../../resources/person-payments.ts';
import type { Page } from '../../view.ts';
import { detailPage } from '../detail.tsx';

export const payoutPage: Page = (view) =>
  detailPage(personPayouts, view, async (record) => {
    if (record.approval === 'waiting')
      return (
        <p class="notice warn">
          {t(
            isOwnPayout(record, view)
              ? 'This payout waits for approval. You requested it, so another person has to approve it.'
              : 'This payout waits for approval.',
          )}
        </p>
      );
    return record.approval === null && <p class="notice">{t('This payout does not need approval.')}</p>;
  });
