/** Options of an account: fees, settings, and behavior that the documentation leaves open. Amounts are in cents. */
export interface AccountOptions {
  /** Each account has its own; the defaults are from a captured sandbox account. `transfer` is for a Pix transfer. */
  fees: { pix: number; boleto: number; cardFixed: number; cardPercent: number; transfer: number };
  /** Minimum value of a charge. Unconfirmed. */
  minCharge: number;
  /** Whether lists include deleted charges. Unconfirmed. */
  listsShowDeleted: boolean;
  /** Whether charges may have a callback. If not, the domain of the account's commercial data differs from that of the callback. */
  callbacks: boolean;
  /** Defect of Pix codes and boletos. */
  artifacts: 'good' | 'bad_crc' | 'bad_digit' | 'wrong_amount' | 'wrong_due_date';
  /** Response for PDF and XML files. */
  files: 'good' | 'redirect' | 'html' | 'large';
  pixKey: boolean;
  /**
   * Transfers of an account without withdrawal validation: rejected because of a missing confirmation code, pending with
   * `authorized: false`, or allowed.
   */
  criticalAuthorization: 'refuse' | 'wait' | 'off';
  /** Returns 409 for the same value to the same key within this time; 0 disables the check. */
  duplicateTransferMinutes: number;
  /** Delay before the withdrawal validation of a transfer, and between its attempts. */
  validationMs: number;
  /** Outcome of authorized transfers. */
  transfers: 'done' | 'failed' | 'blocked' | 'held';
  transferMs: number;
  /** How long refunds stay in progress. */
  refundMs: number;
  /** Whether the withdrawal validation also covers Pix refunds. */
  validatesRefunds: boolean;
  /** Whether a boleto's refund is listed. If not, only the payment's status shows it. Unconfirmed. */
  boletoRefundsListed: boolean;
  /** Whether the fiscal settings exist. */
  fiscalInfo: boolean;
  /** Fiscal settings; null if the API omits them. It is unconfirmed that they contain `useNationalPortal`. */
  simplesNacional: boolean | null;
  useNationalPortal: boolean | null;
  /**
   * First day on which invoices need the codes of IBS and CBS; null: never. Sources agree on 2027-01-01 for Simples Nacional, but only
   * integrators name it, so tests that move the clock have to ask for it.
   */
  ibsCbsRequiredFrom: { normal?: string | null; simples?: string | null };
  /** Number of generated NBS codes in addition to the listed ones. */
  moreNbsCodes: number;
  supportsCancellation: boolean;
  /** Response of the municipality to invoices. */
  invoices: 'authorized' | 'error' | 'held';
  invoiceError: string;
  invoiceMs: number;
  cancellations: 'canceled' | 'denied' | 'held';
  cancellationError: string;
  /** Events that webhooks cannot subscribe to, although they are documented. */
  refusedWebhookEvents: string[];
  /** Member name in events of blocked balances: `balance` in the examples, `balanceData` in the changelog. */
  balanceMember: 'balance' | 'balanceData';
}

export type OptionsOrder = Partial<Omit<AccountOptions, 'fees'>> & { fees?: Partial<AccountOptions['fees']> };

const DEFAULTS: AccountOptions = {
  fees: { pix: 199, boleto: 199, cardFixed: 49, cardPercent: 2.99, transfer: 0 },
  minCharge: 500,
  listsShowDeleted: false,
  callbacks: true,
  artifacts: 'good',
  files: 'good',
  pixKey: true,
  criticalAuthorization: 'refuse',
  duplicateTransferMinutes: 15,
  validationMs: 5000,
  transfers: 'done',
  transferMs: 2000,
  refundMs: 0,
  validatesRefunds: false,
  boletoRefundsListed: true,
  fiscalInfo: true,
  simplesNacional: true,
  useNationalPortal: null,
  ibsCbsRequiredFrom: { normal: '2026-10-01' },
  moreNbsCodes: 0,
  supportsCancellation: true,
  invoices: 'authorized',
  invoiceError: 'E0312: o código do serviço não é administrado pelo município.',
  invoiceMs: 2000,
  cancellations: 'canceled',
  cancellationError: 'E0840: o prazo de cancelamento da nota terminou.',
  refusedWebhookEvents: [],
  balanceMember: 'balance',
};

export const withOptions = (given: OptionsOrder = {}, known: AccountOptions = DEFAULTS): AccountOptions => ({
  ...known,
  ...given,
  fees: { ...known.fees, ...given.fees },
});
