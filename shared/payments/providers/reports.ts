// What payment providers report about our orders.
import type { AdjustmentReason } from './names.ts';

/** Payment instructions for the payer. The members depend on the method. */
export interface Artifact {
  pix?: { payload: string };
  /** `pdfUrl`: the provider's PDF, if any. It is downloaded once and served from our storage. */
  boleto?: { digitableLine: string; barcode: string; pdfUrl?: string };
  /** A hosted payment page for cards, debits and bank transfers. */
  checkout?: { url: string };
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

/** A refund of a charge at the provider. */
export interface RefundReport {
  /** Identifies the refund among those of its order, for ever. Absent if the provider does not list the refund yet. */
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

/** What a pending refund waits for. */
export const pendingReasons = [
  'processing',
  'insufficient_funds',
  'charge_pending',
  'waiting_for_payer',
] as const;
export type PendingReason = (typeof pendingReasons)[number];

/** A chargeback of a charge. */
export interface DisputeReport {
  /** The provider's id of the chargeback. */
  providerReference: string;
  status: 'open' | 'won' | 'lost';
  amountMinor: number;
  openedAt?: Date | undefined;
}

export interface AcceptedCharge extends OrderReport {
  artifact: Artifact;
}

/** The bank transfer that funds a payout manually. */
export interface FundingNeeded {
  sourceAmountMinor: number;
  sourceCurrency: string;
  /** The reference that the bank transfer must carry. */
  reference: string;
  fundBy: Date | undefined;
}

export interface PayoutReport extends OrderReport {
  /** Present while the payout waits for funding. */
  funding?: FundingNeeded | undefined;
  /** The part of a failed payout that the provider did not return. It is a fee if the payout was never paid. */
  kept?: { currency: string; amountMinor: number } | undefined;
}

export interface TaxDocumentReport {
  providerReference: string;
  status: 'pending' | 'issued' | 'failed' | 'canceled';
  /** The municipality's failure message. */
  reason: string | undefined;
  /** Whether a cancellation was requested but not decided yet. */
  cancelPending: boolean;
  /** The municipality's message when it rejected the cancellation. */
  cancelRefused: string | undefined;
  issued: IssuedTaxDocument | undefined;
}

/** A document issued by the municipality, with files from the provider. */
export interface IssuedTaxDocument {
  number: string;
  /** The key for looking the document up at the tax authority. */
  accessKey: string;
  /** URLs for `fetchFile`. */
  pdfUrl: string;
  xmlUrl: string;
  taxes: IssuedTaxes;
}

/** IBS and CBS of an issued document in the format of responses: percentages, and amounts in minor units. Null if not known. */
export interface IssuedTaxes {
  state_ibs_percent: number | null;
  state_ibs_amount: number | null;
  municipal_ibs_percent: number | null;
  municipal_ibs_amount: number | null;
  cbs_percent: number | null;
  cbs_amount: number | null;
}

export interface Balance {
  currency: string;
  amountMinor: number;
}
