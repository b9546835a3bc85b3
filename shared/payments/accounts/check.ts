// Checks a provider account: its API key, capabilities, balance, and our webhook at the provider.
import { z } from 'zod';
import { WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobHandler } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import type { WebhookOrder, WebhookReport } from '../providers/accounts.ts';
import { webhookOf } from '../providers/callback-url.ts';
import { ProviderKeyRejected, ProviderRejected, toOneLine } from '../providers/errors.ts';
import type { Providers } from '../providers/provider.ts';
import {
  type AccountRow,
  type CheckResult,
  nextReconciliationAt,
  recordCheck,
  scheduleFiscalCodes,
  scheduleReconciliation,
  selectAccount,
} from './queries.ts';

/** Seconds until the next check of an account that is failing or could not be checked. */
const FAILING_SECONDS = 60;
/** Seconds until the next check after the webhook was resumed. */
const RESUMED_SECONDS = 5;
/** How long a due check waits for the sweep on average, which runs once a minute. */
const SWEEP_WAIT_SECONDS = 30;
/** Contact address of our webhook at the provider if the tenant has no owner email. */
const FALLBACK_EMAIL = 'no-reply@placar.dev';

export interface AccountsOptions {
  providers: Providers;
  /** Public base URL of the functions. */
  functionsUrl: string;
  reconcileSeconds: number;
  /** Seconds between two checks of a working account. */
  checkSeconds: number;
}

/** Checks an account when it is connected and periodically afterwards. */
export const createCheckProviderJob = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'check-provider',
    payload: z.object({ account_id: z.string() }),
    leaseSeconds: 60,
    async run({ account_id: id }, { signal }, dependencies) {
      const { providers, functionsUrl, reconcileSeconds, checkSeconds } = options;
      const [row] = await dependencies.database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, id));
      if (!row?.account || row.status === 'disconnected') return 'done';
      const { account } = row;
      const webhook = webhookOf(functionsUrl, account, row.owner_email?.trim() || FALLBACK_EMAIL);
      const result = await inspectAndEnsureWebhook(row, account, webhook, providers, signal).catch(
        (error: unknown) => {
          dependencies.log.warn('provider account check failed', { account_id: id, ...errorFields(error) });
          return failureOf(row, error);
        },
      );
      const works = result.status === 'active' && !result.unreachable;
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) => ({
        check: recordCheck(sql, account, { ...result, callback_url: webhook.url }),
        reconciliation: works
          ? scheduleReconciliation(sql, id, nextReconciliationAt(id, row.now, reconcileSeconds))
          : [],
        codes: works ? scheduleFiscalCodes(sql, id) : [],
      }));
      if (result.webhook_state === 'active' && !works) return { retryInSeconds: RESUMED_SECONDS };
      return works
        ? { retryInSeconds: checkSeconds - SWEEP_WAIT_SECONDS, waitsForSweep: true }
        : { retryInSeconds: FAILING_SECONDS };
    },
  });

async function inspectAndEnsureWebhook(
  row: AccountRow,
  account: NonNullable<AccountRow['account']>,
  ordered: WebhookOrder,
  providers: Providers,
  signal: AbortSignal,
): Promise<CheckResult> {
  const provider = await providers.connect(account);
  const { capabilities, balances, fiscal } = await provider.inspectAccount(signal);
  const webhook = await provider.ensureWebhook({ ...ordered, onlyCoreEvents: row.only_core_events }, signal);
  const reason = webhookReason(webhook);
  return {
    status: reason === null ? 'active' : 'failing',
    reason,
    capabilities,
    balances: balances.map(({ currency, amountMinor: amount }) => ({ currency, amount })),
    ...(fiscal && { tax_regime: fiscal.regime, national_portal: fiscal.nationalPortal }),
    ...(!row.only_core_events && { webhook_warning: webhook.warning ? toOneLine(webhook.warning) : null }),
    webhook_state: webhook.state,
    webhook_reference: webhook.reference,
    ...(webhook.secret !== undefined && { webhook_secret: webhook.secret }),
  };
}

function webhookReason({ state, wasResumed }: WebhookReport): string | null {
  if (state === 'paused') return 'The provider paused our webhook and did not resume it.';
  // Tells the owner why events arrive late or only with the next reconciliation.
  return wasResumed ? 'The provider had paused our webhook. Placar resumed it.' : null;
}

/** Only a rejection changes the status to `failing`. If the provider is unreachable, the account keeps its status. */
function failureOf({ status }: AccountRow, error: unknown): CheckResult {
  if (error instanceof ProviderKeyRejected)
    return { status: 'failing', reason: 'The provider rejects the API key.' };
  if (error instanceof ProviderRejected)
    return { status: 'failing', reason: `The provider rejected the check: ${toOneLine(error.message)}` };
  return { status, reason: 'The provider is unreachable.', unreachable: true };
}
