// SQL of provider accounts, and of differences with providers, in the admin API.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import {
  all,
  contains,
  equals,
  type Page,
  type Paging,
  type Shown,
  selectPage,
  selectShown,
} from '../statements.ts';

const accountRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'provider', r.provider, 'status', r.status, 'reason', r.reason, 'capabilities', r.capabilities, 'settings', r.settings,
  'webhook_state', r.webhook_state, 'last_event_at', app.format_utc(r.last_event_at), 'rejected_events', r.rejected_events,
  'balance', (r.balances #>> '{0,amount}')::bigint, 'currency', r.balances #>> '{0,currency}',
  'balance_read_at', app.format_utc(r.balance_read_at), 'created_at', app.format_utc(r.created_at),
  'checked_at', app.format_utc(r.checked_at), 'reconciled_at', app.format_utc(r.reconciled_at),
  'disconnected_at', app.format_utc(r.disconnected_at),
  'tax_regime', case when r.provider = 'asaas' then coalesce(r.tax_regime, 'unknown') end, 'national_portal', r.national_portal,
  'warnings', app.account_warnings(r.id))`;

/** What the service finds out about an account. */
const ACCOUNT_FINDINGS = [
  'reason',
  'webhook_state',
  'last_event_at',
  'rejected_events',
  'balance',
  'currency',
  'balance_read_at',
  'checked_at',
  'reconciled_at',
  'tax_regime',
  'national_portal',
  'warnings',
];

export const selectAccounts = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.provider_accounts r`,
      where: sql`r.tenant_id = ${tenantId} and ${contains(sql, sql`r.provider`, paging)}`,
      record: accountRecord(sql),
      name: sql`r.provider collate "und-x-icu"`,
    },
    paging,
  );

/** The condition that `r` is the account that is connected at a provider. */
export const accountAt = (sql: Sql, provider: string): Fragment =>
  sql`r.provider = ${provider} and r.disconnected_at is null`;

export const selectAccount = (sql: Sql, tenantId: string, which: Fragment): Statement<Shown> =>
  selectShown(
    sql,
    {
      record: accountRecord(sql),
      rows: sql`public.provider_accounts r`,
      where: sql`r.tenant_id = ${tenantId} and ${which}`,
    },
    ACCOUNT_FINDINGS,
  );

export const selectAccountWithId = (sql: Sql, tenantId: string, id: string): Statement<Shown> =>
  selectAccount(sql, tenantId, sql`r.id = ${id}`);

/** Serializes requests that connect the tenant to a provider. */
export const lockProvider = (sql: Sql, tenantId: string, provider: string): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`account ${provider}${tenantId}`}, 0))`;

export const accountExists = (sql: Sql, tenantId: string, which: Fragment): Fragment =>
  sql`exists (select from public.provider_accounts r where r.tenant_id = ${tenantId} and ${which})`;

export interface ProviderAccess {
  provider: string;
  key: string;
  /** Default: the settings that the account has. */
  settings: object | undefined;
  withdrawalToken: string | null;
}

/** Connects the tenant. Postgres logs a failed statement with its values, so a second one without the key raises `not_connected`. */
export const connectProvider = (
  sql: Sql,
  tenantId: string,
  { provider, key, settings, withdrawalToken }: ProviderAccess,
): Fragment[] => [
  sql`
    select set_config('app.connected', app.connect_provider(
      ${provider}, ${key},
      coalesce(
        ${settings ? JSON.stringify(settings) : null}::jsonb,
        (select r.settings from public.provider_accounts r where r.tenant_id = ${tenantId} and ${accountAt(sql, provider)}),
        '{}'),
      ${withdrawalToken})::text, true)`,
  sql`
    select app.raise_domain_error('not_connected', c.outcome) from (select current_setting('app.connected')::jsonb as outcome) as c
    where c.outcome ? 'refusal'`,
];

export const disconnectProvider = (sql: Sql, id: string): Fragment =>
  sql`select app.disconnect_provider(${id})`;

/** Raises `account_disconnected`. */
export const reconcileProvider = (sql: Sql, tenantId: string, id: string): Fragment[] => [
  sql`
    select app.raise_domain_error('account_disconnected') from public.provider_accounts r
    where r.tenant_id = ${tenantId} and r.id = ${id} and r.disconnected_at is not null`,
  sql`select app.reconcile_provider(${id})`,
];

export const insertWithdrawalToken = (sql: Sql, id: string): Statement<{ record: Record<string, unknown> }> =>
  sql`select to_json(n) as record from app.new_withdrawal_token(${id}) as n`;

export interface DifferenceFilters {
  account_id?: string | undefined;
  resolved?: string | undefined;
}

/** Unexplained differences with providers. */
export const selectDifferences = (
  sql: Sql,
  tenantId: string,
  { account_id: accountId, resolved }: DifferenceFilters,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`(
        select d.*, a.provider from public.provider_differences d
        join public.provider_accounts a on a.tenant_id = d.tenant_id and a.id = d.account_id
        where d.tenant_id = ${tenantId}
      ) as r`,
      where: all(sql, [
        contains(sql, sql`r.subject`, paging),
        equals(sql, sql`r.account_id`, accountId),
        resolved === undefined ? sql`true` : sql`(r.resolved_at is not null) = ${resolved}::boolean`,
      ]),
      record: sql`json_build_object(
        'id', r.id::text, 'account_id', r.account_id, 'provider', r.provider, 'kind', r.kind, 'subject', r.subject, 'ours', r.ours,
        'theirs', r.theirs, 'found_at', app.format_utc(r.found_at), 'resolved_at', app.format_utc(r.resolved_at))`,
      name: sql`r.subject collate "und-x-icu"`,
      time: sql`r.found_at`,
    },
    paging,
  );
