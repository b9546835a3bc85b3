// Sending a payout that somebody approved: once, and looked up wherever an earlier try may have reached the provider.
import { oneRow } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { selectNow } from '../../platform/jobs/queries.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { applyReport, askInJob } from '../look-up.ts';
import { isNothingDone, providerWords } from '../providers/ask-provider.ts';
import { InvalidOrder, ProviderRefusal } from '../providers/provider.ts';
import type { Providers } from '../providers/providers.ts';
import { askForPayout } from '../recovery/recover.ts';
import { payoutOrderOf } from './provider-order.ts';
import { claimFirstOrder, failApproved, noteNotOrdered, selectPayoutIn } from './queries.ts';

const AGAIN_SECONDS = 60;

export async function orderApproved(
  { tenantId, id }: { tenantId: string; id: string },
  providers: Providers,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const { database } = dependencies;
  const session = { role: 'worker', tenantId } as const;
  const [[found], clock] = await database.transaction(session, (sql) => [
    selectPayoutIn(sql, tenantId, id, ['created']),
    selectNow(sql),
  ]);
  if (found?.row.approval !== 'approved') return 'done';
  const [first] = await database.transaction(session, (sql) => [claimFirstOrder(sql, tenantId, id)]);
  try {
    // An earlier try may have reached the provider: it is looked for, and what keeps that from succeeding is silence.
    const sent =
      first.length > 0
        ? await askInJob(found.row, found, providers, dependencies, (provider, signal) =>
            provider.createPayout(payoutOrderOf(found.row), signal),
          )
        : await askForPayout(found, providers, dependencies);
    if (sent === 'done') {
      // Not there, and taken for the same one when it is sent again.
      await database.transaction(session, (sql) => [noteNotOrdered(sql, tenantId, id)]);
      return { againInSeconds: 1 };
    }
    if ('againInSeconds' in sent) return sent;
    await transactionWithJobs(dependencies, session, (sql) => [
      applyReport(sql, 'payouts', id, found.row.provider_account_id, oneRow(clock).now, sent),
    ]);
    return 'done';
  } catch (error) {
    if (error instanceof ProviderRefusal || error instanceof InvalidOrder) {
      const why = providerWords(error.message);
      await transactionWithJobs(dependencies, session, (sql) => [failApproved(sql, tenantId, id, why)]);
      return 'done';
    }
    if (isNothingDone(error)) {
      await database.transaction(session, (sql) => [noteNotOrdered(sql, tenantId, id)]);
    }
    return { againInSeconds: AGAIN_SECONDS };
  }
}
