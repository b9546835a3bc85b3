/** Options of an account: fees, rates, outcomes, and behavior that the documentation leaves open. */
import { z } from 'zod';

const minor = z.int().nonnegative();
const ms = z.int().nonnegative();
const DAY_MS = 24 * 60 * 60_000;

/** Fee of a pay-in method: minor units of the source currency plus a percentage of the amount. */
const Fee = z.strictObject({ fixed: minor, percent: z.number().nonnegative() });

const Fees = z.strictObject({
  balance: Fee.prefault({ fixed: 31, percent: 0.43 }),
  bankTransfer: Fee.prefault({ fixed: 62, percent: 0.51 }),
  /** Added for SWIFT payouts. */
  swift: minor.default(425),
  /** Added when the quote has a recipient. Fees before that are estimates. */
  withRecipient: minor.default(15),
});

/** Units of each currency for one US dollar. Other currencies are not supported. */
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
  /** How long a quote guarantees its rate; the quote itself expires after 30 minutes. */
  rateHeldMs: ms.default(DAY_MS),
  /** Whether transfers can be funded by API. Forbidden for some accounts, such as those in Brazil. */
  funding: z.enum(['allowed', 'forbidden']).default('allowed'),
  /** Whether statements can be read by API. */
  statements: z.enum(['allowed', 'forbidden']).default('allowed'),
  /**
   * Strong customer authentication (SCA) for funding and statements. `off`: none. `refuse`: only users can complete it. `sign`: the
   * client returns the one-time token, signed with the uploaded key.
   */
  sca: z.enum(['off', 'refuse', 'sign']).default('off'),
  /** Status of a response with REJECTED. Wise documents both. */
  rejectedStatus: z.union([z.literal(201), z.literal(422)]).default(201),
  /** Error code for an insufficient balance. Wise documents both. */
  insufficientFunds: z
    .enum(['transfer.insufficient_funds', 'balance.payment-option-unavailable'])
    .default('transfer.insufficient_funds'),
  /** Format of funding errors. Unconfirmed. */
  fundingErrors: z.enum(['errors', 'problem']).default('errors'),
  /** `sourceValue` of a transfer: the converted amount, as in Wise's examples, or including the fee. */
  sourceValue: z.enum(['converted', 'total']).default('converted'),
  /** Format of a created recipient outside `/v1`. Unconfirmed. */
  createdRecipient: z.enum(['v1', 'v2']).default('v2'),
  /** Whether payment approvals are enabled, which prevents creating transfers by API. */
  paymentApprovals: z.boolean().default(false),
  /** Outcome of funded transfers: sent, sent and bounced, or unchanged (as in the sandbox). */
  transfers: z.enum(['sent', 'bounced', 'held']).default('sent'),
  /** Delay between the states of a transfer. */
  stepMs: ms.default(2000),
  /** Delay until a sent payment bounces. */
  bounceMs: ms.default(3 * DAY_MS),
  /** Delay until the money of a bounced or canceled transfer is refunded. */
  refundMs: ms.default(DAY_MS),
  failureReason: z.string().default('WRONG_ACCOUNT_NUMBER'),
  /** Unfunded transfers are canceled after this time. Other pages of Wise say ten working days. */
  fundWithinMs: ms.default(14 * DAY_MS),
  /** Percentage that banks keep of a bounced SWIFT payment. */
  swiftReturnPercent: z.number().min(0).max(100).default(0),
  /** Delay of `/simulation` steps, which are not immediate at Wise. */
  simulationMs: ms.default(0),
  /** Whether a URL must accept a test notification before it is registered. */
  testNotification: z.boolean().default(true),
  /** Scope of `X-Delivery-Id`: the delivery with all attempts, or each attempt. Unconfirmed. */
  deliveryIds: z.enum(['delivery', 'attempt']).default('delivery'),
  /** Order of a statement. Unconfirmed. */
  statementOrder: z.enum(['newest_first', 'oldest_first']).default('newest_first'),
  /** Rate limit per number of seconds. Unconfirmed. */
  rateLimit: z
    .strictObject({ requests: z.int().positive(), seconds: z.int().positive() })
    .default({ requests: 1000, seconds: 60 }),
});
export type AccountOptions = z.output<typeof AccountOptions>;
