// Looking at an account: its key, what it can do, its balance, and our webhook there.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { toOneLine } from '../providers/ask-provider.ts';
import type { Providers } from '../providers/provider.ts';
import { ProviderKeyRefused, ProviderRejected, type WebhookReport } from '../providers/provider.ts';
import {
  type AccountRow,
  type CheckResult,
  recordCheck,
  scheduleReconciliation,
  selectAccount,
} from './queries.ts';

/** Between two looks at an account that works, and at one that does not. */
const WORKING_SECONDS = 3600;
const FAILING_SECONDS = 60;
/** After our webhook was started again. */
const REVIVED_SECONDS = 5;
/** Whom the provider writes to about our webhook, where the tenant has nobody. */
const NOBODY = 'no-reply@placar.dev';

export interface AccountsOptions {
  providers: Providers;
  /** Public address below which the functions answer. */
  functionsUrl: string;
  reconcileSeconds: number;
}

/** Where a provider tells us of an account. */
export const callbackUrl = (
  functionsUrl: string,
  { provider, id }: { provider: string; id: string },
): string => `${functionsUrl}/callbacks/providers/${provider}/${id}`;

export async function checkAccount(
  id: string,
  { providers, functionsUrl, reconcileSeconds }: AccountsOptions,
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<JobResult> {
  const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, id));
  if (!row?.account || row.status === 'disconnected') return 'done';
  const { account } = row;
  const url = callbackUrl(functionsUrl, account);
  const result = await look(row, account, url, providers, signal).catch((error: unknown) => {
    dependencies.log.warn('provider account not looked at', { account_id: id, ...errorFields(error) });
    return failureOf(row, error);
  });
  const works = result.status === 'active';
  await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
    check: recordCheck(sql, account, { ...result, callback_url: url }),
    reconciliation: works ? scheduleReconciliation(sql, id, reconcileSeconds) : [],
  }));
  if (result.webhook_state === 'active' && !works) return { againInSeconds: REVIVED_SECONDS };
  return { againInSeconds: works ? WORKING_SECONDS : FAILING_SECONDS };
}

async function look(
  row: AccountRow,
  account: NonNullable<AccountRow['account']>,
  url: string,
  providers: Providers,
  signal: AbortSignal,
): Promise<CheckResult> {
  const provider = await providers.connect(account);
  const { capabilities, balances } = await provider.inspectAccount(signal);
  const webhook = await provider.ensureWebhook(
    {
      url,
      secret: account.webhookSecret ?? '',
      email: row.owner_email?.trim() || NOBODY,
      reference: account.webhookReference ?? undefined,
    },
    signal,
  );
  const reason = webhookFault(webhook);
  return {
    status: reason === null ? 'active' : 'failing',
    reason,
    capabilities,
    balances: balances.map(({ currency, amountMinor: amount }) => ({ currency, amount })),
    webhook_state: webhook.state,
    webhook_reference: webhook.reference,
    ...(webhook.secret !== undefined && { webhook_secret: webhook.secret }),
  };
}

function webhookFault({ state, revived }: WebhookReport): string | null {
  if (state === 'paused') return 'The provider paused our webhook, and did not start it again.';
  // The owner is to know: what happened meanwhile comes late, or by the next comparison.
  return revived ? 'The provider had paused our webhook. It was started again.' : null;
}

/** Only what the provider said makes an account failing; one that is silent for a while says nothing of the account. */
function failureOf({ status }: AccountRow, error: unknown): CheckResult {
  if (error instanceof ProviderKeyRefused)
    return { status: 'failing', reason: 'The provider does not take the key.' };
  if (error instanceof ProviderRejected)
    return { status: 'failing', reason: `The provider refused: ${toOneLine(error.message)}` };
  return { status, reason: 'The provider could not be reached.' };
}
