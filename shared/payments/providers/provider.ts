// The interface that every payment provider implements: a port for each kind of order that it supports (charge-port.ts, refund-port.ts,
// payout-port.ts, tax-document-port.ts). Each order carries our id as its reference, so that it can be resent to providers that
// deduplicate, and looked up at those that do not. What each error guarantees: errors.ts.

import type {
  AccountReport,
  FiscalCodeKind,
  FiscalCodeList,
  ListedOrder,
  Page,
  ProviderAccount,
  ProviderEvent,
  StatementLine,
  WebhookOrder,
  WebhookReport,
} from './accounts.ts';
import type { ChargePort } from './charge-port.ts';
import { ProviderRejected } from './errors.ts';
import type { Balance, OrderKind } from './order-report.ts';
import type { PayoutPort } from './payout-port.ts';
import type { RefundPort } from './refund-port.ts';
import type { TaxDocumentPort } from './tax-document-port.ts';

/**
 * A provider connected to one account, with a port for each supported kind of order. Methods throw `ProviderRejected`,
 * `ProviderKeyRejected`, `ProviderBusy`, `ProviderOutcomeUnknown` and `InvalidOrder`. The signal aborts when the caller stops waiting:
 * methods that send several requests check it before each one.
 */
export interface PaymentProvider {
  name: string;
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

/** The providers of this deployment. */
export interface Providers {
  /** The provider of an order: the sandbox or the account's provider. Throws 501 if the account is no longer connected. */
  of(order: { provider: string }, account: ProviderAccount | null): Promise<PaymentProvider>;
  connect(account: ProviderAccount): Promise<ConnectedProvider>;
}
