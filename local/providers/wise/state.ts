/** State of a Wise account (one user with its tokens). Amounts are in minor units; times are Unix times in milliseconds. */
import type { AccountOptions } from './options.ts';

export interface Profile {
  id: number;
  type: 'PERSONAL' | 'BUSINESS';
  name: string;
  balances: Balance[];
}

export interface Balance {
  id: number;
  currency: string;
  createdAtMs: number;
  /** Oldest first. */
  entries: Entry[];
}

/** An entry of a statement. */
export interface Entry {
  number: number;
  atMs: number;
  /** Negative for outgoing money. Includes fees. */
  amount: number;
  fee: number;
  running: number;
  type: 'TRANSFER' | 'CONVERSION' | 'MONEY_ADDED' | 'DEPOSIT' | 'BALANCE_ADJUSTMENT' | 'UNKNOWN';
  description: string;
  referenceNumber: string;
  /** Only for transfers. */
  recipient: { name: string; bankAccount: string } | null;
  paymentReference: string | null;
  exchange: {
    from: { currency: string; minor: number };
    to: { currency: string; minor: number };
    rate: number;
  } | null;
}

export type PayIn = 'BALANCE' | 'BANK_TRANSFER';
export type PayOut = 'BANK_TRANSFER' | 'SWIFT' | 'SWIFT_OUR';

export interface Quote {
  id: string;
  profile: number;
  sourceCurrency: string;
  targetCurrency: string;
  providedAmountType: 'SOURCE' | 'TARGET';
  /** In the currency of its side. */
  amount: number;
  preferredPayIn: PayIn;
  payOut: PayOut;
  rate: number;
  createdAtMs: number;
  targetAccount: number | null;
  transferNature: string | null;
  status: 'PENDING' | 'ACCEPTED' | 'FUNDED';
}

export interface Recipient {
  id: number;
  profile: number;
  accountHolderName: string;
  currency: string;
  type: string;
  country: string | null;
  active: boolean;
  ownedByCustomer: boolean;
  /** By form key: `address.city`, not nested. */
  details: Record<string, string>;
}

export interface Payment {
  id: number;
  method: PayIn;
  /** Including the fee. */
  amount: number;
  fee: number;
  atMs: number;
}

export interface Transfer {
  id: number;
  profile: number;
  targetAccount: number;
  quoteUuid: string;
  customerTransactionId: string;
  details: Record<string, string>;
  createdAtMs: number;
  sourceCurrency: string;
  targetCurrency: string;
  /** The converted amount, without the fee. */
  converted: number;
  targetValue: number;
  rate: number;
  payOut: PayOut;
  /** The last one is the current state. Any text, since Wise may add states. */
  states: string[];
  activeCases: string[];
  /** Under manual review, so it cannot be canceled. */
  underReview: boolean;
  payments: Payment[];
  /** Attempts to fund the transfer that were rejected. */
  rejectedPayments: Payment[];
  refunded: number;
}

export interface Subscription {
  id: string;
  profile: number;
  name: string;
  triggerOn: string;
  version: string;
  url: string;
  createdAtMs: number;
}

export interface Account {
  id: string;
  /** Numeric id of the user. */
  user: number;
  tokens: { token: string; enabled: boolean }[];
  options: AccountOptions;
  profiles: Profile[];
  quotes: Quote[];
  recipients: Recipient[];
  transfers: Transfer[];
  subscriptions: Subscription[];
  sca: {
    /** PEM of the uploaded key. */
    publicKey: string | null;
    tokens: { token: string; expiresAtMs: number }[];
    /** Until then, low-risk requests need no new proof. */
    sessionUntilMs: number;
  };
  window: { startedAtMs: number; used: number };
}
