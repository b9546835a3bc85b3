/** State of a Stripe account: objects in the format of the API, with the members that our adapter reads, and internal data next to them. */
export const METHODS = ['card', 'us_bank_account', 'sepa_debit', 'customer_balance'] as const;
export type Method = (typeof METHODS)[number];

interface Wire {
  id: string;
  object: string;
  created: number;
}

type Metadata = Record<string, string>;

export interface Customer extends Wire {
  object: 'customer';
  email: string | null;
  name: string | null;
  metadata: Metadata;
}

export interface Session extends Wire {
  object: 'checkout.session';
  amount_total: number;
  client_reference_id: string | null;
  currency: string;
  customer: string | null;
  customer_email: string | null;
  expires_at: number;
  metadata: Metadata;
  mode: 'payment';
  payment_intent: string | null;
  payment_method_options: object;
  payment_method_types: Method[];
  payment_status: 'unpaid' | 'paid';
  status: 'open' | 'complete' | 'expired';
  success_url: string;
  url: string | null;
}

export interface PaymentIntent extends Wire {
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  currency: string;
  customer: string | null;
  description: string | null;
  last_payment_error: { code: string; message: string; type: string } | null;
  latest_charge: string | null;
  metadata: Metadata;
  next_action: { display_bank_transfer_instructions: { amount_remaining: number } } | null;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
}

export interface Charge extends Wire {
  object: 'charge';
  amount: number;
  amount_refunded: number;
  balance_transaction: string | null;
  currency: string;
  customer: string | null;
  description: string | null;
  disputed: boolean;
  failure_balance_transaction: string | null;
  failure_code: string | null;
  failure_message: string | null;
  metadata: Metadata;
  paid: boolean;
  payment_intent: string;
  payment_method_details: { type: Method };
  refunded: boolean;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Transaction extends Wire {
  object: 'balance_transaction';
  amount: number;
  available_on: number;
  balance_type: 'payments';
  currency: string;
  description: string | null;
  exchange_rate: number | null;
  fee: number;
  net: number;
  reporting_category: string;
  source: string | null;
  type: string;
}

export interface CashTransaction extends Wire {
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
  /** Of the last two types but one. */
  applied_to_payment?: { payment_intent: string };
}

export interface Refund extends Wire {
  object: 'refund';
  amount: number;
  balance_transaction: string | null;
  charge: string;
  currency: string;
  failure_balance_transaction: string | null;
  failure_reason?: string;
  metadata: Metadata;
  payment_intent: string;
  pending_reason?: 'insufficient_funds' | 'processing';
  reason: string | null;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Dispute extends Wire {
  object: 'dispute';
  amount: number;
  balance_transactions: string[];
  charge: string;
  currency: string;
  is_charge_refundable: boolean;
  payment_intent: string;
  reason: string;
  status: 'warning_needs_response' | 'warning_closed' | 'needs_response' | 'won' | 'lost';
}

export interface WebhookEndpoint extends Wire {
  object: 'webhook_endpoint';
  api_version: string | null;
  description: string | null;
  enabled_events: string[];
  status: 'enabled' | 'disabled';
  url: string;
}

export interface StripeEvent extends Wire {
  object: 'event';
  data: { object: object };
  type: string;
}

export interface ApiKey {
  key: string;
  state: 'good' | 'expired';
  /** Permissions of a restricted key by the first path segment. */
  permissions: Record<string, 'none'>;
}

/** A response stored for an idempotency key. */
export interface IdempotentResponse {
  atMs: number;
  path: string;
  form: string;
  /** Null while the request is in flight. */
  answer: { status: number; body: string } | null;
}

export interface Account {
  id: string;
  keys: ApiKey[];
  country: string;
  defaultCurrency: string;
  options: AccountOptions;
  customers: Customer[];
  sessions: Session[];
  /** What the intent of a session will have, by the session's id. */
  intentData: Record<string, { description: string | null; metadata: Metadata }>;
  intents: PaymentIntent[];
  charges: Charge[];
  transactions: Transaction[];
  refunds: Refund[];
  disputes: Dispute[];
  endpoints: WebhookEndpoint[];
  secrets: Record<string, string>;
  events: StripeEvent[];
  cashTransactions: CashTransaction[];
  idempotency: Record<string, IdempotentResponse>;
}

type Capability =
  | 'card_payments'
  | 'us_bank_account_ach_payments'
  | 'sepa_debit_payments'
  | 'sepa_bank_transfer_payments'
  | 'us_bank_transfer_payments';

/** Features of an account, and behavior that the documentation leaves open. */
export const DEFAULT_OPTIONS = {
  capabilities: {} as Partial<Record<Capability, 'active' | 'inactive' | 'pending'>>,
  chargesEnabled: true,
  /** Whether the dispute fee is returned for a won dispute, as in some countries. Unconfirmed. */
  disputeFeeReturned: false,
  /** For a bank debit that fails. */
  failureFee: 0,
  /** How long bank debits are processing. */
  processingMs: 2000,
  /** Delay between a charge's success and its balance transaction with `charge.updated`; 0: at the same time. */
  balanceTransactionMs: 1000,
  /** Whether a bank debit has a balance transaction while it is processing. Unconfirmed. */
  entryOfPending: false,
  /** Exchange rates to the account's currency. Other currencies are kept on separate balances. */
  exchangeRates: {} as Record<string, number>,
  /** Whether refunds wait because the balance is too low. They move no money until they are concluded. */
  refundsWaitForFunds: false,
  /** Whether refunds of bank transfers accept `instructions_email`. Unconfirmed. */
  refundInstructions: true,
  /** How long refunds to banks are pending. */
  bankRefundMs: 5000,
  /** Whether a completed session's intent that waits for a bank transfer can be canceled. According to the reference, it cannot. */
  cancelCompletedIntents: false,
  /** How long POSTs with an idempotency key stay in flight, in real time. */
  inFlightMs: 0,
  /** Defect of event signatures: none, wrong secret, or ten minutes old. */
  signatures: 'good' as 'good' | 'wrong' | 'old',
};
export type AccountOptions = typeof DEFAULT_OPTIONS;
