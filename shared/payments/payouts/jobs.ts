// Payout jobs: send approved payouts and poll the provider for payouts in progress.

import { z } from 'zod';
import { defineJob, JobFailure, type JobHandler, tenantOf } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { callProviderInJob, lookUpOrder, lookupWaitSeconds, sendInJob } from '../orders/look-up.ts';
import { applyOrderReport, selectOrderIn } from '../orders/queries.ts';
import { isDefiniteProviderFailure, isRejection, toOneLine } from '../providers/errors.ts';
import { type Providers, payoutsOf } from '../providers/provider.ts';
import { findOrResend, payoutOrderOf, payoutOrders } from './order.ts';
import { claimFirstSend, failApproved, markNotSent } from './queries.ts';
import { unfinishedStatuses } from './states.ts';

const RETRY_SECONDS = 60;

/** Sends a manually approved payout to its provider. */
export const createOrderPayoutJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'order-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 60,
    async run({ payout_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const { database } = dependencies;
      const session = { role: 'worker', tenantId } as const;
      const { firstOrder, payouts } = await database.transaction(session, (sql) => ({
        firstOrder: claimFirstSend(sql, tenantId, id),
        payouts: selectOrderIn(sql, payoutOrders, tenantId, id, ['created']),
      }));
      const [found] = payouts;
      if (found?.row.approval !== 'approved') return 'done';
      if (!found.account && found.row.provider_account_id !== null) {
        if (firstOrder.length === 0)
          throw new JobFailure(
            'The provider account was disconnected while the outcome of this payout was unknown.',
          );
        await transactionWithJobs(dependencies, session, (sql) =>
          failApproved(sql, tenantId, id, 'The provider account was disconnected.'),
        );
        return 'done';
      }
      const orderedAt = found.row.ordered_at;
      try {
        // An earlier attempt may have reached the provider. A failed lookup counts as an unknown outcome.
        const sent =
          firstOrder.length > 0
            ? await callProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
                sendInJob(found.row, found, dependencies, () =>
                  payoutsOf(provider).create(payoutOrderOf(found.row), signal),
                ),
              )
            : await findOrResend(found, providers, dependencies);
        if (sent === 'done') {
          // The provider does not have the payout and deduplicates a resend.
          await database.transaction(session, (sql) => markNotSent(sql, found.row, orderedAt));
          return { retryInSeconds: 1 };
        }
        if ('retryInSeconds' in sent) return sent;
        await transactionWithJobs(dependencies, session, (sql) =>
          applyOrderReport(sql, 'payouts', found.row, found.now, sent),
        );
        return 'done';
      } catch (error) {
        if (isRejection(error)) {
          const why = toOneLine(error.message);
          await transactionWithJobs(dependencies, session, (sql) => failApproved(sql, tenantId, id, why));
          return 'done';
        }
        if (isDefiniteProviderFailure(error)) {
          await database.transaction(session, (sql) => markNotSent(sql, found.row, orderedAt));
        }
        dependencies.log.warn('approved payout not sent', { payout: id, ...errorFields(error) });
        return { retryInSeconds: RETRY_SECONDS };
      }
    },
  });

/** Looks up a payout in progress at its provider with increasing delays, because a notification may be lost. */
export const createFollowPayoutJob = (providers: Providers): JobHandler =>
  defineJob({
    name: 'follow-payout',
    payload: z.object({ payout_id: z.string() }),
    leaseSeconds: 30,
    async run({ payout_id: id }, job, dependencies) {
      const tenantId = tenantOf(job);
      const [found] = await dependencies.database.transaction({ role: 'worker', tenantId }, (sql) =>
        selectOrderIn(sql, payoutOrders, tenantId, id, unfinishedStatuses),
      );
      if (!found) return 'done';
      try {
        await lookUpOrder(payoutOrders, found, providers, dependencies);
      } catch (error) {
        // Polling continues until the payout has ended, however many lookups fail.
        dependencies.log.warn('payout lookup failed', errorFields(error));
      }
      return { retryInSeconds: lookupWaitSeconds(found.row.created, found.now) };
    },
  });
