/** Options of an account: fees, settings, and behavior that the documentation leaves open. Amounts are in cents. */
const DEFAULT_OPTIONS = {
  /** Each account has its own; the defaults are from a captured sandbox account. `transfer` is for a Pix transfer. */
  fees: { pix: 199, boleto: 199, cardFixed: 49, cardPercent: 2.99, transfer: 0 },
  /** Minimum value of a charge. Unconfirmed. */
  minCharge: 500,
  /** Whether lists include deleted charges. Unconfirmed. */
  listsShowDeleted: false,
  /** Whether charges may have a callback. If not, the domain of the account's commercial data differs from that of the callback. */
  callbacks: true,
  /** Defect of Pix codes and boletos. */
  artifacts: 'good' as 'good' | 'bad_crc' | 'bad_digit' | 'wrong_amount' | 'wrong_due_date',
  /** Response for PDF and XML files. */
  files: 'good' as 'good' | 'redirect' | 'html' | 'large',
  pixKey: true,
  /**
   * Transfers of an account without withdrawal validation: rejected because of a missing confirmation code, pending with
   * `authorized: false`, or allowed.
   */
  criticalAuthorization: 'refuse' as 'refuse' | 'wait' | 'off',
  /** Returns 409 for the same value to the same key within this time; 0 disables the check. */
  duplicateTransferMinutes: 15,
  /** Delay before the withdrawal validation of a transfer, and between its attempts. */
  validationMs: 5000,
  /** Outcome of authorized transfers. */
  transfers: 'done' as 'done' | 'failed' | 'blocked' | 'held',
  transferMs: 2000,
  /** How long refunds stay in progress. */
  refundMs: 0,
  /** Whether the withdrawal validation also covers Pix refunds. */
  validatesRefunds: false,
  /** Whether a boleto's refund is listed. If not, only the payment's status shows it. Unconfirmed. */
  boletoRefundsListed: true,
  /** Whether the fiscal settings exist. */
  fiscalInfo: true,
  /** Fiscal settings; null if the API omits them. It is unconfirmed that they contain `useNationalPortal`. */
  simplesNacional: true as boolean | null,
  useNationalPortal: null as boolean | null,
  /**
   * First day on which invoices need the codes of IBS and CBS; null: never. Sources agree on 2027-01-01 for Simples Nacional, but only
   * integrators name it, so tests that move the clock have to ask for it.
   */
  ibsCbsRequiredFrom: { normal: '2026-10-01' } as { normal?: string | null; simples?: string | null },
  /** Number of generated NBS codes in addition to the listed ones. */
  moreNbsCodes: 0,
  supportsCancellation: true,
  /** Response of the municipality to invoices. */
  invoices: 'authorized' as 'authorized' | 'error' | 'held',
  invoiceError: 'E0312: o código do serviço não é administrado pelo município.',
  invoiceMs: 2000,
  cancellations: 'canceled' as 'canceled' | 'denied' | 'held',
  cancellationError: 'E0840: o prazo de cancelamento da nota terminou.',
  /** Events that webhooks cannot subscribe to, although they are documented. */
  refusedWebhookEvents: [] as string[],
  /** Member name in events of blocked balances: `balance` in the examples, `balanceData` in the changelog. */
  balanceMember: 'balance' as 'balance' | 'balanceData',
};
export type AccountOptions = typeof DEFAULT_OPTIONS;

export type OptionsOrder = Partial<Omit<AccountOptions, 'fees'>> & { fees?: Partial<AccountOptions['fees']> };

export const withOptions = (
  given: OptionsOrder = {},
  known: AccountOptions = DEFAULT_OPTIONS,
): AccountOptions => ({
  ...known,
  ...given,
  fees: { ...known.fees, ...given.fees },
});
