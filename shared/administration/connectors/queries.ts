// SQL of accounts at CRMs and their mappings in the admin API.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import { contains, type Page, type Paging, type Shown, selectPage, selectShown } from '../statements.ts';

// Accounts --------------------------------------------------------------------------------------------------------------

const accountRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'crm', r.crm, 'status', r.status, 'reason', r.reason, 'settings', r.settings, 'webhook_state', r.webhook_state,
  'last_event_at', app.format_utc(r.last_event_at), 'rejected_events', r.rejected_events, 'imported_at', app.format_utc(r.imported_at),
  'last_reconciled_at', app.format_utc(r.last_reconciled_at), 'waiting_until', app.format_utc(r.waiting_until),
  'unmapped_stages', (select count(*) from ${stageRows(sql)} where s.account_id = r.id and s.is_present and s.effective_id is null),
  'open_differences', (select count(*) from public.crm_differences d where d.account_id = r.id and d.resolved_at is null),
  'created_at', app.format_utc(r.created_at), 'disconnected_at', app.format_utc(r.disconnected_at))`;

/** What the service finds out about an account, and the states that it changes. */
const ACCOUNT_FINDINGS = [
  'status',
  'reason',
  'webhook_state',
  'last_event_at',
  'rejected_events',
  'imported_at',
  'last_reconciled_at',
  'waiting_until',
  'unmapped_stages',
  'open_differences',
];

/** Stages of CRMs, with the stage here that deals in them get, as `private.stage_of_crm` finds it. */
const stageRows = (sql: Sql): Fragment => sql`(
  select c.*, coalesce(c.stage_id, (
    select p.id from public.pipeline_stages p
    where p.tenant_id = c.tenant_id and lower(normalize(p.name, nfc)) = lower(normalize(c.name, nfc)))) as effective_id
  from public.crm_stages c) as s`;

export const selectAccounts = (sql: Sql, tenantId: string, paging: Paging): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.crm_accounts r`,
      where: sql`r.tenant_id = ${tenantId} and ${contains(sql, sql`r.crm`, paging)}`,
      record: accountRecord(sql),
      name: sql`r.crm collate "und-x-icu"`,
    },
    paging,
  );

const accountWithId = (sql: Sql, id: string): Fragment => sql`r.id = ${id}`;
export const accountAt = (sql: Sql, crm: string): Fragment => sql`r.crm = ${crm}`;

export const selectAccount = (sql: Sql, tenantId: string, which: Fragment): Statement<Shown> =>
  selectShown(
    sql,
    {
      record: accountRecord(sql),
      rows: sql`public.crm_accounts r`,
      where: sql`r.tenant_id = ${tenantId} and ${which}`,
    },
    ACCOUNT_FINDINGS,
  );

export const selectAccountWithId = (sql: Sql, tenantId: string, id: string): Statement<Shown> =>
  selectAccount(sql, tenantId, accountWithId(sql, id));

export const accountExists = (sql: Sql, tenantId: string, which: Fragment): Fragment =>
  sql`exists (select from public.crm_accounts r where r.tenant_id = ${tenantId} and ${which})`;

