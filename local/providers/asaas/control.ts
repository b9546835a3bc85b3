/** A client of the emulator's `/_control`: tests use it to read the state and to act as payers and banks. */
import type { z } from 'zod';
import { ProviderControl } from '../control.ts';
import type { renderInvoice } from './invoice-life.ts';
import type { AccountOptions } from './options.ts';
import type { renderPayment } from './payment-render.ts';
import type { Account } from './state.ts';

export type AccountOptionsOrder = z.input<typeof AccountOptions>;

export interface AccountOrder {
  name?: string;
  cpfCnpj?: string;
  email?: string;
  city?: string;
  /** Default: random. */
  apiKey?: string;
  /** In reais. */
  balance?: number;
  options?: AccountOptionsOrder;
}

export interface CreatedAccount {
  id: string;
  apiKey: string;
}

export type RenderedPayment = ReturnType<typeof renderPayment>;
export type RenderedInvoice = ReturnType<typeof renderInvoice>;

/** Steps of a payment: see `control-routes.ts`. */
export type PaymentStep =
  | 'pay'
  | 'pay-again'
  | 'refuse-card'
  | 'risk'
  | 'receive-in-cash'
  | 'delete'
  | 'restore'
  | 'overdue'
  | 'dunning'
  | 'refund'
  | 'refund-page'
  | 'infraction-lost'
  | 'refund/done'
  | 'refund/denied'
  | 'chargeback';

export interface TransferOrder {
  step: 'authorize' | 'done' | 'fail' | 'block' | 'cancel' | 'return';
  reason?: string;
  value?: number;
  show?: 'DONE' | 'FAILED' | 'CANCELLED';
  fee?: boolean;
}

export interface BlockOrder {
  step: 'block' | 'unblock';
  value: number;
  type?: 'JUDICIAL' | 'PIX_INFRACTION' | 'ADMINISTRATIVE' | 'CONTRACTUAL_EFFECT';
  description?: string;
  /** Asaas' id of the payment that the event names. */
  payment?: string;
  /** Whether the statement line names the payment, too. */
  lineNames?: boolean;
  /** Whether the event is sent and the line is added. */
  notified?: boolean;
  stated?: boolean;
}

export class AsaasControl extends ProviderControl {
  createAccount(order: AccountOrder = {}): Promise<CreatedAccount> {
    return this.post('/accounts', order);
  }

  /** The state of an account, or only these members of it. Amounts are in cents. */
  account<Part extends keyof Account = keyof Account>(
    id: string,
    ...parts: Part[]
  ): Promise<Pick<Account, Part>> {
    return this.get(`/accounts/${id}?parts=${parts.join(',')}`);
  }

  options(account: string, change: AccountOptionsOrder): Promise<AccountOptions> {
    return this.patch(`/accounts/${account}/options`, change);
  }

  /** Adds, disables or enables a key. */
  async key(account: string, apiKey: string, { enabled }: { enabled: boolean }): Promise<void> {
    await this.post(`/accounts/${account}/keys`, { apiKey, enabled });
  }

  /** Registers the withdrawal validation URL; null removes it. */
  async withdrawalValidation(
    account: string,
    address: { url: string; authToken?: string | null } | null,
  ): Promise<void> {
    const path = `/accounts/${account}/withdrawal-validation`;
    await (address === null ? this.delete(path) : this.put(path, address));
  }

  payment(account: string, id: string, step: PaymentStep, details: object = {}): Promise<RenderedPayment> {
    return this.post(`/accounts/${account}/payments/${id}/${step}`, details);
  }

  /** Pays as the payer. `value` in reais. */
  pay(
    account: string,
    id: string,
    details: { value?: number; billingType?: 'PIX' | 'BOLETO' | 'CREDIT_CARD'; on?: string } = {},
  ): Promise<RenderedPayment> {
    return this.payment(account, id, 'pay', details);
  }

  transfer(account: string, id: string, order: TransferOrder): Promise<Record<string, unknown>> {
    return this.post(`/accounts/${account}/transfers/${id}`, order);
  }

  invoice(
    account: string,
    id: string,
    order: { step: 'issue' | 'error' | 'canceled' | 'denied'; message?: string },
  ): Promise<RenderedInvoice> {
    return this.post(`/accounts/${account}/invoices/${id}`, order);
  }

  /** Sends an event of any name about a resource to all webhooks. */
  async event(
    account: string,
    order: { event: string; subject: 'payment' | 'transfer' | 'invoice'; id: string; change?: object },
  ): Promise<void> {
    await this.post(`/accounts/${account}/events`, order);
  }

  balance(account: string, order: BlockOrder): Promise<{ balance: number }> {
    return this.post(`/accounts/${account}/balance`, order);
  }

  /** Adds a statement entry without an event. */
  statement(
    account: string,
    entry: { type: string; value: number; description?: string },
  ): Promise<{ balance: number }> {
    return this.post(`/accounts/${account}/statement`, entry);
  }
}
