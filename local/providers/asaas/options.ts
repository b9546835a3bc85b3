/** Options of an account: fees, settings, and behavior that the documentation leaves open. */
import { z } from 'zod';

const cents = z.int().nonnegative();

/** Fees in cents. Each account has its own; the defaults are from a captured sandbox account. */
const Fees = z.strictObject({
  pix: cents.default(199),
  boleto: cents.default(199),
  cardFixed: cents.default(49),
  cardPercent: z.number().nonnegative().default(2.99),
  /** For a Pix transfer. */
  transfer: cents.default(0),
  /** For an authorized NFS-e. */
  invoice: cents.default(0),
  /** For money collected by a collection agency. */
  dunning: cents.default(0),
});

export const AccountOptions = z.strictObject({
  fees: Fees.prefault({}),
  /** `pay_1_...` with any digit (since 2026-11), or `pay_` and sixteen characters. */
  idFormat: z.enum(['new', 'old']).default('new'),
  /** Public URLs with (since 2026-09) or without an additional segment. */
  publicPaths: z.enum(['new', 'old']).default('new'),
  /** Minimum value of a charge. Unconfirmed. */
  minCharge: cents.default(500),
  /** Whether lists include deleted charges. Unconfirmed. */
  listsShowDeleted: z.boolean().default(false),
  /** Whether a boleto paid by its Pix code then has the type `PIX`. Unconfirmed. */
  bolepixBecomesPix: z.boolean().default(true),
  /**
   * The domain in the account's commercial data. Charges whose callback has another domain are rejected; null rejects all
   * callbacks, `*` accepts any.
   */
  site: z.string().nullable().default('*'),
  /** Defect of Pix codes and boletos: none, wrong checksum, wrong check digit, wrong amount or due date in the barcode. */
  artifacts: z.enum(['good', 'bad_crc', 'bad_digit', 'wrong_amount', 'wrong_due_date']).default('good'),
  /** Response for PDF and XML files: the file, a redirect to another host, HTML, or more than 11 MiB. */
  files: z.enum(['good', 'redirect', 'html', 'large']).default('good'),
  /** Whether the account has its own Pix key. Without one, it gets a partner's QR code that expires at the end of the day. */
  pixKey: z.boolean().default(true),
  /**
   * Transfers of an account without withdrawal validation: rejected because of a missing confirmation code, pending with
   * `authorized: false`, or allowed.
   */
  criticalAuthorization: z.enum(['refuse', 'wait', 'off']).default('refuse'),
  /** Returns 409 for the same value to the same destination within this time; 0 disables the check. */
  duplicateTransferMinutes: z.int().nonnegative().default(15),
  /** Delay before the withdrawal validation of a transfer. */
  validationMs: z.int().nonnegative().default(5000),
  /** Delay between attempts of the withdrawal validation. Unconfirmed. */
  validationRetryMs: z.int().positive().default(5000),
  /** Outcome of authorized transfers. */
  transfers: z.enum(['done', 'failed', 'blocked', 'held']).default('done'),
  transferFailReason: z.string().default('A conta do recebedor não foi encontrada.'),
  transferMs: z.int().nonnegative().default(2000),
  /** Pix keys that do not exist. */
  unknownPixKeys: z.array(z.string()).default([]),
  /** Statement type of Pix transfers. Unconfirmed. */
  transferEntries: z.enum(['PIX_TRANSACTION', 'TRANSFER']).default('PIX_TRANSACTION'),
  /** The spelling of the filter of transfers by day that the account's API version knows. It ignores the other one. */
  transferFilter: z.enum(['both', 'dateCreated', 'dateCreatedLe']).default('both'),
  /** How long refunds stay in progress. */
  refundMs: z.int().nonnegative().default(0),
  /** Whether the withdrawal validation also covers Pix refunds. */
  validatesRefunds: z.boolean().default(false),
  /** Whether a boleto's refund is listed. If not, only the payment's status shows it. Unconfirmed. */
  boletoRefundsListed: z.boolean().default(true),
  /** Whether the fiscal settings exist. */
  fiscalInfo: z.boolean().default(true),
  /** The content of the fiscal settings; null if the API omits it. It is unconfirmed that they contain `useNationalPortal`. */
  simplesNacional: z.boolean().nullable().default(true),
  useNationalPortal: z.boolean().nullable().default(null),
  /**
   * First day on which invoices need the codes of IBS and CBS; null: never. Sources agree on 2027-01-01 for Simples Nacional, but only
   * integrators name it, so tests that move the clock have to ask for it.
   */
  ibsCbsRequiredFrom: z
    .strictObject({
      normal: z.string().nullable().default('2026-10-01'),
      simples: z.string().nullable().default(null),
    })
    .prefault({}),
  /** Number of generated NBS codes in addition to the listed ones. */
  moreNbsCodes: z.int().nonnegative().default(0),
  supportsCancellation: z.boolean().default(true),
  /** Response of the municipality to invoices. */
  invoices: z.enum(['authorized', 'error', 'held']).default('authorized'),
  invoiceError: z.string().default('E0312: o código do serviço não é administrado pelo município.'),
  /** The schema requires `municipalServiceName`, although its description says that the code can replace it. */
  municipalServiceNameRequired: z.boolean().default(true),
  invoiceMs: z.int().nonnegative().default(2000),
  cancellations: z.enum(['canceled', 'denied', 'held']).default('canceled'),
  cancellationError: z.string().default('E0840: o prazo de cancelamento da nota terminou.'),
  /** Events that webhooks cannot subscribe to, although they are documented. */
  refusedWebhookEvents: z.array(z.string()).default([]),
  /** Member name in events of blocked balances: `balance` in the examples, `balanceData` in the changelog. */
  balanceMember: z.enum(['balance', 'balanceData']).default('balance'),
  /** Rate limit per endpoint and number of seconds. Asaas publishes no numbers. */
  endpointLimit: z
    .strictObject({ requests: z.int().positive(), seconds: z.int().positive() })
    .default({ requests: 1000, seconds: 60 }),
  /** Request limit per 12 hours. */
  quota: z.int().positive().default(25_000),
});
export type AccountOptions = z.output<typeof AccountOptions>;
