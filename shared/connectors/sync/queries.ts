// SQL of the work of an account: the functions of `database/connectors/`.
import type { Fragment, Sql, Statement } from '../../platform/db/database.ts';
import type { Inspection, RecordKind, Tokens, WebhookReport, WritableKind } from '../crms/crm.ts';
import type { RunPhase } from '../run-phases.ts';
import type { CrmAccount } from './account.ts';
import type { Json, PreparedRecord } from './prepare.ts';

/** Seconds between reconciliations, comparisons, and polls of accounts without webhooks. */
export interface Intervals {
  reconcileSeconds: number;
  compareSeconds: number;
  pollSeconds: number;
}

const intervals = (sql: Sql, { reconcileSeconds, compareSeconds, pollSeconds }: Intervals): Fragment =>
  sql`${reconcileSeconds}, ${compareSeconds}, ${pollSeconds}`;

/** An array of texts. */
const textArray = (sql: Sql, texts: readonly string[]): Fragment =>
  sql`array(select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb))`;

export const beginWork = (
  sql: Sql,
  id: string,
  functionsUrl: string,
  every: Intervals,
): Statement<{ account: CrmAccount | null }> =>
  sql`select app.begin_crm_work(${id}, ${functionsUrl}, ${intervals(sql, every)}) as account`;

interface EndedWork {
  job: { id: string; attempts: number };
  every: Intervals;
  requestsFreeAt: Date;
}

export const endWork = (
  sql: Sql,
  id: string,
  { job, every, requestsFreeAt }: EndedWork,
): Statement<{ again_at: Date | null }> => sql`
  select app.end_crm_work(${id}, ${job.id}::uuid, ${job.attempts}, ${requestsFreeAt}, ${intervals(sql, every)}) as again_at`;

/** A record with all that is queued about it. */
export interface PendingRecord {
  kind: RecordKind;
  /** Null if the record may have to be created in the CRM. */
  crm_id: string | null;
  placar_id: string | null;
  ids: string[];
  merge: { losers: string[]; former_id: string | null } | null;
  take: Record<string, 'ours' | 'theirs'> | null;
  tries: number;
}

/** Those that come before runs; with `canWait`, those that come after them. */
export const claimPending = (
  sql: Sql,
  id: string,
  atMost: number,
  canWait: boolean,
): Statement<PendingRecord> => sql`
  select kind, crm_id, placar_id, to_jsonb(ids) as ids, merge, take, tries
  from app.claim_crm_pending(${id}, ${atMost}, ${canWait})`;

const idList = (ids: readonly (string | number)[]): string => `{${ids.join(',')}}`;

export const endPending = (sql: Sql, ids: readonly string[]): Fragment =>
  sql`select app.end_crm_pending(${idList(ids)}::bigint[])`;

export const retryPending = (sql: Sql, ids: readonly string[], words: string): Fragment =>
  sql`select app.retry_crm_pending(${idList(ids)}::bigint[], ${words})`;

/** Those of these records of the CRM that have no link. */
export const selectUnlinked = (
  sql: Sql,
  id: string,
  kind: RecordKind,
  crmIds: readonly string[],
): Statement<{ crm_id: string }> => sql`
  select crm_id from app.unlinked_crm_ids(
    ${id}, ${kind}, ${textArray(sql, crmIds)}) as crm_id`;

/** Those of these contacts that may become leads. */
export const selectContactsToRead = (
  sql: Sql,
  id: string,
  crmIds: readonly string[],
): Statement<{ crm_id: string }> => sql`
  select crm_id from app.contacts_to_read(${id}, ${textArray(sql, crmIds)}) as crm_id`;

/** Ids of owners and stages that records have. */
export interface UsedIds {
  owners: readonly string[];
  stages: readonly string[];
}

/** Those for which the CRM has to be asked again, such as `owner:7`: they are not known, and it was not asked before. */
export const selectNewIds = (
  sql: Sql,
  id: string,
  { owners, stages }: UsedIds,
): Statement<{ new_id: string }> => sql`
  select new_id from app.new_crm_ids(${id}, ${textArray(sql, owners)}, ${textArray(sql, stages)}) as new_id`;

/** Remembers which of them the CRM, which was just asked, does not list. */
export const rememberIds = (sql: Sql, id: string, { owners, stages }: UsedIds): Fragment =>
  sql`select app.remember_crm_ids(${id}, ${textArray(sql, owners)}, ${textArray(sql, stages)})`;

/** Whether the account was neither paused nor disconnected meanwhile. */
export const mayWrite = (sql: Sql, id: string): Statement<{ may_write: boolean }> =>
  sql`select app.crm_may_write(${id}) as may_write`;

/** What was done with a record, and what is to be written in the CRM. */
export interface Outcome {
  action: 'created' | 'updated' | 'linked' | 'unchanged' | 'skipped';
  id: string;
  placar_id?: string;
  /** Our values, by our members. */
  send?: Record<string, Json> | null;
  /** The same in the CRM's terms. */
  sent?: Record<string, Json> | null;
}

export const applyRecords = (
  sql: Sql,
  id: string,
  kind: RecordKind,
  records: readonly PreparedRecord[],
  gone: readonly string[] = [],
): Statement<{ outcome: Outcome }> => sql`
  select outcome from app.apply_crm_records(
    ${id}, ${kind}, ${JSON.stringify(records)}::jsonb, ${textArray(sql, gone)}) as outcome`;

export interface Written {
  kind: WritableKind;
  placarId: string;
  record: PreparedRecord;
  send: Record<string, Json>;
}

