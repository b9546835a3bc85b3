// Reads accounts at CRMs, their mappings, runs, and differences.
import type { Context } from '../../platform/access/context.ts';
import { oneRow, type Sql, type Statement } from '../../platform/db/database.ts';
import { accountConflict, withAdminErrors } from '../errors.ts';
import type { Page, Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import * as accounts from './queries.ts';
import * as runs from './run-queries.ts';

const KIND = 'crm_account';

export const listAccounts = (context: Context, paging: Paging) =>
  readPage(context, (sql) => accounts.selectAccounts(sql, context.tenantId, paging));

/** Throws `not_found`. */
export const getAccount = (context: Context, id: string) =>
  readShown(context, (sql) => ({ shown: accounts.selectAccountWithId(sql, context.tenantId, id) }), KIND);

/** The text with which a person sets up webhooks in the CRM. Throws `not_found`, and `conflict` if there is nothing to set up. */
export async function getWebhookSetup({ read, tenantId }: Context, id: string) {
  const rows = await withAdminErrors(
    read((sql) => ({
      account: [accounts.expectAccount(sql, tenantId, id)],
      shown: accounts.selectWebhookSetup(sql, id),
    })),
    { onArgument: accountConflict },
  );
  return { record: oneRow(rows.shown).record };
}

/** Throws `not_found`. */
export const getStages = (context: Context, id: string) =>
  readShown(context, (sql) => ({ shown: accounts.selectStages(sql, context.tenantId, id) }), KIND);

/** Throws `not_found`. */
export const getActivityTypes = (context: Context, id: string) =>
  readShown(context, (sql) => ({ shown: accounts.selectActivityTypes(sql, context.tenantId, id) }), KIND);

/** A page of what belongs to an account. Throws `not_found`. */
async function readBelow(
  { read, tenantId }: Context,
  id: string,
  page: (sql: Sql) => Statement<Page>,
  showsRecords: boolean,
): Promise<Page> {
  const rows = await withAdminErrors(
    read((sql) => ({
      rights: showsRecords ? [accounts.expectReader(sql, tenantId, id)] : [],
      account: [accounts.expectAccount(sql, tenantId, id)],
      page: page(sql),
    })),
  );
  return oneRow(rows.page);
}

export const listRuns = (context: Context, id: string, filters: runs.RunFilters, paging: Paging) =>
  readBelow(context, id, (sql) => runs.selectRuns(sql, context.tenantId, id, filters, paging), false);

/** Throws `not_found`. */
export const getRun = (context: Context, id: string, runId: string) =>
  readShown(context, (sql) => ({ shown: runs.selectRun(sql, context.tenantId, id, runId) }), 'crm_run');

/** What an import would do. Throws `not_found`, and `insufficient_scope` for callers who cannot read leads and deals. */
export const listPreview = (
  context: Context,
  { id, runId }: { id: string; runId: string },
  filters: runs.PreviewFilters,
  paging: Paging,
) =>
  readBelow(
    context,
    id,
    (sql) => runs.selectPreview(sql, context.tenantId, { id, runId, ...filters }, paging),
    true,
  );

/** Throws `not_found`, and `insufficient_scope` for callers who cannot read leads and deals. */
export const listDifferences = (
  context: Context,
  id: string,
  filters: runs.DifferenceFilters,
  paging: Paging,
) =>
  readBelow(context, id, (sql) => runs.selectDifferences(sql, context.tenantId, id, filters, paging), true);

/** Throws `not_found`, and `insufficient_scope` for callers who cannot read leads and deals. */
export const getDifference = (context: Context, id: string, differenceId: string) =>
  readShown(
    context,
    (sql) => ({
      found: accounts.expectReader(sql, context.tenantId, id),
      shown: runs.selectDifference(sql, context.tenantId, id, differenceId),
    }),
    'crm_difference',
  );
