// The interface that every payment provider implements. Each order carries our id as its reference, so that it can be resent to
// providers that deduplicate, and looked up at those that do not.
import type { CustomerAddress } from '../requests/address.ts';
import type { DueTerms } from './due-terms.ts';
import type { AdjustmentReason, ProviderName } from './names.ts';

export type PaymentMethod =
  | 'pix'
  | 'boleto'
  | 'bolepix'
  | 'card'
  | 'ach_debit'
  | 'sepa_debit'
  | 'bank_transfer';

/** The kinds of orders. Statement lines and events refer to one of them. */
export type OrderKind = 'charge' | 'payout' | 'tax_document';

/** The customer to charge, as provided by the caller. */
export interface Customer {
  /** ISO 3166-1 alpha-2. */
  country: string;
  name: string;
  email: string;
  /** BR: CPF or CNPJ without punctuation. */
  taxId: string | undefined;
  phone: string | undefined;
  address?: CustomerAddress | undefined;
}

export interface ChargeOrder {
  /** Our invoice id. */
  reference: string;
  /** The provider's id of the charge, once known. */
  providerReference: string | undefined;
  /** When we created the invoice. The charge cannot be older at the provider. */
  createdAt: Date;
  /** Minor units. */
  amountMinor: number;
  currency: string;
  region: string;
  method: PaymentMethod;
  description: string;
  customer: Customer;
  /** When the artifact stops being payable. */
  expiresAt: Date;
  /** For an invoice with a due date. */
  due?: DueTerms | undefined;
  /** The payer's day, once known. */
  paidOn?: string | undefined;
  /** The provider's ids of later payment pages. `providerReference` is the first one. */
  laterReferences?: readonly string[] | undefined;
  returnUrl: string | undefined;
}

/** Payment instructions for the payer. The members depend on the method. */
export interface Artifact {
  pix?: { payload: string };
  /** `pdfUrl`: the provider's PDF, if any. It is downloaded once and served from our storage. */
  boleto?: { digitableLine: string; barcode: string; pdfUrl?: string };
  /** A hosted payment page for cards, debits and bank transfers. */
  checkout?: { url: string };
}

/** A reported state, mapped to our states. `at` orders the reports of an order. */
export interface ProviderState {
  /** One of the resource's states (`states.ts`). Adapters report an unknown state as the preceding one. */
  status: string;
  at: Date;
  /** Total provider fees of this order so far, in minor units. Often known only later. */
  feeMinor: number | undefined;
  /** When the funds settle, `YYYY-MM-DD`. */
  availableOn: string | undefined;
  /** The payer's day, `YYYY-MM-DD`, if the provider says so. */
  paidOn?: string | undefined;
  /** The provider's failure message. */
  reason: string | undefined;
  /** How a Brazilian charge was paid, if known. A boleto with a PIX code can be paid either way. */
  paidBy?: 'pix' | 'boleto' | undefined;
}

/**
 * The total of an order's balance changes for one reason, excluding the charge or payout itself, in signed minor units. Reporting
 * totals instead of changes makes duplicate and out-of-order reports harmless. A total of 0 reverses the earlier entries for
 * the reason. Reasons that a report omits stay unchanged.
 */
export interface AdjustmentTotal {
  reason: AdjustmentReason;
  currency: string;
  amountMinor: number;
}

/** The state of one of our orders at the provider. */
export interface OrderReport {
  providerReference: string;
  state: ProviderState;
  adjustments?: AdjustmentTotal[];
  /** The refunds of a charge. Refunds that a report omits stay unchanged. */
  refunds?: RefundReport[];
  /** The chargebacks of a charge. Those that a report omits stay unchanged. */
  disputes?: DisputeReport[];
}

