/** State of an Asaas account. Amounts are in cents, days and times are those of São Paulo, nulls as in the API. */
import type { AccountOptions } from './options.ts';

export interface ApiKey {
  key: string;
  enabled: boolean;
}

export interface Customer {
  id: string;
  dateCreated: string;
  deleted: boolean;
  name: string;
  cpfCnpj: string;
  notificationDisabled: boolean;
  /** Other members of the request, with their API names. */
  details: Record<string, string | boolean | null>;
}

export type BillingType = 'BOLETO' | 'CREDIT_CARD' | 'PIX' | 'UNDEFINED';

export type PaymentStatus =
  | 'PENDING'
  | 'RECEIVED'
  | 'CONFIRMED'
  | 'OVERDUE'
  | 'REFUNDED'
  | 'RECEIVED_IN_CASH'
  | 'REFUND_IN_PROGRESS'
  | 'CHARGEBACK_REQUESTED'
  | 'CHARGEBACK_DISPUTE'
  | 'AWAITING_CHARGEBACK_REVERSAL'
  | 'DUNNING_REQUESTED'
  | 'DUNNING_RECEIVED'
  | 'AWAITING_RISK_ANALYSIS';

export interface Refund {
  id: string;
  dateCreated: string;
  status:
    | 'PENDING'
    | 'DONE'
    | 'CANCELLED'
    | 'AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION'
    | 'AWAITING_CRITICAL_ACTION_AUTHORIZATION';
  value: number;
  description: string | null;
  endToEndIdentifier: string | null;
  effectiveDate: string | null;
  /** Number of approval requests to the withdrawal validation. */
  validationAttempts: number;
}

export interface Chargeback {
  id: string;
  status: 'REQUESTED' | 'IN_DISPUTE' | 'DISPUTE_LOST' | 'REVERSED' | 'DONE';
  disputeStatus: 'REQUESTED' | 'ACCEPTED' | 'REJECTED' | null;
  reason: string;
  disputeStartDate: string;
  value: number;
  /** Status after a won dispute. */
  before: PaymentStatus;
  /** Whether the money was credited and then deducted. */
  taken: boolean;
}

export interface PriceRule {
  value: number;
  type: 'FIXED' | 'PERCENTAGE';
}

export interface Payment {
  id: string;
  /** Suffix of its public URLs. */
  shortId: string;
  /** Sequence number for sorting. */
  number: number;
  dateCreated: string;
  customer: string;
  billingType: BillingType;
  value: number;
  originalValue: number | null;
  interestValue: number | null;
  /** The fee, also before it is charged. The net value is the rest. */
  fee: number;
  status: PaymentStatus;
  description: string | null;
  externalReference: string | null;
  dueDate: string;
  originalDueDate: string;
  deleted: boolean;
  confirmedDate: string | null;
  clientPaymentDate: string | null;
  paymentDate: string | null;
  creditDate: string | null;
  estimatedCreditDate: string | null;
  /** Whether the payment is on the statement. */
  credited: boolean;
  pixTransaction: string | null;
  nossoNumero: string | null;
  lastInvoiceViewedDate: string | null;
  lastBankSlipViewedDate: string | null;
  discount: PriceRule & { dueDateLimitDays: number };
  fine: PriceRule;
  interest: { value: number };
  daysAfterDueDateToRegistrationCancellation: number | null;
  callback: { successUrl: string; autoRedirect: boolean } | null;
  refunds: Refund[];
  /** Balance that is blocked because of the payment. */
  blocked: number;
  chargeback: Chargeback | null;
  /** A partner's QR code is valid for one day. */
  pixPayload: { payload: string; expiresAt: string } | null;
  creditJob: string | null;
  overdueJob: string | null;
}

export type TransferStatus = 'PENDING' | 'BANK_PROCESSING' | 'BLOCKED' | 'DONE' | 'CANCELLED' | 'FAILED';

export interface Transfer {
  id: string;
  number: number;
  createdAtMs: number;
  dateCreated: string;
  value: number;
  fee: number;
  status: TransferStatus;
  authorized: boolean;
  effectiveDate: string | null;
  confirmedDate: string | null;
  scheduleDate: string | null;
  failReason: string | null;
  endToEndIdentifier: string | null;
  externalReference: string | null;
  description: string | null;
  operationType: 'PIX' | 'TED';
  pixAddressKey: string | null;
  bankAccount: Record<string, unknown>;
  /** Response to the creation request. The withdrawal validation sends it. */
  asCreated: Record<string, unknown>;
  validationAttempts: number;
  /** Amount returned after completion. */
  returned: number;
}

export type InvoiceStatus =
  | 'SCHEDULED'
  | 'SYNCHRONIZED'
  | 'AUTHORIZED'
  | 'PROCESSING_CANCELLATION'
  | 'CANCELED'
  | 'CANCELLATION_DENIED'
  | 'ERROR';

export interface Invoice {
  id: string;
  running: number;
  status: InvoiceStatus;
  statusDescription: string | null;
  customer: string;
  payment: string | null;
  value: number;
  effectiveDate: string;
  number: string | null;
  validationCode: string | null;
  rpsNumber: string | null;
  externalReference: string | null;
  /** Other members of the request, with their API names. */
  details: Record<string, unknown>;
}

export interface WebhookConfig {
  id: string;
  name: string;
  url: string;
  email: string;
  enabled: boolean;
  interrupted: boolean;
  apiVersion: number;
  authToken: string;
  sendType: 'SEQUENTIALLY' | 'NON_SEQUENTIALLY';
  events: string[];
  /** Consecutive failures. */
  penalizedRequestsCount: number;
}

export interface PixKey {
  id: string;
  key: string;
  type: 'EVP';
  status: 'ACTIVE' | 'DELETED';
  dateCreated: string;
}

export interface StatementEntry {
  id: string;
  number: number;
  type: string;
  date: string;
  /** Negative for outgoing money. */
  value: number;
  balance: number;
  description: string;
  paymentId: string | null;
  transferId: string | null;
  invoiceId: string | null;
  paymentDunningId: string | null;
}

export interface Account {
  id: string;
  walletId: string;
  apiKeys: ApiKey[];
  name: string;
  cpfCnpj: string;
  email: string;
  city: string;
  options: AccountOptions;
  customers: Customer[];
  payments: Payment[];
  transfers: Transfer[];
  invoices: Invoice[];
  webhooks: WebhookConfig[];
  pixKeys: PixKey[];
  statement: StatementEntry[];
  fiscalInfo: Record<string, unknown> | null;
  withdrawalValidation: { url: string; authToken: string | null } | null;
  quota: { startedAtMs: number; used: number };
}
