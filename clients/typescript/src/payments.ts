/** Payments only: invoices, refunds, tax documents, payouts and the ledger. */

import { signing } from './core/authorizers.ts';
import { type FeedPage, feedOf } from './core/feeds.ts';
import { toJson } from './core/json.ts';
import type { BodyOf, ItemOf, QueryOf, ResponseOf } from './core/operations.ts';
import type { CallOptions, KeyOptions } from './core/options.ts';
import { type List, paged, part, queryText } from './core/pages.ts';
import { Transport } from './core/transport.ts';
import type { paths } from './generated/payments.ts';

export type { FeedPage } from './core/feeds.ts';
export type { CallOptions, Hooks, KeyOptions, RequestInfo } from './core/options.ts';
export type { List } from './core/pages.ts';
export * from './errors.ts';

type Invoices = paths['/payments/invoices'];
type Refunds = paths['/payments/invoices/{id}/refunds'];
type TaxDocuments = paths['/payments/invoices/{id}/tax-documents'];
type Payouts = paths['/payments/payouts'];
type Entries = paths['/payments/balance-transactions'];

export type Invoice = ResponseOf<paths['/payments/invoices/{id}']['get']>;
export type NewInvoice = BodyOf<Invoices['post']>;
export type Refund = ResponseOf<paths['/payments/invoices/{id}/refunds/{refund_id}']['get']>;
export type NewRefund = NonNullable<BodyOf<Refunds['post']>>;
export type TaxDocument = ResponseOf<paths['/payments/invoices/{id}/tax-documents/{doc_id}']['get']>;
export type NewTaxDocument = BodyOf<TaxDocuments['post']>;
export type Payout = ResponseOf<paths['/payments/payouts/{id}']['get']>;
export type NewPayout = BodyOf<Payouts['post']>;
export type BalanceTransaction = ResponseOf<paths['/payments/balance-transactions/{id}']['get']>;
export type Balance = ResponseOf<paths['/payments/balance']['get']>;
export type Capabilities = ResponseOf<paths['/payments/capabilities']['get']>;
type Events = paths['/payments/events'];
export type PaymentEvent = ItemOf<Events['get']>;
type Webhooks = paths['/payments/webhooks'];
type WebhookPath = paths['/payments/webhooks/{id}'];
type ReplayPath = paths['/payments/webhooks/{id}/replay'];
type Deliveries = paths['/payments/webhooks/{id}/deliveries'];

export type PaymentWebhook = ResponseOf<WebhookPath['get']>;

export type NewPaymentWebhook = BodyOf<Webhooks['post']>;
export type PaymentWebhookWithSecret = ResponseOf<Webhooks['post']>;
export type PaymentDelivery = ResponseOf<paths['/payments/webhooks/{id}/deliveries/{delivery_id}']['get']>;
type Cancellation = NonNullable<BodyOf<paths['/payments/invoices/{id}/cancel']['post']>>;

export interface WriteOptions extends CallOptions {
  /** Your own key, stored with the decision to send the request. Default: a random key, used for all retries of the call. */
  idempotencyKey?: string;
}

/** Sends payment requests. Response types come from the OpenAPI document. */
class Payments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get<Answer>(path: string, options?: CallOptions): Promise<Answer> {
    const request = { method: 'GET', target: `/payments${path}`, repeatable: true };
    return (await this.#transport.json(request, options)) as Answer;
  }

