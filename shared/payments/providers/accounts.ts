// Accounts at payment providers: what they can do, their webhooks and events, and the lists for reconciliation.
import type { PaymentMethod } from './charge-port.ts';
import type { AdjustmentReason, Balance, OrderKind } from './order-report.ts';
import type { PayoutReport } from './payout-port.ts';
import type { TaxDocumentReport } from './tax-document-port.ts';

/** The kinds of codes of IBS and CBS: each is the member of `DocumentTaxes` that has such a code. */
export const fiscalCodeKinds = [
  'nbs_code',
  'tax_situation_code',
  'tax_classification_code',
  'operation_indicator_code',
] as const;
export type FiscalCodeKind = (typeof fiscalCodeKinds)[number];

/** The codes of a kind that a provider knows. */
export interface FiscalCodeList {
  codes: { code: string; description: string | null }[];
  /** False if the list continues after these codes. */
  isComplete: boolean;
}

/** Whether the issuer is in Simples Nacional. */
export type TaxRegime = 'simples' | 'normal' | 'unknown';

/** A verified event of a provider. It only identifies the resource to look up; its data is never trusted. */
export interface ProviderEvent {
  /** The provider's id of the event, used for deduplication. */
  eventId: string;
  type: string;
  /** Undefined for events that concern none of our resources. They are stored and ignored. */
  about: EventSubject | undefined;
}

export type EventSubject =
  | { kind: OrderKind; reference: string | undefined; providerReference: string | undefined }
  /** Balance that was blocked or unblocked because of a charge. */
  | ({ kind: 'balance' } & BalanceEvent)
  /** The account itself: its API key, balance or documents. */
  | { kind: 'account' };

export interface BalanceEvent {
  change: 'blocked' | 'unblocked';
  /** The provider's reason, such as `PIX_INFRACTION`. */
  type: string;
  amountMinor: number;
  currency: string;
  /** The charge. */
  providerReference: string;
  /** The day of the event at the provider, `YYYY-MM-DD`. */
  day: string;
}

/**
 * The capabilities of an account: for payment methods, of which a bolepix needs two, for payouts, and for tax documents and their
 * cancellation. Null if available, otherwise a message with the reason and what to set up.
 */
export type Capabilities = Record<
  Exclude<PaymentMethod, 'bolepix'> | 'payout' | 'tax_document' | 'tax_document_cancellation',
  string | null
>;

export interface AccountReport {
  capabilities: Capabilities;
  /** The balance in the account's own currency comes first. */
  balances: Balance[];
  /** Set for accounts that issue tax documents. `nationalPortal`: null if the provider does not say. */
  fiscal?: { regime: TaxRegime; nationalPortal: boolean | null } | undefined;
}

export interface WebhookReport {
  /** The provider's id of the webhook. */
  reference: string;
  state: 'active' | 'paused';
  /** Whether the webhook was paused and has been resumed. Events sent during the pause may be missing. */
  wasResumed?: boolean;
  /** The signing secret, if the provider generates it. Present only when the webhook was created. */
  secret: string | undefined;
  /** Why the provider rejected the webhook with all events, so that it has only the core events. */
  warning?: string | undefined;
}

/** An order in a provider's list, with the same data as an individual lookup. */
export interface ListedOrder {
  /** Our id. Undefined for orders created elsewhere, such as in the provider's dashboard. */
  reference: string | undefined;
  providerReference: string;
  /** Set for charges and payouts. */
  report?: PayoutReport | undefined;
  /**
   * Whether the provider may have more under the same reference, such as a second payment, that this report omits. Such a report
   * changes no ledger entries, and the order is looked up individually.
   */
  isPartial?: boolean | undefined;
  /** Set for tax documents. */
  taxDocument?: TaxDocumentReport | undefined;
}

/** A movement of the balance in the provider's statement. */
export interface StatementLine {
  /** The provider's id of the movement. */
  id: string;
  at: Date;
  currency: string;
  /** Change of the balance, signed. */
  amountMinor: number;
  /** The order that the movement belongs to, if any; `reference` is our id, if the provider knows it. */
  order: { kind: 'charge' | 'payout'; providerReference: string; reference?: string | undefined } | undefined;
  /** The provider's type of a movement of the account that may block or unblock balance. */
  type?: string | undefined;
  /** The charge that such a movement names, in the provider's ids. */
  namedReference?: string | undefined;
  /** The reason of the adjustment that is entered if the movement belongs to no order. */
  reason: AdjustmentReason;
  /** The reason of the adjustment that is entered if the order's report does not cover it. Absent if reports always cover it. */
  orderReason?: AdjustmentReason | undefined;
  description: string;
}

export interface Page<T> {
  items: T[];
  /** Cursor of the next page. Undefined on the last page. */
  next: string | undefined;
}

export interface WebhookOrder {
  /** Our callback URL. */
  url: string;
  /** The secret that authenticates deliveries, if the provider accepts one that we generate. */
  secret: string;
  /** Contact address for notices about the webhook. */
  email: string;
  /** The provider's id of the webhook, once known. */
  reference: string | undefined;
  /** Registers only the core events, because the provider rejected all events less than a day ago. */
  onlyCoreEvents?: boolean;
}

/** A tenant's account at a provider, with its credentials. Never log or return it. */
export interface ProviderAccount {
  /** `pacc_...`. */
  id: string;
  tenantId: string;
  provider: string;
  key: string;
  /** Secret that verifies deliveries. Null until the webhook is registered. */
  webhookSecret: string | null;
  /** The settings passed to `admin.connect_<provider>`. */
  settings: Record<string, unknown>;
}
