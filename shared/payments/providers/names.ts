// Why providers change balances.

/** Values of `reason` in adjustments made by providers. Admins write free text instead. */
const adjustmentReasons = [
  'refund',
  'refund_reversed',
  'chargeback',
  'chargeback_won',
  'fee_correction',
  'overpaid',
  'fine',
  'interest',
  'discount',
  'partial_payment',
  'returned',
  'balance_blocked',
  'balance_released',
  'provider_fee',
  'received_outside',
  'conversion',
] as const;
export type AdjustmentReason = (typeof adjustmentReasons)[number];

/** Reasons of money whose statement lines a provider's report of the order always covers, sooner or later. */
export const COVERED_REASONS: ReadonlySet<AdjustmentReason> = new Set([
  'refund',
  'chargeback',
  'chargeback_won',
]);
