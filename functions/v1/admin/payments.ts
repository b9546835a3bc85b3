// Operations of the admin API: provider accounts, routes, approvals, payouts, cost centers and balances.
import type { z } from 'zod';
import * as payments from '../../../shared/administration/payments/reads.ts';
import {
  account,
  accountInput,
  adjustedBalance,
  adminPayout,
  approvalRule,
  approvalRuleInput,
  balanceAdjustment,
  costCenter,
  costCenterInput,
  difference,
  differenceFilters,
  payoutFilters,
  rejection,
  route,
  routeInput,
  withdrawalToken,
} from '../../../shared/administration/payments/schema.ts';
import * as changes from '../../../shared/administration/payments/writes.ts';
import { providerChoice, providerNamed } from '../../../shared/payments/provider-registry/registry.ts';
import { ApiError, invalid } from '../../../shared/platform/errors.ts';
import { operation } from './operation.ts';

const reads = { method: 'get', scopes: ['read:payments', 'manage:payments'] } as const;
const writes = { scopes: ['manage:payments'] } as const;
const payouts = { method: 'get', scopes: ['read:payments', 'manage:payments', 'approve:payouts'] } as const;
const decides = { method: 'post', scopes: ['approve:payouts'] } as const;

/** The provider in the path, and its key and settings. Throws 404, and 400 without the key. */
function providerAccess(provider: string, body: z.output<typeof accountInput>) {
  const definition = providerNamed(provider);
  if (!definition) throw new ApiError('not_found', `Unknown provider. Use ${providerChoice}.`);
  const { keyMember, settings, extras } = definition;
  const key = body[keyMember];
  if (key === undefined) throw invalid('field', keyMember, 'is required');
  const hasWithdrawalToken = extras.some(({ name }) => name === 'withdrawal_token');
  return {
    provider,
    keyMember,
    key,
    settings: settings.length === 0 ? {} : body.settings,
    withdrawalToken: hasWithdrawalToken ? (body.withdrawal_token ?? null) : null,
  };
}

function costCenterCode(text: string): string {
  if (text.length > 0 && [...text].length <= 64 && text.isWellFormed()) return text;
  throw new ApiError('not_found', 'A cost center code must have 1 to 64 characters.');
}