/** Serializes requests that connect the tenant to a CRM. */
export const lockCrm = (sql: Sql, tenantId: string, crm: string): Fragment =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`crm ${crm}${tenantId}`}, 0))`;

/** Rejects callers who cannot read and write leads and deals. */
export const expectRights = (sql: Sql): Fragment => sql`select app.expect_crm_rights()`;

/** Rejects callers who cannot read leads and deals, if the account exists. */
export const expectReader = (sql: Sql, tenantId: string, id: string): Fragment => sql`
  select app.expect_own_scopes('{read:leads,read:deals}', 'crm_not_allowed')
  where ${accountExists(sql, tenantId, accountWithId(sql, id))}`;

/** Rejects an account that is not disconnected. */
export const expectDisconnected = (sql: Sql, tenantId: string, id: string): Fragment => sql`
  select app.raise_domain_error('crm_connected', jsonb_build_object('state', r.status)) from public.crm_accounts r
  where r.tenant_id = ${tenantId} and r.id = ${id} and r.status <> 'disconnected'`;

export interface CrmAccess {
  crm: string;
  credentials: object;
  settings: object;
}

/** Connects the tenant. Postgres logs a failed statement with its values, so a second one without them raises `crm_refused`. */
export const connectCrm = (sql: Sql, { crm, credentials, settings }: CrmAccess): Fragment[] => [
  sql`
    select set_config('app.connected', app.connect_crm(${crm}, ${JSON.stringify(credentials)}, ${JSON.stringify(settings)})::text, true)`,
  sql`
    select app.raise_domain_error('crm_refused', c.outcome) from (select current_setting('app.connected')::jsonb as outcome) as c
    where c.outcome ? 'refusal'`,
];

export const setSettings = (sql: Sql, id: string, settings: object): Fragment =>
  sql`select app.set_crm_settings(${id}, ${JSON.stringify(settings)}::jsonb)`;

export type CrmState = 'paused' | 'resumed' | 'disconnected' | 'forgotten';

export const setState = (sql: Sql, id: string, state: CrmState): Fragment =>
  sql`select app.set_crm_state(${id}, ${state})`;

/** The link is only in this response. */
export const authorize = (sql: Sql, id: string): Statement<{ record: Record<string, unknown> }> =>
  sql`select json_build_object('url', app.authorize_crm(${id})) as record`;

export const selectWebhookSetup = (sql: Sql, id: string): Statement<Shown> =>
  sql`select json_build_object('text', app.crm_webhook_setup(${id})) as record, '' as version`;

/** Rejects an account that the tenant does not have. */
export const expectAccount = (sql: Sql, tenantId: string, id: string): Fragment =>
  sql`select app.reject_unknown('crm_account', null, null, null) where not ${accountExists(sql, tenantId, accountWithId(sql, id))}`;

// Mappings --------------------------------------------------------------------------------------------------------------

const stageNamed = (sql: Sql, id: Fragment): Fragment => sql`(
  select json_build_object('id', p.id, 'name', p.name) from public.pipeline_stages p where p.tenant_id = s.tenant_id and p.id = ${id})`;

export const selectStages = (sql: Sql, tenantId: string, id: string): Statement<Shown> =>
  selectShown(sql, {
    record: sql`json_build_object('stages', coalesce((
      select json_agg(json_build_object(
               'crm_id', s.crm_id, 'name', s.name, 'pipeline', json_build_object('id', s.pipeline, 'name', s.pipeline_name),
               'closes', s.closes, 'present', s.is_present, 'mapped_to', ${stageNamed(sql, sql`s.stage_id`)},
               'stage', ${stageNamed(sql, sql`s.effective_id`)})
             order by s.pipeline_name, s.pipeline, s.place, s.crm_id)
      from ${stageRows(sql)} where s.tenant_id = r.tenant_id and s.account_id = r.id), '[]'))`,
    rows: sql`public.crm_accounts r`,
    where: sql`r.tenant_id = ${tenantId} and r.id = ${id}`,
  });

export const mapStages = (sql: Sql, id: string, stages: readonly object[]): Fragment =>
  sql`select app.map_crm_stages(${id}, ${JSON.stringify(stages)}::jsonb)`;

export const selectActivityTypes = (sql: Sql, tenantId: string, id: string): Statement<Shown> =>
  selectShown(sql, {
    record: sql`json_build_object('activity_types', coalesce((
      select json_agg(json_build_object(
               'crm_type', t.crm_type, 'code', t.code,
               'mission', (select json_build_object('id', m.id, 'name', m.name)
                           from public.mission_codes c join public.missions m on m.tenant_id = c.tenant_id and m.id = c.mission_id
                           where c.tenant_id = t.tenant_id and c.code = t.code))
             order by t.crm_type)
      from public.crm_activity_types t where t.tenant_id = r.tenant_id and t.account_id = r.id), '[]'))`,
    rows: sql`public.crm_accounts r`,
    where: sql`r.tenant_id = ${tenantId} and r.id = ${id}`,
  });

export const mapActivityTypes = (sql: Sql, id: string, types: readonly object[]): Fragment =>
  sql`select app.map_crm_activities(${id}, ${JSON.stringify(types)}::jsonb)`;
