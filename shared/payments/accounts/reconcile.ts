// Reconciles an account with its provider: compares orders and statement page by page, applies changes whose notifications were
// lost, and records unexplained differences with both sides.
import { z } from 'zod';
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobDependencies, type JobHandler, type JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import {
  assignUnmatchedLines,
  matchUnmatchedBalanceEvents,
  selectOpenInfractions,
} from './blocked-balance.ts';
import type { AccountsOptions } from './check.ts';
import { applyListedOrders, type MoneyOrder } from './listed-orders.ts';
import { orderResources } from './order-resources.ts';
import { nextReconciliationAt, scheduleCheck, selectAccount } from './queries.ts';
import {
  type Difference,
  enterUncoveredLines,
  hasOrdersToCompare,
  type MismatchedOrder,
  type MissingOrder,
  markReconciled,
  recordDifferences,
  selectMismatchedOrders,
  selectMissingOrders,
  selectStillMismatched,
} from './reconcile-queries.ts';
import { enterStatement } from './statement.ts';

const DAY_MS = 86_400_000;
/** Overlap with the previous reconciliation, because providers list orders by creation date. */
const OVERLAP_DAYS = 7;
/** Changes compared per transaction, transactions per reconciliation, and the number of differing orders at which the comparison stops. */
const STEP_CHANGES = 5000;
const MAX_STEPS = 10;
const MAX_DIFFERING = 1000;
/** Maximum provider requests of one order lookup. */
const REQUESTS_PER_LOOKUP = 3;
/**
 * A reconciliation with more requests than this is followed by a pause of `SECONDS_PER_REQUEST` per request, which corresponds to half
 * of Asaas' rate limit, the lowest of all providers.
 */
const FREE_REQUESTS = 1000;
const SECONDS_PER_REQUEST = 4;

export const createReconcileProviderJob = (options: AccountsOptions): JobHandler =>
  defineJob({
    name: 'reconcile-provider',
    payload: z.object({ account_id: z.string() }),
    leaseSeconds: 300,
    run: ({ account_id: id }, { signal }, dependencies) =>
      reconcileAccount(id, options, dependencies, signal),
  });

export async function reconcileAccount(
  id: string,
  { providers, reconcileSeconds }: AccountsOptions,
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<JobResult> {
  const { database } = dependencies;
  const [row] = await database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, id));
  if (!row?.account || row.status === 'disconnected') return 'done';
  const { account } = row;
  const session = { role: 'worker', tenantId: account.tenantId } as const;
  const provider = await providers.connect(account);
  const since = new Date((row.reconciled_at ?? row.created_at).getTime() - OVERLAP_DAYS * DAY_MS);
  const lookUp = (orders: readonly MoneyOrder[]) => lookUpEach(orders, id, providers, dependencies, signal);

  const listing = { accountId: id, tenantId: account.tenantId, since, lookupStartedAt: row.now };
  const listed = await applyListedOrders(provider, listing, dependencies, signal);
  await lookUp(listed.inPart);
  const { ours, references } = listed;
  const read = await enterStatement(provider, account, { since, ours }, dependencies, signal);
  await transactionWithJobs(dependencies, session, (sql) => matchUnmatchedBalanceEvents(sql, id));

  const { differing, left } = await compareMoney(id, database);
  // Orders whose amounts differ may be older than the listed period, so they are looked up individually.
  const disputed = await database.transaction(session, (sql) => selectOpenInfractions(sql, id));
  const ordersToLookUp = [
    ...differing.flatMap(({ kind, id: reference }) => (reference ? [{ kind, reference }] : [])),
    ...disputed.map(({ id: reference }) => ({ kind: 'charge' as const, reference })),
  ];
  const unread = await lookUp(ordersToLookUp);
  await transactionWithJobs(dependencies, session, (sql) => assignUnmatchedLines(sql, id, differing));
  const { uneven, missing } = await database.transaction(session, (sql) => ({
    // A report that could not be read may cover the lines.
    entered: enterUncoveredLines(
      sql,
      id,
      differing.filter((one) => !one.id || !unread.has(one.id)),
    ),
    uneven: selectStillMismatched(sql, id, differing),
    missing: selectMissingOrders(sql, id, since, references),
  }));
  await transactionWithJobs(dependencies, session, (sql) => ({
    differences: recordDifferences(sql, id, differencesOf(uneven, missing)),
    reconciled: markReconciled(sql, id),
    // Refreshes the webhook state and balance.
    check: scheduleCheck(sql, id),
  }));

  const lookUps = (listed.inPart.length + ordersToLookUp.length) * REQUESTS_PER_LOOKUP;
  const pauseSeconds = pauseSecondsAfter(listed.requests + read + lookUps);
  if (left) return { retryInSeconds: Math.max(1, pauseSeconds) };
  const after = new Date(row.now.getTime() + 1000 * pauseSeconds);
  return { againAt: nextReconciliationAt(id, after, reconcileSeconds) };
}

/** Seconds until the next reconciliation, so that callers' requests keep their share of the provider's rate limit. */
export const pauseSecondsAfter = (requests: number): number =>
  requests <= FREE_REQUESTS ? 0 : requests * SECONDS_PER_REQUEST;

/** The differences that remain, with both sides. */
const differencesOf = (
  uneven: readonly MismatchedOrder[],
  missing: readonly MissingOrder[],
): Difference[] => [
  ...uneven
    .filter((one) => !one.under_way)
    .map(({ kind, id: ours, provider_reference: theirs, currency, ours: inLedger, theirs: stated }) => ({
      kind: ours ? ('amount' as const) : ('unknown_order' as const),
      subject: `${ours ?? theirs}:${currency}`,
      ours: ours ? { kind, id: ours, currency, amount: Number(inLedger) } : null,
      theirs: { kind, id: theirs, currency, amount: Number(stated) },
    })),
  ...missing.map(({ kind, id: ours, status }) => ({
    kind: 'missing_order' as const,
    subject: ours,
    ours: { kind, id: ours, status },
    theirs: null,
  })),
];

/** Compares changed orders with the statement in short transactions. `left`: whether changes remain. */
async function compareMoney(
  accountId: string,
  database: Database,
): Promise<{ differing: MismatchedOrder[]; left: boolean }> {
  const differing: MismatchedOrder[] = [];
  for (let step = 0; step < MAX_STEPS && differing.length < MAX_DIFFERING; step++) {
    const { uneven, after } = await database.transaction(WORKER_SESSION, (sql) => ({
      uneven: selectMismatchedOrders(sql, accountId, STEP_CHANGES),
      after: hasOrdersToCompare(sql, accountId),
    }));
    differing.push(...uneven);
    if (!after[0]?.left) return { differing, left: false };
  }
  return { differing, left: true };
}

/** Looks up orders until the job is aborted. The next reconciliation finds the rest. Returns the orders without a report. */
async function lookUpEach(
  orders: readonly MoneyOrder[],
  accountId: string,
  providers: AccountsOptions['providers'],
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<Set<string>> {
  const unread = new Set(orders.map(({ reference }) => reference));
  for (const { kind, reference } of orders) {
    if (signal.aborted) break;
    try {
      await lookUpOrderById(orderResources[kind], accountId, { reference }, providers, dependencies);
      unread.delete(reference);
    } catch (error) {
      // One failed lookup must not stop the others.
      dependencies.log.warn('order lookup failed', { order: reference, ...errorFields(error) });
    }
  }
  return unread;
}
