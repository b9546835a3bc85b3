// The end of a disconnected account: once nothing of it is open, our webhook there and its key go.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { errorFields } from '../../platform/logger.ts';
import { ProviderKeyRefused } from '../providers/provider.ts';
import { type AccountsOptions, callbackUrl } from './check.ts';
import { forgetAccount, selectAccount, selectOpenOrders } from './queries.ts';

const MOST_DAYS = 60;
const LOOK_AGAIN_SECONDS = 3600;

export async function forgetWhenSettled(
  id: string,
  { providers, functionsUrl }: AccountsOptions,
  { database, log }: JobDependencies,
  signal: AbortSignal,
): Promise<JobResult> {
  const {
    accounts: [row],
    open: [orders],
  } = await database.transaction(WORKER_SESSION, (sql) => ({
    accounts: selectAccount(sql, id),
    open: selectOpenOrders(sql, id),
  }));
  // Connected again, or forgotten already.
  if (!row?.account || !orders || row.status !== 'disconnected') return 'done';
  const expired = orders.days >= MOST_DAYS;
  if (orders.open > 0 && !expired) return { againInSeconds: LOOK_AGAIN_SECONDS };
  const { account } = row;
  try {
    const provider = await providers.connect(account);
    const webhook = {
      url: callbackUrl(functionsUrl, account),
      secret: account.webhookSecret ?? '',
      email: '',
      reference: account.webhookReference ?? undefined,
    };
    await provider.removeWebhook(webhook, signal);
  } catch (error) {
    // A key that works no more cannot remove anything; else it is tried again, as long as the key may be kept.
    if (!(error instanceof ProviderKeyRefused) && !expired) return { againInSeconds: LOOK_AGAIN_SECONDS };
    log.warn('webhook at the provider not removed', { account_id: id, ...errorFields(error) });
  }
  await database.transaction(WORKER_SESSION, (sql) => forgetAccount(sql, id));
  return 'done';
}
