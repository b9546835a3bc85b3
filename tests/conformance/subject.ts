/** A provider as the conformance suite asks it: its orders, what it can do, and what was made there and has to go again. */
import type {
  Capabilities,
  ProviderAccount,
  WebhookOrder,
} from '../../shared/payments/providers/accounts.ts';
import type {
  ChargeOrder,
  PaymentMethod,
  PayoutOrder,
  TaxDocumentOrder,
} from '../../shared/payments/providers/orders.ts';
import {
  type ConnectedProvider,
  chargesOf,
  type PaymentProvider,
  payoutsOf,
} from '../../shared/payments/providers/provider.ts';

export interface Subject {
  provider: PaymentProvider;
  /** Undefined of the sandbox, which has no accounts. */
  account: AccountSubject | undefined;
  /** By method or kind: null where it can be asked for. */
  capabilities: Capabilities;
  /** An order of its own each time, of as little as is allowed. */
  charge(method: PaymentMethod): ChargeOrder;
  payout(): PayoutOrder;
  taxDocument(): TaxDocumentOrder;
  /** What only emulators and the sandbox can be told to do; undefined of the real thing. */
  stage: Stage | undefined;
  /** Has the payer pay a charge, where that can be done without a person. */
  payer: ((order: ChargeOrder & { providerReference: string }) => Promise<unknown>) | undefined;
}

export interface AccountSubject {
  provider: ConnectedProvider;
  /** The adapter of the same account, with another key or secret. */
  as(change: Partial<Pick<ProviderAccount, 'key' | 'webhookSecret'>>): Promise<ConnectedProvider>;
  /** Undefined where there is no address that answers. */
  webhook: WebhookOrder | undefined;
}

export interface Stage {
  /** The payer pays. */
  pay(order: ChargeOrder & { providerReference: string }): Promise<unknown>;
  /** The next order of this kind is taken, and nobody says so; undefined where that cannot be told. */
  silence?(kind: 'charge' | 'payout'): Promise<unknown>;
  /** The next call is refused for being one too many. */
  refuseOne?(): Promise<unknown>;
  /** All that was planned has happened. */
  later(): Promise<unknown>;
}

const METHODS = ['pix', 'boleto', 'bolepix', 'card', 'ach_debit', 'sepa_debit', 'bank_transfer'] as const;

/** The methods that it can be charged by. */
export const methodsOf = ({ capabilities }: Subject): PaymentMethod[] =>
  METHODS.filter((method) =>
    method === 'bolepix'
      ? capabilities.boleto === null && capabilities.pix === null
      : capabilities[method] === null,
  );

/** Nobody gives up. */
export const patient = new AbortController().signal;

/** Everything that a run made, to be taken back. */
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

  /** Cancels charges and payouts and removes webhooks. Gives what is left, one line each. */
  async takeBack({ provider, account }: Subject): Promise<string[]> {
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