  async post<Answer>(path: string, body: unknown, options: WriteOptions = {}): Promise<Answer> {
    const { idempotencyKey = crypto.randomUUID(), ...call } = options;
    const request = {
      method: 'POST',
      target: `/payments${path}`,
      body: toJson(body),
      headers: { 'Idempotency-Key': idempotencyKey },
      repeatable: true,
    };
    return (await this.#transport.json(request, call)) as Answer;
  }

  async feed<Event>(query: object, options?: CallOptions): Promise<FeedPage<Event>> {
    const page = await this.get<{ data: Event[]; has_more: boolean; next_cursor: string }>(
      `/events${queryText(query)}`,
      options,
    );
    return { events: page.data, nextCursor: page.next_cursor, hasMore: page.has_more };
  }

  async patch<Answer>(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    const request = {
      method: 'PATCH',
      target: `/payments${path}`,
      body: toJson(body),
      repeatable: true,
    };
    return (await this.#transport.json(request, options)) as Answer;
  }

  async delete(path: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', target: `/payments${path}`, repeatable: false }, options);
  }

  /** Newest first; with `ending_before`, towards newer items. */
  list<Item extends { id: string }, Query extends ListQuery>(
    path: string,
    query: Query | undefined,
    options?: CallOptions,
  ): List<Item> {
    const first = { limit: 100, ...query };
    return paged<Item, object>(first, async (asked) => {
      const { data, has_more: more } = await this.get<{ data: Item[]; has_more: boolean }>(
        path + queryText(asked),
        options,
      );
      const end = query?.ending_before === undefined ? data.at(-1) : data[0];
      const next =
        query?.ending_before === undefined ? { starting_after: end?.id } : { ending_before: end?.id };
      return { items: data, next: more && end ? { ...asked, ...next } : undefined };
    });
  }
}

interface ListQuery {
  ending_before?: string;
}

function invoicesOf(payments: Payments) {
  const path = (id: string) => `/invoices/${part(id)}`;
  const document = (id: string, documentId: string) => `${path(id)}/tax-documents/${part(documentId)}`;
  return {
    create: (invoice: NewInvoice, options?: WriteOptions) =>
      payments.post<Invoice>('/invoices', invoice, options),
    get: (id: string, options?: CallOptions) => payments.get<Invoice>(path(id), options),
    list: (query?: QueryOf<Invoices['get']>, options?: CallOptions): List<ItemOf<Invoices['get']>> =>
      payments.list('/invoices', query, options),
    cancel: (id: string, cancellation: Cancellation = {}, options?: WriteOptions) =>
      payments.post<Invoice>(`${path(id)}/cancel`, cancellation, options),
    /** Pays as the sandbox payer. Only on local and staging deployments. */
    payInSandbox: (id: string, options?: WriteOptions) =>
      payments.post<Invoice>(`/sandbox${path(id)}/pay`, {}, options),
    /** Disputes a paid invoice as the sandbox payer, or ends the dispute. Only on local and staging deployments. */
    disputeInSandbox: (id: string, outcome: 'won' | 'lost' | null = null, options?: WriteOptions) =>
      payments.post<Invoice>(`/sandbox${path(id)}/dispute`, { outcome }, options),
    /** Refunds all that is left, or `amount`. */
    refund: (id: string, refund: NewRefund = {}, options?: WriteOptions) =>
      payments.post<Refund>(`${path(id)}/refunds`, refund, options),
    /** Completes the refund of a boleto as the sandbox payer. Only on local and staging deployments. */
    settleRefundInSandbox: (refundId: string, options?: WriteOptions) =>
      payments.post<Refund>(`/sandbox/refunds/${part(refundId)}/settle`, {}, options),
    getRefund: (id: string, refundId: string, options?: CallOptions) =>
      payments.get<Refund>(`${path(id)}/refunds/${part(refundId)}`, options),
    listRefunds: (
      id: string,
      query?: QueryOf<Refunds['get']>,
      options?: CallOptions,
    ): List<ItemOf<Refunds['get']>> => payments.list(`${path(id)}/refunds`, query, options),
    requestTaxDocument: (id: string, document: NewTaxDocument, options?: WriteOptions) =>
      payments.post<TaxDocument>(`${path(id)}/tax-documents`, document, options),
    getTaxDocument: (id: string, documentId: string, options?: CallOptions) =>
      payments.get<TaxDocument>(document(id, documentId), options),
    cancelTaxDocument: (
      id: string,
      documentId: string,
      cancellation: Cancellation = {},
      options?: WriteOptions,
    ) => payments.post<TaxDocument>(`${document(id, documentId)}/cancel`, cancellation, options),
  };
}

function payoutsOf(payments: Payments) {
  const path = (id: string) => `/payouts/${part(id)}`;
  return {
    create: (payout: NewPayout, options?: WriteOptions) => payments.post<Payout>('/payouts', payout, options),
    get: (id: string, options?: CallOptions) => payments.get<Payout>(path(id), options),
    list: (query?: QueryOf<Payouts['get']>, options?: CallOptions): List<ItemOf<Payouts['get']>> =>
      payments.list('/payouts', query, options),
    cancel: (id: string, cancellation: Cancellation = {}, options?: WriteOptions) =>
      payments.post<Payout>(`${path(id)}/cancel`, cancellation, options),
  };
}

function ledgerOf(payments: Payments) {
  return {
    get: (id: string, options?: CallOptions) =>
      payments.get<BalanceTransaction>(`/balance-transactions/${part(id)}`, options),
    list: (query?: QueryOf<Entries['get']>, options?: CallOptions): List<ItemOf<Entries['get']>> =>
      payments.list('/balance-transactions', query, options),
  };
}

function eventsOf(payments: Payments) {
  return feedOf<PaymentEvent, QueryOf<Events['get']>>((query, options) => payments.feed(query, options));
}

function webhooksOf(payments: Payments) {
  const path = (id: string, more = '') => `/webhooks/${part(id)}${more}`;
  return {
    /** The response contains the secret: store it. A repetition with the same key does not contain it. */
    create: (webhook: NewPaymentWebhook, options?: WriteOptions) =>
      payments.post<PaymentWebhookWithSecret>('/webhooks', webhook, options),
    get: (id: string, options?: CallOptions) => payments.get<PaymentWebhook>(path(id), options),
    list: (query?: QueryOf<Webhooks['get']>, options?: CallOptions): List<ItemOf<Webhooks['get']>> =>
      payments.list('/webhooks', query, options),
    update: (id: string, change: BodyOf<WebhookPath['patch']>, options?: CallOptions) =>
      payments.patch<PaymentWebhook>(path(id), change, options),
    delete: (id: string, options?: CallOptions) => payments.delete(path(id), options),
    /** Holds new events back, for up to 30 days, until `resume`. */
    pause: (id: string, options?: WriteOptions) =>
      payments.post<PaymentWebhook>(path(id, '/pause'), {}, options),
    /** Resumes deliveries, including the events that were held back. */
    resume: (id: string, options?: WriteOptions) =>
      payments.post<PaymentWebhook>(path(id, '/resume'), {}, options),
    /** Creates a new secret. The old one also signs for 24 hours. */
    rotateSecret: (id: string, options?: WriteOptions) =>
      payments.post<PaymentWebhookWithSecret>(path(id, '/rotate-secret'), {}, options),
    /** The key set that verifies deliveries, for libraries that need a JWKS; `public_key` is the same key. */
    keys: (id: string, options?: CallOptions) =>
      payments.get<ResponseOf<paths['/payments/webhooks/{id}/keys']['get']>>(path(id, '/keys'), options),
    /** Sends `webhook.test` to this webhook only. */
    test: (id: string, options?: WriteOptions) =>
      payments.post<ResponseOf<paths['/payments/webhooks/{id}/test']['post']>>(
        path(id, '/test'),
        {},
        options,
      ),
    /** Sends all deliveries of a period, or all failed ones, again with their original ids. */
    replayAll: (id: string, what: BodyOf<ReplayPath['post']>, options?: WriteOptions) =>
      payments.post<ResponseOf<ReplayPath['post']>>(path(id, '/replay'), what, options),
    /** Progress of a replay. */
    getReplay: (id: string, replayId: string, options?: CallOptions) =>
      payments.get<ResponseOf<ReplayPath['post']>>(path(id, `/replays/${part(replayId)}`), options),
    listDeliveries: (
      id: string,
      query?: QueryOf<Deliveries['get']>,
      options?: CallOptions,
    ): List<ItemOf<Deliveries['get']>> => payments.list(path(id, '/deliveries'), query, options),
    getDelivery: (id: string, deliveryId: string, options?: CallOptions) =>
      payments.get<PaymentDelivery>(path(id, `/deliveries/${part(deliveryId)}`), options),
    /** Sends a delivery again. */
    replay: (id: string, deliveryId: string, options?: WriteOptions) =>
      payments.post<{ delivery_id: string }>(path(id, `/deliveries/${part(deliveryId)}/replay`), {}, options),
  };
}

/** `new PaymentsClient({ url, apiKey })` */
export class PaymentsClient {
  readonly invoices: ReturnType<typeof invoicesOf>;
  readonly payouts: ReturnType<typeof payoutsOf>;
  /** The ledger. */
  readonly balanceTransactions: ReturnType<typeof ledgerOf>;
  /** The events that webhooks push, for polling. */
  readonly events: ReturnType<typeof eventsOf>;
  readonly webhooks: ReturnType<typeof webhooksOf>;
  readonly #payments: Payments;

  constructor(options: KeyOptions) {
    this.#payments = new Payments(new Transport(options, signing(options)));
    this.invoices = invoicesOf(this.#payments);
    this.payouts = payoutsOf(this.#payments);
    this.balanceTransactions = ledgerOf(this.#payments);
    this.events = eventsOf(this.#payments);
    this.webhooks = webhooksOf(this.#payments);
  }

  /** Totals of the ledger by currency. */
  balance(options?: CallOptions): Promise<Balance> {
    return this.#payments.get('/balance', options);
  }

  /** What can be charged, paid out and issued. */
  capabilities(options?: CallOptions): Promise<Capabilities> {
    return this.#payments.get('/capabilities', options);
  }
}
