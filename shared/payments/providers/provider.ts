// What a payment provider does for us, whichever it is. Every order carries our own id as its reference, which makes it
// safe to send again where a provider deduplicates, and possible to look up where it does not.
import type { AdjustmentReason, ProviderName } from './names.ts';

export type PaymentMethod =
  | 'pix'
  | 'boleto'
  | 'bolepix'
  | 'card'
  | 'ach_debit'
  | 'sepa_debit'
  | 'bank_transfer';

/** What orders are for; statement lines and events are about one of them. */
export type OrderKind = 'charge' | 'payout' | 'tax_document';

/** Who is charged, as the caller named them. */
export interface Customer {
  /** ISO 3166-1 alpha-2. */
  country: string;
  name: string;
  email: string;
  /** BR: CPF or CNPJ without punctuation. */
  taxId: string | undefined;
  phone: string | undefined;
}

export interface ChargeOrder {
  /** Our invoice id. */
  reference: string;
  /** The provider's id of the charge, once it is known. */
  providerReference: string | undefined;
  /** When we began it: nothing of it is older at the provider. */
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
  returnUrl: string | undefined;
}

/** What the payer needs; members by method. */
export interface Artifact {
  pix?: { payload: string };
  /** `pdfUrl`: the provider's own PDF, where it has one; fetched once and served as ours. */
  boleto?: { digitableLine: string; barcode: string; pdfUrl?: string };
  /** A page of the provider's on which the payer pays: of cards, debits and bank transfers. */
  checkout?: { url: string };
}

/** A state as the provider reports it, in our words. `at` orders reports of one order. */
export interface ProviderState {
  /** One of the resource's states (`states.ts`). A state that is unknown to the adapter is reported as the one before it. */
  status: string;
  at: Date;
  /** All that the provider kept for itself of this order so far, in minor units; often known only afterwards. */
  feeMinor: number | undefined;
  /** When the funds settle, `YYYY-MM-DD`. */
  availableOn: string | undefined;
  /** Why it failed, in the provider's words. */
  reason: string | undefined;
}

/**
 * All that came and went of an order for one reason so far, beside the charge or payout itself: signed minor units of the
 * change of our balance at the provider. A total, and not a change: told twice or out of order it comes to the same.
 * A total of 0 takes back what was entered for that reason; reasons that are not named stay as they are.
 */
export interface AdjustmentTotal {
  reason: AdjustmentReason;
  currency: string;
  amountMinor: number;
}

/** What a provider says of an order of ours. */
export interface OrderReport {
  providerReference: string;
  state: ProviderState;
  adjustments?: AdjustmentTotal[];
}

export interface AcceptedCharge extends OrderReport {
  artifact: Artifact;
}

