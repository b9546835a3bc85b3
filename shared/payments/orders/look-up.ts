// Looks up an order at its provider and applies the reported state. Provider events, polling jobs and the reconciliation all
// use it.
import {
  type Fragment,
  type Sql,
  type Statement,
  WORKER_SESSION,
  type Work,
} from '../../platform/db/database.ts';
import type { ClaimedJob, JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields, type Logger } from '../../platform/logger.ts';
import {
  isOrderRejected,
  isProviderUnreachable,
  ProviderBusy,
  ProviderKeyRejected,
  ProviderOutcomeUnknown,
} from '../providers/errors.ts';
import type { PayoutReport } from '../providers/payout-port.ts';
import type { PaymentProvider, Providers } from '../providers/provider.ts';
import {
  type OrderIds,
  recordAnsweredOrder,
  recordRejectedKey,
  recordUnansweredOrder,
  type WithAccount,
} from '../providers/routing.ts';
import { applyOrderReport, type LookupResult, type OrderTable, selectOrderByIds } from './queries.ts';

/** Columns that every order table has. */
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

/** The operations that differ between invoices and payouts. `A` is the report of an accepted order. */
export interface OrderResource<R extends OrderRow, A extends PayoutReport> {
  table: OrderTable;
  resource: 'invoice' | 'payout';
  /** Reads the order's state at the provider. Never creates anything. */
  read(provider: PaymentProvider, row: R, signal: AbortSignal): Promise<PayoutReport | undefined>;
  /** Finds the order that an earlier attempt created. Returns a job result if the provider does not have it. */
  find(found: FoundOrder<R>, providers: Providers, dependencies: JobDependencies): Promise<A | JobResult>;
  /** Opens an order that its provider accepted. */
  open(sql: Sql, row: R, accepted: A): Work;
  /** The snapshot returned to the request that created the order. */
  snapshot(sql: Sql, tenantId: string, id: string): Statement<{ snapshot: object }>;
}

/** The resource of an order of any kind. */
export type AnyOrderResource = OrderResource<OrderRow, PayoutReport>;

/** Timeout of a lookup. */
const TIMEOUT_MS = 20_000;

/** Calls a provider from a job. If the provider rejects the API key, records that on the account. */
export async function callProviderInJob<T>(
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
    if (account && error instanceof ProviderKeyRejected) {
      await transactionWithJobs(dependencies, { role: 'worker', tenantId: account.tenantId }, (sql) =>
        recordRejectedKey(sql, account.id),
      );
    }
    throw error;
  }
}

/** Sends an order from a job, and records on its account whether the provider responded. */
export async function sendInJob<T>(
  { id }: { id: string },
  { account }: WithAccount,
  dependencies: JobDependencies,
  send: () => Promise<T>,
): Promise<T> {
  const report = async (build: (sql: Sql, accountId: string) => Fragment) => {
    if (!account) return;
    await transactionWithJobs(dependencies, { role: 'worker', tenantId: account.tenantId }, (sql) =>
      build(sql, account.id),
    );
  };
  try {
    const result = await send();
    await report(recordAnsweredOrder);
    return result;
  } catch (error) {
    if (isProviderUnreachable(error))
      await report((sql, accountId) => recordUnansweredOrder(sql, accountId, id));
    else if (isOrderRejected(error)) await report(recordAnsweredOrder);
    throw error;
  }
}

/** Retry delays while a provider is unavailable: the first and the longest. */
const FIRST_WAIT_SECONDS = 5;
const MAX_WAIT_SECONDS = 300;

/**
 * Reschedules a job whose provider is unavailable, any number of times. Counting these runs as failures would eventually abandon the
 * job and its order. Rethrows other errors.
 */
export function retryWhenAvailable(error: unknown, { attempts }: ClaimedJob, log: Logger): JobResult {
  if (![ProviderOutcomeUnknown, ProviderBusy, ProviderKeyRejected].some((kind) => error instanceof kind))
    throw error;
  log.warn('provider unavailable', errorFields(error));
  return {
    retryInSeconds: Math.min(MAX_WAIT_SECONDS, FIRST_WAIT_SECONDS * 2 ** Math.min(attempts - 1, 10)),
  };
}

/** Whether the order's account was disconnected and its API key deleted, so that the provider can no longer be queried. */
export const isAccountDisconnected = (
  row: { provider_account_id: string | null },
  { account }: WithAccount,
): boolean => row.provider_account_id !== null && account === null;

/** Looks up an order at its provider and applies the report. */
export async function lookUpOrder<R extends OrderRow>(
  kind: Pick<OrderResource<R, never>, 'table' | 'read'>,
  found: FoundOrder<R>,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const { row, now } = found;
  const report = await callProviderInJob(row, found, providers, dependencies, (provider, signal) =>
    kind.read(provider, row, signal),
  );
  if (!report) return 'not_there';
  const session = { role: 'worker', tenantId: row.tenant_id } as const;
  const [applied] = await transactionWithJobs(dependencies, session, (sql) =>
    applyOrderReport(sql, kind.table, row, now, report),
  );
  return applied?.outcome ?? 'unknown';
}

/** Looks up an order of an account, or of the sandbox (null), by our id or the provider's. */
export async function lookUpOrderById(
  kind: AnyOrderResource,
  accountId: string | null,
  ids: OrderIds,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<LookupResult> {
  const [found] = await dependencies.database.transaction(WORKER_SESSION, (sql) =>
    selectOrderByIds(sql, kind, accountId, ids),
  );
  if (!found) return 'unknown';
  return found.row.status === 'creating'
    ? 'too_early'
    : await lookUpOrder(kind, found, providers, dependencies);
}

/** A trigger schedules the first lookup ten minutes after an order opens. Each later delay is three times the order's age. */
const MIN_WAIT_MS = 10 * 60_000;
const MAX_WAIT_MS = 24 * 3600_000;

const MIN_EARLY_WAIT_MS = 60_000;

/** Seconds until the next lookup of an order that is usually decided within minutes, by the order's age. */
export const earlyLookupWaitSeconds = (created: string, now: Date): number =>
  waitSeconds(MIN_EARLY_WAIT_MS, now.getTime() - Date.parse(created));

/** Seconds until the next lookup of an order, by the order's age. `now` is the database's clock. */
export const lookupWaitSeconds = (created: string, now: Date): number =>
  waitSeconds(MIN_WAIT_MS, 3 * (now.getTime() - Date.parse(created)));

const waitSeconds = (minMs: number, ms: number) => Math.min(MAX_WAIT_MS, Math.max(minMs, ms)) / 1000;
