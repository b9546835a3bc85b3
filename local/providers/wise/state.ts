/** State of a Wise account (one user with its tokens). Amounts are in minor units; times are Unix times in milliseconds. */
export interface Profile {
  id: number;
  type: 'PERSONAL' | 'BUSINESS';
  name: string;
  balances: Balance[];
}

export interface Balance {
  id: number;
  currency: string;
  /** The statement, oldest first. */
  entries: Entry[];
}

export interface Entry {
  atMs: number;
  /** Negative for outgoing money. Includes fees. */
  amount: number;
  running: number;
  type: 'TRANSFER' | 'CONVERSION' | 'MONEY_ADDED' | 'BALANCE_ADJUSTMENT';
  description: string;
  referenceNumber: string;
}

export type PayIn = 'BALANCE' | 'BANK_TRANSFER';
export type PayOut = 'BANK_TRANSFER' | 'SWIFT' | 'SWIFT_OUR';

export interface Quote {
  id: string;
  sourceCurrency: string;
  targetCurrency: string;
  /** What the recipient gets, in the target currency. */
  targetAmount: number;
  payOut: PayOut;
  rate: number;
  createdAtMs: number;
  targetAccount: number | null;
  status: 'PENDING' | 'ACCEPTED' | 'FUNDED';
}

export interface Recipient {
  id: number;
  accountHolderName: string;
  currency: string;
  type: string;
  active: boolean;
  /** By form key: `address.city`, not nested. */
  details: Record<string, string>;
}

export interface Payment {
  method: PayIn;
  /** Including the fee. */
  amount: number;
  fee: number;
}

export interface Transfer {
  id: number;
  targetAccount: number;
  quoteUuid: string;
  customerTransactionId: string;
  details: Record<string, string>;
  createdAtMs: number;
  sourceCurrency: string;
  targetCurrency: string;
  /** The last one is the current state. Any text, since Wise may add states. */
  states: string[];
  payments: Payment[];
  /** Attempts to fund the transfer that were rejected. */
  rejectedPayments: Payment[];
  refunded: number;
}

export interface Subscription {
  id: string;
  triggerOn: string;
  version: string;
  url: string;
}

export interface Account {
  id: string;
  tokens: { token: string; enabled: boolean }[];
  options: AccountOptions;
  /** The personal profile, and the business profile, to which everything else belongs. */
  profiles: [Profile, Profile];
  quotes: Quote[];
  recipients: Recipient[];
  transfers: Transfer[];
  subscriptions: Subscription[];
}

/** Outcomes, and behavior that the documentation leaves open. */
export const DEFAULT_OPTIONS = {
  /** Whether transfers can be funded by API. Forbidden for some accounts, such as those in Brazil. */
  funding: 'allowed' as 'allowed' | 'forbidden',
  /** Whether statements can be read by API. */
  statements: 'allowed' as 'allowed' | 'forbidden',
  /** Whether funding and statements need strong customer authentication (SCA), which only users can complete. */
  sca: 'off' as 'off' | 'refuse',
  /** Status of a response with REJECTED. Wise documents both. */
  rejectedStatus: 201 as 201 | 422,
  /** Error code for an insufficient balance. Wise documents both. */
  insufficientFunds: 'transfer.insufficient_funds' as
    | 'transfer.insufficient_funds'
    | 'balance.payment-option-unavailable',
  /** Format of a created recipient. Unconfirmed. */
  createdRecipient: 'v2' as 'v1' | 'v2',
  /** Whether payment approvals are enabled, which prevents creating transfers by API. */
  paymentApprovals: false,
  /** Outcome of funded transfers: sent, sent and bounced, or unchanged (as in the sandbox). */
  transfers: 'sent' as 'sent' | 'bounced' | 'held',
  /** Delay until a sent payment bounces. */
  bounceMs: 3 * 24 * 60 * 60_000,
};
export type AccountOptions = typeof DEFAULT_OPTIONS;