export const reportWritten = (
  sql: Sql,
  id: string,
  { kind, placarId, record, send }: Written,
): Fragment => sql`
  select app.report_crm_written(${id}, ${kind}, ${placarId}, ${JSON.stringify(record)}::jsonb, ${JSON.stringify(send)}::jsonb)`;

export const reportCreated = (
  sql: Sql,
  id: string,
  { kind, placarId, record, send }: Written,
): Fragment => sql`
  select app.report_crm_created(${id}, ${kind}, ${placarId}, ${JSON.stringify(record)}::jsonb, ${JSON.stringify(send)}::jsonb)`;

export interface Refused {
  kind: WritableKind;
  crmId: string | null;
  placarId: string;
  send: Record<string, Json>;
  /** The CRM's own. */
  words: string;
}

export const reportRefused = (
  sql: Sql,
  id: string,
  { kind, crmId, placarId, send, words }: Refused,
): Fragment => sql`
  select app.report_crm_refused(${id}, ${kind}, ${crmId}, ${placarId}, ${JSON.stringify(send)}::jsonb, ${words})`;

export interface Creation {
  send: Record<string, Json>;
  sent: Record<string, Json>;
  /** When an earlier attempt sent these values, which may have created the record. */
  started_at?: string;
  /** Seconds until searches find what that attempt created. */
  index_wait_seconds?: number;
}

/** `isSearched`: what an earlier attempt sent is not in the CRM. */
export const beginCreation = (
  sql: Sql,
  id: string,
  { kind, placar_id: placarId }: Pick<PendingRecord, 'kind' | 'placar_id'>,
  isSearched: boolean,
): Statement<{ creation: Creation | null }> =>
  sql`select app.begin_crm_creation(${id}, ${kind}, ${placarId}, ${isSearched}) as creation`;

export interface CrmRun {
  id: string;
  kind: 'preview' | 'import' | 'reconcile' | 'compare';
  phase: RunPhase;
  cursor: string | null;
  since: string | null;
  started_at: string;
}

export const nextRun = (sql: Sql, id: string): Statement<{ run: CrmRun | null }> =>
  sql`select app.next_crm_run(${id}) as run`;

export const failRun = (sql: Sql, runId: string, words: string): Fragment =>
  sql`select app.fail_crm_run(${runId}, ${words})`;

interface AppliedPage {
  kind: RecordKind | null;
  records: readonly PreparedRecord[];
  nextPhase: RunPhase;
  nextCursor: string | null;
  /** Whether an import left out records that changed since it began. */
  hasLeftOut?: boolean;
}

/** `applied` is false if another worker has applied this page. */
export const applyPage = (
  sql: Sql,
  { id, phase, cursor }: CrmRun,
  { kind, records, nextPhase, nextCursor, hasLeftOut = false }: AppliedPage,
): Statement<{ applied: boolean }> => sql`
  select app.apply_crm_page(
    ${id}, ${kind}, ${JSON.stringify(records)}::jsonb, ${phase}, ${cursor}, ${nextPhase}, ${nextCursor}, ${hasLeftOut}) as applied`;

interface Pause {
  seconds: number;
  /** Failures in a row, from which the next wait is computed. */
  failures: number;
  /** Why, for the runs that wait. */
  words: string;
}

export const pauseRequests = (sql: Sql, id: string, { seconds, failures, words }: Pause): Fragment =>
  sql`select app.pause_crm_requests(${id}, ${seconds}::double precision, ${failures}, ${words})`;

export const failAccount = (sql: Sql, id: string, words: string): Fragment =>
  sql`select app.fail_crm_account(${id}, ${words})`;

export const claimVendor = (sql: Sql, id: string, vendorId: string): Statement<{ is_claimed: boolean }> =>
  sql`select app.claim_crm_vendor(${id}, ${vendorId}) as is_claimed`;

export function recordInspection(
  sql: Sql,
  id: string,
  { users, stages, activityTypes, isPartial = false }: Inspection,
): Statement<{ is_whole: boolean }> {
  const inspection = JSON.stringify({
    users,
    stages: stages.map(({ pipelineName, ...stage }) => ({ ...stage, pipeline_name: pipelineName })),
    activity_types: activityTypes,
    is_partial: isPartial,
  });
  return sql`select app.record_crm_inspection(${id}, ${inspection}::jsonb) as is_whole`;
}

export const recordWebhooks = (sql: Sql, id: string, { state, reference, setup }: WebhookReport): Fragment =>
  sql`select app.record_crm_webhooks(${id}, ${state}, ${reference}, ${setup ?? null})`;

export const deleteCredentials = (sql: Sql, id: string): Fragment =>
  sql`select app.delete_crm_credentials(${id})`;

interface TokenAnswer {
  access_token?: string;
  /** For the one worker that is to exchange it. */
  refresh_token?: string;
  is_refreshing?: true;
}

export const readAccessToken = (sql: Sql, id: string, rejected?: string): Statement<{ token: TokenAnswer }> =>
  sql`select app.crm_access_token(${id}, ${rejected ?? null}) as token`;

export const endRefresh = (sql: Sql, id: string, exchanged: string): Fragment =>
  sql`select app.end_crm_refresh(${id}, ${exchanged})`;

/** @param exchanged the refresh token that was exchanged; null for the code of a person who agreed */
export const storeTokens = (
  sql: Sql,
  id: string,
  { accessToken, refreshToken, expiresInSeconds }: Tokens,
  exchanged: string | null,
): Fragment => sql`
  select app.store_crm_tokens(${id}, ${accessToken}, ${refreshToken}, ${Math.floor(expiresInSeconds)}, ${exchanged})`;
