import { oneOf } from '../../platform/lists/filters.ts';

/** The providers that lists can be asked for; which of them are connected is another matter (`provider-registry/`). */
export const providerNames = ['sandbox', 'asaas', 'wise', 'stripe'] as const;
export type ProviderName = (typeof providerNames)[number];

/** Of lists: one of the providers, whether it is connected here or not. */
export const providerFilter = oneOf('provider', providerNames);

/** Why a provider changed a balance beside charges and payouts: what `reason` of such an entry says. Admins write their own words. */
export const adjustmentReasons = [
  'refund',
  'chargeback',
  'chargeback_won',
  'fee_correction',
  'overpaid',
  'partial_payment',
  'returned',
  'balance_blocked',
  'balance_released',
  'provider_fee',
  'received_outside',
  'conversion',
] as const;
export type AdjustmentReason = (typeof adjustmentReasons)[number];
