/** State of an Asaas account. Amounts are in cents, days and times are those of São Paulo, nulls as in the API. */
import type { AccountOptions } from './options.ts';

export interface Customer {
  id: string;
  deleted: boolean;
  cpfCnpj: string;
  externalReference: string | null;
  /** Other members of the request, with their API names. */
  details: Record<string, unknown>;
}

type BillingType = 'BOLETO' | 'CREDIT_CARD' | 'PIX' | 'UNDEFINED';

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
  effectiveDate: string | null;
  /** Number of approval requests to the withdrawal validation. */
  validationAttempts: number;
}

interface Chargeback {
  id: string;
  status: 'REQUESTED' | 'IN_DISPUTE' | 'DISPUTE_LOST' | 'REVERSED';
  disputeStartDate: string;
  value: number;
  /** Whether the money was credited and then deducted. */
  taken: boolean;
}

export interface PriceRule {
  value: number;
  type: 'FIXED' | 'PERCENTAGE';
}

export interface Payment {
  id: string;
  number: number;
  dateCreated: string;
  customer: string;
  billingType: BillingType;
  value: number;
  originalValue: number | null;
  interestValue: number | null;
  /** The fee, also before it is charged. The net value is the rest. */
  fee: number;
  status: string;
  description: string | null;
  externalReference: string | null;
  dueDate: string;
  originalDueDate: string;
  deleted: boolean;
  confirmedDate: string | null;
  clientPaymentDate: string | null;
  paymentDate: string | null;
  creditDate: string | null;
  /** Whether the payment is on the statement. */
  credited: boolean;
  pixTransaction: string | null;
  nossoNumero: string | null;
  discount: PriceRule & { dueDateLimitDays: number };
  fine: PriceRule;
  interest: { value: number };
  daysAfterDueDateToRegistrationCancellation: number | null;
  callback: { successUrl: string } | null;
  refunds: Refund[];
  /** Balance that is blocked because of the payment. */
  blocked: number;
  chargeback: Chargeback | null;
}

export interface Transfer {
  id: string;
  createdAtMs: number;
  dateCreated: string;
  value: number;
  fee: number;
  status: 'PENDING' | 'BANK_PROCESSING' | 'BLOCKED' | 'DONE' | 'CANCELLED' | 'FAILED';
  authorized: boolean;
  /** Set when it was executed. */
  effectiveDate: string | null;
  failReason: string | null;
  externalReference: string | null;
  description: string | null;
  pixAddressKey: string;
  /** Response to the creation request. The withdrawal validation sends it. */
  asCreated: Record<string, unknown>;
  validationAttempts: number;
  /** Amount returned after completion. */
  returned: number;
}

export interface Invoice {
  id: string;
  status:
    | 'SCHEDULED'
    | 'SYNCHRONIZED'
    | 'AUTHORIZED'
    | 'PROCESSING_CANCELLATION'
    | 'CANCELED'
    | 'CANCELLATION_DENIED'
    | 'ERROR';
  statusDescription: string | null;
  customer: string;
  payment: string | null;
  value: number;
  effectiveDate: string;
  number: string | null;
  validationCode: string | null;
  externalReference: string | null;
  taxes: Record<string, unknown>;
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

export interface StatementEntry {
  id: string;
  type: string;
  date: string;
  /** Negative for outgoing money. */
  value: number;
  balance: number;
  description: string;
  paymentId: string | null;
  transferId: string | null;
}

export interface Account {
  id: string;
  name: string;
  keys: { key: string; enabled: boolean }[];
  options: AccountOptions;
  customers: Customer[];
  payments: Payment[];
  transfers: Transfer[];
  invoices: Invoice[];
  webhooks: WebhookConfig[];
  statement: StatementEntry[];
  withdrawalValidation: { url: string; authToken: string | null } | null;
}
