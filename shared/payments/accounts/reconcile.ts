// Comparing an account with its provider: orders and statement, page by page. What was missed is applied; what cannot be explained
// is noted with both sides. So everything that a provider should have told us comes right although it never did.
import { WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies, JobResult } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import { errorFields } from '../../platform/logging/logger.ts';
import { applyReport, lookAtOrder } from '../look-up.ts';
import type { ListedOrder, OrderKind, Page } from '../providers/provider.ts';
import { rearmTaxDocument } from '../tax-documents/queries.ts';
import type { AccountsOptions } from './check.ts';
import { checkSoon, selectAccount } from './queries.ts';
import {
  type Difference,
  enterStatementLines,
  listedId,
  markReconciled,
  noteDifferences,
  recoverListed,
  selectMissingOrders,
  selectUnevenOrders,
} from './reconcile-queries.ts';

const DAY_MS = 86_400_000;
/** What changed so long before the last comparison is looked at again: providers list by the day that something was made. */
const OVERLAP_DAYS = 7;
const TIMEOUT_MS = 240_000;

export async function reconcileAccount(
  id: string,
  { providers, reconcileSeconds }: AccountsOptions,
  dependencies: JobDependencies,
): Promise<JobResult> {
  const { database } = dependencies;
  const [[row]] = await database.transaction(WORKER_SESSION, (sql) => [selectAccount(sql, id)]);
  if (!row?.account || row.status === 'disconnected') return 'done';
  const { account } = row;
  const session = { role: 'worker', tenantId: account.tenantId } as const;
  const provider = await providers.connect(account);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const since = new Date((row.reconciled_at ?? row.created_at).getTime() - OVERLAP_DAYS * DAY_MS);
  const listed: Record<'charge' | 'payout', string[]> = { charge: [], payout: [] };
  /** Our ids by all that the provider has under them: a charge that was paid twice is two payments there. */
  const ours = new Map<string, string>();
  const named = new Map<string, string>();
  /** What is said of one of them is not all that is to be said of the charge: it is looked at by itself where money differs. */
  const several = new Set<string>();

  for (const kind of ['charge', 'payout', 'tax_document'] as const) {
    await eachPage(
      (page) => provider.listOrders(kind, since, page, signal),
      async (orders) => {
        if (kind !== 'tax_document')
          listed[kind].push(...orders.flatMap((one) => [one.reference ?? [], one.providerReference].flat()));
        for (const { reference, providerReference } of orders) {
          if (!reference) continue;
          ours.set(providerReference, reference);
          if ((named.get(reference) ?? providerReference) !== providerReference) several.add(reference);
          named.set(reference, providerReference);
        }
        const alone = orders.filter(({ reference }) => !reference || !several.has(reference));
        await applyListed(kind, alone, { id, tenantId: account.tenantId, lookedAt: row.now }, dependencies);
      },
    );
  }
  await eachPage(
    (page) => provider.listStatement(since, page, signal),
    (lines) =>
      transactionWithJobs(dependencies, session, (sql) => [
        enterStatementLines(
          sql,
          id,
          lines.map((line) => ({ ...line, ourId: line.order && ours.get(line.order.providerReference) })),
        ),
      ]),
  );
  await lookAtUneven(id, providers, dependencies, signal);
  const [uneven, missing] = await database.transaction(session, (sql) => [
    selectUnevenOrders(sql, id),
    selectMissingOrders(sql, id, since, listed),
  ]);
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
  await transactionWithJobs(dependencies, session, (sql) => [
    ...noteDifferences(sql, id, differences),
    markReconciled(sql, id),
    // Its webhook and balance as well.
    checkSoon(sql, id),
  ]);
  return { againInSeconds: reconcileSeconds };
}

async function eachPage<T>(
  read: (page: string | undefined) => Promise<Page<T>>,
  take: (items: T[]) => Promise<unknown>,
): Promise<void> {
  let page: string | undefined;
  do {
    const { items, next } = await read(page);
    if (items.length > 0) await take(items);
    page = next;
  } while (page !== undefined);
}

interface Listing {
  id: string;
  tenantId: string;
  /** By the database's clock, before anything was listed. */
  lookedAt: Date;
}

/** Applies what a page of a list says of orders of ours; one whose answer we never had is completed by a job. */
async function applyListed(
  kind: OrderKind,
  orders: readonly ListedOrder[],
  { id, tenantId, lookedAt }: Listing,
  dependencies: JobDependencies,
): Promise<void> {
  const session = { role: 'worker', tenantId } as const;
  if (kind === 'tax_document') {
    await transactionWithJobs(dependencies, session, (sql) =>
      orders.map(({ reference, providerReference }) =>
        rearmTaxDocument(sql, id, { reference, providerReference }),
      ),
    );
    return;
  }
  const table = kind === 'charge' ? 'invoices' : 'payouts';
  await transactionWithJobs(dependencies, session, (sql) =>
    orders.flatMap((order) => {
      if (!order.report) return [];
      const named = listedId(sql, table, id, order);
      return [
        recoverListed(sql, table, named, id),
        applyReport(sql, table, named, id, lookedAt, order.report),
      ];
    }),
  );
}

/** Orders whose money differs may have changed since they were made, long ago: each is looked at by itself, as long as there is time. */
async function lookAtUneven(
  accountId: string,
  providers: AccountsOptions['providers'],
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<void> {
  const [uneven] = await dependencies.database.transaction(WORKER_SESSION, (sql) => [
    selectUnevenOrders(sql, accountId),
  ]);
  for (const { kind, id: reference } of uneven) {
    if (signal.aborted) return;
    if (!reference) continue;
    try {
      await lookAtOrder(kind, accountId, { reference }, providers, dependencies);
    } catch (error) {
      // It stays a difference; the others are none the worse for it.
      dependencies.log.warn('order not looked up', { order: reference, ...errorFields(error) });
    }
  }
}
