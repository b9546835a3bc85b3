/** What an account (one user of Wise, with its tokens) holds. Amounts are minor units of their currency; times are Unix times in ms. */
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

/** A line of a statement. */
export interface Entry {
  number: number;
  atMs: number;
  /** What goes out is negative, fees included. */
  amount: number;
  fee: number;
  running: number;
  type: 'TRANSFER' | 'CONVERSION' | 'MONEY_ADDED' | 'DEPOSIT' | 'BALANCE_ADJUSTMENT' | 'UNKNOWN';
  description: string;
  referenceNumber: string;
  /** Of a transfer. */
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
  /** In the currency of that side. */
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
  /** By the keys of the form: `address.city`, not nested. */
  details: Record<string, string>;
}

export interface Payment {
  id: number;
  method: PayIn;
  /** With the fee. */
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
  /** What is converted: without the fee. */
  converted: number;
  targetValue: number;
  rate: number;
  payOut: PayOut;
  /** The present one is the last. Any text, since the vendor may add some. */
  states: string[];
  activeCases: string[];
  /** Held by people: it can't be cancelled. */
  underReview: boolean;
  payments: Payment[];
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
  /** Number of the user. */
  user: number;
  tokens: { token: string; enabled: boolean }[];
  options: AccountOptions;
  profiles: Profile[];
  quotes: Quote[];
  recipients: Recipient[];
  transfers: Transfer[];
  subscriptions: Subscription[];
  sca: {
    /** PEM of the key that was uploaded. */
    publicKey: string | null;
    tokens: { token: string; expiresAtMs: number }[];
    /** Until when what is of lower risk needs no further proof. */
    sessionUntilMs: number;
  };
  window: { startedAtMs: number; used: number };
}
