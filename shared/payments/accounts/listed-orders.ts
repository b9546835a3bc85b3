// The orders that a provider lists: applies changes whose notifications were lost, and collects what the comparison needs.
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { ListedOrder } from '../providers/accounts.ts';
import type { ConnectedProvider } from '../providers/provider.ts';
import { scheduleTaxDocumentLookup } from '../tax-documents/queries.ts';
import { applyListedOrder } from './reconcile-queries.ts';
import { eachPage } from './statement.ts';

/** An order whose money the statement shows. */
export interface MoneyOrder {
  kind: 'charge' | 'payout';
  /** Our id. */
  reference: string;
}

interface Listing {
  accountId: string;
  tenantId: string;
  since: Date;
  /** The database's clock before the listing started. */
  lookupStartedAt: Date;
}

interface ListedOrders {
  /** The references of all orders, ours and the provider's. */
  references: Record<MoneyOrder['kind'], string[]>;
  /** Our ids by provider reference. A charge that was paid twice is two payments at the provider. */
  ours: ReadonlyMap<string, string>;
  /** Orders that the list shows only in part. They have to be looked up individually. */
  inPart: MoneyOrder[];
  /** The number of requests to the provider. */
  requests: number;
}

/** Reads everything that the provider lists since `since`, a page and a transaction at a time. */
export async function applyListedOrders(
  provider: Pick<ConnectedProvider, 'listOrders'>,
  listing: Listing,
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<ListedOrders> {
  const references: ListedOrders['references'] = { charge: [], payout: [] };
  const ours = new Map<string, string>();
  const providerReferences = new Map<string, string>();
  const inPart: MoneyOrder[] = [];
  let requests = 0;
  for (const kind of ['charge', 'payout'] as const) {
    const partial = new Set<string>();
    requests += await eachPage(
      (page) => provider.listOrders(kind, listing.since, page, signal),
      async (orders) => {
        references[kind].push(
          ...orders.flatMap((one) => [one.reference ?? [], one.providerReference].flat()),
        );
        for (const { reference, providerReference } of orders) {
          if (!reference) continue;
          ours.set(providerReference, reference);
          if ((providerReferences.get(reference) ?? providerReference) !== providerReference)
            partial.add(reference);
          providerReferences.set(reference, providerReference);
        }
        const complete = orders.filter(({ reference }) => !reference || !partial.has(reference));
        for (const one of await applyListed(kind, complete, listing, dependencies)) partial.add(one);
      },
    );
    inPart.push(...Array.from(partial, (reference) => ({ kind, reference })));
  }
  requests += await eachPage(
    (page) => provider.listOrders('tax_document', listing.since, page, signal),
    async (orders) => {
      for (const { reference, providerReference } of orders)
        if (reference) ours.set(providerReference, reference);
      await scheduleTaxDocumentLookups(orders, listing, dependencies);
    },
  );
  return { references, ours, inPart, requests };
}

/** Applies a page of listed orders. Returns the ids of orders that are listed only in part and differ from the ledger. */
async function applyListed(
  kind: MoneyOrder['kind'],
  orders: readonly ListedOrder[],
  { accountId, tenantId, lookupStartedAt }: Listing,
  dependencies: JobDependencies,
): Promise<string[]> {
  const table = kind === 'charge' ? 'invoices' : 'payouts';
  const applied = await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.flatMap(({ report, ...order }) =>
      report ? [applyListedOrder(sql, table, accountId, lookupStartedAt, { ...order, report })] : [],
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
  { accountId, tenantId }: Listing,
  dependencies: JobDependencies,
): Promise<void> {
  await transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
    orders.map(({ reference, providerReference, taxDocument }) =>
      scheduleTaxDocumentLookup(sql, accountId, { reference, providerReference }, taxDocument?.status),
    ),
  );
}
