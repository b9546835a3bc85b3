// Looking at what became of an order at its provider, and applying it: the one way in which what a real provider knows becomes
// ours, whoever asks for the look: an event, a job that follows the order, the daily comparison.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { ClaimedJob, JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields, type Logger } from '../../platform/logging/logger.ts';
import { reportRefusedKey } from '../accounts/queries.ts';
import { chargeOrderOf } from '../invoices/provider-order.ts';
import { selectInvoiceAt } from '../invoices/queries.ts';
import type { InvoiceRow } from '../invoices/serialize.ts';
import { applyOrderReport, type LookupResult, type OrderTable } from '../orders/queries.ts';
import { payoutOrderOf } from '../payouts/provider-order.ts';
import { selectPayoutAt } from '../payouts/queries.ts';
import type { PayoutRow } from '../payouts/serialize.ts';
import type { Providers } from '../provider-registry/providers.ts';
import type { OrderNames, WithAccount } from '../providers/account-of.ts';
import {
  type PaymentProvider,
  type PayoutReport,
  ProviderBusy,
  ProviderKeyRefused,
  ProviderSilence,
} from '../providers/provider.ts';

/** Longest that a look may take. */
const TIMEOUT_MS = 20_000;

/** Asks a provider on behalf of a job. A key that it does not take any more is noted on the account. */
export async function askProviderInJob<T>(
  row: { provider: string },
  { account }: WithAccount,
  providers: Providers,
  dependencies: JobDependencies,
  ask: (provider: PaymentProvider, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    const provider = await providers.of(row, account);
    return await ask(provider, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    if (account && error instanceof ProviderKeyRefused) {
      await transactionWithJobs(dependencies, { role: 'worker', tenantId: account.tenantId }, (sql) =>
        reportRefusedKey(sql, account.id),
      );
    }
    throw error;
  }
}

/** Waits for a provider that is away: the first, and the longest. */
const FIRST_AWAY_SECONDS = 5;
const MOST_AWAY_SECONDS = 300;

/**
 * What becomes of a job that met this error of a provider that cannot be asked for now: it runs again, however often that is. It is
 * no failure of the job, which would be given up, and the order with it. Throws other errors.
 */
export function onceProviderIsBack(error: unknown, { attempts }: ClaimedJob, log: Logger): JobResult {
  if (![ProviderSilence, ProviderBusy, ProviderKeyRefused].some((kind) => error instanceof kind)) throw error;
  log.warn('provider cannot be asked for now', errorFields(error));
  return {
    againInSeconds: Math.min(MOST_AWAY_SECONDS, FIRST_AWAY_SECONDS * 2 ** Math.min(attempts - 1, 10)),
  };
}

/** Whether the account of an order was disconnected and forgotten: nobody can be asked about it any more. */
export const isForgotten = (row: { provider_account_id: string | null }, { account }: WithAccount): boolean =>
  row.provider_account_id !== null && account === null;

export interface LookedAt<R> extends WithAccount {
  row: R;
  /** When the row was read, by the database's clock. */
  now: Date;
}

export async function lookAtInvoice(
  found: LookedAt<InvoiceRow>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const order = chargeOrderOf(found.row);
  const report = await askProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
    provider.readCharge(order, signal),
  );
  return await applyLook('invoices', found, report, dependencies);
}

export async function lookAtPayout(
  found: LookedAt<PayoutRow>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const order = payoutOrderOf(found.row);
  const report = await askProviderInJob(found.row, found, providers, dependencies, (provider, signal) =>
    provider.findPayout(order, signal),
  );
  return await applyLook('payouts', found, report, dependencies);
}

/** Looks at an order of an account, or of the sandbox (null), by any of its names. */
export async function lookAtOrder(
  kind: 'charge' | 'payout',
  accountId: string | null,
  names: OrderNames,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const { database } = dependencies;
  if (kind === 'charge') {
    const [found] = await database.transaction(WORKER_SESSION, (sql) =>
      selectInvoiceAt(sql, accountId, names),
    );
    if (!found) return 'unknown';
    return found.row.status === 'creating'
      ? 'too_early'
      : await lookAtInvoice(found, providers, dependencies);
  }
  const [found] = await database.transaction(WORKER_SESSION, (sql) => selectPayoutAt(sql, accountId, names));
  if (!found) return 'unknown';
  return found.row.status === 'creating' ? 'too_early' : await lookAtPayout(found, providers, dependencies);
}

async function applyLook(
  table: OrderTable,
  { row, now }: LookedAt<InvoiceRow> | LookedAt<PayoutRow>,
  report: PayoutReport | undefined,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  if (!report) return 'not_there';
  const session = { role: 'worker', tenantId: row.tenant_id } as const;
  const [applied] = await transactionWithJobs(dependencies, session, (sql) =>
    applyOrderReport(sql, table, row.id, row.provider_account_id, now, report),
  );
  return applied?.outcome ?? 'unknown';
}
