// Reads provider accounts, routes, approval rules, cost centers and payouts.
import type { Context } from '../../platform/access/context.ts';
import { oneRow } from '../../platform/db/database.ts';
import { adminError } from '../errors.ts';
import type { Page, Paging, Shown } from '../statements.ts';
import * as queries from './queries.ts';

export async function listAccounts({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => queries.selectAccounts(sql, tenantId, paging)));
}

/** Throws `not_found`. */
export async function getAccount({ read, tenantId }: Context, id: string): Promise<Shown> {
  const [account] = await read((sql) => queries.selectAccount(sql, tenantId, queries.accountWithId(sql, id)));
  if (!account) throw adminError('unknown_reference', { kind: 'provider_account' });
  return account;
}

export async function listDifferences(
  { read, tenantId }: Context,
  filters: queries.DifferenceFilters,
  paging: Paging,
): Promise<Page> {
  return oneRow(await read((sql) => queries.selectDifferences(sql, tenantId, filters, paging)));
}

/** The routes to providers that apply to the tenant. */
export const listRoutes = async ({ read, tenantId }: Context) => ({
  records: await read((sql) => queries.selectRoutes(sql, tenantId)),
});

export const listApprovalRules = async ({ read, tenantId }: Context) => ({
  records: await read((sql) => queries.selectApprovalRules(sql, tenantId)),
});

export async function listCostCenters({ read, tenantId }: Context, paging: Paging): Promise<Page> {
  return oneRow(await read((sql) => queries.selectCostCenters(sql, tenantId, paging)));
}

export async function listPayouts(
  { read, tenantId }: Context,
  filters: queries.PayoutFilters,
  paging: Paging,
): Promise<Page> {
  return oneRow(await read((sql) => queries.selectPayouts(sql, tenantId, filters, paging)));
}

/** Throws `not_found`. */
export async function getPayout({ read, tenantId }: Context, id: string): Promise<Shown> {
  const [payout] = await read((sql) => queries.selectPayout(sql, tenantId, id));
  if (!payout) throw adminError('unknown_reference', { kind: 'payout' });
  return payout;
}
