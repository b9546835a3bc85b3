// Deletes our webhook and the API key of a disconnected account once it has no open orders.
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobDependencies, type JobHandler, type JobResult } from '../../platform/jobs/job.ts';
import { errorFields } from '../../platform/logger.ts';
import { webhookOf } from '../providers/callback-url.ts';
import { ProviderKeyRejected } from '../providers/errors.ts';
import type { AccountsOptions } from './check.ts';
import { deleteCredentials, selectAccount, selectOpenOrders } from './queries.ts';

const MAX_DAYS = 60;
const RETRY_SECONDS = 3600;

export const createDisconnectProviderJob = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'disconnect-provider',
    payload: z.object({ account_id: z.string() }),
    leaseSeconds: 60,
    run: ({ account_id: id }, { signal }, dependencies) =>
      deleteCredentialsWhenSettled(id, options, dependencies, signal),
  });

export async function deleteCredentialsWhenSettled(
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
  // The account was reconnected, or its API key is already deleted.
  if (!row?.account || !orders || row.status !== 'disconnected') return 'done';
  const expired = orders.days >= MAX_DAYS;
  if (orders.open > 0 && !expired) return { retryInSeconds: RETRY_SECONDS };
  const { account } = row;
  try {
    const provider = await providers.connect(account);
    await provider.removeWebhook(webhookOf(functionsUrl, account, ''), signal);
  } catch (error) {
    // A rejected key cannot remove the webhook. Other failures are retried until the key must be deleted.
    if (!(error instanceof ProviderKeyRejected) && !expired) return { retryInSeconds: RETRY_SECONDS };
    log.warn('provider webhook not removed', { account_id: id, ...errorFields(error) });
  }
  await database.transaction(WORKER_SESSION, (sql) => deleteCredentials(sql, id));
  return 'done';
}
