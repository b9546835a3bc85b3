// Applies events about balance that a provider blocked or unblocked because of a charge. An event names the charge; the statement line with
// its amount moves the money. Nothing is recorded until that line is found.
import { type Fragment, type Sql, type Statement, WORKER_SESSION } from '../../platform/db/database.ts';
import type { JobDependencies } from '../../platform/jobs/job.ts';
import { transactionWithJobs } from '../../platform/jobs/transaction-with-jobs.ts';
import type { BalanceEvent } from '../providers/accounts.ts';
import type { Providers } from '../providers/provider.ts';
import { selectAccount } from './queries.ts';
import { namesOf } from './reconcile-queries.ts';
import { enterStatement } from './statement.ts';

/** Seconds until the statement is read again. After that, each reconciliation looks for the line, for 7 days. */
const RETRY_SECONDS: readonly (number | undefined)[] = [30, 300];
/** Statement lines have a day only, and may have an earlier one than the event. */
const EARLIER_MS = 3 * 86_400_000;
const TIMEOUT_MS = 30_000;

/** Returns the seconds until the next attempt, or undefined if this was the last. */
export async function applyBalanceEvent(
  { accountId, eventId, attempts }: { accountId: string; eventId: string; attempts: number },
  event: BalanceEvent,
  providers: Providers,
  dependencies: JobDependencies,
): Promise<number | undefined> {
  const { database } = dependencies;
  const [noted] = await database.transaction(WORKER_SESSION, (sql) =>
    storeBalanceEvent(sql, accountId, eventId, event),
  );
  if (!noted?.ours) return undefined;
  const match = async () =>
    (
      await transactionWithJobs(dependencies, WORKER_SESSION, (sql) =>
        matchBalanceEvent(sql, accountId, eventId),
      )
    )[0]?.matched;
  if (await match()) return undefined;
  const [row] = await database.transaction(WORKER_SESSION, (sql) => selectAccount(sql, accountId));
  if (!row?.account) return undefined;
  const provider = await providers.connect(row.account);
  const since = new Date(Date.parse(`${event.day}T12:00:00Z`) - EARLIER_MS);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await enterStatement(provider, row.account, { since, ours: undefined }, dependencies, signal);
  return (await match()) ? undefined : RETRY_SECONDS[attempts - 1];
}

/** Stores the event. `ours`: whether it concerns a charge of ours. */
const storeBalanceEvent = (
  sql: Sql,
  accountId: string,
  eventId: string,
  event: BalanceEvent,
): Statement<{ ours: boolean }> =>
  sql`select app.store_balance_event(${accountId}, ${eventId}, ${JSON.stringify(event)}::jsonb) as ours`;

/** Enters the statement line of the event for its charge, once. `matched`: whether the line was found. */
const matchBalanceEvent = (sql: Sql, accountId: string, eventId: string): Statement<{ matched: boolean }> =>
  sql`select app.match_balance_event(${accountId}, ${eventId}) as matched`;

/** Matches all events of the account that have no statement line yet. */
export const matchUnmatchedBalanceEvents = (
  sql: Sql,
  accountId: string,
): Statement<{ matched: boolean }> => sql`
  select app.match_balance_event(${accountId}, w.id) as matched from app.unmatched_balance_events(${accountId}) as w (id)`;

/** Assigns statement lines of blocked balance, whose events were lost, to the refunded charges whose mismatch they explain. */
export const assignUnmatchedLines = (
  sql: Sql,
  accountId: string,
  orders: Parameters<typeof namesOf>[0],
): Fragment => sql`select app.assign_unmatched_lines(${accountId}, ${namesOf(orders)}::jsonb)`;

/** Our ids of the account's invoices with an open PIX infraction. No list of the provider reports its outcome. */
export const selectOpenInfractions = (sql: Sql, accountId: string): Statement<{ id: string }> => sql`
  select i.id from public.disputes d
  join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
  where d.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
    and i.provider_account_id = ${accountId} and d.kind = 'pix_infraction' and d.status = 'open'
  limit 1000`;
