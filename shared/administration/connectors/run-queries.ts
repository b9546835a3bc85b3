// SQL of runs of CRMs, of what previews list, and of differences, in the admin API.
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

// Runs ------------------------------------------------------------------------------------------------------------------

const runRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'account_id', r.account_id, 'kind', r.kind, 'status', r.status, 'phase', r.phase, 'read', r.read, 'created', r.created,
  'updated', r.updated, 'linked', r.linked, 'unchanged', r.unchanged, 'skipped', r.skipped, 'failed', r.failed,
  'waiting_until', app.format_utc(r.waiting_until), 'error', r.error, 'created_at', app.format_utc(r.created_at),
  'started_at', app.format_utc(r.started_at), 'finished_at', app.format_utc(r.finished_at))`;

const PROGRESS = [
  ...['status', 'phase', 'read', 'created', 'updated', 'linked', 'unchanged', 'skipped', 'failed'],
  ...['waiting_until', 'error', 'started_at', 'finished_at'],
];

export interface RunFilters {
  kind?: string | undefined;
  status?: string | undefined;
}

export const selectRuns = (
  sql: Sql,
  tenantId: string,
  id: string,
  { kind, status }: RunFilters,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.crm_runs r`,
      where: all(sql, [
        sql`r.tenant_id = ${tenantId} and r.account_id = ${id}`,
        equals(sql, sql`r.kind`, kind),
        equals(sql, sql`r.status`, status),
      ]),
      record: runRecord(sql),
    },
    paging,
  );

/** The run of an account with this id, or the one that `startRun` started. */
export const selectRun = (sql: Sql, tenantId: string, id: string, runId?: string): Statement<Shown> =>
  selectShown(
    sql,
    {
      record: runRecord(sql),
      rows: sql`public.crm_runs r`,
      where: sql`r.tenant_id = ${tenantId} and r.account_id = ${id} and r.id = ${runId ?? sql`current_setting('app.crm_run')`}`,
    },
    PROGRESS,
  );

export const startRun = (sql: Sql, id: string, kind: string): Fragment =>
  sql`select set_config('app.crm_run', app.start_crm_run(${id}, ${kind}), true)`;

export const cancelRun = (sql: Sql, runId: string): Fragment => sql`select app.cancel_crm_run(${runId})`;

export interface PreviewFilters {
  kind?: string | undefined;
  action?: string | undefined;
}

export const selectPreview = (
  sql: Sql,
  tenantId: string,
  { id, runId, kind, action }: PreviewFilters & { id: string; runId: string },
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.crm_preview_rows r`,
      where: all(sql, [
        sql`r.tenant_id = ${tenantId} and r.run_id = ${runId}`,
        sql`exists (select from public.crm_runs n where n.tenant_id = r.tenant_id and n.id = r.run_id and n.account_id = ${id})`,
        sql`${contains(sql, sql`coalesce(r.name, '')`, paging)}`,
        equals(sql, sql`r.kind`, kind),
        equals(sql, sql`r.action`, action),
      ]),
      record: sql`json_build_object(
        'id', r.id::text, 'kind', r.kind, 'action', r.action, 'name', r.name, 'crm_id', r.crm_id, 'placar_id', r.placar_id,
        'fields', r.fields, 'reason', r.reason)`,
    },
    paging,
  );

// Differences -----------------------------------------------------------------------------------------------------------

export interface DifferenceFilters {
  resolved?: string | undefined;
  kind?: string | undefined;
  record?: string | undefined;
}

const differenceRecord = (sql: Sql): Fragment => sql`json_build_object(
  'id', r.id, 'account_id', r.account_id, 'kind', r.kind, 'record', r.record, 'crm_id', r.crm_id, 'placar_id', r.placar_id,
  'name', coalesce((select l.name from public.leads l where l.tenant_id = r.tenant_id and l.id::text = r.placar_id),
                   (select d.name from public.deals d where d.tenant_id = r.tenant_id and d.id::text = r.placar_id),
                   (select p.name from public.crm_runs u join public.crm_preview_rows p
                      on p.run_id = u.id and p.kind = r.record and p.crm_id = r.crm_id
                    where u.tenant_id = r.tenant_id and u.account_id = r.account_id and u.kind = 'preview' order by u.id desc limit 1)),
  'field', r.field, 'ours', r.ours, 'theirs', r.theirs,
  'resolvable', r.resolved_at is null and r.kind in ('changed_here', 'refused_there', 'deleted_there'),
  'found_at', app.format_utc(r.found_at), 'resolved_at', app.format_utc(r.resolved_at))`;

export const selectDifferences = (
  sql: Sql,
  tenantId: string,
  id: string,
  { resolved, kind, record }: DifferenceFilters,
  paging: Paging,
): Statement<Page> =>
  selectPage(
    sql,
    {
      rows: sql`public.crm_differences r`,
      where: all(sql, [
        sql`r.tenant_id = ${tenantId} and r.account_id = ${id}`,
        equals(sql, sql`r.kind`, kind),
        equals(sql, sql`r.record`, record),
        resolved === undefined ? sql`true` : sql`(r.resolved_at is not null) = ${resolved}::boolean`,
      ]),
      record: differenceRecord(sql),
      time: sql`r.found_at`,
    },
    paging,
  );

export const selectDifference = (
  sql: Sql,
  tenantId: string,
  id: string,
  differenceId: string,
): Statement<Shown> =>
  selectShown(sql, {
    record: differenceRecord(sql),
    rows: sql`public.crm_differences r`,
    where: sql`r.tenant_id = ${tenantId} and r.account_id = ${id} and r.id = ${differenceId}`,
  });

export const resolveDifference = (sql: Sql, differenceId: string, take: string): Fragment =>
  sql`select app.resolve_crm_difference(${differenceId}, ${take})`;
