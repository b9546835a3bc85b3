/** What can be chosen for an account: its fees, what is active there, and what the public material leaves open. */
import { z } from 'zod';

export const METHODS = ['card', 'us_bank_account', 'sepa_debit', 'customer_balance'] as const;
export type Method = (typeof METHODS)[number];

const minor = z.int().nonnegative();
const ms = z.int().nonnegative();
const days = z.int().nonnegative();

/** `percent` of the amount and `fixed` in minor units, at most `most`. */
const Fee = z.strictObject({
  percent: z.number().nonnegative().default(0),
  fixed: minor.default(0),
  most: minor.nullable().default(null),
});
export type Fee = z.output<typeof Fee>;

const perMethod = <T extends z.ZodType>(schema: T, defaults: Record<Method, z.output<T>>) =>
  z.strictObject({
    card: schema.prefault(defaults.card as never),
    us_bank_account: schema.prefault(defaults.us_bank_account as never),
    sepa_debit: schema.prefault(defaults.sepa_debit as never),
    customer_balance: schema.prefault(defaults.customer_balance as never),
  });

const fee = (percent: number, fixed: number, most: number | null = null): Fee => ({ percent, fixed, most });

const CapabilityState = z.enum(['active', 'inactive', 'pending']).default('active');

export const AccountOptions = z.strictObject({
  /** Each account has its own; the ones of a card are those of a US account. Unconfirmed, all of them. */
  fees: perMethod(Fee, {
    card: fee(2.9, 30),
    us_bank_account: fee(0.8, 0, 500),
    sepa_debit: fee(0, 35),
    customer_balance: fee(0.5, 0, 500),
  }).prefault({}),
  /** Taken with each dispute. */
  disputeFee: minor.default(1500),
  /** Whether a won dispute brings its fee back, as in some countries. Unconfirmed. */
  disputeFeeReturned: z.boolean().default(false),
  /** For a bank debit that fails. */
  failureFee: minor.default(0),
  capabilities: z
    .strictObject({
      card_payments: CapabilityState,
      us_bank_account_ach_payments: CapabilityState,
      sepa_debit_payments: CapabilityState,
      sepa_bank_transfer_payments: CapabilityState,
      us_bank_transfer_payments: CapabilityState,
      transfers: CapabilityState,
    })
    .prefault({}),
  chargesEnabled: z.boolean().default(true),
  payoutsEnabled: z.boolean().default(true),
  /** For how long bank debits are processing; null: seconds with a test key, 4 and 5 business days with a live one. */
  processingMs: ms.nullable().default(null),
  /** The balance transaction comes so much after a charge succeeded, with `charge.updated`; 0: with the charge. */
  balanceTransactionMs: ms.default(1000),
  /** Whether a bank debit has its balance transaction while it is still processing. Unconfirmed. */
  entryOfPending: z.boolean().default(false),
  /** What one of a currency is in the account's own; what is not named is kept on a balance of its own. */
  exchangeRates: z.record(z.string(), z.number().positive()).default({}),
  /** Business days until money of a method is available, from the payment's beginning. Unconfirmed but for card. */
  availableAfterDays: perMethod(days, {
    card: 2,
    us_bank_account: 4,
    sepa_debit: 5,
    customer_balance: 1,
  }).prefault({}),
  /** Least amounts by currency, over those of `currencies.ts`. */
  leastAmounts: z.record(z.string(), minor).default({}),
  /** For how long refunds to banks are pending. */
  bankRefundMs: ms.default(5000),
  /** Days that a dispute can be answered. */
  disputeDays: days.default(9),
  payouts: z.enum(['daily', 'manual']).default('daily'),
  /** Days that a payout is on its way. */
  payoutDays: days.default(2),
  /** Whether the intent of a completed session that waits for a bank transfer can be canceled. Refused by the reference. */
  cancelCompletedIntents: z.boolean().default(false),
  /** Requests taken within a real second; null: no limit. Stripe has 25 with a test key and 100 with a live one. */
  requestsPerSecond: z.int().positive().nullable().default(null),
  /** What is wrong with the signature of events: nothing, the secret, or ten minutes of age. */
  signatures: z.enum(['good', 'wrong', 'old']).default('good'),
});
export type AccountOptions = z.output<typeof AccountOptions>;
