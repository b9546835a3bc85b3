// Provider reports about our orders.
import type { DisputeReport } from './charge-port.ts';
import type { RefundReport } from './refund-port.ts';

/** The kinds of orders. Statement lines and events refer to one of them. */
export type OrderKind = 'charge' | 'payout' | 'tax_document';

/** Why providers change balances: the `reason` of adjustments made by providers. Admins write free text instead. */
export type AdjustmentReason =
  | 'refund'
  | 'refund_reversed'
  | 'chargeback'
  | 'chargeback_won'
  | 'fee_correction'
  | 'overpaid'
  | 'fine'
  | 'interest'
  | 'discount'
  | 'partial_payment'
  | 'returned'
  | 'balance_blocked'
  | 'balance_released'
  | 'provider_fee'
  | 'received_outside'
  | 'conversion';

/** Reasons of money whose statement lines a provider's report of the order always covers, sooner or later. */
export const COVERED_REASONS: ReadonlySet<AdjustmentReason> = new Set([
  'refund',
  'chargeback',
  'chargeback_won',
]);

export interface Balance {
  currency: string;
  amountMinor: number;
}

/** A reported state, mapped to our states. `at` orders the reports of an order. */
export interface ProviderState {
  /** One of the resource's states (`states.ts`). Adapters report an unknown state as the preceding one. */
  status: string;
  at: Date;
  /** Total provider fees of this order so far, in minor units. Often known only later. */
  feeMinor: number | undefined;
  /** When the funds settle, `YYYY-MM-DD`. */
  availableOn: string | undefined;
  /** The payer's day, `YYYY-MM-DD`, if the provider says so. */
  paidOn?: string | undefined;
  /** The provider's failure message. */
  reason: string | undefined;
  /** How a Brazilian charge was paid, if known. A boleto with a PIX code can be paid either way. */
  paidBy?: 'pix' | 'boleto' | undefined;
}

/**
 * The total of an order's balance changes for one reason, excluding the charge or payout itself, in signed minor units. Reporting
 * totals instead of changes makes duplicate and out-of-order reports harmless. A total of 0 reverses the earlier entries for
 * the reason. Reasons that a report omits stay unchanged.
 */
export interface AdjustmentTotal {
  reason: AdjustmentReason;
  currency: string;
  amountMinor: number;
}

/** The state of one of our orders at the provider. */
export interface OrderReport {
  providerReference: string;
  state: ProviderState;
  adjustments?: AdjustmentTotal[];
  /** The refunds of a charge. Refunds that a report omits stay unchanged. */
  refunds?: RefundReport[];
  /** The chargebacks of a charge. Those that a report omits stay unchanged. */
  disputes?: DisputeReport[];
}
