// Refunds of charges at a payment provider.
import type { ChargeOrder } from './charge-port.ts';
import type { Balance } from './order-report.ts';

/** A refund to send. */
export interface RefundOrder {
  /** Our refund id. */
  reference: string;
  amountMinor: number;
  reason: string | undefined;
}

/** The reason why a refund is pending. */
export const pendingReasons = [
  'processing',
  'insufficient_funds',
  'charge_pending',
  'waiting_for_payer',
] as const;

export type PendingReason = (typeof pendingReasons)[number];

/** A refund of a charge at the provider. */
export interface RefundReport {
  /** Identifies the refund permanently among those of its order. Absent if the provider does not list the refund yet. */
  key?: string;
  /** Our refund id. Undefined for refunds made at the provider. */
  reference?: string | undefined;
  /** Whether the provider could not store our id, so that the refund may be the one in progress. */
  isAnonymous?: boolean | undefined;
  status: 'pending' | 'succeeded' | 'failed';
  amountMinor: number;
  /** The provider's description, of a refund made there. */
  description?: string | undefined;
  pendingReason?: PendingReason | undefined;
  /** Page on which the payer completes the refund. */
  actionUrl?: string | undefined;
  failureReason?: string | undefined;
  settledAt?: Date | undefined;
  /** Signed change of the balance, once it has moved. */
  moved?: Balance | undefined;
  /** Signed change of the balance when a failed refund came back. */
  returned?: Balance | undefined;
  /** When the change of the balance settles, `YYYY-MM-DD`. Default: on the day of the report. */
  availableOn?: string | undefined;
}

/** Operations on refunds of charges. */
export interface RefundPort {
  /** Sends a refund, once. Throws `RefundRejected` and `ProviderRejected` only if the provider certainly did nothing. */
  create(charge: ChargeOrder, refund: RefundOrder, signal: AbortSignal): Promise<RefundReport>;
  /** Finds a refund that may have been sent. Never moves money. */
  find(charge: ChargeOrder, refund: RefundOrder, signal: AbortSignal): Promise<RefundReport | undefined>;
}
