/** Options of an account: fees, activated features, and behavior that the documentation leaves open. */
import { z } from 'zod';

export const METHODS = ['card', 'us_bank_account', 'sepa_debit', 'customer_balance'] as const;
export type Method = (typeof METHODS)[number];

const minor = z.int().nonnegative();
const ms = z.int().nonnegative();
const days = z.int().nonnegative();

/** `percent` of the amount plus `fixed` in minor units, at most `max`. */
const Fee = z.strictObject({
  percent: z.number().nonnegative().default(0),
  fixed: minor.default(0),
  max: minor.nullable().default(null),
});
export type Fee = z.output<typeof Fee>;

const perMethod = <T extends z.ZodType>(schema: T, defaults: Record<Method, z.output<T>>) =>
  z.strictObject({
    card: schema.prefault(defaults.card as never),
    us_bank_account: schema.prefault(defaults.us_bank_account as never),
    sepa_debit: schema.prefault(defaults.sepa_debit as never),
    customer_balance: schema.prefault(defaults.customer_balance as never),
  });

const fee = (percent: number, fixed: number, max: number | null = null): Fee => ({ percent, fixed, max });

const CapabilityState = z.enum(['active', 'inactive', 'pending']).default('active');

export const AccountOptions = z.strictObject({
  /** Each account has its own fees; those for cards are of a US account. All are unconfirmed. */
  fees: perMethod(Fee, {
    card: fee(2.9, 30),
    us_bank_account: fee(0.8, 0, 500),
    sepa_debit: fee(0, 35),
    customer_balance: fee(0.5, 0, 500),
  }).prefault({}),
  /** Charged for each dispute. */
  disputeFee: minor.default(1500),
  /** Whether the fee is returned for a won dispute, as in some countries. Unconfirmed. */
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
  /** How long bank debits are processing; null: seconds with a test key, 4 and 5 business days with a live key. */
  processingMs: ms.nullable().default(null),
  /** Delay between a charge's success and its balance transaction with `charge.updated`; 0: at the same time. */
  balanceTransactionMs: ms.default(1000),
  /** Whether a bank debit has a balance transaction while it is processing. Unconfirmed. */
  entryOfPending: z.boolean().default(false),
  /** Exchange rates to the account's currency. Other currencies are kept on separate balances. */
  exchangeRates: z.record(z.string(), z.number().positive()).default({}),
  /** Business days from the start of the payment until its money is available. Confirmed only for cards. */
  availableAfterDays: perMethod(days, {
    card: 2,
    us_bank_account: 4,
    sepa_debit: 5,
    customer_balance: 1,
  }).prefault({}),
  /** Minimum amounts by currency. Override those of `currencies.ts`. */
  minAmounts: z.record(z.string(), minor).default({}),
  /** Whether refunds wait because the balance is too low. They move no money until they are concluded. */
  refundsWaitForFunds: z.boolean().default(false),
  /** Whether refunds of bank transfers accept `instructions_email`. Unconfirmed. */
  refundInstructions: z.boolean().default(true),
  /** How long refunds to banks are pending. */
  bankRefundMs: ms.default(5000),
  /** Days to respond to a dispute. */
  disputeDays: days.default(9),
  payouts: z.enum(['daily', 'manual']).default('daily'),
  /** Days until a payout arrives. */
  payoutDays: days.default(2),
  /** Whether a completed session's intent that waits for a bank transfer can be canceled. According to the reference, it cannot. */
  cancelCompletedIntents: z.boolean().default(false),
  /** Rate limit per second of real time; null: none. Stripe allows 25 with a test key and 100 with a live key. */
  requestsPerSecond: z.int().positive().nullable().default(null),
  /** Defect of event signatures: none, wrong secret, or ten minutes old. */
  signatures: z.enum(['good', 'wrong', 'old']).default('good'),
});
export type AccountOptions = z.output<typeof AccountOptions>;
