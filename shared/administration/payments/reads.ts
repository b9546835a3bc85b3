// Reads provider accounts, routes, approval rules, cost centers and payouts.
import type { Context } from '../../platform/access/context.ts';
import type { Paging } from '../statements.ts';
import { readPage, readShown } from '../transactions.ts';
import * as accounts from './account-queries.ts';
import * as queries from './queries.ts';

export const listAccounts = (context: Context, paging: Paging) =>
  readPage(context, (sql) => accounts.selectAccounts(sql, context.tenantId, paging));

/** Throws `not_found`. */
export const getAccount = (context: Context, id: string) =>
  readShown(
    context,
    (sql) => ({ shown: accounts.selectAccountWithId(sql, context.tenantId, id) }),
    'provider_account',
  );

export const listDifferences = (context: Context, filters: accounts.DifferenceFilters, paging: Paging) =>
  readPage(context, (sql) => accounts.selectDifferences(sql, context.tenantId, filters, paging));

/** The routes to providers that apply to the tenant. */
export async function listRoutes({ read, tenantId }: Context) {
  const rows = await read((sql) => queries.selectRoutes(sql, tenantId));
  return { records: rows.map(({ record }) => record) };
}

export const listApprovalRules = async ({ read, tenantId }: Context) => ({
  records: await read((sql) => queries.selectApprovalRules(sql, tenantId)),
});

export const listCostCenters = (context: Context, paging: Paging) =>
  readPage(context, (sql) => queries.selectCostCenters(sql, context.tenantId, paging));

export const listPayouts = (context: Context, filters: queries.PayoutFilters, paging: Paging) =>
  readPage(context, (sql) => queries.selectPayouts(sql, context.tenantId, filters, paging));

/** Throws `not_found`. */
export const getPayout = (context: Context, id: string) =>
  readShown(context, (sql) => ({ shown: queries.selectPayout(sql, context.tenantId, id) }), 'payout');
