/** What can be chosen for an account: its fees, what is set up there, and what the public material leaves open. */
import { z } from 'zod';

const cents = z.int().nonnegative();

/** Fees in cents. They are each account's own; these are the ones of a captured sandbox account. */
const Fees = z.strictObject({
  pix: cents.default(199),
  boleto: cents.default(199),
  cardFixed: cents.default(49),
  cardPercent: z.number().nonnegative().default(2.99),
  /** Of a transfer by Pix. */
  transfer: cents.default(0),
  /** Of an authorized NFS-e. */
  invoice: cents.default(0),
  /** Of what a collection agency brought in. */
  dunning: cents.default(0),
});

export const AccountOptions = z.strictObject({
  fees: Fees.prefault({}),
  /** `pay_1_...`, whose digit is any, since 2026-11, or `pay_` and sixteen characters. */
  idFormat: z.enum(['new', 'old']).default('new'),
  /** Public addresses with one more segment since 2026-09, or without. */
  publicPaths: z.enum(['new', 'old']).default('new'),
  /** The least value of a charge. Unconfirmed. */
  leastCharge: cents.default(500),
  /** Whether lists show removed charges. Unconfirmed. */
  listsShowDeleted: z.boolean().default(false),
  /** Whether a boleto paid by its Pix code shows `PIX` from then on. Unconfirmed. */
  bolepixBecomesPix: z.boolean().default(true),
  /**
   * The domain in the account's commercial data, to which payers are sent back: another one refuses a charge, and so does
   * null. `*` stands for any.
   */
  site: z.string().nullable().default('*'),
  /** What is wrong with Pix codes and boletos: nothing, a check sum, a check digit, the amount in the barcode. */
  artifacts: z.enum(['good', 'bad_crc', 'bad_digit', 'wrong_amount']).default('good'),
  /** What comes instead of PDF and XML files: a redirect to another host, HTML, or more than 11 MiB. */
  files: z.enum(['good', 'redirect', 'html', 'large']).default('good'),
  /** Whether a Pix key of its own exists; without one a partner's QR code is given, good until the day's end. */
  pixKey: z.boolean().default(true),
  /**
   * A transfer of an account without withdrawal validation: refused for want of a confirmation code, waiting with
   * `authorized: false`, or let through.
   */
  criticalAuthorization: z.enum(['refuse', 'wait', 'off']).default('refuse'),
  /** The same value to the same destination within so many minutes is a 409; 0 allows it. */
  duplicateTransferMinutes: z.int().nonnegative().default(15),
  /** Time between attempts of the withdrawal validation. Unconfirmed. */
  validationRetryMs: z.int().positive().default(5000),
  /** What becomes of transfers that were authorized. */
  transfers: z.enum(['done', 'failed', 'blocked', 'held']).default('done'),
  transferFailReason: z.string().default('A conta do recebedor não foi encontrada.'),
  transferMs: z.int().nonnegative().default(2000),
  /** Pix keys that nobody has. */
  unknownPixKeys: z.array(z.string()).default([]),
  /** How the statement calls transfers by Pix. Unconfirmed. */
  transferEntries: z.enum(['PIX_TRANSACTION', 'TRANSFER']).default('PIX_TRANSACTION'),
  /** For how long refunds are in progress. */
  refundMs: z.int().nonnegative().default(0),
  /** Whether the fiscal set-up exists. */
  fiscalInfo: z.boolean().default(true),
  supportsCancellation: z.boolean().default(true),
  /** What the city says to invoices. */
  invoices: z.enum(['authorized', 'error', 'held']).default('authorized'),
  invoiceError: z.string().default('E0312: o código do serviço não é administrado pelo município.'),
  /** The schema wants `municipalServiceName`, whose description says that the code stands in for it. */
  municipalServiceNameRequired: z.boolean().default(true),
  invoiceMs: z.int().nonnegative().default(2000),
  cancellations: z.enum(['canceled', 'denied', 'held']).default('canceled'),
  cancellationError: z.string().default('E0840: o prazo de cancelamento da nota terminou.'),
  /** Member of the events of blocked balances: examples show `balance`, the changelog says `balanceData`. */
  balanceMember: z.enum(['balance', 'balanceData']).default('balance'),
  /** Requests of each endpoint that are taken within so many seconds. Asaas names no figures. */
  endpointLimit: z
    .strictObject({ requests: z.int().positive(), seconds: z.int().positive() })
    .default({ requests: 1000, seconds: 60 }),
  /** Requests taken within 12 hours. */
  quota: z.int().positive().default(25_000),
});
export type AccountOptions = z.output<typeof AccountOptions>;
