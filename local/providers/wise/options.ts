/** What can be chosen for an account: fees, rates, outcomes, and what the public material leaves open. */
import { z } from 'zod';

const minor = z.int().nonnegative();
const ms = z.int().nonnegative();
const DAY_MS = 24 * 60 * 60_000;

/** Of a way to pay in: so many minor units of the source currency, and a share of the amount. */
const Fee = z.strictObject({ fixed: minor, percent: z.number().nonnegative() });

const Fees = z.strictObject({
  balance: Fee.prefault({ fixed: 31, percent: 0.43 }),
  bankTransfer: Fee.prefault({ fixed: 62, percent: 0.51 }),
  /** Added where the money goes by SWIFT. */
  swift: minor.default(425),
  /** Added once a recipient is tied to the quote: before that no fee is final. */
  withRecipient: minor.default(15),
});

/** Units of each currency for one US dollar. Only these currencies exist. */
const RATES = {
  USD: 1,
  EUR: 0.9213,
  GBP: 0.7851,
  BRL: 5.4237,
  CAD: 1.3712,
  AUD: 1.5243,
  MXN: 18.421,
  INR: 84.137,
  JPY: 151.27,
  THB: 34.215,
};

export const AccountOptions = z.strictObject({
  fees: Fees.prefault({}),
  rates: z.record(z.string(), z.number().positive()).default(RATES),
  /** For how long a quote holds its rate; it expires after 30 minutes. */
  rateHeldMs: ms.default(DAY_MS),
  /** Whether transfers may be funded by API: not those of accounts in Brazil, for one. */
  funding: z.enum(['allowed', 'forbidden']).default('allowed'),
  /** The same for statements. */
  statements: z.enum(['allowed', 'forbidden']).default('allowed'),
  /**
   * Strong customer authentication of funding and statements: none; `refuse`, where only people can give it; `sign`, where
   * the one-time token comes back signed with the key that was uploaded.
   */
  sca: z.enum(['off', 'refuse', 'sign']).default('off'),
  /** Status of an answer that says REJECTED. The vendor's pages show both. */
  rejectedStatus: z.union([z.literal(201), z.literal(422)]).default(201),
  /** What a balance that is too small is called there. The vendor's pages show both. */
  insufficientFunds: z
    .enum(['transfer.insufficient_funds', 'balance.payment-option-unavailable'])
    .default('transfer.insufficient_funds'),
  /** Shape of refusals of funding. Unconfirmed. */
  fundingErrors: z.enum(['errors', 'problem']).default('errors'),
  /** What `sourceValue` of a transfer is: what is converted, as in the vendor's examples, or that and the fee. */
  sourceValue: z.enum(['converted', 'total']).default('converted'),
  /** Shape of a recipient that is made, outside `/v1`. Unconfirmed. */
  createdRecipient: z.enum(['v1', 'v2']).default('v2'),
  /** Whether approvals of payments are switched on, with which no transfer can be made by API. */
  paymentApprovals: z.boolean().default(false),
  /** What becomes of funded transfers: sent, sent and come back, or left as they are (as in the sandbox). */
  transfers: z.enum(['sent', 'bounced', 'held']).default('sent'),
  /** Between the states of a transfer. */
  stepMs: ms.default(2000),
  /** After which time a payment that was sent comes back. */
  bounceMs: ms.default(3 * DAY_MS),
  /** After which time the money is returned, of what bounced or was cancelled. */
  refundMs: ms.default(DAY_MS),
  failureReason: z.string().default('WRONG_ACCOUNT_NUMBER'),
  /** Transfers that nobody funds are cancelled then. Other pages of the vendor say ten working days. */
  fundWithinMs: ms.default(14 * DAY_MS),
  /** Share of a payment by SWIFT that banks keep when it comes back. */
  swiftReturnPercent: z.number().min(0).max(100).default(0),
  /** Whether the steps of `/simulation` take a moment, as they do there. */
  simulationMs: ms.default(0),
  /** Whether an address is tried by a test notification before it is registered. */
  testNotification: z.boolean().default(true),
  /** What `X-Delivery-Id` names: the delivery with all its attempts, or each attempt. Unconfirmed. */
  deliveryIds: z.enum(['delivery', 'attempt']).default('delivery'),
  /** Order of a statement. Unconfirmed. */
  statementOrder: z.enum(['newest_first', 'oldest_first']).default('newest_first'),
  /** Requests that are taken within so many seconds. Unconfirmed. */
  rateLimit: z
    .strictObject({ requests: z.int().positive(), seconds: z.int().positive() })
    .default({ requests: 1000, seconds: 60 }),
});
export type AccountOptions = z.output<typeof AccountOptions>;
