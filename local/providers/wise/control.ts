/** A client of the emulator's `/_control`: what tests order, read and do in the place of people, banks and Wise. */
import type { z } from 'zod';
import { ProviderControl } from '../control.ts';
import type { AccountOptions } from './options.ts';
import type { Account } from './state.ts';
import type { renderTransfer } from './transfers.ts';

export type AccountOptionsOrder = z.input<typeof AccountOptions>;

export interface AccountOrder {
  /** Drawn when absent. */
  token?: string;
  personalName?: string;
  businessName?: string;
  /** What each balance of the business profile begins with, such as `{ EUR: 1000 }`. */
  balances?: Record<string, number>;
  options?: AccountOptionsOrder;
}

export interface CreatedAccount {
  id: string;
  token: string;
  /** Id of the business profile. */
  profile: number;
  personalProfile: number;
}

/** See `control-routes.ts`. */
export type TransferStep =
  | { step: 'pay-in'; method?: 'BALANCE' | 'BANK_TRANSFER' }
  | { step: 'next' | 'rollback' | 'cancel' | 'chargeback' }
  | { step: 'bounce'; reason?: string }
  | { step: 'refund'; amount?: number }
  | { step: 'payout-failure'; reason: string }
  | { step: 'state'; state: string }
  | { step: 'review'; underReview: boolean }
  | { step: 'active-cases'; cases: string[] };

export type RenderedTransfer = ReturnType<typeof renderTransfer>;

export class WiseControl extends ProviderControl {
  /** PEM of the key that events are signed with. */
  async publicKey(): Promise<string> {
    return (await this.get<{ publicKey: string }>('/public-key')).publicKey;
  }

  createAccount(order: AccountOrder = {}): Promise<CreatedAccount> {
    return this.post('/accounts', order);
  }

  /** What an account holds: these members of it, all when none is named; amounts are minor units. */
  account<Part extends keyof Account = keyof Account>(
    id: string,
    ...parts: Part[]
  ): Promise<Pick<Account, Part>> {
    return this.get(`/accounts/${id}?parts=${parts.join(',')}`);
  }

  options(account: string, change: AccountOptionsOrder): Promise<AccountOptions> {
    return this.patch(`/accounts/${account}/options`, change);
  }

  /** Adds a token, or disables or enables one. */
  async token(account: string, token: string, { enabled }: { enabled: boolean }): Promise<void> {
    await this.post(`/accounts/${account}/tokens`, { token, enabled });
  }

  /** Uploads the public key with which one-time tokens come back signed; null removes it. */
  async scaKey(account: string, publicKey: string | null): Promise<void> {
    await this.put(`/accounts/${account}/sca-key`, { publicKey });
  }

  /** Money arrives from outside. */
  topUp(account: string, order: { currency: string; amount: number; profile?: number }): Promise<object> {
    return this.post(`/accounts/${account}/top-up`, order);
  }

  /** A person changes money between two balances. */
  convert(
    account: string,
    order: { from: string; to: string; amount: number; fee?: number },
  ): Promise<object> {
    return this.post(`/accounts/${account}/convert`, order);
  }

  /** A line on the statement of which nothing else tells; what goes out is negative. */
  statement(
    account: string,
    entry: { currency: string; amount: number; description?: string },
  ): Promise<object> {
    return this.post(`/accounts/${account}/statement`, entry);
  }

  transfer(account: string, id: number, order: TransferStep): Promise<RenderedTransfer> {
    return this.post(`/accounts/${account}/transfers/${id}`, order);
  }
}
