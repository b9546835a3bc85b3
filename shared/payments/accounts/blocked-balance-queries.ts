// SQL for balance that a provider blocked or unblocked because of a charge.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { BalanceEvent } from '../providers/accounts.ts';

/** Stores the event. `ours`: whether it concerns a charge of ours. */
export const noteBalanceEvent = (
  sql: Sql,
  accountId: string,
  eventId: string,
  event: BalanceEvent,
): Statement<{ ours: boolean }> =>
  sql`select app.note_balance_event(${accountId}, ${eventId}, ${JSON.stringify(event)}::jsonb) as ours`;

/** Enters the statement line of the event for its charge, once. `matched`: whether the line was found. */
export const matchBalanceEvent = (
  sql: Sql,
  accountId: string,
  eventId: string,
): Statement<{ matched: boolean }> =>
  sql`select app.match_balance_event(${accountId}, ${eventId}) as matched`;

/** Enters the lines of all events that still wait for theirs. */
export const matchWaitingBalanceEvents = (
  sql: Sql,
  accountId: string,
): Statement<{ matched: boolean }> => sql`
  select app.match_balance_event(${accountId}, w.id) as matched from app.waiting_balance_events(${accountId}) as w (id)`;

/** Gives refunded charges whose ledger differs the blocked balance whose event was lost. */
export const claimLinesWithoutEvent = (
  sql: Sql,
  accountId: string,
  orders: readonly { kind: string; provider_reference: string }[],
): Fragment => {
  const names = orders.map(({ kind, provider_reference }) => ({ kind, provider_reference }));
  return sql`select app.claim_lines_without_event(${accountId}, ${JSON.stringify(names)}::jsonb)`;
};

/** Our ids of the account's invoices whose PIX infraction is open, because no list shows how it ends. */
export const selectOpenInfractions = (sql: Sql, accountId: string): Statement<{ id: string }> => sql`
  select i.id from public.disputes d
  join public.invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
  where d.tenant_id = (select tenant_id from public.provider_accounts where id = ${accountId})
    and i.provider_account_id = ${accountId} and d.kind = 'pix_infraction' and d.status = 'open'
  limit 1000`;