/** A refund of a charge at the provider. */
export interface RefundReport {
  /** Identifies the refund among those of its order, for ever. Absent if the provider does not list the refund yet. */
  key?: string;
  /** Our refund id. Undefined for refunds made at the provider. */
  reference?: string | undefined;
  /** Whether the provider could not store our id, so that the refund may be the one in progress. */
  isAnonymous?: boolean | undefined;
  status: 'pending' | 'succeeded' | 'failed';
  amountMinor: number;
  /** The provider's description, of a refund made there. */
  description?: string | undefined;
  pendingReason?: PendingReason | undefined;
  /** Page on which the payer completes the refund. */
  actionUrl?: string | undefined;
  failureReason?: string | undefined;
  settledAt?: Date | undefined;
  /** Signed change of the balance, once it has moved. */
  moved?: Balance | undefined;
  /** Signed change of the balance when a failed refund came back. */
  returned?: Balance | undefined;
  /** When the change of the balance settles, `YYYY-MM-DD`. Default: on the day of the report. */
  availableOn?: string | undefined;
}

/** What a pending refund waits for. */
export const pendingReasons = [
  'processing',
  'insufficient_funds',
  'charge_pending',
  'waiting_for_payer',
] as const;
export type PendingReason = (typeof pendingReasons)[number];

/** A chargeback of a charge. */
export interface DisputeReport {
  /** The provider's id of the chargeback. */
  providerReference: string;
  status: 'open' | 'won' | 'lost';
  amountMinor: number;
  openedAt?: Date | undefined;
}

/** A refund to send. */
export interface RefundOrder {
  /** Our refund id. */
  reference: string;
  amountMinor: number;
  reason: string | undefined;
}

export interface AcceptedCharge extends OrderReport {
  artifact: Artifact;
}

/** A payout to send. `beneficiary` has the format of the request (payouts/schema.ts). */
export interface PayoutOrder {
  /** Our payout id. */
  reference: string;
  /** The provider's id of the transfer, once known. */
  providerReference: string | undefined;
  /** When we created the payout. The transfer cannot be older at the provider. */
  createdAt: Date;
  amountMinor: number;
  currency: string;
  /** PIX cashouts are final once accepted; international transfers pass through more states. */
  kind: 'pix' | 'international';
  beneficiary: Beneficiary;
  /** Shown at the provider, for example the contractor's reference. */
  description: string;
}

export interface Beneficiary {
  name: string;
  document: string;
  /** E.164. */
  phone: string;
  email?: string | undefined;
  type?: 'person' | 'business' | undefined;
  address?:
    | {
        line1?: string | undefined;
        city?: string | undefined;
        state?: string | undefined;
        postal_code?: string | undefined;
        country?: string | undefined;
      }
    | undefined;
  bank_account:
    | { type: 'pix'; key_type: 'cpf' | 'cnpj' | 'email' | 'phone' | 'evp'; key: string }
    | {
        type: 'bank_transfer';
        country: string;
        iban?: string | undefined;
        account_number?: string | undefined;
        routing_number?: string | undefined;
        account_type?: 'checking' | 'savings' | undefined;
        bic?: string | undefined;
      };
}

/** The bank transfer that funds a payout manually. */
export interface FundingNeeded {
  sourceAmountMinor: number;
  sourceCurrency: string;
  /** The reference that the bank transfer must carry. */
  reference: string;
  fundBy: Date | undefined;
}

export interface PayoutReport extends OrderReport {
  /** Present while the payout waits for funding. */
  funding?: FundingNeeded | undefined;
  /** The part of a failed payout that the provider did not return. It is a fee if the payout was never paid. */
  kept?: { currency: string; amountMinor: number } | undefined;
}

