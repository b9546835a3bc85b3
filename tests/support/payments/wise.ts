/** The fake of Wise in tests: one account, and requests with its token. */
import { randomUUID } from 'node:crypto';
import type { AccountOrder, Wise } from '../../../local/providers/wise/index.ts';
import type { Json } from './vendor-receiver.ts';

export interface WiseClient {
  wise: Wise;
  account: { id: string; token: string; profile: number };
  /** Sends a request, expects a 2xx and returns the body. Paths begin after the version. */
  ok(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json>;
  recipient(order?: object): Promise<Json>;
  /** A transfer of EUR 100 to EUR that is not funded yet. */
  transfer(): Promise<Json>;
  state(transfer: number): Promise<string>;
  /** The balance in units of its currency. */
  balance(currency: string): Promise<number>;
}

const RECIPIENT = {
  accountHolderName: 'Ann Lee',
  currency: 'EUR',
  type: 'iban',
  details: { legalType: 'PRIVATE', IBAN: 'DE89370400440532013000' },
};

/** Creates an account in a running fake. */
export async function wiseClient(wise: Wise, order: AccountOrder = {}): Promise<Omit<WiseClient, 'wise'>> {
  const account = await wise.control.createAccount(order);
  const ok: WiseClient['ok'] = async (method, path, body, headers) => {
    const response = await fetch(`${wise.url}/2026Q3${path}`, {
      method,
      headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const profile = `/profiles/${account.profile}`;
  const recipient = (details: object = RECIPIENT) =>
    ok('POST', '/accounts', { profile: account.profile, ...details });
  return {
    account,
    ok,
    recipient,
    async transfer() {
      const { id: targetAccount } = await recipient();
      const { id: quoteUuid } = await ok('POST', `${profile}/quotes`, {
        ...{ sourceCurrency: 'EUR', targetCurrency: 'EUR', targetAmount: 100, preferredPayIn: 'BALANCE' },
      });
      const merged = { 'content-type': 'application/merge-patch+json' };
      await ok('PATCH', `${profile}/quotes/${quoteUuid}`, { targetAccount }, merged);
      const customerTransactionId = randomUUID();
      const details = { reference: 'PO 1' };
      return ok('POST', '/transfers', { targetAccount, quoteUuid, customerTransactionId, details });
    },
    state: async (transfer) => (await ok('GET', `/transfers/${transfer}`)).status,
    async balance(currency) {
      const balances: Json[] = await ok('GET', `${profile}/balances?types=STANDARD`);
      return balances.find((balance) => balance.currency === currency)?.amount.value;
    },
  };
}
