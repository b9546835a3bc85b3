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
