// Operations of the admin API: provider accounts, routes, approvals, payouts, cost centers and balances.
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
import { ApiError } from '../../../shared/platform/errors.ts';
import { operation } from './operation.ts';

const reads = { method: 'get', scopes: ['read:payments', 'manage:payments'] } as const;
const writes = { scopes: ['manage:payments'] } as const;
const payouts = { method: 'get', scopes: ['read:payments', 'manage:payments', 'approve:payouts'] } as const;
const decides = { method: 'post', scopes: ['approve:payouts'] } as const;

const keyMembers: Readonly<Record<string, 'api_key' | 'token'>> = {
  asaas: 'api_key',
  stripe: 'api_key',
  wise: 'token',
};

/** The provider in the path. The body must contain its key. */
function connectArguments(
  provider: string,
  body: { api_key?: string | undefined; token?: string | undefined },
) {
  const member = Object.hasOwn(keyMembers, provider) ? keyMembers[provider] : undefined;
  if (!member) throw new ApiError('not_found', 'Unknown provider. Use asaas, stripe or wise.');
  if (body[member] !== undefined) return { provider, body };
  const details = [{ field: member, message: 'is required' }];
  throw new ApiError('validation', 'Fix these fields.', { details });
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
    call: ({ query }) => ({ name: 'list_payments', args: { of_view: 'provider_accounts', page: query } }),
  }),
  getProviderAccount: operation({
    ...reads,
    path: '/provider-accounts/:account_id',
    summary: 'Get a provider account',
    data: account,
    versioned: true,
    call: ({ params }) => ({ name: 'read_account', args: { id: params.account_id } }),
  }),
  connectProvider: operation({
    ...writes,
    method: 'put',
    path: '/provider-accounts/:account_id',
    summary: 'Connect an account at a provider',
    description:
      'Send the name of the provider (asaas, stripe or wise) in the path. Replaces the key and the settings if an account is already connected.',
    status: 201,
    body: accountInput,
    data: account,
    versioned: true,
    call: ({ params, body, versions }) => ({
      name: 'connect_account',
      args: { ...connectArguments(params.account_id, body), versions },
    }),
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
    call: ({ params, versions }) => ({
      name: 'disconnect_account',
      args: { id: params.account_id, versions },
    }),
  }),
  reconcileProvider: operation({
    ...writes,
    method: 'post',
    path: '/provider-accounts/:account_id/reconcile',
    summary: 'Compare the ledger with the statement of the provider',
    status: 202,
    data: account,
    versioned: true,
    call: ({ params, versions }) => ({
      name: 'reconcile_account',
      args: { id: params.account_id, versions },
    }),
  }),
  createWithdrawalToken: operation({
    ...writes,
    method: 'post',
    path: '/provider-accounts/:account_id/withdrawal-token',
    summary: 'Create the token that Asaas sends when it requests approval of a withdrawal',
    status: 201,
    data: withdrawalToken,
    shownOnce: ['token'],
    call: ({ params, versions }) => ({
      name: 'new_withdrawal_token',
      args: { id: params.account_id, versions },
    }),
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
    call: ({ query }) => ({ name: 'list_differences', args: { page: query } }),
  }),
  listProviderRoutes: operation({
    ...reads,
    path: '/provider-routes',
    summary: 'List the routes to providers',
    form: 'all',
    data: route,
    call: () => ({ name: 'list_routes', args: {} }),
  }),
  setProviderRoute: operation({
    ...writes,
    method: 'put',
    path: '/provider-routes',
    summary: 'Set the providers of a kind of order',
    body: routeInput,
    data: route,
    call: ({ body }) => ({ name: 'set_route', args: { body } }),
  }),
  listApprovalRules: operation({
    ...reads,
    path: '/payout-approval-rules',
    summary: 'List payout approval rules',
    form: 'all',
    data: approvalRule,
    call: () => ({ name: 'list_approval_rules', args: {} }),
  }),
  setApprovalRule: operation({
    ...writes,
    method: 'put',
    path: '/payout-approval-rules',
    summary: 'Set the amount above which payouts require approval',
    description: 'Raising the amount or removing the rule also requires `approve:payouts`.',
    body: approvalRuleInput,
    data: approvalRule,
    call: ({ body, caller }) => ({ name: 'set_approval_rule', args: { body, caller } }),
  }),
  listAdminPayouts: operation({
    ...payouts,
    path: '/payouts',
    summary: 'List payouts',
    description: '`search` looks at the numbers, the name of the beneficiary and `contractor_reference`.',
    form: 'page',
    query: payoutFilters,
    data: adminPayout,
    call: ({ query }) => ({ name: 'list_payments', args: { of_view: 'payouts', page: query } }),
  }),
  getAdminPayout: operation({
    ...payouts,
    path: '/payouts/:payout_id',
    summary: 'Get a payout',
    data: adminPayout,
    versioned: true,
    call: ({ params }) => ({ name: 'read_payout', args: { id: params.payout_id } }),
  }),
  approvePayout: operation({
    ...decides,
    path: '/payouts/:payout_id/approve',
    summary: 'Approve a payout',
    description: 'Sends it to its provider. The client that requested the payout cannot approve it.',
    data: adminPayout,
    versioned: true,
    call: ({ params, versions, caller }) => ({
      name: 'decide_payout',
      args: { id: params.payout_id, reason: null, versions, caller },
    }),
  }),
  rejectPayout: operation({
    ...decides,
    path: '/payouts/:payout_id/reject',
    summary: 'Reject a payout',
    body: rejection,
    data: adminPayout,
    versioned: true,
    call: ({ params, body, versions, caller }) => ({
      name: 'decide_payout',
      args: { id: params.payout_id, reason: body.reason, versions, caller },
    }),
  }),
  listCostCenters: operation({
    ...reads,
    path: '/cost-centers',
    summary: 'List cost centers',
    form: 'page',
    data: costCenter,
    call: ({ query }) => ({ name: 'list_payments', args: { of_view: 'cost_centers', page: query } }),
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
    call: ({ params, body, versions }) => ({
      name: 'set_cost_center',
      args: { code: costCenterCode(params.code), body, versions },
    }),
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
    call: ({ body }) => ({ name: 'adjust_balance', args: { body } }),
  }),
};
