/** A client of the emulator's `/_control`: tests use it to read the state and to act as users, banks and Wise. */
import type { z } from 'zod';
import { ProviderControl } from '../old/control.ts';
import type { AccountOptions } from './options.ts';
import type { Account } from './state.ts';
import type { renderTransfer } from './transfers.ts';

export type AccountOptionsOrder = z.input<typeof AccountOptions>;

export interface AccountOrder {
  /** Default: random. */
  token?: string;
  personalName?: string;
  businessName?: string;
  /** Initial balances of the business profile, such as `{ EUR: 1000 }`. */
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
  /** PEM of the event signing key. */
  async publicKey(): Promise<string> {
    return (await this.get<{ publicKey: string }>('/public-key')).publicKey;
  }

  createAccount(order: AccountOrder = {}): Promise<CreatedAccount> {
    return this.post('/accounts', order);
  }

  /** The state of an account, or only these members of it. Amounts are in minor units. */
  account<Part extends keyof Account = keyof Account>(
    id: string,
    ...parts: Part[]
  ): Promise<Pick<Account, Part>> {
    return this.get(`/accounts/${id}?parts=${parts.join(',')}`);
  }

  options(account: string, change: AccountOptionsOrder): Promise<AccountOptions> {
    return this.patch(`/accounts/${account}/options`, change);
  }

  /** Adds, disables or enables a token. */
  async token(account: string, token: string, { enabled }: { enabled: boolean }): Promise<void> {
    await this.post(`/accounts/${account}/tokens`, { token, enabled });
  }

  /** Uploads the public key for signed one-time tokens; null removes it. */
  async scaKey(account: string, publicKey: string | null): Promise<void> {
    await this.put(`/accounts/${account}/sca-key`, { publicKey });
  }

  /** Adds money from outside. */
  topUp(account: string, order: { currency: string; amount: number; profile?: number }): Promise<object> {
    return this.post(`/accounts/${account}/top-up`, order);
  }

  /** Converts money between two balances, as a user would. */
  convert(
    account: string,
    order: { from: string; to: string; amount: number; fee?: number },
  ): Promise<object> {
    return this.post(`/accounts/${account}/convert`, order);
  }

  /** Adds a statement entry that appears nowhere else. Negative for outgoing money. */
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
