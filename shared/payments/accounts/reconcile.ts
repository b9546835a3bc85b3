// Comparing an account with its provider: orders and statement, page by page. What was missed is applied; what cannot be explained
// is noted with both sides. So everything that a provider should have told us comes right although it never did.
import { type Database, WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logger.ts';
import { lookUpOrderByName } from '../lookups/look-up-by-name.ts';
import type { ListedOrder, Page } from '../providers/provider.ts';
import { lookAtTaxDocumentNow } from '../tax-documents/queries.ts';
import type { AccountsOptions } from './check.ts';
import { scheduleCheck, selectAccount } from './queries.ts';
import {
  applyListedOrder,
  type Difference,
  enterStatementLines,
  hasOrdersToCompare,
  type MismatchedOrder,
  markReconciled,
  noteDifferences,
  selectMismatchedOrders,
  selectMissingOrders,
  selectStillMismatched,
} from './reconcile-queries.ts';

const DAY_MS = 86_400_000;
/** What changed so long before the last comparison is looked at again: providers list by the day that something was made. */
const OVERLAP_DAYS = 7;
/** Changes of orders that are added up at once, and how often in one comparison; as long as not too many differ. */
const STEP_CHANGES = 5000;
const MOST_STEPS = 10;
const MOST_DIFFERING = 1000;
/** What a look at one order asks its provider, at most. */
const REQUESTS_A_LOOK = 3;
/** Requests of a comparison that need no pause; after more of them so long a pause for each: half of what Asaas, which allows the fewest, allows. */
const FREE_REQUESTS = 1000;
const SECONDS_A_REQUEST = 4;

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
  /** Our ids by all that the provider has under them: a charge that was paid twice is two payments there. */
  const ours = new Map<string, string>();
  const named = new Map<string, string>();
  /** What is said of one of them is not all that is to be said of the order: these are looked at by themselves. */
  const inPart = { charge: new Set<string>(), payout: new Set<string>() };
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
          if (kind !== 'tax_document' && (named.get(reference) ?? providerReference) !== providerReference)
            inPart[kind].add(reference);
          named.set(reference, providerReference);
        }
        const listing = { id, tenantId: account.tenantId, lookedAt: row.now };
        if (kind === 'tax_document') return await rearmListed(orders, listing, dependencies);
        const alone = orders.filter(({ reference }) => !reference || !inPart[kind].has(reference));
        for (const one of await applyListed(kind, alone, listing, dependencies)) inPart[kind].add(one);
      },
    );
  }
  for (const kind of ['charge', 'payout'] as const)
    await lookAtEach(
      [...inPart[kind]].map((reference) => ({ kind, reference })),
      id,
      providers,
      dependencies,
      signal,
    );
  requests += await eachPage(
    (page) => provider.listStatement(since, page, signal),
    (lines) =>
      transactionWithJobs(dependencies, session, (sql) =>
        enterStatementLines(
          sql,
          id,
          lines.map((line) => ({ ...line, ourId: line.order && ours.get(line.order.providerReference) })),
        ),
      ),
  );
  const { differing, left } = await compareMoney(id, database);
  // Orders whose money differs may have changed since they were made, long ago.
  const toLookAt = differing.flatMap(({ kind, id: reference }) => (reference ? [{ kind, reference }] : []));
  await lookAtEach(toLookAt, id, providers, dependencies, signal);
  const { uneven, missing } = await database.transaction(session, (sql) => ({
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
    differences: noteDifferences(sql, id, differences),
    reconciled: markReconciled(sql, id),
    // Its webhook and balance as well.
    check: scheduleCheck(sql, id),
  }));
  requests += (toLookAt.length + inPart.charge.size + inPart.payout.size) * REQUESTS_A_LOOK;
  return { againInSeconds: Math.max(left ? 1 : reconcileSeconds, pauseAfter(requests)) };
}

/** Seconds before the next comparison, so that callers keep their share of what the provider allows an account to ask. */
export const pauseAfter = (requests: number): number =>
  requests <= FREE_REQUESTS ? 0 : requests * SECONDS_A_REQUEST;

/** Adds up orders that changed, some at a time: no transaction is long. `left`: there were more of them than a comparison takes. */
async function compareMoney(
  accountId: string,
  database: Database,
): Promise<{ differing: MismatchedOrder[]; left: boolean }> {
  const differing: MismatchedOrder[] = [];
  for (let step = 0; step < MOST_STEPS && differing.length < MOST_DIFFERING; step++) {
    const { uneven, after } = await database.transaction(WORKER_SESSION, (sql) => ({
      uneven: selectMismatchedOrders(sql, accountId, STEP_CHANGES),
      after: hasOrdersToCompare(sql, accountId),
    }));
    differing.push(...uneven);
    if (!after[0]?.left) return { differing, left: false };
  }
  return { differing, left: true };
}

/** Gives how many pages there were. */
async function eachPage<T>(
  read: (page: string | undefined) => Promise<Page<T>>,
  take: (items: T[]) => Promise<unknown>,
): Promise<number> {
  let page: string | undefined;
  let pages = 0;
  do {
    const { items, next } = await read(page);
    pages++;
    if (items.length > 0) await take(items);
    page = next;
  } while (page !== undefined);
  return pages;
}

interface Listing {
  id: string;
  tenantId: string;
  /** By the database's clock, before anything was listed. */
  lookedAt: Date;
}

/** Applies what a page of a list says of orders of ours. Gives those of which it may say a part alone, and other than the ledger. */
async function applyListed(
  kind: 'charge' | 'payout',
  orders: readonly ListedOrder[],
  { id, tenantId, lookedAt }: Listing,
  dependencies: JobDependencies,
): Promise<string[]> {
  const table = kind === 'charge' ? 'invoices' : 'payouts';
  const applied = await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.flatMap(({ report, ...order }) =>
      report ? [applyListedOrder(sql, table, id, lookedAt, { ...order, report })] : [],
    ),
  );
  return applied.flat().flatMap(({ id, outcome }) => (outcome === 'in_part' && id !== null ? [id] : []));
}

/** Whatever became of tax documents of ours is read by the jobs that follow them. */
async function rearmListed(
  orders: readonly ListedOrder[],
  { id, tenantId }: Listing,
  dependencies: JobDependencies,
): Promise<void> {
  await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.map(({ reference, providerReference }) =>
      lookAtTaxDocumentNow(sql, id, { reference, providerReference }),
    ),
  );
}

/** As long as there is time: those that are left are found by the next comparison. */
async function lookAtEach(
  orders: readonly { kind: 'charge' | 'payout'; reference: string }[],
  accountId: string,
  providers: AccountsOptions['providers'],
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (const { kind, reference } of orders) {
    if (signal.aborted) return;
    try {
      await lookUpOrderByName(kind, accountId, { reference }, providers, dependencies);
    } catch (error) {
      // The others are none the worse for it.
      dependencies.log.warn('order not looked up', { order: reference, ...errorFields(error) });
    }
  }
}