/** Taxes of a document in the format of the request. Rates are percentages. Absent members are not set. */
export interface DocumentTaxes {
  retain_iss?: boolean | undefined;
  iss?: number | undefined;
  /** Withheld by the customer, like the next four. */
  pis?: number | undefined;
  cofins?: number | undefined;
  csll?: number | undefined;
  inss?: number | undefined;
  ir?: number | undefined;
  /** Situation of PIS and COFINS. */
  pis_cofins_cst?: string | undefined;
  /** The issuer's own rates. */
  operation_pis?: number | undefined;
  operation_cofins?: number | undefined;
  /** Codes of IBS and CBS. Orders have the NBS code as nine digits. */
  nbs_code?: string | undefined;
  tax_situation_code?: string | undefined;
  tax_classification_code?: string | undefined;
  operation_indicator_code?: string | undefined;
}

export interface TaxDocumentOrder {
  /** Our tax document id. */
  reference: string;
  /** The issuing tenant. Only the sandbox uses it: real providers know the account's owner. */
  issuer: { tenantId: string; name: string; timeZone: string };
  /** The provider's id of the document, once known. */
  providerReference: string | undefined;
  serviceCode: string;
  /** The taxes to send: everything that applies on the issue date and nothing else. */
  taxes: DocumentTaxes;
  amountMinor: number;
  description: string;
  customer: Customer;
  /** The charge of the invoice, if it belongs to the same account. */
  charge: { reference: string; providerReference: string } | undefined;
  /** Issue date, `YYYY-MM-DD` in the tenant's time zone. */
  effectiveOn: string;
}

export interface TaxDocumentReport {
  providerReference: string;
  status: 'pending' | 'issued' | 'failed' | 'canceled';
  /** The municipality's failure message. */
  reason: string | undefined;
  /** Whether a cancellation was requested but not decided yet. */
  cancelPending: boolean;
  /** The municipality's message when it rejected the cancellation. */
  cancelRefused: string | undefined;
  issued: IssuedTaxDocument | undefined;
}

/** A document issued by the municipality, with files from the provider. */
export interface IssuedTaxDocument {
  number: string;
  /** The key for looking the document up at the tax authority. */
  accessKey: string;
  /** URLs for `fetchFile`. */
  pdfUrl: string;
  xmlUrl: string;
  taxes: IssuedTaxes;
}

/** IBS and CBS of an issued document in the format of responses: percentages, and amounts in minor units. Null if not known. */
export interface IssuedTaxes {
  state_ibs_percent: number | null;
  state_ibs_amount: number | null;
  municipal_ibs_percent: number | null;
  municipal_ibs_amount: number | null;
  cbs_percent: number | null;
  cbs_amount: number | null;
}

/** A kind of codes of IBS and CBS: the member of `DocumentTaxes` that has such a code. */
export type FiscalCodeKind =
  | 'nbs_code'
  | 'tax_situation_code'
  | 'tax_classification_code'
  | 'operation_indicator_code';

/** The codes of a kind that a provider knows. */
export interface FiscalCodeList {
  codes: { code: string; description: string | null }[];
  /** False if the list goes on after these codes. */
  isComplete: boolean;
}

/** Whether the issuer is in Simples Nacional. */
export type TaxRegime = 'simples' | 'normal' | 'unknown';

/** A verified event of a provider. It only identifies the resource to look up; its data is never trusted. */
export interface ProviderEvent {
  /** The provider's id of the event, used for deduplication. */
  eventId: string;
  type: string;
  /** Undefined for events that concern none of our resources. They are stored and ignored. */
  about: EventSubject | undefined;
}

export type EventSubject =
  | { kind: OrderKind; reference: string | undefined; providerReference: string | undefined }
  /** Balance that was blocked or unblocked because of a charge. */
  | ({ kind: 'balance' } & BalanceEvent)
  /** The account itself: its API key, balance or documents. */
  | { kind: 'account' };

export interface BalanceEvent {
  change: 'blocked' | 'unblocked';
  /** The provider's reason, such as `PIX_INFRACTION`. */
  type: string;
  amountMinor: number;
  currency: string;
  /** The charge. */
  providerReference: string;
  /** The day of the event at the provider, `YYYY-MM-DD`. */
  day: string;
}

