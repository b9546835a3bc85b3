// Schemas of provider accounts, routes, approvals, payouts, cost centers and balances in the admin API.
import { z } from 'zod';
import { isCurrency } from '../../payments/formats/regions.ts';
import { payoutStatuses } from '../../payments/payouts/states.ts';
import { providerNames } from '../../payments/provider-registry/registry.ts';
import { paymentMethods } from '../../payments/providers/charge-port.ts';
import { jsonObject, required, text } from '../../platform/validation.ts';
import { flag, flagFilter, integer, name, nullable, oneOf, reason, time } from '../fields.ts';

const MAX_SETTINGS_BYTES = 64 * 1024;
const currency = z
  .string({ error: required('must be a string') })
  .regex(/^[A-Z]{3}$/, { error: 'must be a code of three capital letters, such as BRL' })
  .refine(isCurrency, { error: 'must be an ISO 4217 code' });

export const accountInput = z
  .object({
    api_key: text({ maxLength: 512, filled: true, opaque: true })
      .optional()
      .describe('Required for Asaas and Stripe.'),
    token: text({ maxLength: 512, filled: true, opaque: true }).optional().describe('Required for Wise.'),
    settings: jsonObject(MAX_SETTINGS_BYTES)
      .optional()
      .describe('Replace those of the account. Without them, it keeps its own.'),
    withdrawal_token: text({ maxLength: 255, filled: true, opaque: true })
      .optional()
      .describe('Only for Asaas.'),
  })
  .meta({ id: 'ProviderAccountInput' });
export const account = z
  .object({
    id: z.string(),
    provider: z.enum(providerNames),
    status: z.string(),
    reason: nullable,
    capabilities: z.looseObject({}),
    settings: z.looseObject({}),
    webhook_state: nullable,
    last_event_at: time.nullable(),
    rejected_events: z.int(),
    balance: z.int().nullable().describe('In minor units.'),
    currency: nullable,
    balance_read_at: time.nullable(),
    created_at: time,
    checked_at: time.nullable(),
    reconciled_at: time.nullable(),
    disconnected_at: time.nullable(),
    tax_regime: nullable.describe(
      'simples, normal or unknown, according to the provider. null: the account issues no tax documents.',
    ),
    national_portal: z
      .boolean()
      .nullable()
      .describe('Whether NFS-e are issued on the national portal. null: the provider does not say.'),
    warnings: z
      .array(z.string())
      .describe('What to know about an account that works, such as missing tax settings.'),
  })
  .meta({ id: 'ProviderAccount' });
export const differenceFilters = z.object({
  account_id: text({ maxLength: 64 }).optional().describe('Id of the provider account.'),
  resolved: flagFilter.describe('false: differences that are still there.'),
});
export const difference = z
  .object({
    id: z.string(),
    account_id: z.string(),
    provider: z.string(),
    kind: z
      .string()
      .describe(
        'unknown_order: only the provider has the order; missing_order: only Placar has it; amount: the amounts differ; ' +
          'others: what the provider reports and Placar rejected.',
      ),
    subject: z.string().describe("Id of the order in Placar, or the provider's."),
    ours: z.looseObject({}).nullable().describe('State in Placar. null: Placar has no such order.'),
    theirs: z
      .looseObject({})
      .nullable()
      .describe('State at the provider. null: the provider has no such order.'),
    found_at: time,
    resolved_at: time.nullable().describe('When a later comparison no longer found the difference.'),
  })
  .meta({ id: 'ProviderDifference' });
export const withdrawalToken = z
  .object({ address: z.string(), token: z.string().optional().describe('Only in this response; copy it.') })
  .meta({ id: 'WithdrawalToken' });

export const routeInput = z
  .object({
    kind: oneOf(['charge', 'payout', 'tax_document']),
    region: z
      .string({ error: 'is required' })
      .regex(/^([a-z]{2}|\*)$/, { error: 'must be br, us, eu, a country in lower case, or *' }),
    currency: z
      .string({ error: 'is required' })
      .regex(/^([A-Z]{3}|\*)$/, { error: 'must be a code such as BRL, or *' }),
    method: oneOf(paymentMethods).nullable().optional(),
    providers: z
      .array(oneOf(providerNames), { error: 'must be an array of providers' })
      .describe('In order of preference. An empty array restores the default.'),
  })
  .meta({ id: 'ProviderRouteInput' });
export const route = z
  .object({
    kind: z.string(),
    region: z.string(),
    currency: z.string(),
    method: nullable,
    providers: z.array(z.string()),
    is_default: z.boolean().describe('Whether the route is a default of the deployment.'),
  })
  .meta({ id: 'ProviderRoute' });

const MAX_AMOUNT = 99_999_999_999;
export const approvalRuleInput = z
  .object({
    currency: currency.optional().describe('Default: BRL.'),
    above_amount: integer(0, MAX_AMOUNT).nullable().describe('In minor units. null removes the rule.'),
  })
  .meta({ id: 'ApprovalRuleInput' });
export const approvalRule = z
  .object({ currency: z.string(), above_amount: z.int().nullable() })
  .meta({ id: 'ApprovalRule' });

export const payoutFilters = z.object({
  waiting: z
    .enum(['approval', 'funding'], { error: 'must be approval or funding' })
    .optional()
    .describe(
      'approval: payouts that a person has to approve or reject. funding: payouts that you have to fund.',
    ),
  status: oneOf(payoutStatuses).optional().describe('Only payouts with this status.'),
});
export const adminPayout = z
  .object({
    id: z.string(),
    status: z.string(),
    approval: z.enum(['waiting', 'approved', 'rejected']).nullable(),
    amount: z.int().describe('In minor units.'),
    currency: z.string(),
    beneficiary_name: nullable,
    purpose: z.string(),
    our_number: nullable,
    contractor_reference: nullable,
    provider: z.string(),
    failure_reason: nullable,
    funding: z
      .object({ source_amount: z.int(), source_currency: z.string(), reference: nullable, fund_by: nullable })
      .nullable()
      .describe('Only while you have to fund the payout.'),
    requested_by: z
      .object({ kind: z.enum(['client', 'api_key', 'person']), id: z.string(), label: nullable })
      .nullable(),
    created_at: time,
  })
  .meta({ id: 'AdminPayout' });
export const rejection = z.object({ reason }).meta({ id: 'PayoutRejection' });

export const costCenterInput = z
  .object({ name, is_default: flag.optional() })
  .meta({ id: 'CostCenterInput' });
export const costCenter = z
  .object({ code: z.string(), name: z.string(), is_default: z.boolean(), created_at: time })
  .meta({ id: 'CostCenter' });

export const balanceAdjustment = z
  .object({
    amount: integer(-MAX_AMOUNT, MAX_AMOUNT)
      .refine((value) => value !== 0, { error: 'must not be 0' })
      .describe('In minor units, negative to deduct.'),
    currency,
    reason,
  })
  .meta({ id: 'BalanceAdjustment' });
export const adjustedBalance = z
  .object({ entry_id: z.string(), amount: z.int(), currency: z.string(), reason: z.string() })
  .meta({ id: 'AdjustedBalance' });
