// Reconciles an account with its provider: compares orders and statement page by page, applies changes whose notifications were
// lost, and records unexplained differences with both sides.
import { z } from 'zod';
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import { defineJob, type JobDependencies, type JobHandler, type JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { lookUpOrderById } from '../orders/look-up.ts';
import type { ListedOrder } from '../providers/accounts.ts';
import { scheduleTaxDocumentLookup } from '../tax-documents/queries.ts';
import {
  assignUnmatchedLines,
  matchUnmatchedBalanceEvents,
  selectOpenInfractions,
} from './blocked-balance.ts';
import type { AccountsOptions } from './check.ts';
import { orderResources } from './order-resources.ts';
import { nextReconciliationAt, scheduleCheck, selectAccount } from './queries.ts';
import {
  applyListedOrder,
  type Difference,
  enterUncoveredLines,
  hasOrdersToCompare,
  type MismatchedOrder,
  markReconciled,
  recordDifferences,
  selectMismatchedOrders,
  selectMissingOrders,
  selectStillMismatched,
} from './reconcile-queries.ts';
import { eachPage, enterStatement } from './statement.ts';

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
  const listed: Record<'charge' | 'payout', string[]> = { charge: [], payout: [] };
  /** Our ids by provider reference. A charge that was paid twice is two payments at the provider. */
  const ours = new Map<string, string>();
  const providerReferences = new Map<string, string>();
  /** Orders that the list shows only in part. They are looked up individually. */
  const partial = { charge: new Set<string>(), payout: new Set<string>() };
  let requests = 0;

  for (const kind of ['charge', 'payout', 'tax_document'] as const) {
    requests += await eachPage(
      (page) => provider.listOrders(kind, since, page, signal),
      async (orders) => {
        if (kind !== 'tax_document')
          listed[kind].push(...orders.flatMap((one) => [one.reference ?? [], one.providerReference].flat()));
        for (const { reference, providerReference } of orders) {
          if (!reference) continue;
          ours.set(providerReference, reference);
          if (
            kind !== 'tax_document' &&
            (providerReferences.get(reference) ?? providerReference) !== providerReference
          )
            partial[kind].add(reference);
          providerReferences.set(reference, providerReference);
        }
        const listing = { id, tenantId: account.tenantId, lookupStartedAt: row.now };
        if (kind === 'tax_document') return await scheduleTaxDocumentLookups(orders, listing, dependencies);
        const complete = orders.filter(({ reference }) => !reference || !partial[kind].has(reference));
        for (const one of await applyListed(kind, complete, listing, dependencies)) partial[kind].add(one);
      },
    );
  }
  const listedInPart = (['charge', 'payout'] as const).flatMap((kind) =>
    [...partial[kind]].map((reference) => ({ kind, reference })),
  );
  await lookUpEach(listedInPart, id, providers, dependencies, signal);
  requests += await enterStatement(provider, account, { since, ours }, dependencies, signal);
  await transactionWithJobs(dependencies, session, (sql) => matchUnmatchedBalanceEvents(sql, id));
  const { differing, left } = await compareMoney(id, database);
  // Orders whose amounts differ may be older than the listed period, so they are looked up individually.
  const disputed = await database.transaction(session, (sql) => selectOpenInfractions(sql, id));
  const ordersToLookUp = [
    ...differing.flatMap(({ kind, id: reference }) => (reference ? [{ kind, reference }] : [])),
    ...disputed.map(({ id: reference }) => ({ kind: 'charge' as const, reference })),
  ];
  const unread = await lookUpEach(ordersToLookUp, id, providers, dependencies, signal);
  await transactionWithJobs(dependencies, session, (sql) => assignUnmatchedLines(sql, id, differing));
  const { uneven, missing } = await database.transaction(session, (sql) => ({
    // A report that could not be read may cover the lines.
    entered: enterUncoveredLines(
      sql,
      id,
      differing.filter((one) => !one.id || !unread.has(one.id)),
    ),
    uneven: selectStillMismatched(sql, id, differing),
    missing: selectMissingOrders(sql, id, since, listed),
  }));
  const differences: Difference[] = [
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
  await transactionWithJobs(dependencies, session, (sql) => ({
    differences: recordDifferences(sql, id, differences),
    reconciled: markReconciled(sql, id),
    // Refreshes the webhook state and balance.
    check: scheduleCheck(sql, id),
  }));
  requests += (listedInPart.length + ordersToLookUp.length) * REQUESTS_PER_LOOKUP;
  const pauseSeconds = pauseSecondsAfter(requests);
  if (left) return { retryInSeconds: Math.max(1, pauseSeconds) };
  const after = new Date(row.now.getTime() + 1000 * pauseSeconds);
  return { againAt: nextReconciliationAt(id, after, reconcileSeconds) };
}

/** Seconds until the next reconciliation, so that callers' requests keep their share of the provider's rate limit. */
export const pauseSecondsAfter = (requests: number): number =>
  requests <= FREE_REQUESTS ? 0 : requests * SECONDS_PER_REQUEST;

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

interface Listing {
  id: string;
  tenantId: string;
  /** The database's clock before the listing started. */
  lookupStartedAt: Date;
}

/** Applies a page of listed orders. Returns the ids of orders that are listed only in part and differ from the ledger. */
async function applyListed(
  kind: 'charge' | 'payout',
  orders: readonly ListedOrder[],
  { id, tenantId, lookupStartedAt }: Listing,
  dependencies: JobDependencies,
): Promise<string[]> {
  const table = kind === 'charge' ? 'invoices' : 'payouts';
  const applied = await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.flatMap(({ report, ...order }) =>
      report ? [applyListedOrder(sql, table, id, lookupStartedAt, { ...order, report })] : [],
    ),
  );
  // `other`: the order has several objects at the provider, such as a later payment page.
  return applied
    .flat()
    .flatMap(({ id, outcome }) =>
      id !== null && (outcome === 'in_part' || outcome === 'other') ? [id] : [],
    );
}

/** Schedules an immediate lookup of each listed tax document whose status differs from ours. */
async function scheduleTaxDocumentLookups(
  orders: readonly ListedOrder[],
  { id, tenantId }: Listing,
  dependencies: JobDependencies,
): Promise<void> {
  await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.map(({ reference, providerReference, taxDocument }) =>
      scheduleTaxDocumentLookup(sql, id, { reference, providerReference }, taxDocument?.status),
    ),
  );
}

/** Looks up orders until the job is aborted. The next reconciliation finds the rest. Returns the orders without a report. */
async function lookUpEach(
  orders: readonly { kind: 'charge' | 'payout'; reference: string }[],
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
