/** A client of the emulator's `/_control`: tests use it to read the state and to act as payers and banks. */
import type { z } from 'zod';
import { ProviderControl } from '../old/control.ts';
import type { AccountOptions } from './options.ts';
import type {
  Account,
  ApiKey,
  Charge,
  Dispute,
  InternalFailure,
  PaymentIntent,
  Payout,
  Refund,
  Session,
  StripeEvent,
  Transaction,
} from './state.ts';
import type { Submission } from './submit.ts';

export type AccountOptionsOrder = z.input<typeof AccountOptions>;

export interface AccountOrder {
  name?: string;
  email?: string;
  country?: string;
  currency?: string;
  livemode?: boolean;
  /** Default: random. */
  apiKey?: string;
  apiVersion?: string;
  options?: AccountOptionsOrder;
}

export interface CreatedAccount {
  id: string;
  apiKey: string;
}

/** Partial options, including nested members. */
export type OptionsChange = { [Name in keyof AccountOptions]?: unknown };

/** All methods take the account's id first. Amounts are in minor units. */
export class StripeControl extends ProviderControl {
  createAccount(order: AccountOrder = {}): Promise<CreatedAccount> {
    return this.post('/accounts', order);
  }

  /** The state of an account, or only these members of it. */
  account<Part extends keyof Account = keyof Account>(
    id: string,
    ...parts: Part[]
  ): Promise<Pick<Account, Part>> {
    return this.get(`/accounts/${id}?parts=${parts.join(',')}`);
  }

  options(account: string, change: OptionsChange): Promise<AccountOptions> {
    return this.patch(`/accounts/${account}/options`, change);
  }

  /** Adds or changes a key. */
  key(
    account: string,
    apiKey: string,
    change: { state?: ApiKey['state']; permissions?: ApiKey['permissions'] } = {},
  ): Promise<ApiKey[]> {
    return this.post(`/accounts/${account}/keys`, { apiKey, ...change });
  }

  /** Submits the page as the payer. */
  pay(account: string, session: string, submission: Submission = {}): Promise<Session> {
    return this.post(`/accounts/${account}/sessions/${session}/pay`, submission);
  }

  /** The bank concludes a debit that is processing. */
  concludeDebit(
    account: string,
    intent: string,
    end: { outcome: 'succeed' | 'fail'; code?: string; message?: string },
  ): Promise<PaymentIntent> {
    return this.post(`/accounts/${account}/intents/${intent}/conclude`, end);
  }

  /** A bank transfer arrives. Default: the open amount. */
  transfer(account: string, intent: string, amount?: number): Promise<PaymentIntent> {
    return this.post(
      `/accounts/${account}/intents/${intent}/transfer`,
      amount === undefined ? {} : { amount },
    );
  }

  /** Returns cash to the customer's bank account. Default: all of it. */
  returnCash(account: string, intent: string, amount?: number): Promise<PaymentIntent> {
    return this.post(`/accounts/${account}/intents/${intent}/return`, amount === undefined ? {} : { amount });
  }

  /** Creates the balance transaction of a charge immediately. */
  enterCharge(account: string, charge: string): Promise<Charge> {
    return this.post(`/accounts/${account}/charges/${charge}/enter`);
  }

  /** Refunds in the dashboard. */
  refund(account: string, charge: string, order: { amount?: number; reason?: string } = {}): Promise<Refund> {
    return this.post(`/accounts/${account}/charges/${charge}/refund`, order);
  }

  concludeRefund(
    account: string,
    refund: string,
    end: { outcome: 'succeeded' | 'failed'; reason?: string },
  ): Promise<Refund> {
    return this.post(`/accounts/${account}/refunds/${refund}/conclude`, end);
  }

  dispute(
    account: string,
    charge: string,
    order: { reason?: string; inquiry?: boolean; amount?: number } = {},
  ): Promise<Dispute> {
    return this.post(`/accounts/${account}/charges/${charge}/dispute`, order);
  }

  closeDispute(account: string, dispute: string, outcome: 'won' | 'lost'): Promise<Dispute> {
    return this.post(`/accounts/${account}/disputes/${dispute}/close`, { outcome });
  }

  payout(
    account: string,
    payout: string,
    order: { step: 'arrive' | 'fail'; code?: string; message?: string },
  ): Promise<Payout> {
    return this.post(`/accounts/${account}/payouts/${payout}`, order);
  }

  /** Adds a transaction without an event. */
  transaction(
    account: string,
    entry: {
      type?: string;
      reportingCategory?: string;
      amount: number;
      currency?: string;
      description?: string;
      availableOn?: number;
    },
  ): Promise<Transaction> {
    return this.post(`/accounts/${account}/transactions`, entry);
  }

  /** Makes the next POSTs fail internally, or keeps them in flight for a while. */
  fail(account: string, failure: Partial<InternalFailure>): Promise<InternalFailure[]> {
    return this.post(`/accounts/${account}/failures`, failure);
  }

  /** Sends an event of any type about an object to all endpoints. */
  event(account: string, order: { type: string; id: string; change?: object }): Promise<StripeEvent> {
    return this.post(`/accounts/${account}/events`, order);
  }
}
