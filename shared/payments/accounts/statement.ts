// Stores the lines of an account's statement, each once.
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { Page, ProviderAccount } from '../providers/accounts.ts';
import type { ConnectedProvider } from '../providers/provider.ts';
import { enterStatementLines } from './reconcile-queries.ts';

/** `ours`: our ids of orders by provider reference; if unknown, lines of orders are left for later. Returns the number of requests. */
export async function enterStatement(
  provider: Pick<ConnectedProvider, 'listStatement'>,
  { id, tenantId }: Pick<ProviderAccount, 'id' | 'tenantId'>,
  { since, ours }: { since: Date; ours: ReadonlyMap<string, string> | undefined },
  dependencies: JobDependencies,
  signal: AbortSignal,
): Promise<number> {
  return await eachPage(
    (page) => provider.listStatement(since, page, signal),
    (lines) =>
      transactionWithJobs(dependencies, { role: 'worker', tenantId }, (sql) =>
        enterStatementLines(
          sql,
          id,
          lines
            .filter(({ order }) => ours !== undefined || order === undefined)
            .map((line) => ({
              ...line,
              ourId: line.order && (line.order.reference ?? ours?.get(line.order.providerReference)),
            })),
        ),
      ),
  );
}

/** Passes each page to `handle`. Returns the number of pages. */
export async function eachPage<T>(
  read: (page: string | undefined) => Promise<Page<T>>,
  handle: (items: T[]) => Promise<unknown>,
): Promise<number> {
  let page: string | undefined;
  let pages = 0;
  do {
    const { items, next } = await read(page);
    pages++;
    if (items.length > 0) await handle(items);
    page = next;
  } while (page !== undefined);
  return pages;
}
