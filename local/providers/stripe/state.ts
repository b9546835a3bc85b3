/** State of a Stripe account: objects in the format of the API, and internal data next to them. */
import type { AccountOptions, Method } from './options.ts';

/** An API object. Members that the emulator uses are typed; the others are only rendered. */
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

/** Internal data of a session. */
export interface SessionInternals {
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

/** Internal data of a charge. */
export interface ChargeInternals {
  method: Method;
  /** Start of the payment. The money becomes available relative to it. */
  beganAtMs: number;
  /** Whether the card's money is available immediately. */
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
  type:
    | 'funded'
    | 'applied_to_payment'
    | 'unapplied_from_payment'
    | 'refunded_from_payment'
    | 'return_initiated';
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
  /** Permissions of a restricted key by the first path segment. Default: `write`. */
  permissions: Record<string, 'none' | 'read' | 'write'>;
}

/** A response stored for an idempotency key. */
export interface IdempotentResponse {
  atMs: number;
  path: string;
  form: string;
  requestId: string;
  /** Null while the request is in flight. */
  answer: { status: number; body: string } | null;
}

/** An internal failure of Stripe. It occurs after the idempotency key was stored, and its response is stored, too. */
export interface InternalFailure {
  times: number;
  /** With `*` as a wildcard. */
  path: string;
  /** Whether the request is executed in spite of the failure. */
  taken: boolean;
  /** Null: no failure, only the delay. */
  status: number | null;
  /** Delay in real time. */
  delayMs: number;
}

export interface Account {
  id: string;
  livemode: boolean;
  created: number;
  keys: ApiKey[];
  /** Version of requests and endpoints that specify none. */
  apiVersion: string;
  country: string;
  defaultCurrency: string;
  name: string;
  email: string;
  options: AccountOptions;
  customers: Customer[];
  deletedCustomers: string[];
  sessions: Session[];
  sessionInternals: Record<string, SessionInternals>;
  intents: PaymentIntent[];
  charges: Charge[];
  chargeInternals: Record<string, ChargeInternals>;
  methods: Wire[];
  transactions: Transaction[];
  /** Payout ids by transaction. */
  payoutOf: Record<string, string>;
  refunds: Refund[];
  disputes: Dispute[];
  payouts: Payout[];
  endpoints: WebhookEndpoint[];
  secrets: Record<string, string>;
  events: StripeEvent[];
  /** Money transferred in excess of payments, by customer and currency. */
  cashBalances: Record<string, Record<string, number>>;
  cashTransactions: CashTransaction[];
  idempotency: Record<string, IdempotentResponse>;
  failures: InternalFailure[];
}