/** The capabilities of an account. Null if available, otherwise a message with the reason and what to set up. */
export interface Capabilities {
  pix: string | null;
  boleto: string | null;
  card: string | null;
  payout: string | null;
  tax_document: string | null;
  /** Cancellation of issued tax documents. */
  tax_document_cancellation: string | null;
  ach_debit: string | null;
  sepa_debit: string | null;
  bank_transfer: string | null;
}

export interface Balance {
  currency: string;
  amountMinor: number;
}

export interface AccountReport {
  capabilities: Capabilities;
  /** The balance in the account's own currency comes first. */
  balances: Balance[];
  /** Set for accounts that issue tax documents. `nationalPortal`: null if the provider does not say. */
  fiscal?: { regime: TaxRegime; nationalPortal: boolean | null } | undefined;
}

export interface WebhookReport {
  /** The provider's id of the webhook. */
  reference: string;
  state: 'active' | 'paused';
  /** Whether the webhook was paused and has been resumed. Events sent during the pause may be missing. */
  revived?: boolean;
  /** The signing secret, if the provider generates it. Present only when the webhook was created. */
  secret: string | undefined;
  /** Why the provider rejected the webhook with all events, so that it has only the core events. */
  warning?: string | undefined;
}

/** An order in a provider's list, with the same data as an individual lookup. */
export interface ListedOrder {
  /** Our id. Undefined for orders created elsewhere, such as in the provider's dashboard. */
  reference: string | undefined;
  providerReference: string;
  /** Set for charges and payouts. */
  report?: PayoutReport | undefined;
  /**
   * Whether the provider may have more under the same reference, such as a second payment, that this report omits. Such a report
   * changes no ledger entries, and the order is looked up individually.
   */
  isPartial?: boolean | undefined;
  /** Set for tax documents. */
  taxDocument?: TaxDocumentReport | undefined;
}

/** A movement of the balance in the provider's statement. */
export interface StatementLine {
  /** The provider's id of the movement. */
  id: string;
  at: Date;
  currency: string;
  /** Change of the balance, signed. */
  amountMinor: number;
  /** The order that the movement belongs to, if any; `reference` is our id, if the provider knows it. */
  order: { kind: 'charge' | 'payout'; providerReference: string; reference?: string | undefined } | undefined;
  /** The provider's type of a movement of the account that may block or unblock balance. */
  type?: string | undefined;
  /** The charge that such a movement names, in the provider's ids. */
  namedReference?: string | undefined;
  /** The reason of the adjustment that is entered if the movement belongs to no order. */
  reason: AdjustmentReason;
  /** The reason of the adjustment that is entered if the order's report does not cover it. Absent if reports always cover it. */
  orderReason?: AdjustmentReason | undefined;
  description: string;
}

export interface Page<T> {
  items: T[];
  /** Cursor of the next page. Undefined on the last page. */
  next: string | undefined;
}

