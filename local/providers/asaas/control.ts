/** A client of the emulator's `/_control`: what tests order, read and do in the place of payers, banks and cities. */
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
  /** Drawn when absent. */
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

/** What can be done to a payment: see `control-routes.ts`. */
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
  | 'refund/done'
  | 'refund/denied'
  | 'chargeback';

export interface TransferOrder {
  step: 'authorize' | 'done' | 'fail' | 'block' | 'cancel' | 'return';
  reason?: string;
  value?: number;
  show?: 'DONE' | 'FAILED' | 'CANCELLED';
}

export interface BlockOrder {
  step: 'block' | 'unblock';
  value: number;
  type?: 'JUDICIAL' | 'PIX_INFRACTION' | 'ADMINISTRATIVE';
  description?: string;
}

export class AsaasControl extends ProviderControl {
  createAccount(order: AccountOrder = {}): Promise<CreatedAccount> {
    return this.post('/accounts', order);
  }

  /** What an account holds: these members of it, all when none is named; amounts are cents. */
  account<Part extends keyof Account = keyof Account>(
    id: string,
    ...parts: Part[]
  ): Promise<Pick<Account, Part>> {
    return this.get(`/accounts/${id}?parts=${parts.join(',')}`);
  }

  options(account: string, change: AccountOptionsOrder): Promise<AccountOptions> {
    return this.patch(`/accounts/${account}/options`, change);
  }

  /** Adds a key, or disables or enables one. */
  async key(account: string, apiKey: string, { enabled }: { enabled: boolean }): Promise<void> {
    await this.post(`/accounts/${account}/keys`, { apiKey, enabled });
  }

  /** Registers the address that is asked about withdrawals; null removes it. */
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

  /** The payer pays; `value` in reais. */
  pay(
    account: string,
    id: string,
    details: { value?: number; way?: 'PIX' | 'BOLETO' | 'CREDIT_CARD' } = {},
  ): Promise<RenderedPayment> {
    return this.payment(account, id, 'pay', details);
  }

  transfer(account: string, id: string, order: TransferOrder): Promise<Record<string, unknown>> {
    return this.post(`/accounts/${account}/transfers/${id}`, order);
  }

  invoice(
    account: string,
    id: string,
    order: { step: 'issue' | 'error' | 'canceled' | 'denied'; words?: string },
  ): Promise<RenderedInvoice> {
    return this.post(`/accounts/${account}/invoices/${id}`, order);
  }

  /** An event of any name about a resource, to every webhook: what nobody has seen before. */
  async event(
    account: string,
    order: { event: string; subject: 'payment' | 'transfer' | 'invoice'; id: string; change?: object },
  ): Promise<void> {
    await this.post(`/accounts/${account}/events`, order);
  }

  balance(account: string, order: BlockOrder): Promise<{ balance: number }> {
    return this.post(`/accounts/${account}/balance`, order);
  }

  /** An entry of which no event tells. */
  statement(
    account: string,
    entry: { type: string; value: number; description?: string },
  ): Promise<{ balance: number }> {
    return this.post(`/accounts/${account}/statement`, entry);
  }
}
