// Connects CRMs, changes their settings, states and mappings, starts runs, and resolves differences.
import type { Context } from '../../platform/access/context.ts';
import { accountConflict, differenceConflict, invalidArgument } from '../errors.ts';
import { expectRecord } from '../statements.ts';
import { type Changed, change, rememberMade, upsertStatus } from '../transactions.ts';
import * as accounts from './queries.ts';
import * as runs from './run-queries.ts';

const KIND = 'crm_account';

/** What a write changes, and the versions of `If-Match`. */
export interface Target {
  id: string;
  versions: string | null;
}

/**
 * Connects a CRM, or replaces its credentials and the settings that are given. Throws `precondition_failed`, `insufficient_scope`, and
 * `validation` that names a wrong member of the credentials without its value.
 */
export async function connectCrm(
  context: Context,
  access: accounts.CrmAccess,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => {
      const which = accounts.accountAt(sql, access.crm);
      const shown = accounts.selectAccount(sql, tenantId, which);
      return {
        lock: accounts.lockCrm(sql, tenantId, access.crm),
        version: expectRecord(sql, null, versions, shown),
        rights: accounts.expectRights(sql),
        made: rememberMade(sql, accounts.accountExists(sql, tenantId, which)),
        connect: accounts.connectCrm(sql, access),
        shown,
      };
    },
    { status: upsertStatus, onArgument: invalidArgument },
  );
}

/** Replaces the settings that are given. Throws `not_found`, `precondition_failed`, `insufficient_scope` and `validation`. */
export async function changeSettings(
  context: Context,
  { id, versions }: Target,
  settings: object,
): Promise<Changed> {
  return await change(
    context,
    (sql) => {
      const shown = accounts.selectAccountWithId(sql, context.tenantId, id);
      return {
        version: expectRecord(sql, KIND, versions, shown),
        set: accounts.setSettings(sql, id, settings),
        shown,
      };
    },
    { onArgument: invalidArgument },
  );
}

/** Pauses, resumes, disconnects or forgets an account. Throws `not_found`, `precondition_failed`, and `conflict` for one to forget first. */
export async function setState(
  context: Context,
  { id, versions }: Target,
  state: accounts.CrmState,
): Promise<Changed> {
  return await change(
    context,
    (sql) => {
      const shown = accounts.selectAccountWithId(sql, context.tenantId, id);
      return {
        version: expectRecord(sql, KIND, versions, shown),
        disconnected: state === 'forgotten' ? accounts.expectDisconnected(sql, context.tenantId, id) : [],
        set: accounts.setState(sql, id, state),
        ...(state !== 'forgotten' && { shown }),
      };
    },
    { onArgument: accountConflict },
  );
}

/** Creates a link for an admin of the CRM. Throws `not_found`, `precondition_failed`, `insufficient_scope` and `conflict`. */
export async function authorizeCrm(context: Context, { id, versions }: Target): Promise<Changed> {
  const changed = await change(
    context,
    (sql) => ({
      version: expectRecord(sql, KIND, versions, accounts.selectAccountWithId(sql, context.tenantId, id)),
      shown: accounts.authorize(sql, id),
    }),
    { onArgument: accountConflict },
  );
  return { ...changed, summary: 'Created a link to authorize the account.' };
}

/** Sets the stages of all stages of the CRM. Throws `not_found`, `precondition_failed`, `validation` and `unprocessable`. */
export async function mapStages(
  context: Context,
  { id, versions }: Target,
  stages: readonly object[],
): Promise<Changed> {
  return await change(context, (sql) => {
    const shown = accounts.selectStages(sql, context.tenantId, id);
    return {
      version: expectRecord(sql, KIND, versions, shown),
      map: accounts.mapStages(sql, id, stages),
      shown,
    };
  });
}

/** Sets the codes of all types of activities. Throws `not_found`, `precondition_failed`, `insufficient_scope` and `validation`. */
export async function mapActivityTypes(
  context: Context,
  { id, versions }: Target,
  types: readonly object[],
): Promise<Changed> {
  return await change(context, (sql) => {
    const shown = accounts.selectActivityTypes(sql, context.tenantId, id);
    return {
      version: expectRecord(sql, KIND, versions, shown),
      map: accounts.mapActivityTypes(sql, id, types),
      shown,
    };
  });
}

/** Starts a run, or returns the one of its kind that is not finished. Throws `not_found`, `insufficient_scope` and `conflict`. */
export async function startRun(context: Context, { id, versions }: Target, kind: string): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    version: expectRecord(sql, KIND, versions, accounts.selectAccountWithId(sql, tenantId, id)),
    start: runs.startRun(sql, id, kind),
    shown: runs.selectRun(sql, tenantId, id),
  }));
}

/** Stops a run. What it applied stays. Throws `not_found` and `precondition_failed`. */
export async function cancelRun(
  context: Context,
  accountId: string,
  { id, versions }: Target,
): Promise<Changed> {
  return await change(context, (sql) => {
    const shown = runs.selectRun(sql, context.tenantId, accountId, id);
    return {
      version: expectRecord(sql, 'crm_run', versions, shown),
      cancel: runs.cancelRun(sql, id),
      shown,
    };
  });
}

/** Writes one side of a difference on the other. Throws `not_found`, `precondition_failed`, `insufficient_scope` and `conflict`. */
export async function resolveDifference(
  context: Context,
  accountId: string,
  { id, versions }: Target,
  take: string,
): Promise<Changed> {
  return await change(
    context,
    (sql) => {
      const shown = runs.selectDifference(sql, context.tenantId, accountId, id);
      return {
        rights: accounts.expectRights(sql),
        version: expectRecord(sql, 'crm_difference', versions, shown),
        resolve: runs.resolveDifference(sql, id, take),
        shown,
      };
    },
    { onArgument: differenceConflict },
  );
}
