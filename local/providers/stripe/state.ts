/** What an account at Stripe holds: objects as they are on the wire, and beside them what the wire does not show. */
import type { AccountOptions, Method } from './options.ts';

/** An object of the wire: what the emulator works with is named by its type, the rest is only shown. */
interface WireObject {
  id: string;
  object: string;
  created: number;
  [member: string]: unknown;
}

export interface Wire extends WireObject {
  metadata: Record<string, string>;
}

export interface Customer extends Wire {
  object: 'customer';
  email: string | null;
  name: string | null;
}

export interface Session extends Wire {
  object: 'checkout.session';
  amount_total: number;
  cancel_url: string | null;
  client_reference_id: string | null;
  currency: string;
  customer: string | null;
  customer_email: string | null;
  expires_at: number;
  payment_intent: string | null;
  payment_method_types: Method[];
  payment_status: 'unpaid' | 'paid' | 'no_payment_required';
  status: 'open' | 'complete' | 'expired';
  success_url: string;
  url: string | null;
}

/** What the wire of a session does not show. */
export interface SessionBackground {
  lineItems: Record<string, unknown>[];
  intentData: IntentData;
  bankTransfer: BankTransfer | null;
  expiryJob: string | null;
}

export interface IntentData {
  description: string | null;
  metadata: Record<string, string>;
  receipt_email: string | null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
}

export type BankTransfer = { type: 'us_bank_transfer' } | { type: 'eu_bank_transfer'; country: string };

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_action'
  | 'processing'
  | 'succeeded'
  | 'canceled';

export interface PaymentIntent extends Wire {
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  currency: string;
  customer: string | null;
  description: string | null;
  last_payment_error: Record<string, unknown> | null;
  latest_charge: string | null;
  next_action: Record<string, unknown> | null;
  payment_method: string | null;
  payment_method_types: Method[];
  status: IntentStatus;
}

export interface Charge extends Wire {
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  balance_transaction: string | null;
  currency: string;
  customer: string | null;
  description: string | null;
  disputed: boolean;
  failure_balance_transaction: string | null;
  failure_code: string | null;
  failure_message: string | null;
  paid: boolean;
  payment_intent: string;
  payment_method: string;
  refunded: boolean;
  status: 'pending' | 'succeeded' | 'failed';
}

/** What the wire of a charge does not show. */
export interface ChargeBackground {
  method: Method;
  /** When its payment began: what its money waits for is counted from there. */
  beganAtMs: number;
  /** A card whose money is available at once. */
  availableAtOnce: boolean;
}

export interface Transaction extends WireObject {
  object: 'balance_transaction';
  amount: number;
  available_on: number;
  currency: string;
  fee: number;
  net: number;
  source: string | null;
  type: string;
}

export interface CashTransaction extends WireObject {
  object: 'customer_cash_balance_transaction';
  currency: string;
  customer: string;
  net_amount: number;
  type: 'funded' | 'applied_to_payment' | 'unapplied_from_payment' | 'refunded_from_payment';
}

export interface Refund extends Wire {
  object: 'refund';
  amount: number;
  balance_transaction: string | null;
  charge: string;
  currency: string;
  payment_intent: string;
  status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';
}

export interface Dispute extends Wire {
  object: 'dispute';
  amount: number;
  balance_transactions: string[];
  charge: string;
  currency: string;
  evidence: Record<string, unknown>;
  evidence_details: Record<string, unknown>;
  is_charge_refundable: boolean;
  payment_intent: string;
  reason: string;
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'under_review' | 'won' | 'lost';
}

export interface Payout extends Wire {
  object: 'payout';
  amount: number;
  arrival_date: number;
  automatic: boolean;
  balance_transaction: string | null;
  currency: string;
  failure_balance_transaction: string | null;
  failure_code: string | null;
  failure_message: string | null;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
}

export interface WebhookEndpoint extends Wire {
  object: 'webhook_endpoint';
  api_version: string | null;
  description: string | null;
  enabled_events: string[];
  status: 'enabled' | 'disabled';
  url: string;
}

export interface StripeEvent extends WireObject {
  object: 'event';
  api_version: string | null;
  type: string;
}

export interface ApiKey {
  key: string;
  state: 'good' | 'expired' | 'deleted';
  /** Of a restricted key: by the first part of a path, all that is not named is `write`. */
  permissions: Record<string, 'none' | 'read' | 'write'>;
}

/** An answer that a key of idempotency brings again. */
export interface KeptAnswer {
  atMs: number;
  path: string;
  form: string;
  requestId: string;
  /** Null while it is under way. */
  answer: { status: number; body: string } | null;
}

/** A failure inside of Stripe: it comes after an idempotency key was taken, and is kept under it. */
export interface InnerFailure {
  times: number;
  /** With `*` for anything. */
  path: string;
  /** Whether the order is taken all the same. */
  taken: boolean;
  /** Null: no failure, only the wait. */
  status: number | null;
  /** Real time that the order takes. */
  delayMs: number;
}

export interface Account {
  id: string;
  livemode: boolean;
  created: number;
  keys: ApiKey[];
  /** Of requests and events that name none. */
  apiVersion: string;
  country: string;
  defaultCurrency: string;
  name: string;
  email: string;
  options: AccountOptions;
  customers: Customer[];
  deletedCustomers: string[];
  sessions: Session[];
  sessionBackgrounds: Record<string, SessionBackground>;
  intents: PaymentIntent[];
  charges: Charge[];
  chargeBackgrounds: Record<string, ChargeBackground>;
  methods: Wire[];
  transactions: Transaction[];
  /** Of transactions that left by a payout. */
  payoutOf: Record<string, string>;
  refunds: Refund[];
  disputes: Dispute[];
  payouts: Payout[];
  endpoints: WebhookEndpoint[];
  secrets: Record<string, string>;
  events: StripeEvent[];
  /** What customers transferred beyond their payments: by customer and currency. */
  cashBalances: Record<string, Record<string, number>>;
  cashTransactions: CashTransaction[];
  idempotency: Record<string, KeptAnswer>;
  failures: InnerFailure[];
}
