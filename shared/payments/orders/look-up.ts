// Looking an order up at its provider and applying what it is there: the one way in which what a provider knows becomes ours,
// whoever asks for the look: an event, a job that follows the order, the daily comparison.
import type { Sql, Statement, Work } from '../../platform/db/database.ts';
import {
  type ClaimedJob,
  type JobDependencies,
  JobFailure,
  type JobResult,
} from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields, type Logger } from '../../platform/logger.ts';
import {
  type PaymentProvider,
  type PayoutReport,
  ProviderBusy,
  ProviderKeyRefused,
  ProviderOutcomeUnknown,
  type Providers,
} from '../providers/provider.ts';
import { type OrderNames, reportRefusedKey, type WithAccount } from '../providers/routing.ts';
import { applyOrderReport, type LookupResult, type OrderTable } from './queries.ts';

/** What the row of every order has. */
export interface OrderRow {
  id: string;
  tenant_id: string;
  provider: string;
  provider_account_id: string | null;
  status: string;
}

export interface FoundOrder<R> extends WithAccount {
  row: R;
  /** When the row was read, by the database's clock. */
  now: Date;
}

/** What differs between invoices and payouts where they are looked up and completed; `A` is what their provider accepted. */
export interface OrderResource<R extends OrderRow, A extends PayoutReport> {
  table: OrderTable;
  resource: 'invoice' | 'payout';
  /** One at its provider by any of its names, whatever its status. */
  selectAt(
    sql: Sql,
    accountId: string | null,
    names: OrderNames,
  ): Statement<{ row: R; now: Date } & WithAccount>;
  /** One whose outcome is unknown. */
  selectUnfinished(sql: Sql, tenantId: string, id: string): Statement<{ row: R } & WithAccount>;
  /** What became of it. Never creates anything. */
  read(provider: PaymentProvider, row: R, signal: AbortSignal): Promise<PayoutReport | undefined>;
  /** What an earlier attempt created; where there is nothing, what becomes of the job that looks for it. */
  find(found: FoundOrder<R>, providers: Providers, dependencies: JobDependencies): Promise<A | JobResult>;
  /** Its provider has accepted it. */
  open(sql: Sql, row: R, accepted: A): Work;
  /** As the answer to its request shows it. */
  snapshot(sql: Sql, tenantId: string, id: string): Statement<{ snapshot: object }>;
}

/** Longest that a look may take. */
const TIMEOUT_MS = 20_000;

/** Asks a provider on behalf of a job. An API key that the provider rejects is noted on the account. */
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

/** Waits for a provider that is unreachable: the first, and the longest. */
const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 300;

/**
 * What becomes of a job that met this error of a provider that cannot be asked for now: it runs again, however often that is. It is
 * no failure of the job, which would be given up, and the order with it. Throws other errors.
 */
export function retryWhenAvailable(error: unknown, { attempts }: ClaimedJob, log: Logger): JobResult {
  if (![ProviderOutcomeUnknown, ProviderBusy, ProviderKeyRefused].some((kind) => error instanceof kind))
    throw error;
  log.warn('provider cannot be asked for now', errorFields(error));
  return {
    againInSeconds: Math.min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(attempts - 1, 10)),
  };
}

/** Whether the account of an order was disconnected and forgotten: nobody can be asked about it any more. */
export const isForgotten = (row: { provider_account_id: string | null }, { account }: WithAccount): boolean =>
  row.provider_account_id !== null && account === null;

/** Looks an order up and applies what its provider says. */
export async function lookUpOrder<R extends OrderRow>(
  kind: Pick<OrderResource<R, never>, 'table' | 'read'>,
  found: FoundOrder<R>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const { row, now } = found;
  const report = await askProviderInJob(row, found, providers, dependencies, (provider, signal) =>
    kind.read(provider, row, signal),
  );
  if (!report) return 'not_there';
  const session = { role: 'worker', tenantId: row.tenant_id } as const;
  const [applied] = await transactionWithJobs(dependencies, session, (sql) =>
    applyOrderReport(sql, kind.table, row.id, row.provider_account_id, now, report),
  );
  return applied?.outcome ?? 'unknown';
}

/** Whose job it is. Gives the job up when it is nobody's. */
export function tenantOf({ tenantId }: ClaimedJob): string {
  if (!tenantId) throw new JobFailure('This job needs a tenant.');
  return tenantId;
}

/** The first look at what became of an order is ten minutes after it opened (by trigger); each next one takes its age thrice. */
const MIN_WAIT_MS = 10 * 60_000;
const MAX_WAIT_MS = 24 * 3600_000;

/** The same for what is decided within minutes: the first look after one. */
export function firstLookAt(created: string, now: Date): Date {
  const age = now.getTime() - Date.parse(created);
  return new Date(now.getTime() + Math.min(MAX_WAIT_MS, Math.max(60_000, age)));
}

/** When to ask its provider once more what became of an order of this age. `now` by the database's clock. */
export function lookAgainAt(created: string, now: Date): Date {
  const age = now.getTime() - Date.parse(created);
  return new Date(now.getTime() + Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, 3 * age)));
}
