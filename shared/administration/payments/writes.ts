// Writes provider accounts, routes, approval rules and cost centers, decides on payouts, and adjusts balances.
import type { z } from 'zod';
import type { Context } from '../../platform/access/context.ts';
import { invalidArgument, keyTaken } from '../errors.ts';
import { expectRecord, expectRoom, lockRoom } from '../statements.ts';
import { type Changed, change, rememberMade, upsertStatus } from '../transactions.ts';
import * as accounts from './account-queries.ts';
import * as queries from './queries.ts';
import type { approvalRuleInput, balanceAdjustment, costCenterInput, routeInput } from './schema.ts';

const MAX_ROWS = 500;

/**
 * Connects an account at a provider, or replaces its key, and its settings if any are given. `keyMember` is the member of the body with
 * the key. Throws `precondition_failed`, `conflict` and `unprocessable`.
 */
export async function connectAccount(
  context: Context,
  access: accounts.ProviderAccess & { keyMember: string },
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => {
      const which = accounts.accountAt(sql, access.provider);
      return {
        lock: accounts.lockProvider(sql, tenantId, access.provider),
        version: expectRecord(sql, null, versions, accounts.selectAccount(sql, tenantId, which)),
        made: rememberMade(sql, accounts.accountExists(sql, tenantId, which)),
        connect: accounts.connectProvider(sql, tenantId, access),
        shown: accounts.selectAccount(sql, tenantId, which),
      };
    },
    { status: upsertStatus, onArgument: keyTaken(access.keyMember) },
  );
}

/** Disconnects an account once its open orders are finished. Throws `not_found` and `precondition_failed`. */
export async function disconnectAccount(
  context: Context,
  id: string,
  versions: string | null,
): Promise<Changed> {
  return await change(context, (sql) => {
    const shown = accounts.selectAccountWithId(sql, context.tenantId, id);
    return {
      version: expectRecord(sql, 'provider_account', versions, shown),
      disconnect: accounts.disconnectProvider(sql, id),
      shown,
    };
  });
}

/** Compares the ledger with the provider's statement as soon as possible. Throws `not_found`, `precondition_failed` and `conflict`. */
export async function reconcileAccount(
  context: Context,
  id: string,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  const changed = await change(context, (sql) => {
    const shown = accounts.selectAccountWithId(sql, tenantId, id);
    return {
      version: expectRecord(sql, 'provider_account', versions, shown),
      reconcile: accounts.reconcileProvider(sql, tenantId, id),
      shown,
    };
  });
  return { ...changed, summary: 'Compares the account with its provider.' };
}

/** Creates the token that authenticates Asaas' requests to approve withdrawals. Throws `not_found` and `precondition_failed`. */
export async function createWithdrawalToken(
  context: Context,
  id: string,
  versions: string | null,
): Promise<Changed> {
  return await change(context, (sql) => ({
    version: expectRecord(
      sql,
      'provider_account',
      versions,
      accounts.selectAccountWithId(sql, context.tenantId, id),
    ),
    shown: accounts.insertWithdrawalToken(sql, id),
  }));
}

/** Sets the providers of a kind, region, currency and method; an empty list restores the default. Throws `validation`. */
export async function setRoute(
  context: Context,
  { kind, region, currency, method = null, providers }: z.output<typeof routeInput>,
): Promise<Changed> {
  const { tenantId } = context;
  const key = { kind, region, currency, method };
  const changed = await change(
    context,
    (sql) => ({
      room:
        providers.length === 0
          ? []
          : [
              lockRoom(sql, tenantId, 'provider_routes'),
              expectRoom(sql, tenantId, {
                table: 'provider_routes',
                max: MAX_ROWS,
                noun: 'provider routes',
                where: sql`not ${queries.routeExists(sql, tenantId, key)}`,
              }),
            ],
      write: queries.setRoute(sql, key, providers),
      shown: queries.selectRoutes(sql, tenantId, key),
    }),
    { onArgument: invalidArgument },
  );
  return { record: { ...key, providers: [], is_default: false }, ...changed };
}

/** Sets the amount above which payouts require approval; null removes the rule. Throws `insufficient_scope` and `unprocessable`. */
export async function setApprovalRule(
  context: Context,
  { currency = 'BRL', above_amount: above }: z.output<typeof approvalRuleInput>,
): Promise<Changed> {
  const { tenantId } = context;
  const changed = await change(context, (sql) => ({
    room:
      above === null
        ? []
        : [
            lockRoom(sql, tenantId, 'payout_approval_rules'),
            expectRoom(sql, tenantId, {
              table: 'payout_approval_rules',
              max: MAX_ROWS,
              noun: 'payout approval rules',
              where: sql`not ${queries.approvalRuleExists(sql, tenantId, currency)}`,
            }),
          ],
    write: queries.setApprovalRule(sql, currency, above),
  }));
  return { record: { currency, above_amount: above }, ...changed };
}

/** Creates or changes a cost center. Throws `precondition_failed` and `unprocessable`. */
export async function setCostCenter(
  context: Context,
  code: string,
  { name, is_default: isDefault = false }: z.output<typeof costCenterInput>,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(
    context,
    (sql) => {
      const exists = queries.costCenterExists(sql, tenantId, code);
      return {
        lock: lockRoom(sql, tenantId, 'cost_centers'),
        version: expectRecord(sql, null, versions, queries.selectCostCenter(sql, tenantId, code)),
        made: rememberMade(sql, exists),
        room: expectRoom(sql, tenantId, {
          table: 'cost_centers',
          max: MAX_ROWS,
          noun: 'cost centers',
          where: sql`not ${exists}`,
        }),
        write: queries.setCostCenter(sql, code, name, isDefault),
        shown: queries.selectCostCenter(sql, tenantId, code),
      };
    },
    { status: upsertStatus },
  );
}

/**
 * Approves a payout that waits for approval (null), or rejects it with a reason. Throws `not_found`, `precondition_failed`,
 * `insufficient_scope` if the caller requested it or can act as who did (persons may reject their own), and `conflict`.
 */
export async function decidePayout(
  context: Context,
  id: string,
  reason: string | null,
  versions: string | null,
): Promise<Changed> {
  const { tenantId } = context;
  return await change(context, (sql) => ({
    lock: queries.lockPayout(sql, tenantId, id),
    version: expectRecord(sql, 'payout', versions, queries.selectPayout(sql, tenantId, id)),
    decide: queries.decidePayout(sql, id, reason),
    shown: queries.selectPayout(sql, tenantId, id),
  }));
}

/** Adds a manual entry to the ledger. */
export const adjustBalance = (
  context: Context,
  adjustment: z.output<typeof balanceAdjustment>,
): Promise<Changed> => change(context, (sql) => ({ shown: queries.adjustBalance(sql, adjustment) }));
