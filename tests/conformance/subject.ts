/** A provider under test: its orders, its capabilities, and the objects to clean up. */
import type {
  Capabilities,
  ProviderAccount,
  WebhookOrder,
} from '../../shared/payments/providers/accounts.ts';
import type { ChargeOrder, PaymentMethod } from '../../shared/payments/providers/charge-port.ts';
import type { PayoutOrder } from '../../shared/payments/providers/payout-port.ts';
import {
  type ConnectedProvider,
  chargesOf,
  type PaymentProvider,
  payoutsOf,
} from '../../shared/payments/providers/provider.ts';
import type { TaxDocumentOrder } from '../../shared/payments/providers/tax-document-port.ts';

export interface Subject {
  provider: PaymentProvider;
  /** Undefined for the sandbox, which has no accounts. */
  account: AccountSubject | undefined;
  /** By method or kind: null if it is supported. */
  capabilities: Capabilities;
  /** A new order each time, with the smallest allowed amount. */
  charge(method: PaymentMethod): ChargeOrder;
  payout(): PayoutOrder;
  taxDocument(): TaxDocumentOrder;
  /** Controls of fakes and the sandbox. Undefined for real providers. */
  stage: Stage | undefined;
  /** Pays a charge as the payer, if this is possible without a person. */
  payer: ((order: ChargeOrder & { providerReference: string }) => Promise<unknown>) | undefined;
}

export interface AccountSubject {
  provider: ConnectedProvider;
  /** The adapter of the same account, with another key or secret. */
  as(change: Partial<Pick<ProviderAccount, 'key' | 'webhookSecret'>>): Promise<ConnectedProvider>;
  /** Undefined if no server receives webhooks. */
  webhook: WebhookOrder | undefined;
}

export interface Stage {
  /** The payer pays. */
  pay(order: ChargeOrder & { providerReference: string }): Promise<unknown>;
  /** The next order of this kind is accepted, and its response is lost. Undefined if this cannot be simulated. */
  silence?(kind: 'charge' | 'payout'): Promise<unknown>;
  /** The next request is rejected because of rate limits. */
  refuseOne?(): Promise<unknown>;
  /** Waits until all planned state changes have happened. */
  later(): Promise<unknown>;
}

const METHODS = ['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer'] as const;

/** The payment methods that it supports. */
export const methodsOf = ({ capabilities }: Subject): PaymentMethod[] =>
  METHODS.filter((method) =>
    method === 'bolepix'
      ? capabilities.boleto === null && capabilities.pix === null
      : capabilities[method] === null,
  );

/** Never aborted. */
export const patient = new AbortController().signal;

/** All objects that a run created, for the cleanup. */
export class Made {
  readonly #charges: ChargeOrder[] = [];
  readonly #payouts: PayoutOrder[] = [];
  readonly #webhooks: WebhookOrder[] = [];

  charge<T extends ChargeOrder>(order: T): T {
    this.#charges.push(order);
    return order;
  }
  payout<T extends PayoutOrder>(order: T): T {
    this.#payouts.push(order);
    return order;
  }
  webhook(order: WebhookOrder): WebhookOrder {
    this.#webhooks.push(order);
    return order;
  }

  /** Cancels charges and payouts and deletes webhooks. Returns the remaining ones, one line each. */
  async uncountRequest({ provider, account }: Subject): Promise<string[]> {
    const left: string[] = [];
    const attempt = async (what: string, take: () => Promise<unknown>) => {
      try {
        await take();
      } catch (error) {
        left.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    for (const webhook of this.#webhooks)
      await attempt(`webhook at ${webhook.url}`, async () =>
        account?.provider.removeWebhook(webhook, patient),
      );
    for (const order of this.#charges)
      await attempt(`charge ${order.reference}`, () => chargesOf(provider).cancel(order, patient));
    for (const order of this.#payouts)
      await attempt(`payout ${order.reference}`, () => payoutsOf(provider).cancel(order, patient));
    return left;
  }
}