export const paymentOperations = {
  listProviderAccounts: operation({
    ...reads,
    path: '/provider-accounts',
    summary: 'List provider accounts',
    form: 'page',
    data: account,
    run: ({ paging }, context) => payments.listAccounts(context, paging),
  }),
  getProviderAccount: operation({
    ...reads,
    path: '/provider-accounts/:account_id',
    summary: 'Get a provider account',
    data: account,
    versioned: true,
    run: ({ params }, context) => payments.getAccount(context, params.account_id),
  }),
  connectProvider: operation({
    ...writes,
    method: 'put',
    path: '/provider-accounts/:account_id',
    summary: 'Connect an account at a provider',
    description: `Send the name of the provider (${providerChoice}) in the path. Replaces the key and the settings if an account is already connected.`,
    status: 201,
    body: accountInput,
    data: account,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.connectAccount(context, providerAccess(params.account_id, body), versions),
  }),
  disconnectProvider: operation({
    ...writes,
    method: 'delete',
    path: '/provider-accounts/:account_id',
    summary: 'Disconnect a provider account',
    description: 'The account accepts no new orders. Its key is deleted once its open orders are finished.',
    status: 202,
    data: account,
    versioned: true,
    run: ({ params, versions }, context) => changes.disconnectAccount(context, params.account_id, versions),
  }),
  reconcileProvider: operation({
    ...writes,
    method: 'post',
    path: '/provider-accounts/:account_id/reconcile',
    summary: 'Compare the ledger with the statement of the provider',
    status: 202,
    data: account,
    versioned: true,
    run: ({ params, versions }, context) => changes.reconcileAccount(context, params.account_id, versions),
  }),
  createWithdrawalToken: operation({
    ...writes,
    method: 'post',
    path: '/provider-accounts/:account_id/withdrawal-token',
    summary: 'Create the token that Asaas sends when it requests approval of a withdrawal',
    status: 201,
    data: withdrawalToken,
    shownOnce: ['token'],
    run: ({ params, versions }, context) =>
      changes.createWithdrawalToken(context, params.account_id, versions),
  }),
  listProviderDifferences: operation({
    ...reads,
    path: '/provider-differences',
    summary: 'List differences between the ledger and the providers',
    description:
      'What comparisons with the statements of providers found. `search` looks at `subject`, the id of the order.',
    form: 'page',
    query: differenceFilters,
    data: difference,
    run: ({ query, paging }, context) => payments.listDifferences(context, query, paging),
  }),
  listProviderRoutes: operation({
    ...reads,
    path: '/provider-routes',
    summary: 'List the routes to providers',
    form: 'all',
    data: route,
    run: (_, context) => payments.listRoutes(context),
  }),
  setProviderRoute: operation({
    ...writes,
    method: 'put',
    path: '/provider-routes',
    summary: 'Set the providers of a kind of order',
    body: routeInput,
    data: route,
    run: ({ body }, context) => changes.setRoute(context, body),
  }),
  listApprovalRules: operation({
    ...reads,
    path: '/payout-approval-rules',
    summary: 'List payout approval rules',
    form: 'all',
    data: approvalRule,
    run: (_, context) => payments.listApprovalRules(context),
  }),
  setApprovalRule: operation({
    ...writes,
    method: 'put',
    path: '/payout-approval-rules',
    summary: 'Set the amount above which payouts require approval',
    description:
      'Raising the amount or removing the rule also requires `approve:payouts`, and `manage:access` of a person.',
    body: approvalRuleInput,
    data: approvalRule,
    run: ({ body }, context) => changes.setApprovalRule(context, body),
  }),
  listAdminPayouts: operation({
    ...payouts,
    path: '/payouts',
    summary: 'List payouts',
    description: '`search` looks at the numbers, the name of the beneficiary and `contractor_reference`.',
    form: 'page',
    query: payoutFilters,
    data: adminPayout,
    run: ({ query, paging }, context) => payments.listPayouts(context, query, paging),
  }),
  getAdminPayout: operation({
    ...payouts,
    path: '/payouts/:payout_id',
    summary: 'Get a payout',
    data: adminPayout,
    versioned: true,
    run: ({ params }, context) => payments.getPayout(context, params.payout_id),
  }),
  approvePayout: operation({
    ...decides,
    path: '/payouts/:payout_id/approve',
    summary: 'Approve a payout',
    description: 'Sends it to its provider. Who requested the payout cannot approve it.',
    data: adminPayout,
    versioned: true,
    run: ({ params, versions }, context) => changes.decidePayout(context, params.payout_id, null, versions),
  }),
  rejectPayout: operation({
    ...decides,
    path: '/payouts/:payout_id/reject',
    summary: 'Reject a payout',
    body: rejection,
    data: adminPayout,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.decidePayout(context, params.payout_id, body.reason, versions),
  }),
  listCostCenters: operation({
    ...reads,
    path: '/cost-centers',
    summary: 'List cost centers',
    form: 'page',
    data: costCenter,
    run: ({ paging }, context) => payments.listCostCenters(context, paging),
  }),
  setCostCenter: operation({
    ...writes,
    method: 'put',
    path: '/cost-centers/:code',
    summary: 'Create or change a cost center',
    status: 201,
    body: costCenterInput,
    data: costCenter,
    versioned: true,
    run: ({ params, body, versions }, context) =>
      changes.setCostCenter(context, costCenterCode(params.code), body, versions),
  }),
  adjustBalance: operation({
    ...writes,
    method: 'post',
    path: '/balance-adjustments',
    summary: 'Adjust the ledger balance manually',
    description: 'Adds a permanent entry. Requires an `Idempotency-Key`.',
    keyRequired: true,
    status: 201,
    body: balanceAdjustment,
    data: adjustedBalance,
    run: ({ body }, context) => changes.adjustBalance(context, body),
  }),
};