/** A payout in our words; `details` is what came in as `beneficiary` (payouts/schema.ts). */
export interface PayoutOrder {
  /** Our payout id. */
  reference: string;
  /** The provider's id of the transfer, once it is known. */
  providerReference: string | undefined;
  /** When we began it: nothing of it is older at the provider. */
  createdAt: Date;
  amountMinor: number;
  currency: string;
  /** PIX cashouts are final once accepted; international transfers pass through more states. */
  kind: 'pix' | 'international';
  beneficiary: Beneficiary;
  /** What people see of it at the provider, such as our number of it. */
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

/** What a payout that waits to be funded by people needs from them. */
export interface FundingNeeded {
  sourceAmountMinor: number;
  sourceCurrency: string;
  /** What the bank transfer must name. */
  reference: string;
  fundBy: Date | undefined;
}

export interface PayoutReport extends OrderReport {
  /** While it waits to be funded. */
  funding?: FundingNeeded | undefined;
  /** What its provider did not give back of one that failed: a fee, where it was never paid. */
  kept?: { currency: string; amountMinor: number } | undefined;
}

export interface TaxDocumentOrder {
  /** Our tax document id. */
  reference: string;
  /** The tenant that issues it; real providers know their account's owner. */
  issuer: { tenantId: string; name: string; timeZone: string };
  /** The provider's id of the document, once it is known. */
  providerReference: string | undefined;
  serviceCode: string;
  amountMinor: number;
  description: string;
  customer: Customer;
  /** The invoice, where the same account has it. */
  charge: { reference: string; providerReference: string } | undefined;
  /** The day on which it is issued, `YYYY-MM-DD` of the tenant's time zone. */
  effectiveOn: string;
}

export interface TaxDocumentReport {
  providerReference: string;
  status: 'pending' | 'issued' | 'failed' | 'canceled';
  /** Why it failed, in the city's words. */
  reason: string | undefined;
  /** Whether a cancellation was asked for and not decided. */
  cancelPending: boolean;
  /** The city's words when it refused to cancel it. */
  cancelRefused: string | undefined;
  issued: IssuedTaxDocument | undefined;
}

/** A document as the city has it, where the provider and not we make its files. */
export interface IssuedTaxDocument {
  number: string;
  /** What it is looked up by at the tax authority. */
  accessKey: string;
  /** Addresses for `fetchFile`. */
  pdfUrl: string;
  xmlUrl: string;
}

/** What somebody who calls our callback told us, proved and in our words: what to look at, never what to believe. */
export interface ProviderEvent {
  /** The provider's own id of the event: the same event may come more than once. */
  eventId: string;
  type: string;
  /** Nothing where it concerns nothing of ours: it is kept and ignored. */
  about: EventSubject | undefined;
}

export type EventSubject =
  | { kind: OrderKind; reference: string | undefined; providerReference: string | undefined }
  /** The account itself: its key, its balance, its documents. */
  | { kind: 'account' };

/** What can be asked of an account. Each null, or why not, in plain words with what to set up. */
export interface Capabilities {
  pix: string | null;
  boleto: string | null;
  card: string | null;
  payout: string | null;
  tax_document: string | null;
  /** Taking tax documents back. */
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
  /** The one of the account's own currency first. */
  balances: Balance[];
}

export interface WebhookReport {
  /** The provider's id of it. */
  reference: string;
  state: 'active' | 'paused';
  /** Whether it was found paused, and started again: what happened meanwhile may not have been told. */
  revived?: boolean;
  /** What proves deliveries, where the provider and not we chose it; given only when the webhook was made. */
  secret: string | undefined;
}

/** An order as a provider lists it, with all that a look at it alone would say. */
export interface ListedOrder {
  /** As we named it; undefined where it was made by somebody else, such as in the provider's panel. */
  reference: string | undefined;
  providerReference: string;
  /** Of a charge or payout. */
  report?: PayoutReport | undefined;
  /**
   * Whether the provider may have more under the same reference, such as a second payment, that this report does not count: then it
   * changes nothing that was entered, and the order is looked at by itself.
   */
  inPart?: boolean | undefined;
  /** Of a tax document. */
  taxDocument?: TaxDocumentReport | undefined;
}

/** A movement of the balance as the provider's statement has it. */
export interface StatementLine {
  /** The provider's own id of it. */
  id: string;
  at: Date;
  currency: string;
  /** Signed: the change of the balance. */
  amountMinor: number;
  /** Whose movement it is, where it is of an order. */
  order: { kind: 'charge' | 'payout'; providerReference: string } | undefined;
  /** What an adjustment for it is called where it is of no order. */
  reason: AdjustmentReason;
  description: string;
}

export interface Page<T> {
  items: T[];
  /** For the next page; undefined on the last one. */
  next: string | undefined;
}

/** Takes charges. */
export interface ChargePort {
  create(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge>;
  /** The charge with this reference, if the provider has one. Never makes anything. */
  find(order: ChargeOrder, signal: AbortSignal): Promise<AcceptedCharge | undefined>;
  /** What became of a charge, without its artifact. */
  read(order: ChargeOrder, signal: AbortSignal): Promise<OrderReport | undefined>;
  /** Sees that nobody can pay it any more. Gives false when it is too late, because it was paid. Repeatable. */
  cancel(order: ChargeOrder, signal: AbortSignal): Promise<boolean>;
}

/** Pays out. */
export interface PayoutPort {
  /**
   * Whether a payout whose outcome is unknown may be sent again at once, because the provider takes it for the same one, or only
   * after looking for it twice.
   */
  retryPolicy: 'at_once' | 'after_two_looks';
  create(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport>;
  /** The payout with this reference, if the provider has one. */
  find(order: PayoutOrder, signal: AbortSignal): Promise<PayoutReport | undefined>;
  /** Gives false when it is too late. Repeatable. */
  cancel(order: PayoutOrder, signal: AbortSignal): Promise<boolean>;
}

/** Issues tax documents. */
export interface TaxDocumentPort {
  /** Issues it if not already issued. */
  issue(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
  find(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport | undefined>;
  /** Asks the city to take it back; what it decides may come later. Repeatable. */
  cancel(order: TaxDocumentOrder, signal: AbortSignal): Promise<TaxDocumentReport>;
}

/**
 * A provider, for one account: it has a port for each thing that it does. Each method may throw `ProviderRejected`, `ProviderKeyRefused`,
 * `ProviderBusy`, `ProviderOutcomeUnknown` and `InvalidOrder`. The signal says that nobody waits any more: what asks more than once looks at it
 * before it sends.
 */
export interface PaymentProvider {
  name: ProviderName;
  charges?: ChargePort;
  payouts?: PayoutPort;
  taxDocuments?: TaxDocumentPort;
  /** A file of the provider's, where it has some. Refuses addresses that are not its own. */
  fetchFile?(url: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** Each throws `ProviderRejected` where the provider does no such thing. */
export const chargesOf = (provider: PaymentProvider): ChargePort =>
  provider.charges ?? cannot(provider, 'takes no charges');
export const payoutsOf = (provider: PaymentProvider): PayoutPort =>
  provider.payouts ?? cannot(provider, 'sends no payouts');
export const taxDocumentsOf = (provider: PaymentProvider): TaxDocumentPort =>
  provider.taxDocuments ?? cannot(provider, 'issues no tax documents');
export const fetchProviderFile = async (
  provider: PaymentProvider,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array> => await (provider.fetchFile?.(url, signal) ?? cannot(provider, 'keeps no files'));

function cannot({ name }: PaymentProvider, what: string): never {
  throw new ProviderRejected(`${name[0]?.toUpperCase()}${name.slice(1)} ${what}.`);
}

/** A provider with whom a tenant has an account of its own. */
export interface ConnectedProvider extends PaymentProvider {
  /** What the account can do. */
  inspectAccount(signal: AbortSignal): Promise<AccountReport>;
  /** Makes or repairs our webhook there, so that it is the only one at this address and not paused. */
  ensureWebhook(webhook: WebhookOrder, signal: AbortSignal): Promise<WebhookReport>;
  /** Takes our webhook away. Repeatable. */
  removeWebhook(webhook: WebhookOrder, signal: AbortSignal): Promise<void>;

  /** Whether a delivery is the provider's own. In constant time as far as secrets are compared. */
  proves(headers: Headers, body: Uint8Array): Promise<boolean>;
  /** What a proved delivery says. Throws for what is no event. */
  readEvents(headers: Headers, body: Uint8Array): ProviderEvent[];

  /**
   * Our reference of what an event is about where the event names neither that nor the charge, payout or document itself, such as a
   * refund that names a payment of the charge.
   */
  resolve?(providerReference: string, signal: AbortSignal): Promise<string | undefined>;

  /** Orders of a kind that were made or changed since then, in pages. */
  listOrders(
    kind: OrderKind,
    since: Date,
    page: string | undefined,
    signal: AbortSignal,
  ): Promise<Page<ListedOrder>>;
  /** Movements of the balance since then, in pages, each once. */
  listStatement(since: Date, page: string | undefined, signal: AbortSignal): Promise<Page<StatementLine>>;
  readBalances(signal: AbortSignal): Promise<Balance[]>;
}

export interface WebhookOrder {
  /** Our address. */
  url: string;
  /** What deliveries must carry, where the provider takes what we choose. */
  secret: string;
  /** Whom the provider writes to about it. */
  email: string;
  /** The provider's id of it, once it is known. */
  reference: string | undefined;
}

/** An account of a tenant's at a provider, with what it takes to call it. Neither logged nor answered. */
export interface ProviderAccount {
  /** `pacc_...`. */
  id: string;
  tenantId: string;
  provider: Exclude<ProviderName, 'sandbox'>;
  key: string;
  /** What proves deliveries; null before the webhook is registered. */
  webhookSecret: string | null;
  /** As `admin.connect_<provider>` took them. */
  settings: Record<string, unknown>;
}

/** The providers of this deployment. */
export interface Providers {
  /** Who has an order: the sandbox, or the provider of the account. Throws 501 for what is not here any more. */
  of(order: { provider: string }, account: ProviderAccount | null): Promise<PaymentProvider>;
  connect(account: ProviderAccount): Promise<ConnectedProvider>;
}

/** The provider said no: nothing was done. */
export class ProviderRejected extends Error {
  override readonly name: string = 'ProviderRejected';
}

/** The provider does not take the account's key any more: nothing was done. */
export class ProviderKeyRefused extends Error {
  override readonly name = 'ProviderKeyRefused';
}

/** The provider said that it does nothing for now, such as after too many requests. */
export class ProviderBusy extends Error {
  override readonly name = 'ProviderBusy';
  /** When to ask again, where it said so. */
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, retryAfterSeconds?: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The provider said nothing in time: it may have done it. Look it up before sending it again. */
export class ProviderOutcomeUnknown extends Error {
  override readonly name = 'ProviderOutcomeUnknown';
}

/** The order lacks what this provider needs, or has what it cannot take: nothing was done. */
export class InvalidOrder extends Error {
  override readonly name = 'InvalidOrder';
  /** Members of the request and the rule of each, such as `customer.tax_id`. */
  readonly faults: readonly { field: string; message: string }[];
  constructor(faults: readonly { field: string; message: string }[]) {
    super(faults.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.faults = faults;
  }
}