/** Operations on charges. */
export interface ChargePort {
  create(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge>;
  /** Finds the charge with this reference. Never creates anything. */
  find(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge | undefined>;
  /** Reads the state of a charge, without its artifact. */
  read(order: ChargeOrder, signal: AbortSignal): Promise<OrderReport | undefined>;
  /** Makes the charge unpayable. Returns false if it is already paid. Idempotent. */
  cancel(order: ChargeOrder, signal: AbortSignal): Promise<boolean>;
  /** For providers whose payment pages expire sooner than charges can. */
  pages?: PagePort;
}

/** Operations on the payment pages of a charge, of which at most one is open. */
export interface PagePort {
  /** The state of the charge's last page. */
  read(order: ChargeOrder, signal: AbortSignal): Promise<PageState>;
  /** Makes the n-th page after all earlier ones expired. The same `page` makes the same page. */
  renew(order: ChargeOrder, page: NewPage, signal: AbortSignal): Promise<{ reference: string; url: string }>;
}

export type PageState = { status: 'open'; url: string } | { status: 'paid' | 'in_transit' | 'expired' };

export interface NewPage {
  /** The first page is 1. */
  n: number;
  /** When the page was first asked for. Its end is counted from here. */
  madeAt: Date;
}

/** Operations on refunds of charges. */
export interface RefundPort {
  /** Sends a refund, once. Throws `RefundRejected` and `ProviderRejected` only if the provider certainly did nothing. */
  create(charge: ChargeOrder, refund: RefundOrder, signal: AbortSignal): Promise<RefundReport>;
  /** Finds a refund that may have been sent. Never moves money. */
  find(charge: ChargeOrder, refund: RefundOrder, signal: AbortSignal): Promise<RefundReport | undefined>;
}

/** Operations on payouts. */
export interface PayoutPort {
  /**
   * How to resend a payout whose outcome is unknown: `at_once` if the provider deduplicates, otherwise only after two lookups did
   * not find it.
   */
  retryPolicy: 'at_once' | 'after_two_looks';
  create(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport>;
  /** Finds the payout with this reference. */
  find(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport | undefined>;
  /** Returns false if the payout can no longer be canceled. Idempotent. */
  cancel(order: PayoutOrder, signal: AbortSignal): Promise<boolean>;
}

/** Operations on tax documents. */
export interface TaxDocumentPort {
  /** Issues the document if it is not already issued. */
  issue(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
  find(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport | undefined>;
  /** Requests the cancellation at the municipality, which may decide later. Idempotent. */
  cancel(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
}

/**
 * A provider connected to one account, with a port for each supported kind of order. Methods throw `ProviderRejected`,
 * `ProviderKeyRejected`, `ProviderBusy`, `ProviderOutcomeUnknown` and `InvalidOrder`. The signal aborts when the caller stops waiting:
 * methods that send several requests check it before each one.
 */
export interface PaymentProvider {
  name: ProviderName;
  charges?: ChargePort;
  refunds?: RefundPort;
  payouts?: PayoutPort;
  taxDocuments?: TaxDocumentPort;
  /** Downloads a file from the provider. Rejects URLs of other hosts. */
  fetchFile?(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** These throw `ProviderRejected` if the provider does not support the operation. */
export const chargesOf = (provider: PaymentProvider): ChargePort =>
  provider.charges ?? cannot(provider, 'does not support charges');
export const refundsOf = (provider: PaymentProvider): RefundPort =>
  provider.refunds ?? cannot(provider, 'does not support refunds');
export const payoutsOf = (provider: PaymentProvider): PayoutPort =>
  provider.payouts ?? cannot(provider, 'does not support payouts');
export const taxDocumentsOf = (provider: PaymentProvider): TaxDocumentPort =>
  provider.taxDocuments ?? cannot(provider, 'does not issue tax documents');
export const fetchProviderFile = async (
  provider: PaymentProvider,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array> =>
  await (provider.fetchFile?.(url, signal) ?? cannot(provider, 'does not provide files'));

function cannot({ name }: PaymentProvider, what: string): never {
  throw new ProviderRejected(`${name[0]?.toUpperCase()}${name.slice(1)} ${what}.`);
}

/** A provider at which the tenant has its own account. */
export interface ConnectedProvider extends PaymentProvider {
  /** Reads the capabilities and balances of the account. */
  inspectAccount(signal: AbortSignal): Promise<AccountReport>;
  /** Creates or repairs our webhook at the provider, so that exactly one active webhook has this URL. */
  ensureWebhook(webhook: WebhookOrder, signal: AbortSignal): Promise<WebhookReport>;
  /** Deletes our webhook at the provider. Idempotent. */
  removeWebhook(webhook: WebhookOrder, signal: AbortSignal): Promise<void>;

  /** Whether the provider sent a delivery. Compares secrets in constant time. */
  verifyDelivery(headers: Headers, body: Uint8Array): Promise<boolean>;
  /** Whether the provider may have sent a delivery with these headers. Checked before the body is read. */
  mayBeFromProvider(headers: Headers): boolean;
  /** Parses the events of a verified delivery. Throws if the body is not a valid event. */
  readEvents(headers: Headers, body: Uint8Array): ProviderEvent[];

  /**
   * Resolves our reference from a related provider id, for events that carry neither our reference nor the order's own id, such as
   * a refund that carries only a payment id.
   */
  resolve?(providerReference: string, signal: AbortSignal): Promise<string | undefined>;

  /** Lists the orders of a kind that were created or changed since then. */
  listOrders(
    kind: OrderKind,
    since: Date,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Page<ListedOrder>>;
  /** Lists the balance movements since then, each once. */
  listStatement(since: Date, page: string | undefined, signal: AbortSignal): Promise<Page<StatementLine>>;
  readBalances(signal: AbortSignal): Promise<Balance[]>;
  /** Reads a list of codes of IBS and CBS. */
  readFiscalCodes?(kind: FiscalCodeKind, signal: AbortSignal): Promise<FiscalCodeList>;
}

export interface WebhookOrder {
  /** Our callback URL. */
  url: string;
  /** The secret that authenticates deliveries, if the provider accepts one that we generate. */
  secret: string;
  /** Contact address for notices about the webhook. */
  email: string;
  /** The provider's id of the webhook, once known. */
  reference: string | undefined;
  /** Registers only the core events, because the provider rejected all events less than a day ago. */
  onlyCoreEvents?: boolean;
}

/** A tenant's account at a provider, with its credentials. Never log or return it. */
export interface ProviderAccount {
  /** `pacc_...`. */
  id: string;
  tenantId: string;
  provider: Exclude<ProviderName, 'sandbox'>;
  key: string;
  /** Secret that verifies deliveries. Null until the webhook is registered. */
  webhookSecret: string | null;
  /** The settings passed to `admin.connect_<provider>`. */
  settings: Record<string, unknown>;
}

/** The providers of this deployment. */
export interface Providers {
  /** The provider of an order: the sandbox or the account's provider. Throws 501 if the account is no longer connected. */
  of(order: { provider: string }, account: ProviderAccount | null): Promise<PaymentProvider>;
  connect(account: ProviderAccount): Promise<ConnectedProvider>;
}

/** The provider rejected the request. Nothing was done. */
export class ProviderRejected extends Error {
  override readonly name: string = 'ProviderRejected';
}

/** The provider cannot refund the invoice, for a reason that callers can tell apart. Nothing was done. */
export class RefundRejected extends ProviderRejected {
  override readonly name = 'RefundRejected';
  readonly code: 'insufficient_balance' | 'refund_window_expired';
  constructor(code: RefundRejected['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The provider rejects the account's API key. Nothing was done. */
export class ProviderKeyRejected extends Error {
  override readonly name = 'ProviderKeyRejected';
}

/** The provider is temporarily refusing requests, for example because of rate limiting. Nothing was done. */
export class ProviderBusy extends Error {
  override readonly name = 'ProviderBusy';
  /** Seconds until a retry, if the provider specified it. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The provider did not respond in time and may have executed the request. Look the order up before sending it again. */
export class ProviderOutcomeUnknown extends Error {
  override readonly name = 'ProviderOutcomeUnknown';
}

/** The same, because the provider sent no response or one with a 5xx status. Several in a row make its account failing. */
export class ProviderUnreachable extends ProviderOutcomeUnknown {}

/** The order lacks a field that this provider requires, or has an unsupported value. Nothing was done. */
export class InvalidOrder extends Error {
  override readonly name = 'InvalidOrder';
  /** Invalid request fields, such as `customer.tax_id`, each with the violated rule. */
  readonly faults: readonly { field: string; message: string }[];
  constructor(faults: readonly { field: string; message: string }[]) {
    super(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.faults = faults;
  }
}
