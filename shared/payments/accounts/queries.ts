// SQL for the tables `provider_accounts` and `provider_account_events`.

import { sha256Hex } from '../../platform/crypto.ts';
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { hashOf } from '../../platform/jobs/retry-schedule.ts';
import type { EventSubject, ProviderAccount, ProviderEvent, TaxRegime } from '../providers/accounts.ts';

export interface AccountRow {
  /** Null once the API key is deleted. */
  account: (ProviderAccount & { webhookReference: string | null }) | null;
  status: 'connecting' | 'active' | 'failing' | 'disconnected';
  owner_email: string | null;
  created_at: Date;
  reconciled_at: Date | null;
  /** Whether the provider rejected our webhook with all events within a day. */
  only_core_events: boolean;
  now: Date;
}

export const selectAccount = (sql: Sql, id: string): Statement<AccountRow> => sql`
  select app.provider_account(a.id) as account, a.status, t.owner_email, a.created_at, a.reconciled_at,
         coalesce(a.webhook_warned_at > now() - interval '1 day', false) as only_core_events, now() as now
  from public.provider_accounts a join public.tenants t on t.id = a.tenant_id
  where a.id = ${id}`;

/** The result of an account check. `app.record_provider_check` receives it with the hash of the key that was checked. */
export interface CheckResult {
  status: AccountRow['status'];
  reason: string | null;
  capabilities?: object;
  balances?: { currency: string; amount: number }[];
  tax_regime?: TaxRegime;
  national_portal?: boolean | null;
  /** The provider's words when it rejected all events. Null if it accepted them, absent if they were not tried. */
  webhook_warning?: string | null;
  webhook_state?: 'active' | 'paused' | 'missing';
  webhook_reference?: string;
  webhook_secret?: string;
  callback_url?: string;
  /** Whether the provider did not respond. The account then keeps its status. */
  unreachable?: boolean;
}

export function recordCheck(sql: Sql, { id, key }: ProviderAccount, result: CheckResult): Fragment {
  const keyHash = sha256Hex(key);
  return sql`select app.record_provider_check(${id}, ${JSON.stringify({ ...result, key_hash: keyHash })}::jsonb)`;
}

/** Schedules the next reconciliation of an account, unless one is pending. */
export const scheduleReconciliation = (sql: Sql, id: string, dueAt: Date): Fragment => sql`
  insert into public.jobs as j (tenant_id, name, key, payload, due_at)
  select a.tenant_id, 'reconcile-provider', a.id, jsonb_build_object('account_id', a.id), ${dueAt.toISOString()}::timestamptz
  from public.provider_accounts a where a.id = ${id}
  on conflict (name, key) do update
  set due_at = excluded.due_at, finished_at = null, failed_at = null, failures = 0, locked_until = null
  where j.finished_at is not null or j.failed_at is not null`;

/** Schedules the job that reads the lists of codes, if IBS and CBS concern the account. */
export const scheduleFiscalCodes = (sql: Sql, id: string): Fragment =>
  sql`select app.schedule_fiscal_codes_job(${id})`;

/** Anyone can send deliveries that fail verification, so deliveries above this rate are not counted and cause no writes. */
const MAX_REJECTED_PER_MINUTE = 10;

/** Counts a delivery that failed verification, up to `MAX_REJECTED_PER_MINUTE` per minute. */
export const countRejected = (sql: Sql, id: string): Fragment => sql`
  update public.provider_accounts
  set rejected_events = rejected_events + 1,
      rejected_lately = case when rejected_since > now() - interval '1 minute' then rejected_lately else 0 end + 1,
      rejected_since = case when rejected_since > now() - interval '1 minute' then rejected_since else now() end
  where id = ${id} and (rejected_lately < ${MAX_REJECTED_PER_MINUTE} or rejected_since <= now() - interval '1 minute')`;

/** Stores events, deduplicated by id, and schedules a job for each event that has a subject. */
export const storeEvents = (
  sql: Sql,
  accountId: string,
  events: readonly ProviderEvent[],
  body: string,
): Fragment[] => [
  sql`
    with kept as (
      insert into public.provider_account_events (account_id, event_id, tenant_id, type, about, body)
      select a.id, e."eventId", a.tenant_id, e.type, e.about, ${body}
      from public.provider_accounts a,
           jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e ("eventId" text, type text, about jsonb)
      where a.id = ${accountId}
      on conflict (account_id, event_id) do nothing
      returning tenant_id, event_id, about
    )
    insert into public.jobs (tenant_id, name, key, payload)
    select tenant_id, 'apply-provider-event', ${accountId} || ':' || event_id,
           jsonb_build_object('account_id', ${accountId}::text, 'event_id', event_id)
    from kept where about is not null
    on conflict (name, key) do nothing`,
  sql`update public.provider_accounts set last_event_at = now() where id = ${accountId}`,
];

export const selectEvent = (
  sql: Sql,
  accountId: string,
  eventId: string,
): Statement<{ about: EventSubject | null; applied_at: Date | null }> => sql`
  select about, applied_at from public.provider_account_events where account_id = ${accountId} and event_id = ${eventId}`;

export const markEventApplied = (sql: Sql, accountId: string, eventId: string): Fragment => sql`
  update public.provider_account_events set applied_at = now() where account_id = ${accountId} and event_id = ${eventId}`;

export const scheduleCheck = (sql: Sql, id: string): Fragment => sql`select app.check_provider_soon(${id})`;

/** The number of unfinished orders of an account, and the days since it was disconnected. */
export const selectOpenOrders = (sql: Sql, id: string): Statement<{ open: number; days: number }> => sql`
  select ((select count(*) from public.invoices i where i.tenant_id = a.tenant_id and i.provider_account_id = a.id and i.status in ('creating', 'open'))
        + (select count(*) from public.payouts p
           where p.tenant_id = a.tenant_id and p.provider_account_id = a.id and p.status in ('creating', 'created', 'incoming_payment_waiting', 'processing'))
        + (select count(*) from public.refunds r
           where r.tenant_id = a.tenant_id and r.provider_account_id = a.id and r.status in ('creating', 'pending'))
        + (select count(*) from public.tax_documents d
           where d.tenant_id = a.tenant_id and d.provider_account_id = a.id and (d.status = 'pending' or d.cancel_requested_at is not null)))::integer as open,
         extract(days from now() - a.disconnected_at)::integer as days
  from public.provider_accounts a where a.id = ${id}`;

export const deleteCredentials = (sql: Sql, id: string): Fragment =>
  sql`select app.forget_provider_account(${id})`;

/** The account's next reconciliation after this time. Its offset within the period depends only on the account's id. */
export function nextReconciliationAt(accountId: string, after: Date, periodSeconds: number): Date {
  const offset = hashOf(accountId) % periodSeconds;
  const periods = Math.floor((after.getTime() / 1000 - offset) / periodSeconds) + 1;
  return new Date((offset + periods * periodSeconds) * 1000);
}
